"""Moves in dice races, as a throw of two dice and the steps made with it from one numbered point to another.

Points are numbered as the moving player counts, down to 0 (off the board).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

Step = tuple[int, int, bool]
"""A step: its first and last point, and whether it is marked as a hit."""


def as_throw(text: str, dice: tuple[int, int], steps: Iterable[Step], *, left: bool) -> dict[str, Any]:
    """A move as an entry of a foreign log.

    The entry has `kind` (`throw`), `text`, `dice` (`high` and `low`) and the list `steps`, each with `from` and `to`,
    and with `hit` if the step is marked as a hit. The dice and each step have `left`, which tells whether they belong
    to the player of the left column. A step longer than any die counts as several steps, in which the points in between
    may be missing.
    """
    low, high = sorted(dice)
    thrown = [high] * 4 if high == low else [high, low]
    return {
        "kind": "throw",
        "text": text,
        "dice": {"left": left, "high": high, "low": low},
        "steps": [{"left": left, **leg} for step in steps for leg in _legs(step, thrown)],
    }


def _legs(step: Step, thrown: list[int]) -> Iterator[dict[str, Any]]:
    """The parts of a step, each made by one die: as many of the highest dice as cover its length.

    With equal dice, all points in between are known. With different ones they are not, but then no man is hit there,
    since a hit would be written.
    """
    begin, end, hits = step
    count = next((n for n in range(1, len(thrown)) if sum(thrown[:n]) >= begin - end), len(thrown))
    for number in range(1, count + 1):
        leg: dict[str, Any] = {}
        if number == 1:
            leg["from"] = begin
        if number == count:
            leg |= {"to": end, "hit": True} if hits else {"to": end}
        elif thrown[0] != thrown[1]:
            leg["hit"] = False
        if number > 1 and thrown[0] == thrown[1]:
            leg["from"] = begin - (number - 1) * thrown[0]
        yield leg
