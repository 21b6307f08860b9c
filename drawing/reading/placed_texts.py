"""Texts of a drawing matched to the shapes that they name, by position or by a leader line."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import dist, hypot

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.drawing.outlines import area, extent, holds
from rulespec.drawing.reading.texts import DrawnText, rounds
from rulespec.drawing.svg import Box, Point

MAX_LEADS = 500
_MAX_TESTS = 3_000_000
_MAX_WORDS = 200
_EDGE = 0.01  # relative to a shape's extent: how far a shape on top may protrude
_ALIKE = 0.05  # relative difference of font sizes within one name
_BELOW, _LEVEL, _GAP = (0.6, 1.7), 0.15, 0.8
"""Limits within a name, relative to its font size: distance of lines, tilt of words, and gap between words."""
_REACH, _ON = 1.2, 0.7
"""Limits relative to the font size: distance of a leader line from its text, and of a shape from the line's end."""

Lead = tuple[Point, Point]
"""A possible leader line, as its two ends."""


class PlacedTexts(Struct):
    """The texts of a drawing: those that name shapes, and the rest.

    `names`: the texts that name shapes, by shape number.
    `loose`: texts outside shapes.
    `beside`: texts inside a shape that has a different name, with that name.
    `led`: names connected by a leader line; `joined`: names assembled from several texts.
    """

    names: list[DrawnText | None]
    loose: list[DrawnText] = field(default_factory=list)
    beside: list[tuple[DrawnText, DrawnText]] = field(default_factory=list)
    led: list[DrawnText] = field(default_factory=list)
    joined: list[DrawnText] = field(default_factory=list)


def place_texts(
    texts: Sequence[DrawnText],
    shapes: Sequence[Sequence[Sequence[Point]]],
    curves: Collection[int] = (),
    nonzero: Collection[int] = (),
    leads: Sequence[Lead] = (),
) -> PlacedTexts:
    """Assigns each text to the smallest shape that contains the middle of the text.

    Args:
        texts: the texts.
        shapes: the outlines of each shape.
        curves: indices of unfilled shapes; such a shape gets a text only if no filled shape contains it, except for a
            background that unfilled shapes cover, such as the paper below them.
        nonzero: indices of shapes with the nonzero fill rule.
        leads: possible leader lines.
    """
    search = ShapeSearch(shapes, curves, nonzero)
    places = [search.at(text.at) for text in texts]
    result = PlacedTexts([None] * len(shapes))
    for number, shape in _led(texts, places, search, leads[:MAX_LEADS]):
        places[number] = shape
        result.led.append(texts[number])
    inside: dict[int, list[DrawnText]] = {}
    for text, place in zip(texts, places, strict=True):
        if place is None:
            result.loose.append(text)
        else:
            inside.setdefault(place, []).append(text)
    for i, each in inside.items():
        name, rest = _name_of(each)
        result.names[i] = name
        result.beside += [(text, name) for text in rest]
        if name not in each:
            result.joined.append(name)
    return result


class ShapeSearch:
    """A search for the shapes at a point, smallest first, with a limit on the number of tests."""

    def __init__(
        self, shapes: Sequence[Sequence[Sequence[Point]]], curves: Collection[int] = (), nonzero: Collection[int] = ()
    ) -> None:
        sizes = [sum(abs(area(ring)) for ring in rings) for rings in shapes]
        self._shapes, self._nonzero, self._left = shapes, nonzero, _MAX_TESTS
        none = Box((0, 0, 0, 0))
        self._boxes = [extent(p for ring in rings for p in ring) if any(rings) else none for rings in shapes]
        ground = self._ground(curves, sizes)
        # Of two equally large shapes, such as a shape and its shadow, the upper one is visible.
        self._order = sorted(
            range(len(shapes)), key=lambda i: (2 if i in ground else int(i in curves), float(f"{sizes[i]:.5g}"), -i)
        )

    def _ground(self, curves: Collection[int], sizes: Sequence[float]) -> set[int]:
        """The shapes half covered by unfilled shapes, for which they are the background."""
        results, budget = set(), _MAX_TESTS
        for i, size in enumerate(sizes):
            if i in curves or not size:
                continue
            left, top, right, bottom = self._boxes[i]
            near_x, near_y = _EDGE * (right - left), _EDGE * (bottom - top)
            budget -= len(curves)
            covered = sum(
                sizes[k]
                for k in (curves if budget > 0 else ())
                if left - near_x <= self._boxes[k][0]
                and top - near_y <= self._boxes[k][1]
                and self._boxes[k][2] <= right + near_x
                and self._boxes[k][3] <= bottom + near_y
            )
            if covered >= size / 2:
                results.add(i)
        return results

    def at(self, point: Point) -> int | None:
        """The smallest shape that contains a point; None if no shape does."""
        x, y = point
        for i in self._order:
            a, b, c, d = self._boxes[i]
            if not (a <= x <= c and b <= y <= d) or self._left < 0:
                continue
            rings = self._shapes[i]
            self._left -= sum(map(len, rings))
            if rounds(rings, x, y) != 0 if i in self._nonzero else holds(rings, x, y):
                return i
        return None


def _led(
    texts: Sequence[DrawnText], places: Sequence[int | None], shapes: ShapeSearch, leads: Sequence[Lead]
) -> Iterator[tuple[int, int]]:
    """The indices of texts and of the shapes to which leader lines connect them, one to one."""
    named = {place for text, place in zip(texts, places, strict=True) if _has_letters(text)}
    claims: list[tuple[int, int]] = []
    for line in leads:
        ends = [_nearest(texts, end) for end in line]
        if (ends[0] is None) == (ends[1] is None):
            continue
        (number,) = (each for each in ends if each is not None)
        begin, end = line if ends[0] is not None else line[::-1]
        size, place = texts[number].size, places[number]
        if {shapes.at(begin), shapes.at(_beyond(end, begin, _ON * size))} != {place}:
            continue  # it starts inside another shape, such as a line between two towns
        reached = (shapes.at(end), shapes.at(_beyond(begin, end, _ON * size)))
        shape = next((each for each in reached if each is not None and each != place), None)
        if shape is not None:
            claims.append((number, shape))
    ones, others = [number for number, _ in {*claims}], [shape for _, shape in {*claims}]
    for number, shape in sorted({*claims}):
        if ones.count(number) == others.count(shape) == 1 and shape not in named:
            yield number, shape


def _nearest(texts: Sequence[DrawnText], end: Point) -> int | None:
    """The text with letters nearest to the end of a line, if it is near enough."""
    far = {i: _distance(text, end) / max(text.size, 1e-9) for i, text in enumerate(texts) if _has_letters(text)}
    best = min(far, key=lambda i: far[i], default=None)
    return best if best is not None and far[best] <= _REACH else None


def _distance(text: DrawnText, point: Point) -> float:
    """The distance of a point from the line of a text."""
    (x, y), (hx, hy) = text.at, text.half
    size = hx * hx + hy * hy
    along = min(max(((point[0] - x) * hx + (point[1] - y) * hy) / size, -1), 1) if size else 0
    return hypot(x + along * hx - point[0], y + along * hy - point[1])


def _beyond(begin: Point, end: Point, far: float) -> Point:
    """A point slightly beyond the end of a line."""
    length = dist(begin, end) or 1
    return end[0] + (end[0] - begin[0]) * far / length, end[1] + (end[1] - begin[1]) * far / length


def _name_of(texts: Sequence[DrawnText]) -> tuple[DrawnText, list[DrawnText]]:
    """The name among the texts in one shape, assembled from its lines, and the remaining texts with letters."""
    lettered = [text for text in texts if _has_letters(text)]
    first = max(lettered or texts, key=lambda text: round(text.size, 3))
    distinct = [text for i, text in enumerate(lettered) if all(text.words != t.words for t in lettered[:i])]
    parts = [first]
    for part in parts:  # grows during the loop
        parts += [text for text in distinct if text not in parts and text.words != first.words and _goes_on(part, text)]
    rest = [text for text in distinct if text not in parts and text.words != first.words]
    if len(parts) == 1:
        return first, rest
    words = ""
    for text in sorted(parts, key=lambda text: _line_of(first, text)):
        words += text.words if not words or words.endswith("-") else f" {text.words}"
    return replace(first, words=words[:_MAX_WORDS]), rest


def _line_of(first: DrawnText, text: DrawnText) -> tuple[int, float]:
    """The line of a text below another one, and its position in that line."""
    along, below = _off(first, text)
    return round(below / first.size), along


def _goes_on(one: DrawnText, other: DrawnText) -> bool:
    """Whether two texts are lines of one name, or words in one of its lines."""
    if abs(one.size - other.size) > _ALIKE * one.size:
        return False
    along, below = _off(one, other)
    ahead, down = _off(one, replace(other, at=(one.at[0] + other.half[0], one.at[1] + other.half[1])))
    half, size = hypot(*one.half), one.size
    if ahead < 0 or abs(down) > _LEVEL * size:  # its direction differs
        return False
    if _BELOW[0] * size <= abs(below) <= _BELOW[1] * size:
        return abs(along) <= max(half, ahead)
    return abs(below) <= _LEVEL * size and 0.8 * max(half, ahead) <= abs(along) <= half + ahead + _GAP * size


def _off(one: DrawnText, other: DrawnText) -> Point:
    """The offset between the middles of two texts, along the line and below it."""
    half = hypot(*one.half) or 1
    ux, uy = (one.half[0] / half, one.half[1] / half) if any(one.half) else (1.0, 0.0)
    x, y = other.at[0] - one.at[0], other.at[1] - one.at[1]
    return x * ux + y * uy, y * ux - x * uy


def _has_letters(text: DrawnText) -> bool:
    return any(map(str.isalpha, text.words))
