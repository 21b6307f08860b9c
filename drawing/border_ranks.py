"""Ranks of borders: coasts, borders between and within owners, lines on water, walls."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.areas import Border

VOID, BRIM = "#eef1f3", "#7a6f5a"
"""The colours of the ground outside all regions, and of the frame."""

RANKS: dict[str, tuple[svg.Values, ...]] = {
    "borders": ({"stroke": "#5b6770", "stroke_width": 1.1},),
    "waters": (
        {"stroke": "#ffffff", "stroke_width": 3, "stroke_opacity": "0.7"},
        {"stroke": "#6f9ab1", "stroke_width": 1.4, "stroke_dasharray": "7 5"},
    ),
    "free": ({"stroke": "#a08b62", "stroke_width": 1.1},),
    "inner": ({"stroke": "#fffdf6", "stroke_width": 2.6}, {"stroke": "#8d7c62", "stroke_width": 0.8}),
    "coasts": ({"stroke": "#4d6b7a", "stroke_width": 0.9},),
    "owners": ({"stroke": "#4a3b28", "stroke_width": 2.4},),
    "walls": ({"stroke": "#3c4248", "stroke_width": 4.5}, {"stroke": "#ffffff", "stroke_width": 2}),
}
"""The lines of each rank, bottom first; `borders` belongs to areas computed from positions."""

SHALLOWS: tuple[svg.Values, ...] = (
    {"stroke": "#c6dce9", "stroke_width": 22},
    {"stroke": "#b8d2e1", "stroke_width": 12},
    {"stroke": "#a6c4d6", "stroke_width": 5},
)
"""The lines on the water side of coasts."""


class Side(Struct, frozen=True):
    """A side of a border: whether it is water, and its owner."""

    water: bool
    owner: tuple[str, int] | None


_BEYOND = Side(False, None)


def rank_of(sides: Sequence[Side], border: Border, scenery: Sequence[Side] = ()) -> str:
    """The rank of the border between two regions, or between a region and scenery or nothing."""
    a = sides[border.a]
    b = sides[border.b] if border.b >= 0 else scenery[-border.b - 2] if border.b < -1 else _BEYOND
    if a.water and b.water:
        return "waters"
    if a.water or b.water or border.b == -1:
        return "coasts"
    if a.owner is None and b.owner is None:
        return "free"
    return "inner" if a.owner == b.owner else "owners"
