"""Seams of a map: links that leave it on one side and re-enter on the other, labelled with the place at the far end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.areas import Areas
from rulespec.drawing.placing import around
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point

SEAM_SIZE = 10.0
_LEVEL, _IN = 7.0, 8.0  # distance of a level label above its line, and of a vertical one from the frame


class Seam(Struct, frozen=True):
    """One end of a link over a seam: its region, the region at the other end, the point on the frame, and the label.

    `turned`: whether the label runs along the frame, so that no line is needed.
    """

    region: int
    other: int
    end: Point
    text: str
    box: Box
    turned: float = 0

    @property
    def middle(self) -> Point:
        """The middle of the label."""
        return (self.box[0] + self.box[2]) / 2, (self.box[1] + self.box[3]) / 2


def stubs_of(a: int, b: int, positions: Sequence[Point], size: Point) -> list[tuple[int, Point]]:
    """The two halves of a link over a seam, each leading to its edge of the map, at the same height."""
    left, right = (a, b) if positions[a][0] < positions[b][0] else (b, a)
    y = (positions[a][1] + positions[b][1]) / 2
    return [(left, (0.0, y)), (right, (size[0], y))]


def seams_of(
    titles: Sequence[str], board: BoardStyle, positions: Sequence[Point], areas: Areas, size: Point
) -> Iterator[Seam]:
    """Both ends of each link over a seam, placed on the frame where outlines reach it."""
    for pair in board.seams:
        (left, start), (right, end) = stubs_of(*pair, positions, size)
        met = _met(areas.outlines[left], areas.outlines[right], size[0]) if board.outlines else None
        for region, other, at in ((left, right, start), (right, left, end)):
            if met is None:
                yield _level(region, other, at, titles[other])
            else:
                yield _along(region, other, (at[0], met), titles[other])


def _met(left: Sequence[Sequence[Point]], right: Sequence[Sequence[Point]], width: float) -> float | None:
    """The middle of the longest vertical range where an area at the left edge faces one at the right edge."""
    stretches = [
        (max(top, other), min(bottom, far)) for top, bottom in _at(left, 0) for other, far in _at(right, width)
    ]
    top, bottom = max(stretches, key=lambda each: each[1] - each[0], default=(0.0, 0.0))
    return (top + bottom) / 2 if bottom > top else None


def _at(outline: Sequence[Sequence[Point]], x: float) -> list[tuple[float, float]]:
    """The vertical ranges of an area along an edge of the sheet, top to bottom."""
    edges = sorted(
        (min(py, qy), max(py, qy))
        for ring in outline
        for (px, py), (qx, qy) in zip(ring, [*ring[1:], ring[0]], strict=True)
        if abs(px - x) < 0.5 and abs(qx - x) < 0.5 and py != qy
    )
    results: list[tuple[float, float]] = []
    for top, bottom in edges:
        if results and results[-1][1] >= top:
            results[-1] = (results[-1][0], max(results[-1][1], bottom))
        else:
            results.append((top, bottom))
    return results


def _level(region: int, other: int, end: Point, title: str) -> Seam:
    left = end[0] == 0
    text = f"\N{LEFTWARDS ARROW} {title}" if left else f"{title} \N{RIGHTWARDS ARROW}"
    x = end[0] + (3 if left else -3)
    box = svg.text_box(text, x, end[1] - _LEVEL, SEAM_SIZE, anchor="start" if left else "end")
    return Seam(region, other, end, text, box)


def _along(region: int, other: int, end: Point, title: str) -> Seam:
    left = end[0] == 0
    text = f"\N{UPWARDS ARROW} {title} \N{UPWARDS ARROW}"
    turned = -90.0 if left else 90.0
    box = around(svg.text_box(text, end[0] + (_IN if left else -_IN), end[1], SEAM_SIZE), turned)
    return Seam(region, other, end, text, box, turned)
