"""Names of shapes, taken from texts in their groups or from name plates (boxes inside them), and boxes around
numbers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import hypot

from rulespec.drawing.outlines import area, extent
from rulespec.drawing.reading.contexts import NamedGroup
from rulespec.drawing.reading.element_names import is_of_a_program
from rulespec.drawing.reading.placed_texts import PlacedTexts, ShapeSearch
from rulespec.drawing.reading.shapes import PlacedShape, Shape
from rulespec.drawing.reading.texts import DrawnText
from rulespec.drawing.svg import Point

_LEAST = 3  # least number of names with a box
_MOST_LINES = 6  # maximum height of a box, relative to the font size
_BOX = 0.7  # least share of its bounding box that a plate fills, as a circle does
_LARGER_THAN_PLATE = 2.0
_SHARE = 0.8  # least share of the plates that are inside a shape of their own

Rings = Sequence[Sequence[Point]]


def plates_of(
    shapes: Sequence[Rings], names: Sequence[DrawnText | None], own: Sequence[bool], nonzero: set[int]
) -> dict[int, int]:
    """Maps each name plate to the shape that it names; empty if the boxes may be the regions themselves.

    Args:
        shapes: the outlines of each shape.
        names: the text in each shape.
        own: for each shape, whether an author named it or its group.
        nonzero: numbers of shapes with the nonzero fill rule.
    """
    plates = {i: text for i, text in enumerate(names) if text is not None and not own[i] and _is_box(shapes[i], text)}
    around = _around(plates, shapes, nonzero)
    results = {i: k for i, k in around.items() if names[k] is None and not own[k]}
    return results if len(results) >= max(_LEAST, _SHARE * len(plates)) else {}


def marks_of(
    shapes: Sequence[Rings], names: Sequence[DrawnText | None], own: Sequence[bool], nonzero: set[int]
) -> set[int]:
    """The boxes around numbers in regions, such as piece counts; at most one per region. Arguments: see `plates_of`."""
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
    return {
        i: k for i, k in around.items() if counts[k] == 1 and _size(shapes[k]) > _LARGER_THAN_PLATE * _size(shapes[i])
    }


def _is_box(rings: Rings, text: DrawnText) -> bool:
    """Whether a shape is a rectangle or a circle around a text."""
    left, top, right, bottom = extent(p for ring in rings for p in ring)
    fits = min(right - left, bottom - top) <= _MOST_LINES * text.size
    return len(rings) == 1 and fits and _size(rings) >= _BOX * (right - left) * (bottom - top)


def _size(rings: Rings) -> float:
    return sum(abs(area(ring)) for ring in rings)


_PAIRS, _MOST_OF = 3, 0.8
"""The fewest groups of a shape and its name, and their share of the shapes without a name."""
_LARGER = 2  # than its name is a region


def has_own_name(group: NamedGroup | None) -> bool:
    """Whether an author named a group."""
    return group is not None and (group.label or not is_of_a_program(group.name))


def name_by_parents(pieces: Sequence[PlacedShape], texts: Sequence[DrawnText], placed: PlacedTexts) -> list[DrawnText]:
    """Names shapes after the texts in their groups, if nearly every group has one; returns texts outside shapes."""
    nameless = [i for i, piece in enumerate(pieces) if not piece.shape.own and not has_own_name(piece.group)]
    shapes: dict[int, list[int]] = {}
    for i in nameless:
        shapes.setdefault(pieces[i].shape.parent, []).append(i)
    words: dict[int, dict[str, DrawnText]] = {}
    for text in texts:
        if any(map(str.isalpha, text.words)):
            words.setdefault(text.parent, {}).setdefault(text.words, text)
    pairs = {
        numbers[0]: next(iter(words[parent].values()))
        for parent, numbers in shapes.items()
        if len(numbers) == 1 and len(words.get(parent, ())) == 1
    }
    pairs = {i: text for i, text in pairs.items() if _has_room(pieces[i].shape, text)}
    astray = [text for i, text in pairs.items() if (name := placed.names[i]) is None or name.words != text.words]
    if not astray or len(pairs) < max(_PAIRS, _MOST_OF * len(nameless)):
        return []
    for i, text in pairs.items():
        placed.names[i] = text
    used = {text.words for text in pairs.values()}
    placed.loose = [text for text in placed.loose if text.words not in used]
    placed.beside = [pair for pair in placed.beside if pair[0].words not in used]
    return astray


def _has_room(shape: Shape, text: DrawnText) -> bool:
    """Whether a shape is larger than a text, which the mark of a town is not."""
    room = sum(abs(area(line)) for line in shape.outlines)
    return room > _LARGER * 2 * hypot(*text.half) * text.size


def number_marks(pieces: Sequence[PlacedShape], texts: PlacedTexts) -> set[int]:
    """The indices of the shapes that are boxes around numbers in regions."""
    own = [piece.shape.own or has_own_name(piece.group) for piece in pieces]
    nonzero = {i for i, piece in enumerate(pieces) if not piece.shape.evenodd}
    return marks_of([piece.shape.outlines for piece in pieces], texts.names, own, nonzero)


def name_by_plates(pieces: Sequence[PlacedShape], texts: PlacedTexts) -> list[DrawnText]:
    """Moves the texts of name plates to the shapes that they name, and returns these texts."""
    own = [piece.shape.own or has_own_name(piece.group) for piece in pieces]
    nonzero = {i for i, piece in enumerate(pieces) if not piece.shape.evenodd}
    moved = plates_of([piece.shape.outlines for piece in pieces], texts.names, own, nonzero)
    for plate, shape in moved.items():
        texts.names[shape], texts.names[plate] = texts.names[plate], None
    return [text for shape in moved.values() if (text := texts.names[shape]) is not None]
