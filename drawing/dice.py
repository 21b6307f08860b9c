"""The last roll of a game as dice on a board, read from the history, not the state."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rulespec.drawing import svg
from rulespec.drawing.colours import INK
from rulespec.drawing.plan import Plan
from rulespec.drawing.scene import SceneItem
from rulespec.engine.game.events import Event
from rulespec.engine.game.option import Option
from rulespec.engine.words.rolls import rolled

_SIDE, _SCALE = 24.0, 1.5
_TWO = ((-1, -1), (1, 1))
_FOUR = (*_TWO, (-1, 1), (1, -1))
SPOTS = {
    1: ((0, 0),),
    2: _TWO,
    3: (*_TWO, (0, 0)),
    4: _FOUR,
    5: (*_FOUR, (0, 0)),
    6: (*_FOUR, (-1, 0), (1, 0)),
}
"""The spots of a die by its number: offsets from the centre, to the right and down."""


def last_roll(history: Sequence[Option | Event]) -> list[int]:
    """The numbers of the last roll; empty before the first roll, or if any is hidden or not from 1 to 6."""
    roll = next((each for each in reversed(history) if each.by is None), None)
    return rolled(None if roll is None else roll.option if isinstance(roll, Event) else str(roll))


def shows_rolls(plans: Mapping[str, Plan]) -> bool:
    """Whether any board shows the last roll."""
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


def die(value: int, x: float, y: float) -> str:
    """A die showing a number from 1 to 6; `x` is its left edge."""
    box = {"x": x, "y": y - 9, "width": 18, "height": 18, "rx": 4}
    spots = [
        svg.element("circle", cx=x + 9 + 5 * across, cy=y + 5 * down, r=1.9, fill=INK) for across, down in SPOTS[value]
    ]
    return svg.element("rect", **box, fill="#ffffff", stroke=INK, stroke_width=1.2) + "".join(spots)
