"""Ranks of borders: coasts, borders between owners and inside what one has, lines on water, walls."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.areas import Border

VOID, BRIM = "#eef1f3", "#7a6f5a"
"""The colours of what belongs to no region, and of the line around a board."""

RANKS: dict[str, tuple[svg.Values, ...]] = {
    "borders": ({"stroke": "#5b6770", "stroke_width": 1.1},),
    "waters": ({"stroke": "#7fa3ba", "stroke_width": 1.2, "stroke_dasharray": "6 4"},),
    "free": ({"stroke": "#a08b62", "stroke_width": 1},),
    "inner": ({"stroke": "#8d7d60", "stroke_width": 2.4}, {"stroke": "#ffffff", "stroke_width": 1.6}),
    "coasts": ({"stroke": "#4f7086", "stroke_width": 1.1},),
    "owners": ({"stroke": "#4a3b28", "stroke_width": 2.2},),
    "walls": ({"stroke": "#3c4248", "stroke_width": 4.5}, {"stroke": "#ffffff", "stroke_width": 2}),
}
"""The lines of each rank, those below first; `borders` are those of areas that are computed."""


class Side(Struct, frozen=True):
    """A side of a border: whether it is water, and its owner."""

    water: bool
    owner: tuple[str, int] | None


_BEYOND = Side(False, None)


def rank_of(sides: Sequence[Side], border: Border) -> str:
    """The rank of a border between two regions, or between one and what is none."""
    a, b = sides[border.a], sides[border.b] if border.b >= 0 else _BEYOND
    if a.water and b.water:
        return "waters"
    if a.water or b.water or border.b < 0:
        return "coasts"
    if a.owner is None and b.owner is None:
        return "free"
    return "inner" if a.owner == b.owner else "owners"
