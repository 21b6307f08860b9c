"""Pass: inlines small definitions."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.engine.passes.rewrite import everywhere
from rulespec.engine.program import ir
from rulespec.engine.program.traversal import Binding, Facts, binds, changed, highest, moved, substituted, walk

_MAX_SIZE = 60
"""The maximum number of expressions in the body of an inlined definition."""


def inline(p: ir.Program) -> ir.Program:
    """Replaces calls of small definitions with their bodies."""
    facts = Facts(p)
    functions: list[ir.Function] = []

    def put(e: ir.Expr, top: int) -> ir.Expr:
        inner = max(top, *binds(e)) if isinstance(e, Binding) else top
        e = changed(e, lambda part: put(part, inner))
        if not isinstance(e, ir.Call) or p.functions[e.function].steps is not None:
            return e
        f = functions[e.function]
        if f.lets or sum(1 for _ in walk(f.body)) > _MAX_SIZE:
            return e
        if any(isinstance(x, ir.Suppose) for x in walk(f.body)):
            return e  # an argument would be evaluated in another state
        if facts.worth_memo((f.body,), f.params):
            return e
        reads = [x.slot for x in walk(f.body) if isinstance(x, ir.Local)]
        for slot, a in enumerate(e.args):
            # An argument that is never read, or read after something else, must not fault.
            if facts.may_fault(a) or not (_is_plain(a) or reads.count(slot) == 0):
                return e
        by = max([top, *(highest(a) for a in e.args)]) + 1
        return substituted(moved(f.body, by), dict(enumerate(e.args)))

    for f in p.functions:
        top = max([f.params - 1, *(slot for slot, _ in f.lets)])
        lets = tuple((slot, put(value, top)) for slot, value in f.lets)
        functions.append(replace(f, lets=lets, body=put(f.body, top)))
    return everywhere(replace(p, functions=functions), put, functions_too=False)


def _is_plain(e: ir.Expr) -> bool:
    """Whether evaluating an expression twice costs no more than storing its value."""
    if isinstance(e, ir.Cell | ir.Row):
        return isinstance(e.index, ir.Const | ir.Local)
    return isinstance(e, ir.Const | ir.Local)
