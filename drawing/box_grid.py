"""Boxes on a grid of squares, so that each box is compared only with its neighbours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rulespec.drawing.svg import Box

_SQUARE = 64.0
"""The side of a square, about the size of a region's block."""


class BoxGrid:
    """Boxes indexed by the squares that they cover.

    Args:
        margin: the width by which each box is enlarged on all sides.
    """

    def __init__(self, margin: float = 0.0) -> None:
        self._margin = margin
        self._at: dict[tuple[int, int], list[Box]] = {}

    def add(self, boxes: Iterable[Box]) -> None:
        """Adds boxes."""
        for box in boxes:
            larger = box.grown(self._margin) if self._margin else box
            for square in _squares(larger):
                self._at.setdefault(square, []).append(larger)

    def remove(self, boxes: Iterable[Box]) -> None:
        """Removes boxes that were added."""
        for box in boxes:
            larger = box.grown(self._margin) if self._margin else box
            for square in _squares(larger):
                self._at[square].remove(larger)

    def near(self, reach: Box) -> list[Box]:
        """The boxes that intersect a box."""
        boxes = dict.fromkeys(box for square in _squares(reach) for box in self._at.get(square, ()))
        return [box for box in boxes if box.meets(reach)]

    def blocker(self, box: Box, gap: float) -> Box | None:
        """A box less than `gap` away from the given one; None if there is none. The test is an inlined `Box.meets`."""
        left, top, right, bottom = box
        reach = gap + 1
        columns = range(int((left - reach) // _SQUARE), int((right + reach) // _SQUARE) + 1)
        rows = range(int((top - reach) // _SQUARE), int((bottom + reach) // _SQUARE) + 1)
        at = self._at
        for column in columns:
            for row in rows:
                for other in at.get((column, row), ()):
                    a, b, c, d = other
                    if left < c + gap and a < right + gap and top < d + gap and b < bottom + gap:
                        return other
        return None


def _squares(box: Box) -> Iterator[tuple[int, int]]:
    """The squares of a grid that a box covers."""
    left, top, right, bottom = (int(n // _SQUARE) for n in box)
    for column in range(left, right + 1):
        for row in range(top, bottom + 1):
            yield column, row
