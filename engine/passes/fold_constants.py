"""Passes that simplify expressions: they fold expressions over facts into constants, and inline small definitions."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.engine.passes.rewrite import conjuncts, everywhere, membership
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, choose, logic, op, together
from rulespec.engine.program.domains import members
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.reached_sets import ReachedSets
from rulespec.engine.program.traversal import (
    LEAVES,
    Binding,
    Elsewhere,
    Facts,
    binds,
    changed,
    free,
    highest,
    moved,
    substituted,
    walk,
)

_MAX_FOLDED = 100_000
"""The maximum steps to evaluate a loop's condition in advance."""
_FEW = 8
"""The maximum number of sets in an unrolled union."""


def fold_constants(p: ir.Program) -> ir.Program:
    """Evaluates expressions over facts, and removes members from loops if their conditions always fail."""
    facts = Facts(p)

    def fold(e: ir.Expr, top: int) -> ir.Expr:
        if type(e) in LEAVES:
            return e
        e = changed(e, lambda part: fold(part, top))
        if isinstance(e, ir.Op):
            return _folded_op(e, facts)
        if isinstance(e, ir.Logic) and e.op in ("and", "or"):
            return logic(e.op, list(e.args))
        if isinstance(e, ir.If):
            return choose(e.condition, e.then, e.other)
        if isinstance(e, ir.Row) and isinstance(e.index, ir.Const) and 0 <= e.index.value < len(p.arrays[e.array]):
            return ir.Const(p.arrays[e.array][e.index.value])
        if isinstance(e, ir.Call):
            body = p.functions[e.function].body  # its `let` bindings are evaluated even if unused, and may fault
            return body if isinstance(body, ir.Const) and not facts.may_fault(e) else e
        if isinstance(e, ir.Fold):
            return _folded_loop(e, facts)
        return e

    return everywhere(p, fold)


def _folded_op(e: ir.Op, facts: Facts) -> ir.Expr:
    args = e.args
    if e.op in ("==", "!=", ">") and args[1] == FALSE and isinstance(args[0], ir.Op) and args[0].op == "count":
        e = ir.Op("!=" if e.op == ">" else e.op, (args[0].args[0], FALSE))
        args = e.args
    if e.op in ("==", "!=") and args[1] == FALSE and isinstance(args[0], ir.Fold) and args[0].op == "set":
        asked = [x for x in (args[0].where, args[0].body) if x is not None]
        if any(map(facts.may_fault, asked)):
            return e  # a later member may fault even if the first decides the value
        some = replace(args[0], op="any", body=None)
        return some if e.op == "!=" else ir.Op("not", (some,))
    if e.op == "count" and isinstance(args[0], ir.Fold) and args[0].op == "set" and args[0].body is None:
        return replace(args[0], op="count")
    if e.op == "/" and args[1] == TRUE:
        return args[0]
    if e.op == "in" and isinstance(args[0], ir.Local) and not facts.may_fault(args[1]):
        return membership(args[0], args[1])
    if e.op == "&" and args[0] == args[1]:
        return args[0]
    return op(e.op, *args, site=e.site)


def _folded_loop(e: ir.Fold, facts: Facts) -> ir.Expr:
    if isinstance(e.source, ir.Const):
        left: list[ir.Expr] = []
        mask = e.source.value
        for c in conjuncts(e.where):
            settled = not facts.reads_state(c) and free(c) <= {e.slot}
            if settled and not any(facts.may_fault(x) for x in (*left, c)):
                held = holding(facts.p, c, e.slot, mask)
                mask = mask if held is None else held
            else:
                held = None
            if held is None:
                left.append(c)
        e = replace(e, source=ir.Const(mask), where=logic("and", left) if left else None)
        if mask == 0 and e.default is None and not (e.start is not None and facts.may_fault(e.start)):
            return ir.Const({"any": 0, "all": 1, "first": -1}.get(e.op, 0))
    if e.where is None and e.body is None:
        if e.op == "count":
            return op("count", e.source)
        if e.op == "any":
            return op("!=", e.source, FALSE)
        if e.op == "set":
            return e.source
        if e.op == "first":
            return op("pick", e.source, e.start or FALSE)
    return _unrolled(e)


def _unrolled(e: ir.Fold) -> ir.Expr:
    """The union of a few sets, each from one source, without a loop."""
    if e.op != "union" or e.where is not None or e.body is None or not isinstance(e.source, ir.Const):
        return e
    if e.source.value.bit_count() > _FEW or not isinstance(e.body, ir.Cell | ir.Row | ir.Positive):
        return e
    if any(isinstance(x, Binding | Elsewhere) for x in walk(e.body)):
        return e
    return together("|", [_at(e.body, e.slot, m) for m in members(e.source.value, 0)])


def _at(e: ir.Expr, slot: int, member: int) -> ir.Expr:
    """An expression for one member in a slot, with its index folded."""
    if e == ir.Local(slot):
        return ir.Const(member)
    e = changed(e, lambda part: _at(part, slot, member))
    return op(e.op, *e.args, site=e.site) if isinstance(e, ir.Op) else e


def holding(p: ir.Program, e: ir.Expr, slot: int, mask: int) -> int | None:
    """The members of a set for which a condition holds; None if the evaluation takes too long."""
    evaluator = Evaluator(p, _MAX_FOLDED)
    slots = [0] * (max(p.slots, highest(e), slot) + 1)
    result = 0
    try:
        for member in members(mask, 0):
            slots[slot] = member
            result |= bool(evaluator.evaluate(e, [], slots)) << member
    except ProgramFaultError:  # the step limit, as nothing else here may fault
        return None
    return result


_MAX_SIZE = 60
"""The maximum number of expressions in the body of an inlined definition."""


def inline(p: ir.Program) -> ir.Program:
    """Replaces calls to small definitions with their bodies."""
    facts, reached = Facts(p), ReachedSets(p)
    functions: list[ir.Function] = []

    def put(e: ir.Expr, top: int) -> ir.Expr:
        inner = max(top, *binds(e)) if isinstance(e, Binding) else top
        e = changed(e, lambda part: put(part, inner))
        if not isinstance(e, ir.Call) or p.functions[e.function].steps is not None:
            return e
        f = functions[e.function]
        if reached.is_worth_caching(e.function) or f.lets or sum(1 for _ in walk(f.body)) > _MAX_SIZE:
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
