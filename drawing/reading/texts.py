"""Texts of a drawing: a text inside a shape is its name."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from math import dist

from msgspec import Struct, field

from rulespec.drawing.outlines import area, holds
from rulespec.drawing.reading.looks import Face, length
from rulespec.drawing.svg import Point
from rulespec.drawing.text_width import text_width

MAX_TEXTS = 1_000
_MAX_WORDS = 200
_NARROW, _GAP, _LOOSE = 0.9, 0.2, 0.12
"""The width of letters in most drawings relative to the measured ones; the gap between parts of a word, relative to the
size of its letters; and the shortfall of the first part, relative to its length."""
_LEVEL = 0.1
"""The difference in height, by the size of the letters, of parts of one line."""
_MAX_TESTS = 3_000_000


class DrawnText(Struct, frozen=True):
    """A text: its words, the middle of its first line, its size in units of the drawing, and its line."""

    words: str
    at: Point
    size: float
    line: int = 0


Moved = Callable[[Point], Point]


class Texts(Struct):
    """The texts of a drawing, collected while it is read."""

    all: list[DrawnText] = field(default_factory=list)
    _open: bool = False
    _parts: list[str] = field(default_factory=list)
    _line: str = ""
    _next: bool = False
    _run: tuple[float, float, str] = (0.0, 0.0, "")
    _start: tuple[float | None, float | None] = (0.0, 0.0)
    _face: Face = Face()
    _moved: Moved | None = None

    def begin(self, tag: str, attributes: dict[str, str], face: Face) -> None:
        """Takes the beginning of a text, or of a part of it."""
        if tag == "text":
            self._open, self._parts, self._start, self._moved = True, [], (0.0, 0.0), None
        if self._moved is not None:
            self._go_on(attributes)
        elif tag == "textPath":
            self._start = (None, None)
        else:
            x, y = self._start
            self._start = _along(attributes, "x", x, face), _along(attributes, "y", y, face)

    def _go_on(self, attributes: dict[str, str]) -> None:
        """Takes the beginning of a further part: a blank stands before it unless it begins where the text has ended."""
        if not any(attributes.get(key, "").strip() for key in ("x", "y", "dx", "dy")):
            return
        (left, top, run), face = self._run, self._face
        size = face.size or 0.0
        end = left + _NARROW * text_width(run, size)
        x, y = _along(attributes, "x", end, face), _along(attributes, "y", top, face)
        level = y is not None and abs(y - top) < _LEVEL * size
        near = x is not None and -_GAP * size - _LOOSE * (end - left) < x - end < _GAP * size
        if not (level and near and face.anchor not in ("middle", "end") and not (face.upright or face.leftward)):
            self._parts.append(" ")
            self._next = self._next or not level
        self._run = (end if x is None else x, top if y is None else y, "")

    def add(self, data: str, face: Face, moved: Moved) -> None:
        """Takes characters of the text that is open, in the lettering of their own part."""
        if not self._open or len(self._parts) >= _MAX_WORDS:
            return
        if self._moved is None and data.strip():
            self._parts, self._face, self._moved = [], face, moved
            self._line, self._next, self._run = "", False, (self._start[0] or 0.0, self._start[1] or 0.0, "")
        data = data[:_MAX_WORDS]
        self._parts.append(data)
        self._line += "" if self._next else data
        self._run = (*self._run[:2], self._run[2] + " ".join(data.split("\n")))

    def end(self, number: int) -> bool:
        """Takes the end of a text in a line of the file; whether its place is known, or it has no words."""
        words = " ".join("".join(self._parts).split())[:_MAX_WORDS]
        line, moved = " ".join(self._line.split()), self._moved
        self._open, self._parts, self._moved = False, [], None
        if moved is None or not words or len(self.all) >= MAX_TEXTS:
            return True
        (x, y), size = self._start, self._face.size
        if x is None or y is None or size is None:
            return False
        size = min(max(size, 0.1), 1e6)
        middle = {"middle": 0.0, "end": -0.5}.get(self._face.anchor, 0.5) * text_width(line, size)
        if self._face.upright:
            y += middle
        else:
            x, y = x + (-middle if self._face.leftward else middle), y - size * 0.35
        at, below = moved((x, y)), moved((x, y + size))
        self.all.append(DrawnText(words, at, dist(at, below), number))
        return True

    def of(
        self, shapes: Sequence[Sequence[Sequence[Point]]], curves: Collection[int] = (), nonzero: Collection[int] = ()
    ) -> tuple[list[DrawnText | None], list[DrawnText]]:
        """The text inside each shape, the largest if there are more, and the texts inside none.

        A text is in the smallest shape that holds its middle.

        Args:
            shapes: the outlines of each.
            curves: numbers of shapes that have a text only if no other shape has it.
            nonzero: numbers of shapes filled by the nonzero rule.
        """
        loose = []
        sizes = [sum(abs(area(ring)) for ring in rings) for rings in shapes]
        order = sorted(range(len(shapes)), key=lambda i: (i in curves, sizes[i]))
        boxes = [_box(rings) for rings in shapes]
        results: list[DrawnText | None] = [None] * len(shapes)
        left = _MAX_TESTS
        for text in self.all:
            x, y = text.at
            for i in order:
                (a, b, c, d), before = boxes[i], results[i]
                if not (a <= x <= c and b <= y <= d) or left < 0:
                    continue
                left -= sum(map(len, shapes[i]))
                if rounds(shapes[i], x, y) != 0 if i in nonzero else holds(shapes[i], x, y):
                    results[i] = text if before is None or text.size > before.size else before
                    break
            else:
                loose.append(text)
        return results, loose


def rounds(rings: Sequence[Sequence[Point]], x: float, y: float) -> int:
    """The number of lines that go round a point, less those that go the other way."""
    count = 0
    for ring in rings:
        for (px, py), (qx, qy) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (py > y) != (qy > y) and x < px + (y - py) * (qx - px) / (qy - py):
                count += 1 if qy > py else -1
    return count


def _box(rings: Sequence[Sequence[Point]]) -> tuple[float, float, float, float]:
    xs, ys = [x for ring in rings for x, _ in ring], [y for ring in rings for _, y in ring]
    return min(xs, default=0), min(ys, default=0), max(xs, default=0), max(ys, default=0)


def _along(attributes: dict[str, str], axis: str, before: float | None, face: Face) -> float | None:
    """The place along an axis where a part of a text begins, which is `before` unless its attributes change it."""
    result = before
    if attributes.get(axis, "").strip():
        result = None if attributes[axis].split()[0].endswith("%") else length(attributes[axis], face.size)
    if step := attributes.get(f"d{axis}", "").strip():
        more = None if step.split()[0].endswith("%") else length(step, face.size)
        result = None if result is None or more is None else result + more
    return result
