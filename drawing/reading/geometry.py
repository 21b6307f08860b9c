"""SVG shapes as outlines in the drawing's units: transformations, viewports and basic shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from math import ceil, cos, hypot, isfinite, pi, radians, sin, tan

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.drawing.outlines import extent
from rulespec.drawing.reading.clipping import Clip, clip_of
from rulespec.drawing.reading.looks import length
from rulespec.drawing.reading.paths import path_outlines, turn_within
from rulespec.drawing.reading.svg_tree import Element, refused
from rulespec.drawing.reading.transforms import functions_of, is_around_itself, pivot
from rulespec.drawing.svg import Box, Point

MAX_POINTS = 200_000
MAX_NUMBER = 1e6
SHAPES = ("path", "polygon", "polyline", "rect", "circle", "ellipse")
_BETWEEN = 5  # flattened points that count as one written point
_FINE = 5_000  # extent of a drawing divided by the greatest distance of lines from their curves
_FAR = 1e12
_LONGEST = 2_000  # maximum number of characters of a transformation
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TRANSFORM = re.compile(r"(matrix|translate[XY]?|scale[XY]?|rotate|skew[XY]?)\s*\(([^()]*)\)")
_TURNS = {"deg": 1.0, "": 1.0, "turn": 360.0, "grad": 0.9, "rad": 180 / pi}
_TURN = re.compile(r"([-+]?[\d.]+(?:[eE][-+]?\d+)?)(deg|turn|grad|rad)?")

Matrix = tuple[float, float, float, float, float, float]
SAME: Matrix = (1, 0, 0, 1, 0, 0)
Number = Callable[[str], float]


class Viewport(Struct, frozen=True):
    """The reference lengths for percentages; 0 if unknown."""

    width: float = 0
    height: float = 0

    def whole(self, name: str) -> float | None:
        """The reference length for a percentage in an attribute."""
        if not self.width or not self.height:
            return None
        if name in ("x", "cx", "rx", "width"):
            return self.width
        if name in ("y", "cy", "ry", "height"):
            return self.height
        return hypot(self.width, self.height) / 2**0.5


class Geometry:
    """The outlines of a drawing's elements, with a limit on their total number of points.

    Args:
        file: the drawing.
        extent: its declared size; 0 if it has none.
    """

    def __init__(self, file: str, extent: float) -> None:
        self.file, self.extent, self.points, self.line = file, extent, 0, 1

    def outlines(
        self, element: Element, values: Mapping[str, str], size: float | None, around: Viewport, matrix: Matrix
    ) -> list[list[Point]]:
        """The outlines of a shape, in drawing coordinates. Errors as in `lines`."""
        return [line for line in self.lines(element, values, size, around, matrix) if len(line) > 2]

    def lines(
        self, element: Element, values: Mapping[str, str], size: float | None, around: Viewport, matrix: Matrix
    ) -> list[list[Point]]:
        """The lines of a shape, even without an area, in drawing coordinates.

        Raises:
            DiagnosticsError: RS563 if it cannot be parsed, RS561 if the drawing has too many points.
        """
        self.line = element.line
        scale = max(hypot(matrix[0], matrix[1]), hypot(matrix[2], matrix[3]))
        within = self.extent / _FINE / scale if scale > 0 and isfinite(scale) else 0.0
        results = []
        for line in self._local(element, values, size, around, within):
            points = [moved(matrix, p) for p in line]
            if not all(abs(n) <= _FAR for point in points for n in point):
                raise self._fails("it is moved beyond all bounds")
            results.append(points)
        return results

    def _local(
        self, element: Element, values: Mapping[str, str], size: float | None, around: Viewport, within: float
    ) -> list[list[Point]]:
        if element.tag == "path":
            try:
                return path_outlines(element.attributes.get("d", ""), self.numbers, self._count_between, within)
            except ValueError as error:
                raise self._fails(str(error)) from None
        if element.tag in ("polygon", "polyline"):
            n = self.numbers(element.attributes.get("points", ""))
            return [list(zip(n[::2], n[1::2], strict=False))]

        def number(name: str) -> float:
            return self.number(values.get(name, "0"), size, around.whole(name))

        if element.tag == "line":
            x1, y1, x2, y2 = (
                self.number(element.get(name) or "0", size, around.whole(name[0])) for name in ("x1", "y1", "x2", "y2")
            )
            return [[(x1, y1), (x2, y2)]]
        if element.tag == "rect":
            x, y, w, h = (number(name) for name in ("x", "y", "width", "height"))
            if w <= 0 or h <= 0:
                return []
            return [self._rounded(Box((x, y, x + w, y + h)), values, number, within)]
        x, y = number("cx"), number("cy")
        rx, ry = self._radii(values, number) if element.tag == "ellipse" else (number("r"),) * 2
        if rx <= 0 or ry <= 0:
            return []
        steps = 4 * ceil(pi / 2 / turn_within(max(rx, ry), within))
        self._count_between(steps)
        turns = [2 * pi * i / steps for i in range(steps)]
        return [[(x + rx * cos(t), y + ry * sin(t)) for t in turns]]

    def _rounded(self, box: Box, values: Mapping[str, str], number: Number, within: float) -> list[Point]:
        """A rectangle, possibly with rounded corners."""
        left, top, right, bottom = box
        rx, ry = self._radii(values, number)
        rx, ry = min(rx, (right - left) / 2), min(ry, (bottom - top) / 2)
        if rx <= 0 or ry <= 0:
            return [(left, top), (right, top), (right, bottom), (left, bottom)]
        steps = ceil(pi / 2 / turn_within(max(rx, ry), within))
        self._count_between(4 * steps)
        corners = (
            (right - rx, top + ry, -1),
            (right - rx, bottom - ry, 0),
            (left + rx, bottom - ry, 1),
            (left + rx, top + ry, 2),
        )
        return [
            (x + rx * cos(t), y + ry * sin(t))
            for x, y, quarter in corners
            for t in (pi / 2 * (quarter + i / steps) for i in range(steps + 1))
        ]

    def _radii(self, values: Mapping[str, str], number: Number) -> tuple[float, float]:
        """Both radii; a missing one equals the other."""
        radii = [number(name) for name in ("rx", "ry") if values.get(name, "auto") != "auto"]
        return (radii[0], radii[-1]) if radii else (0.0, 0.0)

    def number(self, text: str, size: float | None = None, whole: float | None = None) -> float:
        """A number or a length; 0 if unreadable."""
        value = length(text, size, whole)
        if value is None:
            result = _NUMBER.match(text.strip())
            value = float(result[0]) if result and "%" not in text else 0.0
        if not isfinite(value) or abs(value) > MAX_NUMBER:
            raise self._fails("it has a number beyond a million")
        return value

    def numbers(self, text: str) -> list[float]:
        """The numbers in a text."""
        most = 2 * (MAX_POINTS - self.points) + 2
        results = [float(n[0]) for n in islice(_NUMBER.finditer(text), most)]
        self._count(len(results) // 2 + 1)
        if not all(isfinite(n) and abs(n) <= MAX_NUMBER for n in results):
            raise self._fails("it has a number beyond a million")
        return results

    def _count(self, points: int) -> None:
        self.points += points
        if self.points > MAX_POINTS:
            raise refused(self.file, self.line, f"it has more than {MAX_POINTS:,} points", "simplify its paths")

    def _count_between(self, points: int) -> None:
        """Counts the points of a flattened curve or arc; `_BETWEEN` of them count as one written point."""
        self._count(-(-points // _BETWEEN))

    def _fails(self, what: str) -> DiagnosticsError:
        help_ = "redraw the outline, or turn the object into a path"
        place = Span(self.file, self.line, 1, self.line, 2)
        return failure("RS563", f"a shape cannot be understood: {what}", place, help=help_)

    def moved(
        self, around: Matrix, element: Element, values: Mapping[str, str], size: float | None, viewport: Viewport
    ) -> Matrix | None:
        """The matrix of an element, combined with its parent's; None if its own box is needed and unknown.

        Raises:
            DiagnosticsError: RS563 if a transformation has too few numbers.
        """
        text = functions_of(values)
        if not text:
            return around
        box = Box((0, 0, viewport.width, viewport.height))
        if is_around_itself(values):
            points = [p for line in self.outlines(element, values, size, viewport, SAME) for p in line]
            if not points:
                return None
            box = extent(points)
        self.line = element.line
        x, y = pivot(values, box, size, lambda part: self.number(part, size))
        around = product(around, (1, 0, 0, 1, x, y)) if x or y else around
        around = self.transformed(around, text, size, box)
        return product(around, (1, 0, 0, 1, -x, -y)) if x or y else around

    def transformed(self, around: Matrix, text: str, size: float | None = None, box: Box | None = None) -> Matrix:
        """The matrix of a list of transformations, combined with the parent's; `box` is the reference for percentages.

        Raises:
            DiagnosticsError: RS563 if a transformation has too few numbers.
        """
        for name, inner in _TRANSFORM.findall(text[:_LONGEST]):
            matrix = self._matrix(name, inner, size, box)
            if matrix is None:
                raise self._fails(f"its transformation `{name}` has too few numbers")
            around = product(around, matrix)
        return around

    def _matrix(self, name: str, inner: str, size: float | None, box: Box | None) -> Matrix | None:
        """The matrix of a transformation; None if it has too few numbers."""
        if name in ("rotate", "skewX", "skewY", "skew") and (turn := _TURN.match(inner.strip())):
            n = [float(turn[1]) * _TURNS[turn[2] or ""], *self.numbers(inner.strip()[turn.end() :])]
        elif name.startswith("translate"):
            left, top, right, bottom = box or Box((0, 0, 0, 0))
            wholes = (bottom - top,) if name == "translateY" else (right - left, bottom - top)
            n = [self.number(p, size, of) for p, of in zip(inner.replace(",", " ").split(), wholes, strict=False)]
            n = n if any(unit in inner for unit in ("p", "m", "i", "c", "q", "%")) else self.numbers(inner)
        else:
            n = self.numbers(inner)
        return _matrix(name, n)

    def inner(
        self, around: Matrix, element: Element, values: Mapping[str, str], size: float | None, outer: Viewport
    ) -> tuple[Matrix, Viewport, Clip | None]:
        """The transformation, the viewport and the clip of a nested drawing or symbol, scaled to its declared size."""
        self.line = element.line

        def number(name: str, default: str) -> float:
            text = values.get(name, default)
            return self.number(default if text == "auto" else text, size, outer.whole(name))

        x, y = number("x", "0"), number("y", "0")
        around = product(around, (1, 0, 0, 1, x, y))
        width, height = number("width", "100%"), number("height", "100%")
        corners = [moved(around, p) for p in ((0, 0), (width, 0), (width, height), (0, height))]
        clip = (
            clip_of(corners)
            if width > 0 and height > 0 and values.get("overflow", "") not in ("visible", "auto")
            else None
        )
        box = self.numbers(element.get("viewBox")[:_LONGEST])
        if len(box) != 4 or box[2] <= 0 or box[3] <= 0 or width <= 0 or height <= 0:
            return around, Viewport(width, height), clip
        return product(around, fitted(box, width, height, element.get("preserveAspectRatio"))), Viewport(*box[2:]), clip


def fitted(box: Sequence[float], width: float, height: float, how: str) -> Matrix:
    """The transformation from a view box to a size, by `preserveAspectRatio`."""
    sx, sy = width / box[2], height / box[3]
    if how.strip() == "none":
        return (sx, 0, 0, sy, -box[0] * sx, -box[1] * sy)
    scale = max(sx, sy) if "slice" in how else min(sx, sy)
    left = {"xMin": 0.0, "xMax": 1.0}.get(how.strip()[:4], 0.5) * (width - box[2] * scale)
    top = (0.0 if "YMin" in how else 1.0 if "YMax" in how else 0.5) * (height - box[3] * scale)
    return (scale, 0, 0, scale, left - box[0] * scale, top - box[1] * scale)


def _matrix(name: str, n: list[float]) -> Matrix | None:
    if name == "matrix" and len(n) == 6:
        return (n[0], n[1], n[2], n[3], n[4], n[5])
    if name != "matrix" and n:
        first, second = n[0], n[1] if len(n) > 1 else 0.0
        if name == "rotate":
            c, s = cos(radians(first)), sin(radians(first))
            x, y = (n[1], n[2]) if len(n) > 2 else (0.0, 0.0)
            return (c, s, -s, c, x - c * x + s * y, y - s * x - c * y)
        return {
            "translate": (1, 0, 0, 1, first, second),
            "translateX": (1, 0, 0, 1, first, 0),
            "translateY": (1, 0, 0, 1, 0, first),
            "scale": (first, 0, 0, second if len(n) > 1 else first, 0, 0),
            "scaleX": (first, 0, 0, 1, 0, 0),
            "scaleY": (1, 0, 0, first, 0, 0),
            "skewX": (1, 0, tan(radians(first)), 1, 0, 0),
            "skew": (1, 0, tan(radians(first)), 1, 0, 0),
            "skewY": (1, tan(radians(first)), 0, 1, 0, 0),
        }[name]
    return None


def product(a: Matrix, b: Matrix) -> Matrix:
    """The composition of two transformations: first `b`, then `a`."""
    return (
        a[0] * b[0] + a[2] * b[1],
        a[1] * b[0] + a[3] * b[1],
        a[0] * b[2] + a[2] * b[3],
        a[1] * b[2] + a[3] * b[3],
        a[0] * b[4] + a[2] * b[5] + a[4],
        a[1] * b[4] + a[3] * b[5] + a[5],
    )


def moved(m: Matrix, p: Point) -> Point:
    """A point, transformed by a matrix."""
    return m[0] * p[0] + m[2] * p[1] + m[4], m[1] * p[0] + m[3] * p[1] + m[5]
