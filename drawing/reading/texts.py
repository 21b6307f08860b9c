"""Texts of a drawing: their words and their displayed positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from math import dist

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.drawing.reading.element_names import INVISIBLE
from rulespec.drawing.reading.geometry import Viewport
from rulespec.drawing.reading.looks import Face, length
from rulespec.drawing.svg import Point

MAX_TEXTS = 1_000
_MAX_WORDS = 200
_NARROW, _GAP, _LOOSE = 0.9, 0.2, 0.12
"""The width of letters in most drawings relative to the measured ones; the gap between parts of a word, relative to the
size of its letters; and the shortfall of the first part, relative to its length."""
_LETTER, _LETTER_STEP = 0.35, 0.55
"""Letter widths relative to the font size, for individually positioned letters: the last one, and any other."""
_LETTERS, _EVEN = 2, 0.1
"""The minimum number of letters after the first, and the tolerance for even steps, relative to a step."""
_FAR = 3  # least distance of separate texts within one element, relative to the font size
_LEVEL = 0.1
"""The tolerance for the heights of one line's parts, relative to the font size."""


class DrawnText(Struct, frozen=True):
    """A text: its words, the middle of its first line, its font size in drawing units, and its line in the file.

    `half`: the vector from the middle to the end of the first line.
    `parent`: the identity of the element that contains it.
    """

    words: str
    at: Point
    size: float
    line: int = 0
    half: Point = (0.0, 0.0)
    parent: int = 0


Moved = Callable[[Point], Point]


class Track(Struct, frozen=True):
    """The path along which a text runs: its points, in the text's units."""

    points: list[Point]

    @property
    def length(self) -> float:
        """The length of the path."""
        return sum(dist(p, q) for p, q in pairwise(self.points))

    def at(self, way: float) -> tuple[Point, Point]:
        """The point at a distance along the path, and the unit direction at that point."""
        way = min(max(way, 0.0), self.length)
        point, direction = self.points[0], (1.0, 0.0)
        for p, q in pairwise(self.points):
            if (part := dist(p, q)) == 0:
                continue
            direction = (q[0] - p[0]) / part, (q[1] - p[1]) / part
            along = min(way, part)
            point = p[0] + direction[0] * along, p[1] + direction[1] * along
            way -= along
            if way <= 0:
                break
        return point, direction


class Texts(Struct):
    """A collector of the texts in a drawing."""

    all: list[DrawnText] = field(default_factory=list)
    _open: bool = False
    _parts: list[str] = field(default_factory=list)
    _gaps: list[tuple[int, float, float]] = field(default_factory=list)
    """Parts continuing a line: the index of the blank before each, the gap, and the distance from the part before."""
    _line: str = ""
    _next: bool = False
    _run: tuple[float, float, str] = (0.0, 0.0, "")
    _start: tuple[float | None, float | None] = (0.0, 0.0)
    _face: Face = Face()
    _moved: Moved | None = None
    _track: Track | None = None
    _offset: float = 0.0
    _last: Point | None = None
    _width: float | None = None
    _lost: bool = False

    def begin(
        self,
        tag: str,
        attributes: dict[str, str],
        face: Face,
        viewport: Viewport,
        number: int,
        track: Track | None = None,
    ) -> None:
        """Starts a text, or part of a text, at a line of the file.

        `track` is the path of a `textPath`; None if unknown.
        """
        if tag == "text":
            self._lost = False
            self._restart(0.0, 0.0)
        if self._moved is not None:
            self._go_on(attributes, viewport, number)
        elif tag == "textPath":
            offset = attributes.get("startOffset", "").strip() or "0"
            way = length(offset, face.size, track.length) if track is not None else None
            self._track, self._offset, self._start = track, way or 0.0, (0.0, 0.0) if way is not None else (None, None)
        else:
            x, y = self._start
            self._start = _along(attributes, "x", x, face, viewport), _along(attributes, "y", y, face, viewport)
            self._last = _last(attributes, face, viewport, self._start) or self._last
            if text := attributes.get("textLength", ""):
                self._width = length(text, face.size, viewport.whole("x"))

    def _restart(self, x: float | None, y: float | None) -> None:
        """Starts a text at a position."""
        self._open, self._parts, self._start, self._moved, self._gaps = True, [], (x, y), None, []
        self._track, self._offset, self._last, self._width = None, 0.0, None, None

    def _go_on(self, attributes: dict[str, str], viewport: Viewport, number: int) -> None:
        """Starts a further part of the line, after a blank unless it begins where the text ended.

        A distant part is a separate text.
        """
        if not any(attributes.get(key, "").strip() for key in ("x", "y", "dx", "dy")):
            return
        (left, top, run), face = self._run, self._face
        size = face.size or 0.0
        end = left + _NARROW * face.width(run)
        x, y = _along(attributes, "x", end, face, viewport), _along(attributes, "y", top, face, viewport)
        if self._is_apart(x, y, end):
            self._lost = not self._close(number) or self._lost
            self._restart(x, y)
            return
        level = y is not None and abs(y - top) < _LEVEL * size
        near = x is not None and -_GAP * size - _LOOSE * (end - left) < x - end < _GAP * size
        if level and x is not None:
            self._gaps.append((len(self._parts), (x - end) / size if size else 0.0, x - left))
        if not (level and near and face.anchor not in ("middle", "end") and not (face.upright or face.leftward)):
            self._parts.append(" ")
            self._next = self._next or not level
        elif level:
            self._parts.append("")
        self._run = (end if x is None else x, top if y is None else y, "")

    def _is_apart(self, x: float | None, y: float | None, end: float) -> bool:
        """Whether a part is too distant to belong to the text that ends at `end`; single letters never are."""
        (left, top, run), far = self._run, _FAR * (self._face.size or 0.0)
        if x is None or y is None or not far or self._track is not None or len(run.strip()) <= 1:
            return False
        across = max(end - left, 0.0) + far
        return abs(y - top) > far or not -2 * across < x - left < across

    def add(self, data: str, face: Face, moved: Moved) -> None:
        """Adds characters to the open text, with the lettering of the current part."""
        if not self._open or len(self._parts) >= _MAX_WORDS:
            return
        if self._moved is None and data.strip():
            self._parts, self._face, self._moved = [], face, moved
            self._line, self._next, self._run = "", False, (self._start[0] or 0.0, self._start[1] or 0.0, "")
        data = data[:_MAX_WORDS]
        self._parts.append(data)
        self._line += "" if self._next else data
        self._run = (*self._run[:2], self._run[2] + " ".join(data.split("\n")))

    def end(self, number: int, instead: str = "") -> bool:
        """Ends a text; returns whether the text is empty or its position is known.

        `instead` contains the words that are displayed instead of the text.
        """
        return self._close(number, instead) and not self._lost

    def _close(self, number: int, instead: str = "") -> bool:
        self._join_letters()
        words = " ".join(INVISIBLE.sub("", "".join(self._parts)).split())
        words = (instead or words)[:_MAX_WORDS]
        moved, line = self._moved, INVISIBLE.sub("", self._line)
        line = line.rstrip("\r\n") if self._face.keeps_blanks else " ".join(line.split())
        self._open, self._parts, self._moved = False, [], None
        if moved is None or not words:
            return True
        (x, y), size = self._start, self._face.size
        if x is None or y is None or size is None or len(self.all) >= MAX_TEXTS:
            return False
        size = min(max(size, 0.1), 1e6)
        face = replace(self._face, size=size)
        middle, end, below = self._placed(x, y, face, face.width(line) if self._width is None else self._width)
        at, (ex, ey) = moved(middle), moved(end)
        self.all.append(DrawnText(words, at, dist(at, moved(below)), number, (ex - at[0], ey - at[1])))
        return True

    def _join_letters(self) -> None:
        """Removes blanks between evenly spaced letters that are positioned one by one."""
        if len(self._gaps) < _LETTERS or any(len(part.strip()) > 1 for part in self._parts):
            return
        gaps, steps = sorted(gap for _, gap, _ in self._gaps), sorted(step for *_, step in self._gaps)
        usual, step = gaps[len(gaps) // 2], steps[len(steps) // 2]
        even = steps[-1 - len(steps) // 4] - steps[len(steps) // 4] < _EVEN * step
        for number, gap, way in self._gaps:
            is_blank = way > (1 + 4 * _EVEN) * step if even else gap > usual + _GAP
            self._parts[number] = " " if is_blank else ""

    def add_whole(self, words: str, at: Point, size: float, number: int, half: Point = (0.0, 0.0)) -> None:
        """Adds a text with a known centre; `half` is the vector from the centre to the end of the text."""
        if len(self.all) < MAX_TEXTS:
            self.all.append(DrawnText(words[:_MAX_WORDS], at, size, number, half))

    def _placed(self, x: float, y: float, face: Face, width: float) -> tuple[Point, Point, Point]:
        """The middle and the end of a line that begins at a point, and a point one font size below the middle."""
        to_middle, size = {"middle": 0.0, "end": -0.5}.get(face.anchor, 0.5) * width, face.size or 1.0
        if self._track is not None:
            (px, py), (dx, dy) = self._track.at(self._offset + x + to_middle)
            rise = face.rise * size - y
            px, py = px + dy * rise, py - dx * rise
            return (px, py), (px + dx * width / 2, py + dy * width / 2), (px - dy * size, py + dx * size)
        if face.upright:
            return (x, y + to_middle), (x, y + to_middle + width / 2), (x + size, y + to_middle)
        if self._last is not None and not face.leftward:  # letters positioned one by one
            last, lowest = self._last
            to_middle, width, y = (last + _LETTER * size - x) / 2, abs(last - x) + size, (y + lowest) / 2
        x, y = x + (-to_middle if face.leftward else to_middle), y - face.rise * size
        return (x, y), (x + width / 2, y), (x, y + size)


def rounds(rings: Sequence[Sequence[Point]], x: float, y: float) -> int:
    """The winding number of rings around a point."""
    count = 0
    for ring in rings:
        for (px, py), (qx, qy) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (py > y) != (qy > y) and x < px + (y - py) * (qx - px) / (qy - py):
                count += 1 if qy > py else -1
    return count


def _last(attributes: dict[str, str], face: Face, viewport: Viewport, start: tuple[float | None, ...]) -> Point | None:
    """The position of the last letter of a text with positioned letters; otherwise None."""
    results: list[float] = []
    for axis, first in zip("xy", start, strict=True):
        at = first
        for name in (axis, f"d{axis}"):
            places = attributes.get(name, "").replace(",", " ").split()[1:_MAX_WORDS]
            steps = [length(place, face.size, viewport.whole(axis)) or 0.0 for place in places]
            if steps and at is not None:
                at = steps[-1] if name == axis else at + sum(steps)
        results.append(0.0 if at is None else at)
    if (results[0], results[1]) == start:
        return None
    letters = len(attributes.get("dx", "").replace(",", " ").split())
    return results[0] + (letters - 1) * _LETTER_STEP * (face.size or 0.0) if letters > 1 else results[0], results[1]


def _along(attributes: dict[str, str], axis: str, before: float | None, face: Face, viewport: Viewport) -> float | None:
    """The position of a part along an axis; `before` unless attributes change it."""
    result, whole = before, viewport.whole(axis)
    if attributes.get(axis, "").strip():
        result = length(attributes[axis], face.size, whole)
    if attributes.get(f"d{axis}", "").strip():
        more = length(attributes[f"d{axis}"], face.size, whole)
        result = None if result is None or more is None else result + more
    return result
