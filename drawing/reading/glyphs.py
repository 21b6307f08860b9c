"""Words that a plotting library draws with repeated glyphs, and repeats in a comment before them."""

from __future__ import annotations

from collections.abc import Sequence
from math import dist

from rulespec.drawing.reading.contexts import Around
from rulespec.drawing.reading.geometry import Geometry, moved
from rulespec.drawing.reading.styles import Styles
from rulespec.drawing.reading.svg_tree import Element
from rulespec.drawing.svg import Point

_EM, _RISE = 100, 0.35
"""The units of a font size in which glyphs are drawn, and the height of the letters' middle relative to it."""


def glyphs_of(element: Element) -> list[Element]:
    """The repeated glyphs of a group; empty if it draws anything else, or if their number differs from its comment."""
    glyphs = [each for each in element.elements if each.tag == "use"]
    words = element.comment
    fits = len(words) - words.count(" ") <= len(glyphs) <= len(words)
    return glyphs if fits and all(each.tag in ("use", "defs") for each in element.elements) else []


def place_of(
    glyphs: Sequence[Element], inside: Around, styles: Styles, geometry: Geometry
) -> tuple[Point, float, Point]:
    """The middle of a line of glyphs, its font size, and the vector from its middle to its end.

    `inside` is the context of the glyphs' group.
    """
    places = []
    for glyph in (glyphs[0], glyphs[-1]):
        values = styles.values(glyph, inside.scope)
        matrix = geometry.moved(inside.matrix, glyph, values, inside.look.face.size, inside.viewport)
        x, y = (geometry.number(values.get(name, "0")) for name in ("x", "y"))
        places.append(moved(matrix or inside.matrix, (x, y)))
    (left, top), (right, bottom) = places
    begin, line = moved(inside.matrix, (0, 0)), moved(inside.matrix, (0, _EM))
    steps = len(glyphs) / max(len(glyphs) - 1, 1) / 2
    half = (right - left) * steps, (bottom - top) * steps
    at = left + half[0] + _RISE * (line[0] - begin[0]), top + half[1] + _RISE * (line[1] - begin[1])
    return at, dist(begin, line), half
