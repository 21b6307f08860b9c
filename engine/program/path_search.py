"""The possible paths of a parameter in a position, for interpreters of single expressions."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.program import ir
from rulespec.language.paths import PathForm


def ways_of(walk: ir.PathSearch, slots: list[int], evaluate: Callable[[ir.Expr], int]) -> PathForm:
    """The paths that a parameter may be.

    Args:
        walk: the domain of the parameter.
        slots: the variables, with the arguments before it; those that the walk binds are written over.
        evaluate: gives the value of an expression with these variables.
    """
    known = (walk.slot, walk.at, walk.left, *walk.used)

    def onward(*way: int) -> int:
        for slot, value in zip(known, way, strict=True):
            slots[slot] = value
        return evaluate(walk.onward)

    def step(to: int, *way: int) -> list[int]:
        for slot, value in zip((walk.to, *known), (to, *way), strict=True):
            slots[slot] = value
        begun = way[0] == 0
        asked = zip(walk.uses, walk.of_stops, strict=True)
        uses = [0 if begun and not of_stops else evaluate(e) for e, of_stops in asked]
        return [0 if begun else evaluate(walk.cost), *uses]

    return PathForm(walk.size, evaluate(walk.start), evaluate(walk.within), walk.of_stops, walk.whole, onward, step)
