"""Texts that a program converted to outlines: rows of letter-like shapes, in a layer named after the text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from rulespec.drawing.outlines import area, extent, holds
from rulespec.drawing.reading.element_names import slug
from rulespec.drawing.reading.placed_texts import ShapeSearch
from rulespec.drawing.reading.shapes import PlacedShape
from rulespec.drawing.reading.texts import DrawnText
from rulespec.drawing.svg import Box, Point

_LEAST, _MOST = 3, 60  # letters of a name
_PARTS = (0.6, 2.5)  # shapes per letter of the name: joined letters need fewer, dotted ones more
_TALL, _WIDE = 1.9, 2.2  # greatest height and width of a letter, relative to the median height
_ROWS, _OFF, _SPACE = 3, 0.9, 1.8  # lines, the greatest deviation of a letter from its line, and the widest gap
_TOUCH = 0.02  # the least gap between most letters
_SHARE = 0.2  # share of the enclosing shape above which the letters are the map
_SIZE = 1.4  # font size relative to the median height


def outlined_texts(
    pieces: Sequence[PlacedShape], texts: Sequence[DrawnText]
) -> tuple[list[PlacedShape], list[DrawnText]]:
    """The shapes of a drawing without its outlined letters, and the texts that these letters form.

    Shapes count as letters only if they contain no text, and are inside a single other shape that no author named.
    """
    lettered = {
        key: numbers
        for key, numbers in _named(pieces)
        if not any(holds(_rings(pieces, numbers), *text.at) for text in texts)
    }
    if not lettered:
        return [*pieces], []
    taken = {number for numbers in lettered.values() for number in numbers}
    rest = [piece for i, piece in enumerate(pieces) if i not in taken]
    search = ShapeSearch([piece.shape.outlines for piece in rest])
    results, back = [], set[int]()
    for name, numbers in lettered.items():
        rings = _rings(pieces, numbers)
        box = extent(p for ring in rings for p in ring)
        at = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        place = search.at(at)
        below = rest[place].shape if place is not None else None
        room = sum(abs(area(ring)) for ring in below.outlines) if below is not None else 0.0
        is_small = (box[2] - box[0]) * (box[3] - box[1]) <= _SHARE * room
        if below is not None and is_small and (not below.own or slug(below.name) == slug(name)):
            size = _SIZE * median(_height(ring) for ring in rings)
            results.append(DrawnText(name, at, size, pieces[numbers[0]].shape.line, ((box[2] - box[0]) / 2, 0.0)))
        else:
            back |= {*numbers}
    return [piece for i, piece in enumerate(pieces) if i not in taken or i in back], results


def _named(pieces: Sequence[PlacedShape]) -> Iterator[tuple[str, list[int]]]:
    """Names of shapes, or of groups of unnamed shapes, each with the indices of letter-like shapes."""
    names: dict[str, list[list[int]]] = {}
    groups: dict[int, list[int]] = {}
    for i, piece in enumerate(pieces):
        if piece.shape.own and piece.shape.filled:
            names.setdefault(piece.shape.name, []).append([i])
        elif piece.group is not None and not piece.shape.name and piece.shape.filled:
            groups.setdefault(id(piece.group), []).append(i)
    for numbers in groups.values():
        group = pieces[numbers[0]].group
        assert group is not None  # so that they were collected
        names.setdefault(group.name, []).append(numbers)
    for name, each in names.items():
        lettered = [numbers for numbers in each if _is_lettering(name, _rings(pieces, numbers))]
        if len(lettered) == 1:
            yield name, lettered[0]


def _rings(pieces: Sequence[PlacedShape], numbers: Sequence[int]) -> list[Sequence[Point]]:
    return [ring for number in numbers for ring in pieces[number].shape.outlines]


def _is_lettering(name: str, rings: Sequence[Sequence[Point]]) -> bool:
    """Whether outlines form rows, like the letters of a name, rather than a patchwork, like regions."""
    letters = sum(map(str.isalnum, name))
    if not _LEAST <= letters <= _MOST or not letters * _PARTS[0] <= len(rings) <= 2 * letters * _PARTS[1]:
        return False
    boxes = sorted(Box(extent(ring)) for ring in rings)
    outer = [box for box in boxes if not any(other != box and other.holds(box) for other in boxes)]
    if not letters * _PARTS[0] <= len(outer) <= letters * _PARTS[1]:
        return False
    middle = median(box[3] - box[1] for box in outer)
    if any(box[3] - box[1] > _TALL * middle or box[2] - box[0] > _WIDE * middle for box in outer):
        return False
    rows: list[list[Box]] = []
    for box in sorted(outer, key=lambda box: -(box[3] - box[1])):
        row = next((row for row in rows if abs(_level(row[0]) - _level(box)) <= _OFF * middle), None)
        if row is None:
            rows.append([box])
        else:
            row.append(box)
    gaps = [b[0] - a[2] for row in rows for a, b in pairwise(sorted(row))]
    apart = sum(gap > _TOUCH * middle for gap in gaps)
    return len(rows) <= _ROWS and all(gap <= _SPACE * middle for gap in gaps) and 2 * apart > len(gaps)


def _level(box: Box) -> float:
    return (box[1] + box[3]) / 2


def _height(ring: Sequence[Point]) -> float:
    ys = [y for _, y in ring]
    return max(ys) - min(ys)
