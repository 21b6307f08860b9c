"""Reasons why stops are not a valid path for a parameter: the failing step or bound."""

from __future__ import annotations

from rulespec.engine.game.option import Labels
from rulespec.engine.program import ir
from rulespec.engine.program.domains import members
from rulespec.language.paths import MAX_STOPS, Break


def path_reason(labels: Labels, param: ir.Param, place: Break) -> str:
    """The readable reason, preceded by the rules' own reason if that concerns the path alone."""
    reason = _said(labels, param, place)
    return f"{param.reason}: {reason}" if param.reason and param.where is None else reason


def _said(labels: Labels, param: ir.Param, place: Break) -> str:
    assert param.walk is not None
    kind = param.type.removeprefix("path ")

    def named(entity: int, of: str = kind) -> str:
        return f"`{labels.show(of, entity)}`"

    if place.part == "steps":
        return f"a path has at least one step, and at most {MAX_STOPS} stops"
    if place.part == "until":
        onward = ", ".join(named(entity) for entity in members(place.amount, 0))
        return f"the path does not end at {named(place.way.at)}: it goes on to {onward}"
    if place.part == "from":
        return f"no path begins at {named(place.to)}"
    ends = f"from {named(place.way.at)} to {named(place.to)}"
    if place.part == "to":
        return f"no step leads {ends}"
    if place.part == "once":
        of = param.walk.use_kinds[place.use]
        return f"the step {ends} uses {', '.join(named(entity, of) for entity in members(place.amount, 0))} again"
    left = place.way.left
    return f"the step {ends} counts {place.amount}, and {left} {'is' if left == 1 else 'are'} left"
