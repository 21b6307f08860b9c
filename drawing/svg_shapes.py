"""Shapes of an SVG drawing from a stranger: outlines with names, read within bounds.

Nothing is drawn or loaded: no document type, no entity, no reference, no style is followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from math import cos, isfinite, pi, radians, sin, tan
from pathlib import Path
from xml.parsers import expat

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import failure
from rulespec.drawing.svg import Point

MAX_BYTES = 8_000_000
MAX_DEPTH = 64
MAX_ELEMENTS = 50_000
MAX_SHAPES = 400
MAX_POINTS = 200_000
MAX_NUMBER = 1e6
_CURVE = 8  # points on a curve
_CIRCLE = 32
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_COMMAND = re.compile(r"([MmLlHhVvCcSsQqTtAaZz])")
_ARGUMENTS = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "Q": 4, "T": 2, "A": 7, "Z": 0}
_TRANSFORM = re.compile(r"(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^()]*)\)")
_SHAPES = ("path", "polygon", "polyline", "rect", "circle", "ellipse")
_SEPARATOR = "\x01"
_LABEL = f"http://www.inkscape.org/namespaces/inkscape{_SEPARATOR}label"

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1, 0, 0, 1, 0, 0)


class Shape(Struct, frozen=True):
    """A shape: its name as the drawing has it, its outlines, and its line."""

    name: str
    outlines: list[list[Point]]
    line: int


def read_shapes(path: Path) -> list[Shape]:
    """The shapes of a drawing that have a name.

    Raises:
        DiagnosticsError: RS561 if it cannot be read, RS562 if it has no such shapes, RS563 if one cannot be understood.
    """
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise failure("RS561", f"{path} cannot be read: {error.strerror or error}", None) from None
    reader = _Reader(str(path))
    if len(data) > MAX_BYTES:
        raise reader.refused("it has more than 8 MB", "take pictures and what is hidden out of it")
    reader.read(data)
    if not reader.shapes:
        help_ = "give each region's outline an `id`, or a label in Inkscape"
        raise failure("RS562", "no shape in this drawing has a name", Span(str(path), 1, 1, 1, 2), help=help_)
    return reader.shapes


class _Reader(Struct):
    file: str
    shapes: list[Shape] = field(default_factory=list)
    stack: list[tuple[Matrix, bool]] = field(default_factory=list)
    elements: int = 0
    points: int = 0
    line: int = 1

    def read(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        parser.buffer_text = True
        parser.StartDoctypeDeclHandler = self._no_type
        parser.EntityDeclHandler = self._no_type
        parser.EndElementHandler = self._end

        def start(name: str, attributes: dict[str, str]) -> None:
            self.line = parser.CurrentLineNumber
            self.start(name, attributes)

        parser.StartElementHandler = start
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            self.line = error.lineno
            raise self.refused(f"it is no XML: {expat.ErrorString(error.code)}", "export it again") from None

    def refused(self, reason: str, help_: str) -> Exception:
        """The error that the drawing is not read."""
        return failure("RS561", f"this drawing is not read: {reason}", self.place(), help=help_)

    def place(self) -> Span:
        """The line of the present element."""
        return Span(self.file, self.line, 1, self.line, 2)

    def _no_type(self, *_: object) -> None:
        raise self.refused("it has a document type", "take the line `<!DOCTYPE …>` out: it could name anything")

    def _end(self, _: str) -> None:
        self.stack.pop()

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Takes an element, and what is inherited from those around it."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise self.refused(f"it has more than {MAX_ELEMENTS:,} elements", "leave the outlines of regions only")
        if len(self.stack) >= MAX_DEPTH:
            raise self.refused(f"it is nested more than {MAX_DEPTH} deep", "ungroup it")
        around, hidden = self.stack[-1] if self.stack else (_SAME, False)
        tag = name.rpartition(_SEPARATOR)[2]
        hidden = hidden or tag in ("defs", "clipPath", "mask", "pattern", "symbol", "marker")
        matrix = self._transformed(around, attributes.get("transform", ""))
        self.stack.append((matrix, hidden))
        label = attributes.get(_LABEL) or attributes.get("id", "")
        if tag in _SHAPES and label and not hidden:
            outlines = [[_moved(matrix, p) for p in line] for line in self._outlines(tag, attributes) if len(line) > 2]
            if outlines:
                self.shapes.append(Shape(label[:200], outlines, self.line))
        if len(self.shapes) > MAX_SHAPES:
            raise self.refused(f"it has more than {MAX_SHAPES} shapes", "leave the outlines of regions only")

    def _fails(self, what: str) -> Exception:
        help_ = "draw the outline anew, or turn the object into a path"
        return failure("RS563", f"a shape cannot be understood: {what}", self.place(), help=help_)

    def _number(self, text: str) -> float:
        found = _NUMBER.match(text.strip())
        value = float(found[0]) if found else 0.0
        if not isfinite(value) or abs(value) > MAX_NUMBER:
            raise self._fails("it has a number beyond a million")
        return value

    def _numbers(self, text: str) -> list[float]:
        found = [float(n) for n in _NUMBER.findall(text)]
        self.points += len(found) // 2 + 1
        if self.points > MAX_POINTS:
            raise self.refused(f"it has more than {MAX_POINTS:,} points", "simplify its paths")
        if not all(isfinite(n) and abs(n) <= MAX_NUMBER for n in found):
            raise self._fails("it has a number beyond a million")
        return found

    def _transformed(self, around: Matrix, text: str) -> Matrix:
        for name, inner in _TRANSFORM.findall(text[:2000]):
            n = self._numbers(inner)
            around = _product(around, self._matrix(name, n))
        return around

    def _matrix(self, name: str, n: list[float]) -> Matrix:
        if name == "matrix" and len(n) == 6:
            return (n[0], n[1], n[2], n[3], n[4], n[5])
        if name == "translate" and n:
            return (1, 0, 0, 1, n[0], n[1] if len(n) > 1 else 0)
        if name == "scale" and n:
            return (n[0], 0, 0, n[1] if len(n) > 1 else n[0], 0, 0)
        if name == "rotate" and n:
            c, s = cos(radians(n[0])), sin(radians(n[0]))
            x, y = (n[1], n[2]) if len(n) > 2 else (0.0, 0.0)
            return (c, s, -s, c, x - c * x + s * y, y - s * x - c * y)
        if name in ("skewX", "skewY") and n:
            t = tan(radians(n[0]))
            return (1, 0, t, 1, 0, 0) if name == "skewX" else (1, t, 0, 1, 0, 0)
        raise self._fails(f"its transformation `{name}` has not as many numbers as it needs")

    def _outlines(self, tag: str, a: dict[str, str]) -> list[list[Point]]:
        if tag == "path":
            return self._path(a.get("d", ""))
        if tag in ("polygon", "polyline"):
            n = self._numbers(a.get("points", ""))
            return [list(zip(n[::2], n[1::2], strict=False))]
        names = {"rect": ("x", "y", "width", "height"), "circle": ("cx", "cy", "r", "r")}
        x, y, w, h = (self._number(a.get(n, "0")) for n in names.get(tag, ("cx", "cy", "rx", "ry")))
        if tag == "rect":
            return [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)]]
        turns = [2 * pi * i / _CIRCLE for i in range(_CIRCLE)]
        return [[(x + w * cos(t), y + h * sin(t)) for t in turns]]

    def _path(self, text: str) -> list[list[Point]]:
        """The outlines of path data: curves become lines through some of their points, arcs straight lines."""
        found: list[list[Point]] = []
        here: Point = (0.0, 0.0)
        control: Point | None = None
        for letter, n in self._commands(text):
            upper = letter.upper()
            dx, dy = here if letter.islower() else (0.0, 0.0)
            if upper == "Z":
                here, control = (found[-1][0] if found and found[-1] else here), None
                found.append([])
                continue
            if upper == "M":
                found.append([])
            if not found:
                raise self._fails("its path does not begin with `M`")
            if not found[-1] and upper != "M":
                found[-1].append(here)
            if upper in "HV":
                here = (n[0] + dx, here[1]) if upper == "H" else (here[0], n[0] + dy)
                found[-1].append(here)
                control = None
                continue
            end = (n[-2] + dx, n[-1] + dy)
            mirrored = here if control is None else (2 * here[0] - control[0], 2 * here[1] - control[1])
            points = [(n[i] + dx, n[i + 1] + dy) for i in range(0, len(n) - 2, 2)] if upper in "CSQ" else []
            if upper in "ST":
                points = [mirrored, *points]
            found[-1] += [*_curve(here, points, end), end]
            control, here = (points[-1] if points else None), end
        return found

    def _commands(self, text: str) -> Iterator[tuple[str, list[float]]]:
        parts = _COMMAND.split(text)
        if parts[0].strip():
            raise self._fails("its path does not begin with `M`")
        for letter, inner in zip(parts[1::2], parts[2::2], strict=True):
            n, each = self._numbers(inner), _ARGUMENTS[letter.upper()]
            if not each:
                yield letter, []
                continue
            if not n or len(n) % each:
                raise self._fails(f"`{letter}` has not as many numbers as it needs")
            for i in range(0, len(n), each):
                # More points after `M` are lines.
                yield ({"M": "L", "m": "l"}.get(letter, letter) if i else letter), n[i : i + each]


def _curve(start: Point, controls: list[Point], end: Point) -> list[Point]:
    """Points on a Bezier curve, without its ends."""
    points = [start, *controls, end]
    return [_bezier(points, i / _CURVE) for i in range(1, _CURVE)] if controls else []


def _bezier(points: list[Point], t: float) -> Point:
    while len(points) > 1:
        points = [(x + t * (nx - x), y + t * (ny - y)) for (x, y), (nx, ny) in pairwise(points)]
    return points[0]


def _product(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[2] * b[1],
        a[1] * b[0] + a[3] * b[1],
        a[0] * b[2] + a[2] * b[3],
        a[1] * b[2] + a[3] * b[3],
        a[0] * b[4] + a[2] * b[5] + a[4],
        a[1] * b[4] + a[3] * b[5] + a[5],
    )


def _moved(m: Matrix, p: Point) -> Point:
    return m[0] * p[0] + m[2] * p[1] + m[4], m[1] * p[0] + m[3] * p[1] + m[5]
