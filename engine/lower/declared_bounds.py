"""Declared bounds of definitions: the maximum size of a set, enforced at run time."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.program import ir
from rulespec.engine.program.builder import no_more_than
from rulespec.typed import nodes as typed


def declared(
    definition: typed.Definition,
    body: ir.Expr,
    lets: list[tuple[int, ir.Expr]],
    slot: int,
    site: Callable[[Span, str], int],
) -> ir.Expr:
    """The value of a definition, which faults if its size exceeds the declared bound.

    Args:
        definition: the definition.
        body: the lowered value.
        lets: receives the binding of the value to the slot, if a test is necessary.
        slot: a free slot for the value.
        site: returns the number of a fault site.
    """
    if definition.at_most is None:
        return body
    lets.append((slot, body))
    place = site(definition.result_span, f"`{definition.name}` has more than {definition.at_most} members")
    return no_more_than(ir.Local(slot), definition.at_most, place)
