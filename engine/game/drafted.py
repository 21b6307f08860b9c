"""Decisions in drafts: withdrawn decisions leave no trace, and only the planning seat sees the open plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulespec.engine.game.position import Position, Step
from rulespec.syntax.keywords import WITHDRAW

if TYPE_CHECKING:
    from rulespec.engine.game.numbers import Numbers


def standing(steps: Sequence[Step]) -> list[Step]:
    """The decisions in force, which exclude withdrawals and the decisions that they withdrew."""
    return [steps[number] for number in _standing_numbers(steps)]


def _standing_numbers(steps: Sequence[Step]) -> list[int]:
    results: list[int] = []
    for number, step in enumerate(steps):
        if step.plan and step.option.name == WITHDRAW:
            del results[max(0, len(results) - step.plan + 1) :]
        else:
            results.append(number)
    return results


def planned(numbers: Numbers) -> int:
    """The number of trailing decisions that belong to the open plan; 0 if nothing is planned."""
    if not numbers.program.drafts or numbers.asked < 0 or not numbers.steps:
        return 0
    draft = numbers.program.decisions[numbers.asked].draft
    return numbers.steps[-1].plan if draft and numbers.state[draft] else 0


def shown_position(position: Position, viewer: int) -> Position:
    """The position as shown to a viewer, for reading only.

    It omits withdrawn decisions, and the open plan unless the viewer is the planning seat.
    """
    if not position.program.drafts:
        return position
    hidden = withheld(position, viewer)
    if not hidden and len(standing(position.steps)) == len(position.steps):
        return position
    shown = position.copy()
    for _ in range(hidden):
        shown.undo()
    shown.keep(standing(shown.steps))
    return shown


def shown_numbers(numbers: Numbers, viewer: int) -> list[int]:
    """The indices of the decisions shown to a viewer."""
    return _standing_numbers(numbers.steps[: len(numbers.steps) - withheld(numbers, viewer)])


def withheld(numbers: Numbers, viewer: int) -> int:
    """The number of trailing decisions withheld from a viewer because they are another seat's open plan."""
    number = planned(numbers)
    return number if number and viewer != numbers.decider() else 0
