"""Shapes of an SVG drawing from a stranger: outlines with names, read within bounds.

Nothing is drawn or loaded: no file that a document type names, no reference is followed, and of styles only what hides,
what fills, and how large texts are and where they are anchored. What `<style>` says of them is warned of.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import cos, dist, isfinite, pi, radians, sin, tan
from pathlib import Path
from xml.parsers import expat

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.encoding import NoTextError, decoded
from rulespec.documents.text_files import read_bytes
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.svg_paths import path_outlines
from rulespec.drawing.svg_styles import NO_FILL, Face, Sheets, face_of, fill_of, length, styles_of
from rulespec.drawing.svg_texts import PlainEntities, Texts

MAX_BYTES = 8_000_000
MAX_DEPTH = 64
MAX_ELEMENTS = 50_000
MAX_SHAPES = 400
MAX_NAMELESS = 1_000
"""Shapes with a name, and those without one in which there may be a text."""
MAX_POINTS = 200_000
_BETWEEN = 5  # points between the ends of curves and arcs that count as one
MAX_NUMBER = 1e6
_CIRCLE = 32
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_TRANSFORM = re.compile(r"(matrix|translate|scale|rotate|skewX|skewY)\s*\(([^()]*)\)")
_SHAPES = ("path", "polygon", "polyline", "rect", "circle", "ellipse")
_WORDS = ("text", "tspan", "textPath", "a")
_APART = ("defs", "clipPath", "mask", "pattern", "symbol", "marker")
_HIDES = re.compile(r"(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse))\s*(?:!|;|$)", re.IGNORECASE)
_SEPARATOR = "\x01"
_INKSCAPE = f"http://www.inkscape.org/namespaces/inkscape{_SEPARATOR}"
_LABEL, _MODE = f"{_INKSCAPE}label", f"{_INKSCAPE}groupmode"
_MAX_NAME = 200
_FILLS = 3  # colours of a group that are named
_PROGRAMS = re.compile(r"(?:path|rect|circle|ellipse|polygon|polyline|g)[0-9]+(?:-[0-9-]+)?")
_NAMELESS = "shapes without a name"
_FAR = 1e12
_GAP = 0.1  # of the extent of an outline: its ends may be so far apart without a line between

Matrix = tuple[float, float, float, float, float, float]
_SAME: Matrix = (1, 0, 0, 1, 0, 0)


class Shape(Struct, frozen=True):
    """A shape: its name as the drawing has it, its outlines, and its line.

    `own`: its author has given the name, not a program. `fill`: its colour, as `#rrggbb` if it can be known.
    `curve`: it is a line that comes to no end where it began, and is not filled.
    """

    name: str
    outlines: list[list[Point]]
    line: int
    own: bool = True
    fill: str = ""
    curve: bool = False


class Sketch(Struct, frozen=True):
    """The content of a drawing: shapes, those below first, the texts in them ("": none), its frame if it says one."""

    shapes: list[Shape]
    texts: list[str]
    box: Box | None
    file: str = ""


class _Group(Struct):
    """A group with a name: it is one shape if nothing in it has a name of its own.

    `label`: its author has given the name, not a program. `parts`: its shapes without a name.
    """

    name: str
    label: bool
    line: int
    named: bool = False
    parts: list[Shape] = field(default_factory=list)

    def shape(self) -> Shape:
        """Its shape; of parts with different colours it has none that has a meaning."""
        own = self.label or not _PROGRAMS.fullmatch(self.name)
        outlines = [line for part in self.parts for line in part.outlines]
        fills = [*dict.fromkeys(part.fill for part in self.parts)][:_FILLS]
        fill = " and ".join(fill or "none" for fill in fills) if len(fills) > 1 else fills[0]
        return Shape(self.name, outlines, self.line, own, fill, all(part.curve for part in self.parts))


class _Around(Struct, frozen=True):
    """The context of an element's children: its transformation, its group, its look, and whether it is visible."""

    matrix: Matrix = _SAME
    hidden: bool = False
    group: _Group | None = None
    fill: str = ""
    face: Face = Face()
    tag: str = ""


def read_shapes(path: Path, report: Report | None = None) -> Sketch:
    """The shapes of a drawing that have a name; those without one in a group with a name are one shape.

    A text inside a shape is a name, too; without any other, the shape has the text as its name.

    Args:
        path: the file.
        report: takes warnings of what is left out (RS564), and of style sheets (RS850).

    Raises:
        DiagnosticsError: RS561 if it cannot be read, RS562 if it has no such shapes, RS563 if one cannot be understood.
    """
    reader = _Reader(str(path))
    try:
        data = read_bytes(path, str(path), MAX_BYTES)
    except DiagnosticsError as error:
        (result,) = error.diagnostics
        if result.code == "RS103":
            raise reader.refused("it has more than 8 MB", "take pictures and what is hidden out of it") from None
        raise failure("RS561", result.message, result.span, result.help) from None
    reader.read(data)
    shapes, texts = reader.named()
    if report is not None:
        reader.tell(report)
    if not shapes:
        help_ = "give each region's outline an `id`, a label in Inkscape, or a text in it"
        raise failure("RS562", "no shape in this drawing has a name", Span(str(path), 1, 1, 1, 2), help=help_)
    return Sketch(shapes, texts, reader.box, str(path))


class _Reader(Struct):
    file: str
    shapes: list[Shape] = field(default_factory=list)
    stack: list[_Around] = field(default_factory=list)
    texts: Texts = field(default_factory=Texts)
    box: Box | None = None
    left_out: dict[str, list[int]] = field(default_factory=dict)
    sheets: Sheets = field(default_factory=Sheets)
    counts: Counter[bool] = field(default_factory=Counter)
    elements: int = 0
    points: int = 0
    line: int = 1

    def read(self, data: bytes) -> None:
        parser = expat.ParserCreate(namespace_separator=_SEPARATOR)
        parser.buffer_text = True
        entities = PlainEntities(data)

        def entity(name: str, parameter: bool, value: str | None, *_: object) -> None:
            if not entities.takes(parameter, value):
                self.line = parser.CurrentLineNumber
                help_ = "save it as plain SVG: what it declares could name files, or grow without an end"
                raise self.refused(f"it declares the entity `{name[:80]}`", help_)

        parser.EntityDeclHandler = entity
        parser.EndElementHandler = self._end
        parser.CharacterDataHandler = self._characters
        parser.ProcessingInstructionHandler = lambda target, _: self.sheets.named(target, parser.CurrentLineNumber)

        def start(name: str, attributes: dict[str, str]) -> None:
            self.line = parser.CurrentLineNumber
            self.start(name, attributes)

        parser.StartElementHandler = start
        try:
            parser.Parse(data, True)
        except expat.ExpatError as error:
            self.line = error.lineno
            self._check_text(data)
            raise self.refused(f"it is no XML: {expat.ErrorString(error.code)}", "export it again") from None
        except (LookupError, ValueError) as error:  # of the encoding that its first line names
            reason = "its first line names an encoding that is not known here"
            raise self.refused(reason, "save it as UTF-8") from error

    def _check_text(self, data: bytes) -> None:
        """Says of what is no XML that it is not even text."""
        try:
            decoded(data)
        except NoTextError as error:
            self.line = error.line
            raise self.refused(f"it {error.cause}", error.help) from None

    def refused(self, reason: str, help_: str) -> Exception:
        """The error that the drawing is not read."""
        return failure("RS561", f"this drawing is not read: {reason}", self.place(), help=help_)

    def place(self) -> Span:
        """The line of the present element."""
        return Span(self.file, self.line, 1, self.line, 2)

    def _characters(self, data: str) -> None:
        around = self.stack[-1]
        if around.tag in _WORDS and not around.hidden:
            self.texts.add(data, around.face, lambda p: _moved(around.matrix, p))
        elif around.tag == "style":
            self.sheets.read(data, self.line)

    def _end(self, name: str) -> None:
        if name.rpartition(_SEPARATOR)[2] == "text" and not self.texts.end():
            self._leave("texts along a path, or with a size or a place that is not understood")
        group = self.stack.pop().group
        around = self.stack[-1].group if self.stack else None
        if group is None or group is around or not group.parts:
            return
        if group.named:
            self.left_out.setdefault(_NAMELESS, []).extend(part.line for part in group.parts)
        else:
            self._take(group.shape(), around)

    def start(self, name: str, attributes: dict[str, str]) -> None:
        """Takes an element, and what is inherited from those around it."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            raise self.refused(f"it has more than {MAX_ELEMENTS:,} elements", "leave the outlines of regions only")
        if len(self.stack) >= MAX_DEPTH:
            raise self.refused(f"it is nested more than {MAX_DEPTH} deep", "ungroup it")
        around = self.stack[-1] if self.stack else _Around()
        tag = name.rpartition(_SEPARATOR)[2]
        hidden = around.hidden or tag in _APART or _hides(attributes)
        matrix = self._transformed(around.matrix, attributes.get("transform", ""))
        if tag == "svg" and self.stack:
            matrix = self._viewport(matrix, attributes)
        label, id_ = (attributes.get(key, "").strip()[:_MAX_NAME] for key in (_LABEL, "id"))
        group = around.group
        if tag == "g" and attributes.get(_MODE) != "layer" and (label or id_):
            group = _Group(label or id_, label != "", self.line)
        styles = styles_of(attributes)
        fill, face = fill_of(styles, around.fill), face_of(styles, around.face)
        if tag == "svg" and not self.stack:
            box = self._numbers(attributes.get("viewBox", "")[:_MAX_NAME])
            self.box = Box((box[0], box[1], box[0] + box[2], box[1] + box[3])) if len(box) == 4 else None
        self.stack.append(_Around(matrix, hidden, group, fill, face, tag))
        if hidden:
            return
        if tag in _WORDS:
            self.texts.begin(tag, attributes, face)
        elif tag == "flowRoot":
            self._leave("texts that flow in a frame")
        elif tag == "use":
            self._leave("what `use` repeats")
        elif tag in _SHAPES:
            own = label != "" or (id_ != "" and not _PROGRAMS.fullmatch(id_))
            name = self._named(label, id_, group)
            outlines = [*self._moved_outlines(tag, attributes, matrix)]
            curve = fill == NO_FILL and _is_curve(tag, attributes, outlines)
            fill = "" if fill == NO_FILL else fill
            self._shape(Shape(name, outlines, self.line, own, fill, curve), group)

    def _named(self, label: str, id_: str, group: _Group | None) -> str:
        """The name of a shape: not what a program calls it, if it is in a group with a label."""
        return label or ("" if group is not None and group.label and _PROGRAMS.fullmatch(id_) else id_)

    def _moved_outlines(self, tag: str, a: dict[str, str], matrix: Matrix) -> Iterator[list[Point]]:
        for line in self._outlines(tag, a):
            moved = [_moved(matrix, p) for p in line]
            if not all(abs(n) <= _FAR for point in moved for n in point):
                raise self._fails("it is moved beyond all bounds")
            if len(moved) > 2:
                yield moved

    def _shape(self, shape: Shape, group: _Group | None) -> None:
        if not shape.outlines:
            self._leave("lines, which have no area" if shape.name or group is not None else _NAMELESS)
        elif shape.name or group is None:
            self._take(shape, group)
        else:
            group.parts.append(shape)

    def _take(self, shape: Shape, group: _Group | None) -> None:
        if group is not None and shape.name:
            group.named = True
        self.counts[shape.name != ""] += 1
        if self.counts[True] > MAX_SHAPES:
            raise self.refused(f"it has more than {MAX_SHAPES} shapes", "leave the outlines of regions only")
        if shape.name or self.counts[False] <= MAX_NAMELESS:
            self.shapes.append(shape)
        else:
            self._leave(_NAMELESS)

    def named(self) -> tuple[list[Shape], list[str]]:
        """The shapes that have a name, or a text in them, and for each its text; other texts are left out."""
        curves = {i for i, shape in enumerate(self.shapes) if shape.curve}
        texts = self.texts.of([shape.outlines for shape in self.shapes], curves)
        results, said = [], []
        for shape, text in zip(self.shapes, texts, strict=True):
            name = shape.name if shape.own or text is None else text.words
            if name:
                results.append(replace(shape, name=name))
                said.append(text.words if text is not None else "")
            else:
                self.left_out.setdefault(_NAMELESS, []).append(shape.line)
        return results, said

    def _leave(self, what: str) -> None:
        self.left_out.setdefault(what, []).append(self.line)

    def tell(self, report: Report) -> None:
        """Warns of what has been left out."""
        for what, lines in self.left_out.items():
            at = Span(self.file, lines[0], 1, lines[0], 2)
            also = f" (the first of {len(lines)})" if len(lines) > 1 else ""
            help_ = "what should be a region needs an outline and a name of its own"
            report.warning("RS564", f"left out: {what}{also}", at, help=help_)
        self.sheets.warn(self.file, report)

    def _viewport(self, around: Matrix, a: dict[str, str]) -> Matrix:
        """The transformation of a nested drawing: moved, and scaled to its own measure."""
        x, y = self._number(a.get("x", "0")), self._number(a.get("y", "0"))
        around = _product(around, (1, 0, 0, 1, x, y))
        box = self._numbers(a.get("viewBox", "")[:_MAX_NAME])
        inputs = (a.get("width", ""), a.get("height", ""))
        if len(box) != 4 or box[2] <= 0 or box[3] <= 0 or any(not n or n.endswith("%") for n in inputs):
            return around
        width, height = self._number(inputs[0]), self._number(inputs[1])
        scale = min(width / box[2], height / box[3])
        left, top = (width - box[2] * scale) / 2, (height - box[3] * scale) / 2
        return _product(around, (scale, 0, 0, scale, left - box[0] * scale, top - box[1] * scale))

    def _fails(self, what: str) -> Exception:
        help_ = "redraw the outline, or turn the object into a path"
        return failure("RS563", f"a shape cannot be understood: {what}", self.place(), help=help_)

    def _number(self, text: str) -> float:
        value = length(text)
        if value is None:
            result = _NUMBER.match(text.strip())
            value = float(result[0]) if result else 0.0
        if not isfinite(value) or abs(value) > MAX_NUMBER:
            raise self._fails("it has a number beyond a million")
        return value

    def _numbers(self, text: str) -> list[float]:
        most = 2 * (MAX_POINTS - self.points) + 2
        results = [float(n[0]) for n in islice(_NUMBER.finditer(text), most)]
        self._count(len(results) // 2 + 1)
        if not all(isfinite(n) and abs(n) <= MAX_NUMBER for n in results):
            raise self._fails("it has a number beyond a million")
        return results

    def _count(self, points: int) -> None:
        """Counts points."""
        self.points += points
        if self.points > MAX_POINTS:
            raise self.refused(f"it has more than {MAX_POINTS:,} points", "simplify its paths")

    def _count_between(self, points: int) -> None:
        """Counts points that a curve or an arc becomes: several count as one that is written."""
        self._count(-(-points // _BETWEEN))

    def _transformed(self, around: Matrix, text: str) -> Matrix:
        for name, inner in _TRANSFORM.findall(text[:2000]):
            matrix = _matrix(name, self._numbers(inner))
            if matrix is None:
                raise self._fails(f"its transformation `{name}` has not as many numbers as it needs")
            around = _product(around, matrix)
        return around

    def _outlines(self, tag: str, a: dict[str, str]) -> list[list[Point]]:
        if tag == "path":
            try:
                return path_outlines(a.get("d", ""), self._numbers, self._count_between)
            except ValueError as error:
                raise self._fails(str(error)) from None
        if tag in ("polygon", "polyline"):
            n = self._numbers(a.get("points", ""))
            return [list(zip(n[::2], n[1::2], strict=False))]
        names = {"rect": ("x", "y", "width", "height"), "circle": ("cx", "cy", "r", "r")}
        x, y, w, h = (self._number(a.get(n, "0")) for n in names.get(tag, ("cx", "cy", "rx", "ry")))
        if tag == "rect":
            return [[(x, y), (x + w, y), (x + w, y + h), (x, y + h)]]
        turns = [2 * pi * i / _CIRCLE for i in range(_CIRCLE)]
        return [[(x + w * cos(t), y + h * sin(t)) for t in turns]]


def _hides(a: dict[str, str]) -> bool:
    """Whether an element is not seen."""
    if a.get("display") == "none" or a.get("visibility") in ("hidden", "collapse"):
        return True
    return bool(_HIDES.search(a.get("style", "")[:2000]))


def _matrix(name: str, n: list[float]) -> Matrix | None:
    """The matrix of a transformation; None if it has too few numbers."""
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
    return None


def _is_curve(tag: str, attributes: dict[str, str], outlines: list[list[Point]]) -> bool:
    """Whether an element is a line that comes to no end where it began, such as a river."""
    if tag not in ("path", "polyline") or "z" in attributes.get("d", "").lower():
        return False
    return all(dist(line[0], line[-1]) > _GAP * max(dist(line[0], point) for point in line) for line in outlines)


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
