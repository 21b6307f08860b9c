"""The shapes of an untrusted SVG drawing as a browser shows them: outlines, names and texts, read within limits.

Nothing is rendered or loaded: no referenced file is opened, and `use` is followed only within the drawing, up to a
limit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import dist

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.drawing.reading.clipping import within
from rulespec.drawing.reading.contexts import Around, Contexts, Layer, NamedGroup, Part, Passed, is_own
from rulespec.drawing.reading.element_names import id_of, is_short, label_of, words_of_a_page
from rulespec.drawing.reading.geometry import (
    SAME,
    SHAPES,
    Geometry,
    Viewport,
    moved,
    product,
)
from rulespec.drawing.reading.glyphs import glyphs_of, place_of
from rulespec.drawing.reading.looks import is_clear, is_displayed, is_replaced, look_of
from rulespec.drawing.reading.paints import NO_FILL, colour_of, paint_behind, reference_of
from rulespec.drawing.reading.placed_texts import MAX_LEADS, Lead
from rulespec.drawing.reading.styles import Styles, styles_of
from rulespec.drawing.reading.svg_tree import (
    MAX_DEPTH,
    MAX_ELEMENTS,
    Document,
    Element,
    counted_places,
    refused,
    target_of,
)
from rulespec.drawing.reading.texts import MAX_TEXTS, Texts, Track
from rulespec.drawing.reading.transforms import is_transformed
from rulespec.drawing.svg import Box, Point

_WORDS = ("text", "tspan", "textPath", "a")
_APART = frozenset(
    {
        *("defs", "clipPath", "mask", "pattern", "symbol", "marker", "style", "title", "desc", "metadata"),
        *("linearGradient", "radialGradient", "filter", "foreignObject", "script", ""),
    }
)
"""Elements whose content is not drawn in place."""
_EXTENSIONS = ("http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML")
"""The namespaces in `requiredExtensions` that browsers support."""
_MAX_CLIPPED = 20_000_000
_PALETTES, _STOPS = 8, 100  # nested references between gradients, and stops of a gradient
_BENDS = 4  # points of a leader line from a text to a shape
_GAP = 0.1  # greatest distance between the ends of a closed outline, relative to its extent


class Shape(Struct, frozen=True):
    """A shape: its name in the drawing, its outlines, and its line.

    `own`: whether its author named it, rather than a program; `label`: whether the name is a label for people rather
    than an `id`; `by_text`: whether the name is a text in the drawing.
    `fill`: its colour as `#rrggbb` if known; "" if it has or specifies none.
    `curve`: whether it is an open, unfilled line.
    `unseen`: whether it is invisible, without fill or stroke, or with opacity 0.
    `evenodd`: whether the fill rule is even-odd rather than nonzero.
    `layers`: the names of the enclosing groups, outermost first.
    `copies`: the number of times that `use` repeats it; `parent`: the identity of the element that contains it.
    """

    name: str
    outlines: list[list[Point]]
    line: int
    own: bool = True
    fill: str = ""
    curve: bool = False
    label: bool = False
    by_text: bool = False
    filled: bool = True
    evenodd: bool = True
    hidden: bool = False
    unseen: bool = False
    layers: tuple[Layer, ...] = ()
    copies: int = 0
    parent: int = 0


class PlacedShape(Struct, frozen=True):
    """A shape as drawn, with the named group around it."""

    shape: Shape
    group: NamedGroup | None


class Content(Struct):
    """The content of a drawing: shapes and texts, its page if there is one, and notes on unsupported parts.

    `sheet`: the largest area that can be visible, which exceeds the page if their proportions differ; None if unknown.
    `leads`: the ends of its short lines, which may be leader lines from texts to shapes.
    """

    file: str
    pieces: list[PlacedShape] = field(default_factory=list)
    texts: Texts = field(default_factory=Texts)
    leads: list[Lead] = field(default_factory=list)
    box: Box | None = None
    sheet: Box | None = None
    notes: Passed = field(default_factory=Passed)


def read_content(document: Document, part: Part, styles: Styles | None = None) -> Content:
    """The shapes and texts of a drawing, from bottom to top.

    Raises:
        DiagnosticsError: RS561 if it is larger than a map needs, RS563 if a shape has a number out of range.
    """
    walk = _Walk(document, part, styles or styles_of(document))
    walk.root()
    walk.content.notes.faults = [*walk.geometry.faults]
    return walk.content


class _Walk:
    def __init__(self, document: Document, part: Part, styles: Styles) -> None:
        self.document, self.styles = document, styles
        self.content = Content(document.file)
        root, self.geometry = document.root, Geometry(document.file, 0)
        box = self.geometry.view_box(root) if root.tag == "svg" else []
        if box:
            self.content.box = Box((box[0], box[1], box[0] + box[2], box[1] + box[3]))
            viewport = Viewport(max(box[2], 0), max(box[3], 0))
        else:
            sizes = [self.geometry.number(root.get(name)) if root.tag == "svg" else 0 for name in ("width", "height")]
            viewport = Viewport(*(max(size, 0) for size in sizes))
        self.geometry.extent = max(viewport.width, viewport.height)
        if not is_transformed(styles.values(root)):
            page = box or (0, 0, viewport.width, viewport.height)
            self.content.sheet = _sheet_of(root, page, self.geometry)
        self.contexts = Contexts(document, part, styles, self.geometry, self.content.notes)
        self.elements, self.clip_cost, self.viewport = 0, 0, viewport
        self._uses = counted_places(document)

    def root(self) -> None:
        """Traverses the whole drawing."""
        self._element(self.document.root, Around(viewport=self.viewport))

    def _element(self, element: Element, around: Around, sizes: Mapping[str, str] | None = None) -> None:
        """Traverses an element; `sizes` is the width and height given by a `use`."""
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            reason = f"it has more than {MAX_ELEMENTS:,} elements, including those repeated by `use`"
            raise refused(self.document.file, element.line, reason, "keep only the outlines of regions")
        if around.depth > MAX_DEPTH:
            reason = f"it is nested more than {MAX_DEPTH} deep, including those repeated by `use`"
            raise refused(self.document.file, element.line, reason, "ungroup it")
        if not _is_for_all(element):
            return
        if element.tag in _APART:
            if element.tag == "foreignObject" and (words := words_of_a_page(element)):
                values = self.styles.values(element, around.scope)
                self._page(words, element, self.contexts.inside(element, values, around))
            return
        values = {**self.styles.values(element, around.scope), **(sizes or {})}
        inside = self.contexts.inside(element, values, around)
        if element.tag in SHAPES:
            self._shape(element, values, around, inside)
        elif element.tag == "line":
            self._lead(element, values, inside)
        elif element.tag == "text":
            self._text(element, inside)
        elif element.tag == "use":
            self._use(element, values, inside, inside.group is not around.group)
        elif element.tag == "flowRoot":
            if not inside.hidden and inside.look.visible:
                self.content.notes.leave("texts that flow in a frame", element.line)
        elif element.tag == "switch" and (words := words_of_a_page(element)):
            self._page(words, element, inside)
        elif element.comment and (glyphs := glyphs_of(element)):
            if inside.look.visible and not (inside.hidden or inside.faded or inside.ornament):
                at, size, half = place_of(glyphs, inside, self.styles, self.geometry)
                self.content.texts.add_whole(element.comment, at, size, element.line, half)
        else:
            for child in self._shown(element):
                self._element(child, inside)

    def _page(self, words: str, element: Element, inside: Around) -> None:
        """Takes the words of embedded HTML, at the position of its fallback text, or in its own box."""
        if inside.hidden or inside.faded or inside.ornament or not inside.look.visible:
            return
        size, whole = inside.look.face.size, inside.viewport.whole
        for each in [*self._shown(element), element, *element.elements]:
            if each.tag == "text":
                self._text(each, self.contexts.inside(each, self.styles.values(each, inside.scope), inside), words)
                return
            if each.tag in ("image", "foreignObject") and "%" not in each.get("width"):
                x, y, wide, high = (
                    self.geometry.number(each.get(name) or "0", size, whole(name))
                    for name in ("x", "y", "width", "height")
                )
                at = moved(inside.matrix, (x + wide / 2, y + high / 2))
                self.content.texts.add_whole(words, at, size or 1.0, element.line)
                return

    def _shown(self, element: Element) -> list[Element]:
        """The visible children of an element: of a `switch`, the first that applies to everyone."""
        if element.tag != "switch":
            return element.elements
        return [e for e in element.elements if _is_for_all(e) and e.tag not in ("foreignObject", "")][:1]

    def _lead(self, element: Element, values: dict[str, str], inside: Around) -> None:
        """Takes a line with few points, which may lead from a text to a shape."""
        shown = inside.look.visible and not (inside.hidden or inside.faded or inside.ornament)
        if shown and inside.look.lined and len(self.content.leads) < MAX_LEADS:
            lines = self.geometry.lines(element, values, inside.look.face.size, inside.viewport, inside.matrix)
            self.content.leads += [(line[0], line[-1]) for line in lines if 2 <= len(line) <= _BENDS]

    def _shape(self, element: Element, values: dict[str, str], around: Around, inside: Around) -> None:
        label, id_ = label_of(element), id_of(element)
        layer = Layer(label, id_, element.line)
        if inside.ornament or (layer.name and self.contexts.is_apart(layer)):
            return
        outlines = self.geometry.outlines(element, values, inside.look.face.size, inside.viewport, inside.matrix)
        is_open = _is_open(element, outlines)
        if is_open and element.tag != "rect" and inside.look.paint == NO_FILL:
            self._lead(element, values, inside)
        hidden = inside.hidden or not inside.look.visible
        whole, evenodd = outlines, inside.look.evenodd
        for clip in inside.clips:
            if not outlines:
                break
            points = sum(map(len, outlines))
            self.clip_cost += points * clip.size if clip.convex else (points + clip.size) ** 2 // 2
            if self.clip_cost > _MAX_CLIPPED:
                self.content.notes.leave(
                    "clip paths with too many points, so the parts that they cut off are read", element.line
                )
                break
            outlines = within(outlines, evenodd, clip)
            evenodd = evenodd or clip.convex is None
        if inside.chosen or not hidden:
            if not whole:
                self.content.notes.leave("lines, which have no area", element.line)
            elif not outlines:
                self.content.notes.leave("shapes outside their clip path", element.line)
        if not outlines:
            return
        unseen = inside.faded or (inside.look.paint == NO_FILL and not inside.look.lined)
        own = is_own(layer)
        name = "" if inside.nameless or (around.copied and not own) else layer.name
        if label == "" and around.group is not None and around.group.label and is_short(id_):
            name = ""  # a program's name adds nothing in a group with a label
        look = inside.look
        filled = look.paint != NO_FILL
        fill = _even(look.paint, self.document, self.styles) if look.stated and filled else ""
        shape = Shape(
            name=name,
            outlines=outlines,
            line=element.line,
            own=own and name != "",
            fill=fill,
            curve=is_open and not filled,
            label=label != "" and name != "",
            filled=filled,
            evenodd=evenodd,
            hidden=hidden,
            unseen=unseen and not inside.chosen,
            layers=(*inside.layers, layer) if layer.name else inside.layers,
            copies=max((self._uses.get(id(each), 0) for each in inside.copied), default=0),
            parent=id(element.parent),
        )
        self.content.pieces.append(PlacedShape(shape, inside.group))

    def _use(self, element: Element, values: dict[str, str], inside: Around, named: bool) -> None:
        """Traverses the content repeated by `use`, at its position; `named`: its author named it."""
        target = target_of(self.document, element)
        if target is None or target in inside.copied:
            if not inside.hidden:
                self.content.notes.leave(
                    "copies by `use` of a missing element, or of one that contains the copy", element.line
                )
            return
        size = inside.look.face.size
        self.geometry.line = element.line
        x, y = (self.geometry.number(values.get(name, "0"), size, inside.viewport.whole(name)) for name in ("x", "y"))
        x, y = (0.0, 0.0) if is_replaced(element.tag, values) else (x, y)
        again = self._uses.get(id(target), 0) > 1 or not _is_apart_from_view(target)
        context = replace(
            inside,
            matrix=product(inside.matrix, (1, 0, 0, 1, x, y)),
            copied=(*inside.copied, target),
            scope=self.styles.copied(element, target, inside.scope),
            nameless=inside.nameless or named or again,
        )
        sizes = {name: values[name] for name in ("width", "height") if values.get(name, "auto") != "auto"}
        if target.tag == "symbol":
            self._symbol(target, sizes, context)
        else:
            self._element(target, context, sizes if target.tag == "svg" else None)

    def _symbol(self, target: Element, sizes: Mapping[str, str], context: Around) -> None:
        """Traverses a symbol, which is a nested drawing."""
        own = self.styles.values(target, context.scope)
        look = look_of(own, context.look)
        matrix = self.geometry.transformed(context.matrix, target, own)
        measured = {**own, **sizes, "x": "0", "y": "0"}
        matrix, viewport, clip = self.geometry.inner(matrix, target, measured, look.face.size, context.viewport)
        clips = (*context.clips, clip) if clip is not None and target.get("viewBox") else context.clips
        inside = replace(context, matrix=matrix, look=look, viewport=viewport, clips=clips, depth=context.depth + 1)
        for child in target.elements:
            self._element(child, inside)

    def _text(self, element: Element, inside: Around, words: str = "") -> None:
        """Takes a text, whose parts may have their own looks; `words` replaces the displayed words."""
        if inside.ornament:
            return
        if len(self.content.texts.all) >= MAX_TEXTS:
            self.content.notes.leave(f"texts after the first {MAX_TEXTS:,}", element.line)
            return
        known = len(self.content.texts.all)
        self._words(element, inside)
        is_placed = self.content.texts.end(element.line, words)
        for i in range(known, len(self.content.texts.all)):
            self.content.texts.all[i] = replace(self.content.texts.all[i], parent=id(element.parent))
        if not is_placed:
            what = "texts along a path, or with a size or a place that is not understood"
            self.content.notes.leave(what, element.line)

    def _words(self, element: Element, inside: Around) -> None:
        self.elements += 1
        visible = inside.look.visible and not (inside.hidden or inside.faded)
        if visible or element.tag == "text":
            track = self._track(element, inside) if element.tag == "textPath" else None
            self.content.texts.begin(
                element.tag, element.attributes, inside.look.face, inside.viewport, element.line, track
            )
        for part in element.content:
            if isinstance(part, str):
                if visible:
                    self.content.texts.add(part, inside.look.face, lambda p: moved(inside.matrix, p))
            elif part.tag in _WORDS and _is_for_all(part):
                values = self.styles.values(part, inside.scope)
                look = look_of(values, inside.look)
                hidden = inside.hidden or not is_displayed(part.tag, values)
                hidden = hidden or is_clear(values.get("opacity", ""))
                self._words(part, replace(inside, look=look, hidden=hidden))

    def _track(self, element: Element, inside: Around) -> Track | None:
        """The path that a text follows; elsewhere, this element is a shape."""
        target = target_of(self.document, element)
        if target is None or target.tag not in SHAPES:
            return None
        values = self.styles.values(target)
        matrix = self.geometry.transformed(SAME, target, values)
        lines = self.geometry.lines(target, values, inside.look.face.size, inside.viewport, matrix)
        if not lines or len(lines[0]) < 2:
            return None
        return Track(lines[0] if target.tag in ("path", "polyline") else [*lines[0], lines[0][0]])


def _even(paint: str, document: Document, styles: Styles) -> str:
    """A paint; a gradient of a single colour, in which programs store a palette, counts as that colour."""
    if not paint.startswith("url("):
        return paint
    target, colours = document.ids.get(reference_of(paint)), set[str]()
    if target is None:
        return paint_behind(paint) or paint
    for _ in range(_PALETTES):
        if target is None or target.tag not in ("linearGradient", "radialGradient"):
            return paint
        stops = [stop for stop in target.elements if stop.tag == "stop"][:_STOPS]
        colours = {colour_of(styles.values(stop).get("stop-color", "#000000")) for stop in stops}
        if stops:
            break
        target = target_of(document, target)
    return colours.pop() if len(colours) == 1 and not colours & {"", NO_FILL} else paint


def _sheet_of(root: Element, page: Sequence[float], geometry: Geometry) -> Box | None:
    """The greatest visible part of a drawing, given its size and its page: left, top, width, height."""
    if root.tag != "svg" or page[2] <= 0 or page[3] <= 0:
        return None
    sizes = (root.get(name) for name in ("width", "height"))
    width, height = (0.0 if "%" in size else geometry.number(size) for size in sizes)
    scale = min(width / page[2], height / page[3]) if width > 0 and height > 0 else 0.0
    wide, high = (width / scale - page[2], height / scale - page[3]) if scale else (0.0, 0.0)
    return Box((page[0] - wide, page[1] - high, page[0] + page[2] + wide, page[1] + page[3] + high))


def _is_for_all(element: Element) -> bool:
    """Whether an element applies to all users: it requires no unknown extension, and no language but English."""
    languages, extensions = element.attributes.get("systemLanguage"), element.attributes.get("requiredExtensions")
    if extensions is not None and not {""} < {"", *extensions.split()} <= {"", *_EXTENSIONS}:
        return False
    return languages is None or any(part.strip().split("-")[0].lower() == "en" for part in languages.split(","))


def _is_apart_from_view(element: Element) -> bool:
    """Whether an element is drawn only where it is referenced, not in place."""
    parent: Element | None = element
    while parent is not None:
        if parent.tag in ("defs", "symbol"):
            return True
        parent = parent.parent
    return False


def _is_open(element: Element, outlines: list[list[Point]]) -> bool:
    """Whether an element is a line with separate ends, such as a river."""
    if element.tag not in ("path", "polyline") or "z" in element.attributes.get("d", "").lower():
        return False
    return all(dist(line[0], line[-1]) > _GAP * max(dist(line[0], point) for point in line) for line in outlines)
