"""Loops over few members are narrowed by maintained sets, which cost one look-up whatever the loop's length."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from rulespec.engine.passes.narrow import before_guards, held_mask
from rulespec.engine.passes.rewrite import conjuncts
from rulespec.engine.program import ir
from rulespec.engine.program.builder import logic, op
from rulespec.engine.program.traversal import Facts

MOST_WORTH = 512
"""Members of a set beyond which the cells of a few neighbours are tested sooner than the set is joined with another."""

Lookup = Callable[[ir.Held], ir.Expr | None]
"""The expression that reads a set, if it is maintained."""


def narrowed_by_sets(e: ir.Fold, facts: Facts, lookup: Lookup) -> ir.Expr:
    """The loop over the members that are also in the maintained sets of its conditions.

    Conditions that no maintained set decides stay, as do all that follow one that may fault.
    """
    source, first = e.source, True
    left: list[ir.Expr] = []
    for test in conjuncts(e.where):
        candidate = None if any(facts.may_fault(x) for x in (*left, test)) else held_mask(test, e.slot, facts)
        mask = None
        if candidate is not None and candidate[0].count <= MOST_WORTH:
            wanted = candidate[0] if first else before_guards(candidate[0], facts)
            assert isinstance(wanted, ir.Held)
            mask = lookup(wanted)
        if candidate is None or mask is None:
            left.append(test)
        else:
            source = op("diff" if candidate[1] else "&", source, mask)
        first = False
    if source is e.source:
        return e
    if e.op == "set" and not left and e.start is None and e.body is None:
        return source
    return replace(e, source=source, where=logic("and", left) if left else None)
