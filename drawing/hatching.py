"""Hatching: line patterns, drawn as paths, over areas whose colours look alike in grey.

An SVG pattern would need an id, which two pictures on one page would share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import ceil, cos, inf, radians, sin

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.colours import GROUNDS, ground, luminance, parts
from rulespec.drawing.svg import Box, Point

_INSET = 2.0  # distance of lines from outlines
_DARKER = 0.75
_ALIKE = 1.25  # WCAG contrast below which two tints count as indistinguishable


class Hatch(Struct, frozen=True):
    """Parallel lines at one or more angles (degrees, clockwise from the right), with their distance and dashes."""

    angles: tuple[int, ...]
    gap: float
    dashes: str | None = None


HATCHES = {
    "rising": Hatch((-45,), 9),
    "falling": Hatch((45,), 9),
    "upright": Hatch((90,), 8),
    "level": Hatch((0,), 8),
    "dots": Hatch((0,), 8, "0 8"),
    "crossed": Hatch((-45, 45), 12),
    "grid": Hatch((0, 90), 11),
    "dashes": Hatch((-45,), 8, "7 6"),
    "waves": Hatch((0,), 18, "9 21"),
}
"""The hatchings by their names in a drawing file, which also accepts `none`."""

_IN_ORDER = ("rising", "falling", "upright", "level", "dots", "crossed", "grid", "dashes")
_OF_GROUNDS = {"water": "waves", "sand": "dots", "wood": "level", "dark": "grid"}


def hatches(colours: Sequence[str]) -> list[str]:
    """The hatchings of entities by colour; empty if all colours are distinct in grey."""
    tints = sorted(luminance(ground(colour)) + 0.05 for colour in set(colours))
    if all(bright / dark >= _ALIKE for dark, bright in pairwise(tints)):
        return ["none"] * len(colours)
    order = iter(_IN_ORDER * (len(colours) // len(_IN_ORDER) + 1))
    return [_OF_GROUNDS.get(colour, "none") if colour in GROUNDS else next(order) for colour in colours]


def hatched(outlines: Sequence[Sequence[Point]], hatch: str, colour: str, clear: Box | None = None) -> str:
    """The lines over an area, as an SVG fragment.

    Args:
        outlines: the outlines of the area.
        hatch: one of `HATCHES`; anything else means no hatching.
        colour: the colour of the area.
        clear: an area to leave without lines, such as the box of the name.
    """
    how = HATCHES.get(hatch)
    if how is None:
        return ""
    data = "".join(svg.path(line) for angle in how.angles for line in _lines(outlines, angle, how.gap, clear))
    if not data:
        return ""
    dark = "#" + "".join(f"{round(part * _DARKER):02x}" for part in parts(ground(colour)))
    look: svg.Values = {"stroke": dark, "stroke_width": 2.2 if how.dashes == "0 8" else 1.1, "fill": "none"}
    return svg.element("path", d=data, **look, stroke_dasharray=how.dashes, stroke_linecap="round")


def _lines(
    outlines: Sequence[Sequence[Point]], angle: int, gap: float, clear: Box | None
) -> Iterator[tuple[Point, Point]]:
    """The lines of one direction inside an area, aligned across areas with the same hatching."""
    c, s = cos(radians(angle)), sin(radians(angle))
    crossings: dict[int, list[float]] = {}
    for outline in outlines:
        turned = [(x * c + y * s, y * c - x * s) for x, y in outline]
        for (x, y), (nx, ny) in zip(turned, [*turned[1:], turned[0]], strict=True):
            if y == ny:
                continue
            (x, y), (nx, ny) = ((x, y), (nx, ny)) if y < ny else ((nx, ny), (x, y))
            for row in range(ceil(y / gap), ceil(ny / gap)):
                crossings.setdefault(row, []).append(x + (row * gap - y) * (nx - x) / (ny - y))
    for row, result in crossings.items():
        result.sort()
        v = row * gap
        free = _inside(clear, v, c, s) if clear is not None else (inf, inf)
        for left, right in zip(result[::2], result[1::2], strict=False):
            for start, end in _without(left + _INSET, right - _INSET, *free):
                if end - start >= _INSET:
                    yield (start * c - v * s, start * s + v * c), (end * c - v * s, end * s + v * c)


def _without(start: float, end: float, gone: float, back: float) -> Iterator[tuple[float, float]]:
    """The parts of an interval outside another one."""
    if gone >= back or gone >= end or back <= start:
        yield start, end
        return
    yield start, gone
    yield back, end


def _inside(box: Box, v: float, c: float, s: float) -> tuple[float, float]:
    """The interval of a line that is inside a box."""
    low, high = -inf, inf
    for along, at, least, most in ((c, -v * s, box[0], box[2]), (s, v * c, box[1], box[3])):
        if abs(along) < 1e-9:
            if not least < at < most:
                return inf, inf
            continue
        ends = sorted(((least - at) / along, (most - at) / along))
        low, high = max(low, ends[0]), min(high, ends[1])
    return low, high
