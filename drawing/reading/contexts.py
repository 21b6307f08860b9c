"""The context of a drawing's elements: position, look, groups and clips."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.drawing.reading.clipping import Clip
from rulespec.drawing.reading.clips import Clips
from rulespec.drawing.reading.element_names import ORNAMENTS, id_of, is_of_a_program, label_of, slug
from rulespec.drawing.reading.geometry import SAME, Geometry, Viewport
from rulespec.drawing.reading.looks import InheritedLook, is_clear, is_displayed, is_replaced, look_of
from rulespec.drawing.reading.styles import Styles, StyleScope
from rulespec.drawing.reading.svg_tree import Document, Element
from rulespec.drawing.reading.transforms import Matrix


class Layer(Struct, frozen=True):
    """A group in a drawing: its names, its line, and whether it is hidden."""

    label: str
    id: str
    line: int
    hidden: bool = False

    @property
    def name(self) -> str:
        """The group's display name."""
        return self.label or self.id

    def is_called(self, names: frozenset[str]) -> bool:
        """Whether one of the group's names is in a set of names normalised by `slug`."""
        return not names.isdisjoint({slug(self.label), slug(self.id)} - {""})


class NamedGroup(Struct, eq=False):
    """A named group, which counts as one shape if nothing inside it has a name."""

    name: str
    label: bool
    line: int
    around: NamedGroup | None


class Part(Struct, frozen=True):
    """The part of a drawing to import: the names of groups, including hidden ones, and the names of excluded parts."""

    layers: tuple[str, ...] = ()
    without: tuple[str, ...] = ()

    def named(self) -> tuple[frozenset[str], frozenset[str]]:
        """The names of groups and the names of excluded parts, normalised by `slug`."""
        return frozenset(map(slug, self.layers)), frozenset(map(slug, self.without))


class Passed(Struct):
    """The skipped or unsupported parts of a drawing.

    `left_out`: type of skipped element → its lines.
    `layers`: all named groups.
    `ornaments`: groups and shapes skipped because of their names, such as a legend; `parted`: names that the author
    excluded.
    `faults`: line of an element and description of its unreadable part.
    """

    left_out: dict[str, list[int]] = field(default_factory=dict)
    layers: list[Layer] = field(default_factory=list)
    ornaments: list[Layer] = field(default_factory=list)
    parted: list[str] = field(default_factory=list)
    faults: list[tuple[int, str]] = field(default_factory=list)

    def leave(self, what: str, line: int) -> None:
        """Records a skipped element."""
        self.left_out.setdefault(what, []).append(line)


class Around(Struct, frozen=True):
    """The context inherited by an element's children.

    `faded`: whether opacity makes the element fully transparent; `scope`: the enclosing copy made by `use`.
    """

    matrix: Matrix = SAME
    look: InheritedLook = InheritedLook()
    hidden: bool = False
    faded: bool = False
    chosen: bool = False
    ornament: bool = False
    group: NamedGroup | None = None
    viewport: Viewport = Viewport()
    clips: tuple[Clip, ...] = ()
    layers: tuple[Layer, ...] = ()
    copied: tuple[Element, ...] = ()
    scope: StyleScope | None = None
    nameless: bool = False
    depth: int = 0


class Contexts:
    """A factory for the contexts of a drawing's elements.

    Args:
        document: the drawing.
        part: the part of the drawing to import.
        styles: the styles of its elements.
        geometry: the geometry of its shapes.
        passed: receives the skipped parts.
    """

    def __init__(self, document: Document, part: Part, styles: Styles, geometry: Geometry, passed: Passed) -> None:
        self._document, self._styles, self._geometry, self._passed = document, styles, geometry, passed
        self._chosen, self._without = part.named()
        self._clips = Clips(document, styles, geometry, passed.leave)

    def inside(self, element: Element, values: Mapping[str, str], around: Around) -> Around:
        """The context for the content of an element."""
        look = look_of(values, around.look)
        size = look.face.size
        self._geometry.line = element.line
        is_gone = element.parent is not None and is_replaced(element.tag, values)
        matrix: Matrix | None = around.matrix
        if not is_gone:
            matrix = self._geometry.moved(around.matrix, element, values, size, around.viewport)
        if matrix is None:
            self._passed.leave("transformations around the middle of a group, which are not read", element.line)
            matrix = around.matrix
        viewport, clips = around.viewport, around.clips
        if element.tag == "svg" and element.parent is not None and not is_gone:
            matrix, viewport, clip = self._geometry.inner(matrix, element, values, size, viewport)
            clips = (*clips, clip) if clip is not None else clips
        hidden = around.hidden or not is_displayed(element.tag, values)
        faded = around.faded or (not is_gone and is_clear(values.get("opacity", "")))
        layers, chosen, ornament, group = around.layers, around.chosen, around.ornament, around.group
        if element.tag in ("g", "svg", "a", "use") and element.parent is not None:
            layer = Layer(label_of(element), id_of(element), element.line, hidden or faded or not look.visible)
            if layer.name:
                layers = (*layers, layer)
                self._passed.layers.append(layer)
                ornament = ornament or self.is_apart(layer)
                if layer.is_called(self._chosen):
                    chosen, hidden, faded, look = True, False, False, replace(look, visible=True)
                group = self._group(element, layer, around)
        if not is_gone and ("clip-path" in values or "mask" in values):
            clips = (*clips, *self._clips.of(element, values, matrix, viewport, size))
        return replace(
            around,
            matrix=matrix,
            look=look,
            hidden=hidden,
            faded=faded,
            chosen=chosen,
            ornament=ornament,
            group=group,
            viewport=viewport,
            clips=clips,
            layers=layers,
            depth=around.depth + 1,
        )

    def is_apart(self, layer: Layer) -> bool:
        """Whether a group is not part of the map, because the author or its name excludes it."""
        if layer.is_called(self._without):
            self._passed.parted += [layer.label, layer.id]
            return True
        if layer.is_called(ORNAMENTS) and not layer.is_called(self._chosen):
            self._passed.ornaments.append(layer)
            return True
        return False

    def _group(self, element: Element, layer: Layer, around: Around) -> NamedGroup | None:
        """The group to which unnamed shapes belong."""
        if around.nameless or element.get("inkscape:groupmode") == "layer" or element.tag == "svg":
            return around.group
        if element.tag == "use" and not is_own(layer):
            return around.group
        return NamedGroup(layer.name, layer.label != "", element.line, around.group)


def is_own(layer: Layer) -> bool:
    """Whether a name was given by an author."""
    return layer.label != "" or (layer.id != "" and not is_of_a_program(layer.id))
