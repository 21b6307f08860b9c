"""Plates: boxes behind names, each of which names the larger unnamed shape around it; and boxes around numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rulespec.drawing.outlines import area, extent
from rulespec.drawing.reading.placed_texts import ShapeSearch
from rulespec.drawing.reading.texts import DrawnText
from rulespec.drawing.svg import Point

_LEAST = 3  # least number of names with a box
_MOST_LINES = 6  # maximum height of a box, relative to the font size
_BOX = 0.7  # least share of its bounding box that a plate fills, as a circle does
_LARGER = 2.0
_SHARE = 0.8  # least share of the plates that are inside a shape of their own

Rings = Sequence[Sequence[Point]]


def plates_of(
    shapes: Sequence[Rings], names: Sequence[DrawnText | None], own: Sequence[bool], nonzero: set[int]
) -> dict[int, int]:
    """Plate → the shape that it names; empty if the boxes may be the regions themselves.

    Args:
        shapes: the outlines of each shape.
        names: the text in each shape.
        own: whether each has a name by its author, or is in a group with one.
        nonzero: numbers of shapes with the nonzero fill rule.
    """
    plates = {i: text for i, text in enumerate(names) if text is not None and not own[i] and _is_box(shapes[i], text)}
    around = _around(plates, shapes, nonzero)
    results = {i: k for i, k in around.items() if names[k] is None and not own[k]}
    return results if len(results) >= max(_LEAST, _SHARE * len(plates)) else {}


def marks_of(
    shapes: Sequence[Rings], names: Sequence[DrawnText | None], own: Sequence[bool], nonzero: set[int]
) -> set[int]:
    """The boxes around numbers in regions, one in each, such as counts of pieces. Arguments: as for `plates_of`."""
    lettered = [text is not None and any(map(str.isalpha, text.words)) for text in names]
    boxes = {
        i: text
        for i, text in enumerate(names)
        if text is not None and not own[i] and not lettered[i] and _is_box(shapes[i], text)
    }
    results = {i for i, k in _around(boxes, shapes, nonzero).items() if own[k] or lettered[k]}
    return results if len(results) >= max(_LEAST, _SHARE * len(boxes)) else set()


def _around(boxes: Mapping[int, DrawnText], shapes: Sequence[Rings], nonzero: set[int]) -> dict[int, int]:
    """Box → the larger shape around it, if that contains no other box; empty if there are too few."""
    rest = [i for i in range(len(shapes)) if i not in boxes]
    if len(boxes) < _LEAST or len(rest) < _LEAST:
        return {}
    search = ShapeSearch([shapes[i] for i in rest], (), {n for n, i in enumerate(rest) if i in nonzero})
    around = {i: rest[at] for i, text in boxes.items() if (at := search.at(text.at)) is not None}
    counts = Counter(around.values())
    return {i: k for i, k in around.items() if counts[k] == 1 and _size(shapes[k]) > _LARGER * _size(shapes[i])}


def _is_box(rings: Rings, text: DrawnText) -> bool:
    """Whether a shape is a rectangle or a circle around a text."""
    left, top, right, bottom = extent(p for ring in rings for p in ring)
    fits = min(right - left, bottom - top) <= _MOST_LINES * text.size
    return len(rings) == 1 and fits and _size(rings) >= _BOX * (right - left) * (bottom - top)


def _size(rings: Rings) -> float:
    return sum(abs(area(ring)) for ring in rings)
