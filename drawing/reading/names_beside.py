"""Names of shapes by texts in their groups or by boxes that lie in them, and boxes that are marks with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from math import hypot

from rulespec.drawing.outlines import area
from rulespec.drawing.reading.contexts import NamedGroup
from rulespec.drawing.reading.element_names import is_of_a_program
from rulespec.drawing.reading.name_plates import marks_of, plates_of
from rulespec.drawing.reading.placed_texts import PlacedTexts
from rulespec.drawing.reading.shapes import PlacedShape, Shape
from rulespec.drawing.reading.texts import DrawnText

_PAIRS, _MOST_OF = 3, 0.8
"""The fewest groups of a shape and its name, and their share of the shapes without a name."""
_LARGER = 2  # than its name is a region


def has_own_name(group: NamedGroup | None) -> bool:
    """Whether an author named a group."""
    return group is not None and (group.label or not is_of_a_program(group.name))


def name_by_parents(pieces: Sequence[PlacedShape], texts: Sequence[DrawnText], placed: PlacedTexts) -> list[DrawnText]:
    """Names shapes by the texts in their groups, if nearly each has exactly one; returns texts outside their shapes."""
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
    """The numbers of the shapes that are boxes around numbers in regions."""
    own = [piece.shape.own or has_own_name(piece.group) for piece in pieces]
    nonzero = {i for i, piece in enumerate(pieces) if not piece.shape.evenodd}
    return marks_of([piece.shape.outlines for piece in pieces], texts.names, own, nonzero)


def name_by_plates(pieces: Sequence[PlacedShape], texts: PlacedTexts) -> list[DrawnText]:
    """Moves the texts of plates to the shapes that they name, and returns them."""
    own = [piece.shape.own or has_own_name(piece.group) for piece in pieces]
    nonzero = {i for i, piece in enumerate(pieces) if not piece.shape.evenodd}
    moved = plates_of([piece.shape.outlines for piece in pieces], texts.names, own, nonzero)
    for plate, shape in moved.items():
        texts.names[shape], texts.names[plate] = texts.names[plate], None
    return [text for shape in moved.values() if (text := texts.names[shape]) is not None]
