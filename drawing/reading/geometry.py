"""SVG shapes as outlines in drawing units: transformations, viewports and basic shapes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from math import ceil, cos, hypot, isfinite, pi, sin

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.text_files import MISLEADING
from rulespec.drawing.outlines import extent
from rulespec.drawing.reading.clipping import Clip, clip_of
from rulespec.drawing.reading.looks import AUTOMATIC, length
from rulespec.drawing.reading.paths import list_end, path_outlines, points_of, turn_within
from rulespec.drawing.reading.svg_tree import Element, refused
from rulespec.drawing.reading.transforms import (
    Matrix,
    is_around_itself,
    is_transformed,
    matrix_of,
    pivot,
    transformations_of,
)
from rulespec.drawing.svg import Box, Point

MAX_POINTS = 200_000
MAX_NUMBER = 1e6
SHAPES = ("path", "polygon", "polyline", "rect", "circle", "ellipse")
_BETWEEN = 5  # flattened points that count as one written point
_FINE = 5_000  # extent of a drawing divided by the greatest distance of lines from their curves
_FAR = 1e12
_LONGEST = 2_000  # maximum number of characters of a view box
_LONGEST_POINT = 64  # characters of path data that count as one point, at least
_FEW = 10_000  # maximum number of characters of a list read at once
_MAX_FAULTS, _SHOWN = 200, 24
_NO_DATA = "none"
_UNCLIPPED = {"visible", "auto", "overlay"}
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

SAME: Matrix = (1, 0, 0, 1, 0, 0)
Number = Callable[[str], float]


class Viewport(Struct, frozen=True):
    """The reference lengths for percentages, which are 0 if unknown."""

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
        extent: its declared size; 0 if it declares none.
    """

    def __init__(self, file: str, extent: float) -> None:
        self.file, self.extent, self.points, self.line = file, extent, 0, 1
        self.faults: dict[tuple[int, str], None] = {}
        """Line of an element and description of its unreadable part, in order."""

    def outlines(
        self, element: Element, values: Mapping[str, str], size: float | None, around: Viewport, matrix: Matrix
    ) -> list[list[Point]]:
        """The outlines of a shape, in drawing coordinates. Raises the same errors as `lines`."""
        return [line for line in self.lines(element, values, size, around, matrix) if len(line) > 2]

    def lines(
        self, element: Element, values: Mapping[str, str], size: float | None, around: Viewport, matrix: Matrix
    ) -> list[list[Point]]:
        """The lines of a shape, even if they enclose no area, in drawing coordinates.

        Raises:
            DiagnosticsError: RS563 if it has a number out of range, RS561 if the drawing has too many points.
        """
        self.line = element.line
        scale = max(hypot(matrix[0], matrix[1]), hypot(matrix[2], matrix[3]))
        within = self.extent / _FINE / scale if scale > 0 and isfinite(scale) else 0.0
        results = []
        for line in self._local(element, values, size, around, within):
            points = [moved(matrix, p) for p in line]
            if not all(abs(n) <= _FAR for point in points for n in point):
                raise self._fails("its transformation moves it too far")
            results.append(points)
        return results

    def _local(
        self, element: Element, values: Mapping[str, str], size: float | None, around: Viewport, within: float
    ) -> list[list[Point]]:
        if element.tag == "path":
            data = element.attributes.get("d", "")
            data = "" if data.strip() == _NO_DATA else data
            self._count(len(data) // _LONGEST_POINT)
            broken = partial(self._broken, data, "browsers draw only that much of it")
            return path_outlines(data, self.numbers, self._count_between, broken, within)
        if element.tag in ("polygon", "polyline"):
            data = element.attributes.get("points", "")
            self._count(len(data) // _LONGEST_POINT)
            return [points_of(data, self.numbers, partial(self._broken, data, "some browsers do not draw it at all"))]

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
            result = _NUMBER.fullmatch(text.strip())
            value = float(result[0]) if result else 0.0
            if result is None and text.strip() and text.strip().lower() not in AUTOMATIC:
                self._fault(f"the length {_quoted(text)} is not understood: 0 is used instead")
        if not isfinite(value) or abs(value) > MAX_NUMBER:
            raise self._fails("it has a number beyond a million")
        return value

    def view_box(self, element: Element) -> list[float]:
        """The four numbers of an element's view box; empty if it has no valid one."""
        text = element.get("viewBox")[:_LONGEST]
        results = self.numbers(text) if list_end(text) == len(text) else []
        return results if len(results) == 4 else []

    def numbers(self, text: str) -> list[float]:
        """The numbers in a string."""
        most = 2 * (MAX_POINTS - self.points) + 2
        texts = _NUMBER.findall(text) if len(text) <= _FEW else (n[0] for n in islice(_NUMBER.finditer(text), most))
        results = [*map(float, texts)]
        self._count(len(results) // 2 + 1)
        if not all(isfinite(n) and abs(n) <= MAX_NUMBER for n in results):
            raise self._fails("it has a number beyond a million")
        return results

    def _broken(self, data: str, then: str, at: int) -> None:
        """Records the first error in the data of a shape; `then`: what follows from it."""
        rest = data[at:].rstrip()
        if rest and not rest.strip(","):
            return  # nothing is lost
        what = f"character {at + 1}, {_quoted(rest)}" if rest else "the end"
        self._fault(f"the outline is read up to an error in its data, at {what}: {then}")

    def _fault(self, what: str) -> None:
        """Records what of the present element is not understood."""
        if len(self.faults) < _MAX_FAULTS:
            self.faults.setdefault((self.line, what))

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
        """The matrix of an element, combined with its parent's; None if the element's own box is needed but unknown."""
        if not is_transformed(values):
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
        around = self.transformed(around, element, values, size, box)
        return product(around, (1, 0, 0, 1, -x, -y)) if x or y else around

    def transformed(
        self,
        around: Matrix,
        element: Element,
        values: Mapping[str, str],
        size: float | None = None,
        box: Box | None = None,
    ) -> Matrix:
        """The matrix of an element's transformations, combined with its parent's; percentages refer to `box`."""
        left, top, right, bottom = box or Box((0, 0, 0, 0))

        def value(text: str, along: int) -> float:
            return self.number(text, size, (right - left, bottom - top)[along])

        for each in transformations_of(element, values):
            functions = each.functions()
            if functions is None:
                self._fault(f"the transformation {_quoted(each.text)} is not understood, and is left out")
            for name, arguments in functions or ():
                around = product(around, matrix_of(name, arguments, value))
        return around

    def inner(
        self, around: Matrix, element: Element, values: Mapping[str, str], size: float | None, outer: Viewport
    ) -> tuple[Matrix, Viewport, Clip | None]:
        """The transformation, viewport and clip of a nested drawing or symbol, scaled to its declared size."""
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
            if width > 0 and height > 0 and not {*values.get("overflow", "hidden").lower().split()} <= _UNCLIPPED
            else None
        )
        box = self.view_box(element)
        if not box or box[2] <= 0 or box[3] <= 0 or width <= 0 or height <= 0:
            return around, Viewport(width, height), clip
        return product(around, fitted(box, width, height, element.get("preserveAspectRatio"))), Viewport(*box[2:]), clip


def fitted(box: Sequence[float], width: float, height: float, how: str) -> Matrix:
    """The transformation from a view box to a size, according to `preserveAspectRatio`."""
    sx, sy = width / box[2], height / box[3]
    if how.strip() == "none":
        return (sx, 0, 0, sy, -box[0] * sx, -box[1] * sy)
    scale = max(sx, sy) if "slice" in how else min(sx, sy)
    left = {"xMin": 0.0, "xMax": 1.0}.get(how.strip()[:4], 0.5) * (width - box[2] * scale)
    top = (0.0 if "YMin" in how else 1.0 if "YMax" in how else 0.5) * (height - box[3] * scale)
    return (scale, 0, 0, scale, left - box[0] * scale, top - box[1] * scale)


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
    """A point transformed by a matrix."""
    return m[0] * p[0] + m[2] * p[1] + m[4], m[1] * p[0] + m[3] * p[1] + m[5]


def _quoted(text: str) -> str:
    """The quotation of a part of a drawing."""
    return f"`{MISLEADING.sub(' ', ' '.join(text.split()))[:_SHOWN]}`"
