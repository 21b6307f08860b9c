"""The last roll of a game as dice on a board. It comes from the history, not from the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rulespec.drawing import svg
from rulespec.drawing.holdings import die
from rulespec.drawing.plan import Plan
from rulespec.drawing.scene import SceneItem
from rulespec.engine.game.events import Event
from rulespec.engine.game.option import Option
from rulespec.engine.words.rolls import rolled

_SIDE, _SCALE = 24.0, 1.5


def last_roll(history: Sequence[Option | Event]) -> list[int]:
    """The numbers of the last roll, if all are from 1 to 6; empty before the first roll, and for hidden ones."""
    roll = next((each for each in reversed(history) if each.by is None), None)
    return rolled(None if roll is None else roll.option if isinstance(roll, Event) else str(roll))


def shows_rolls(plans: Mapping[str, Plan]) -> bool:
    """Whether the last roll lies on any of some boards."""
    return any(plan.dice is not None for plan in plans.values())


def dice(plans: Mapping[str, Plan], history: Sequence[Option | Event]) -> Iterator[SceneItem]:
    """The dice on each board that shows rolls."""
    for kind, plan in plans.items():
        if plan.dice is None or not (numbers := last_roll(history)):
            continue
        (x, y), parts = plan.dice, []
        for i, number in enumerate(numbers):
            left = x / _SCALE + (i - len(numbers) / 2) * _SIDE
            parts.append(die(number, left + (_SIDE - 18) / 2, y / _SCALE))
        scaled = svg.group(parts, transform=f"scale({_SCALE})")
        yield SceneItem(f"dice.{kind}", "pieces", svg.group([scaled], ", ".join(map(str, numbers))))
