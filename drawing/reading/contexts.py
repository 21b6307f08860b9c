"""The context of elements of a drawing: their place, their look, their groups, and their clipping paths."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.drawing.reading.element_names import ORNAMENTS, id_of, is_of_a_program, label_of, slug
from rulespec.drawing.reading.geometry import SAME, SHAPES, Clip, Geometry, Matrix, Viewport, is_convex
from rulespec.drawing.reading.looks import InheritedLook, look_of, reference_of
from rulespec.drawing.reading.styles import Styles
from rulespec.drawing.reading.svg_tree import Document, Element
from rulespec.drawing.svg import Point

_CLIP_CORNERS = 200


class Layer(Struct, frozen=True):
    """A group of a drawing: its names, its line, and whether it is hidden."""

    label: str
    id: str
    line: int
    hidden: bool = False

    @property
    def name(self) -> str:
        """The name that people read."""
        return self.label or self.id

    def is_called(self, names: frozenset[str]) -> bool:
        """Whether one of its names is among some, as `slug` writes them."""
        return not names.isdisjoint({slug(self.label), slug(self.id)} - {""})


class NamedGroup(Struct, eq=False):
    """A group with a name, which is one shape if nothing in it has a name of its own."""

    name: str
    label: bool
    line: int
    around: NamedGroup | None


class Part(Struct, frozen=True):
    """The part of a drawing that is the map: names of groups, also hidden ones, and names of parts to exclude."""

    layers: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def named(self) -> tuple[frozenset[str], frozenset[str]]:
        """Both as names are compared."""
        return frozenset(map(slug, self.layers)), frozenset(map(slug, self.without))


class Passed(Struct):
    """The parts of a drawing that are passed over, or not read.

    `left_out`: a sort of element that is not a region → its lines. `layers`: all groups with a name.
    `ornaments`: groups and shapes whose names mark them as not regions; `parted`: names of those the author excludes.
    """

    left_out: dict[str, list[int]] = field(default_factory=dict)
    layers: list[Layer] = field(default_factory=list)
    ornaments: list[Layer] = field(default_factory=list)
    parted: list[str] = field(default_factory=list)

    def leave(self, what: str, line: int) -> None:
        """Counts something that is left out."""
        self.left_out.setdefault(what, []).append(line)


class Around(Struct, frozen=True):
    """The context of an element's children."""

    matrix: Matrix = SAME
    look: InheritedLook = InheritedLook()
    hidden: bool = False
    chosen: bool = False
    ornament: bool = False
    group: NamedGroup | None = None
    viewport: Viewport = Viewport()
    clips: tuple[Clip, ...] = ()
    layers: tuple[Layer, ...] = ()
    copied: tuple[Element, ...] = ()
    nameless: bool = False
    depth: int = 0


class Contexts:
    """The contexts of a drawing's elements.

    Args:
        document: the drawing.
        part: the part of it that is the map.
        styles: of its elements.
        geometry: of its shapes.
        passed: takes the parts that are passed over.
    """

    def __init__(self, document: Document, part: Part, styles: Styles, geometry: Geometry, passed: Passed) -> None:
        self._document, self._styles, self._geometry, self._passed = document, styles, geometry, passed
        self._chosen, self._without = part.named()

    def inside(self, element: Element, values: Mapping[str, str], around: Around) -> Around:
        """The context of the content of an element."""
        look = look_of(values, around.look)
        size = look.face.size
        self._geometry.line = element.line
        origin = values.get("transform-origin", "")
        matrix = self._geometry.transformed(around.matrix, values.get("transform", ""), size, origin)
        viewport, clips = around.viewport, around.clips
        if element.tag == "svg" and element.parent is not None:
            matrix, viewport, clip = self._geometry.inner(matrix, element, values, size, viewport)
            clips = (*clips, clip) if clip is not None else clips
        hidden = around.hidden or values.get("display", "").lower() == "none"
        layers, chosen, ornament, group = around.layers, around.chosen, around.ornament, around.group
        if element.tag in ("g", "svg", "a", "use") and element.parent is not None:
            layer = Layer(label_of(element), id_of(element), element.line, hidden or not look.visible)
            if layer.name:
                layers = (*layers, layer)
                self._passed.layers.append(layer)
                ornament = ornament or self.is_apart(layer)
                if layer.is_called(self._chosen):
                    chosen, hidden, look = True, False, replace(look, visible=True)
                group = self._group(element, layer, around)
        if reference := reference_of(values.get("clip-path", "")):
            clips = self._clipped_by(reference, matrix, viewport, clips, element.line)
        return replace(
            around,
            matrix=matrix,
            look=look,
            hidden=hidden,
            chosen=chosen,
            ornament=ornament,
            group=group,
            viewport=viewport,
            clips=clips,
            layers=layers,
            depth=around.depth + 1,
        )

    def is_apart(self, layer: Layer) -> bool:
        """Whether a group is no part of the map: by its author's choice, or by its name."""
        if layer.is_called(self._without):
            self._passed.parted += [layer.label, layer.id]
            return True
        if layer.is_called(ORNAMENTS) and not layer.is_called(self._chosen):
            self._passed.ornaments.append(layer)
            return True
        return False

    def _group(self, element: Element, layer: Layer, around: Around) -> NamedGroup | None:
        """The group that shapes without a name are parts of."""
        if around.nameless or element.get("inkscape:groupmode") == "layer" or element.tag == "svg":
            return around.group
        if element.tag == "use" and not is_own(layer):
            return around.group
        return NamedGroup(layer.name, layer.label != "", element.line, around.group)

    def _clipped_by(
        self, name: str, matrix: Matrix, viewport: Viewport, clips: tuple[Clip, ...], line: int
    ) -> tuple[Clip, ...]:
        """Clips with that of a clip path; one that is not convex is left out with a notice."""
        target = self._document.ids.get(name)
        if target is None or target.tag != "clipPath":
            return clips
        outlines: list[list[Point]] = []
        for each in target.elements:
            values = self._styles.values(each)
            if each.tag in SHAPES and target.get("clipPathUnits") != "objectBoundingBox":
                inner = self._geometry.transformed(
                    self._geometry.transformed(matrix, target.get("transform")), values.get("transform", "")
                )
                outlines += self._geometry.outlines(each, values, None, viewport, inner)
            else:
                outlines = []
                break
        if len(outlines) != 1 or len(outlines[0]) > _CLIP_CORNERS or not is_convex(outlines[0]):
            self._passed.leave("clip paths that are not one convex shape: what they cut off is read", line)
            return clips
        return (*clips, outlines[0])


def is_own(layer: Layer) -> bool:
    """Whether a name is that of an author."""
    return layer.label != "" or (layer.id != "" and not is_of_a_program(layer.id))
