"""Paths of a parameter in a position, for interpreters."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.language.paths import PathForm, TooManyPathsError, longest, trail


def searched(walk: ir.PathSearch, slots: list[int], evaluate: Callable[[ir.Expr], int]) -> int:
    """The result of a search over paths; arguments as for `ways_of`.

    Raises:
        ProgramFaultError: if the search visits too many path prefixes.
    """
    ways = ways_of(walk, slots, evaluate)
    try:
        if walk.reachable is not None:
            return trail(ways, evaluate(walk.reachable))
        assert walk.worth is not None and walk.default is not None
        where, worth_of = walk.where, walk.worth

        def worth(path: int) -> int | None:
            slots[walk.slot] = path
            return evaluate(worth_of) if where is None or evaluate(where) else None

        result = longest(ways, worth)
    except TooManyPathsError:
        raise ProgramFaultError(walk.site) from None
    return evaluate(walk.default) if result is None else result


def ways_of(walk: ir.PathSearch, slots: list[int], evaluate: Callable[[ir.Expr], int]) -> PathForm:
    """The search space of a parameter's paths.

    Args:
        walk: the domain of the parameter.
        slots: the slots, with the preceding arguments; slots bound by the walk are overwritten.
        evaluate: returns the value of an expression with these slots.
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
