"""Clip paths and masks of a drawing, as the visible areas of its shapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from rulespec.drawing.outlines import extent
from rulespec.drawing.reading.clipping import Clip, ClipArea
from rulespec.drawing.reading.geometry import SAME, SHAPES, Geometry, Viewport, product
from rulespec.drawing.reading.looks import WIDE, InheritedLook, is_displayed, look_of
from rulespec.drawing.reading.paints import NO_FILL, reference_of
from rulespec.drawing.reading.styles import Styles, StyleScope
from rulespec.drawing.reading.svg_tree import Document, Element, target_of
from rulespec.drawing.reading.transforms import Matrix

_DEEPEST = 8  # nested groups in a mask, and nested clip paths
_MOST = 2_000  # elements of one clip path or mask
_UNREAD = {
    "clip-path": "clip paths that are not understood, so the parts that they cut off are read",
    "mask": "masks that are not black and white, so the parts that they hide are read",
}
_WHITE, _BLACK = "#ffffff", "#000000"


class _NotReadError(Exception):
    """A clip path or a mask of an unsupported kind."""


class _Clipped(Struct, frozen=True):
    """A clipped element: its property values, transformation, viewport and font size."""

    element: Element
    values: Mapping[str, str]
    matrix: Matrix
    viewport: Viewport
    size: float | None


class Clips:
    """The clip paths and masks of a drawing.

    Args:
        document: the drawing.
        styles: the styles of its elements.
        geometry: the geometry of its shapes.
        leave: the callback that receives the name and line of each unsupported clip.
    """

    def __init__(
        self, document: Document, styles: Styles, geometry: Geometry, leave: Callable[[str, int], None]
    ) -> None:
        self._document, self._styles, self._geometry, self._leave = document, styles, geometry, leave

    def of(
        self, element: Element, values: Mapping[str, str], matrix: Matrix, viewport: Viewport, size: float | None
    ) -> list[Clip]:
        """The clips set on an element itself; unsupported ones are reported and dropped.

        Args:
            element: the clipped element.
            values: its property values.
            matrix: its transformation.
            viewport: the box that its percentages refer to.
            size: its font size.
        """
        results: list[Clip] = []
        for name, tag in (("clip-path", "clipPath"), ("mask", "mask")):
            value = values.get(name, "none")
            if value.lower() in ("none", *WIDE):
                continue
            target = self._document.ids.get(reference_of(value))
            if reference_of(value) and (target is None or target.tag != tag):
                continue  # browsers show all of it too
            try:
                results += self._read(target, _Clipped(element, values, matrix, viewport, size), 0)
            except _NotReadError:
                self._leave(_UNREAD[name], element.line)
        return results

    def _read(self, target: Element | None, of: _Clipped, depth: int) -> Iterator[Clip]:
        if target is None or depth > _DEEPEST:
            raise _NotReadError
        own, matrix = self._styles.values(target), of.matrix
        if own.get("mask", "none") != "none":
            raise _NotReadError
        if "objectBoundingBox" in (target.get("clipPathUnits"), target.get("maskContentUnits")):
            matrix = product(matrix, self._of_box(of))
        if target.tag == "clipPath":
            matrix = self._geometry.transformed(matrix, target, own)
        yield Clip(tuple(self._listed(target, own, matrix, of.viewport)))
        further = self._document.ids.get(reference_of(own.get("clip-path", "")))
        if further is not None and further.tag == "clipPath":
            yield from self._read(further, of, depth + 1)

    def _of_box(self, of: _Clipped) -> Matrix:
        """The transformation from the unit square to the bounding box of a shape."""
        if of.element.tag not in SHAPES:
            raise _NotReadError
        lines = self._geometry.outlines(of.element, of.values, of.size, of.viewport, SAME)
        if not lines:
            raise _NotReadError
        left, top, right, bottom = extent(p for line in lines for p in line)
        return right - left, 0, 0, bottom - top, left, top

    def _listed(
        self, target: Element, own: Mapping[str, str], matrix: Matrix, viewport: Viewport
    ) -> Iterator[ClipArea]:
        """The areas of a clip path, all of them visible, or those of a mask."""
        alpha = "alpha" in (target.get("mask-type"), own.get("mask-type", ""))
        for area, look in self._areas(target, matrix, look_of(own, InheritedLook()), viewport, 0, None):
            if target.tag == "clipPath":
                yield ClipArea(area, look.clip_evenodd)
            elif look.paint != NO_FILL:
                if not alpha and look.paint not in (_WHITE, _BLACK):
                    raise _NotReadError
                yield ClipArea(area, look.evenodd, alpha or look.paint == _WHITE)

    def _areas(
        self,
        parent: Element,
        matrix: Matrix,
        around: InheritedLook,
        viewport: Viewport,
        depth: int,
        scope: StyleScope | None,
    ) -> Iterator[tuple[list[list[tuple[float, float]]], InheritedLook]]:
        """The outlines of the shapes in a clip path or a mask, with their looks, bottom first."""
        if depth > _DEEPEST or len(parent.elements) > _MOST:
            raise _NotReadError
        for each in parent.elements:
            if each.tag in ("title", "desc", "metadata", "style", "defs", ""):
                continue
            values = self._styles.values(each, scope)
            look = look_of(values, around)
            if not is_displayed(each.tag, values):
                continue
            if {"clip-path", "mask", "opacity"} & {*values}:
                raise _NotReadError
            inner = self._geometry.moved(matrix, each, values, look.face.size, viewport)
            if inner is None:
                raise _NotReadError
            if each.tag in SHAPES:
                outlines = self._geometry.outlines(each, values, look.face.size, viewport, inner)
                if outlines and look.visible:
                    yield outlines, look
            elif each.tag == "use":
                yield from self._used(each, values, inner, look, viewport, depth, scope)
            elif each.tag == "g" and parent.tag != "clipPath":
                yield from self._areas(each, inner, look, viewport, depth + 1, scope)
            else:
                raise _NotReadError

    def _used(
        self,
        use: Element,
        values: Mapping[str, str],
        matrix: Matrix,
        look: InheritedLook,
        viewport: Viewport,
        depth: int,
        scope: StyleScope | None,
    ) -> Iterator[tuple[list[list[tuple[float, float]]], InheritedLook]]:
        """The areas of the element repeated by `use`."""
        target = target_of(self._document, use)
        if target is None or target.tag not in (*SHAPES, "g"):
            raise _NotReadError
        x, y = (
            self._geometry.number(values.get(name, "0"), look.face.size, viewport.whole(name)) for name in ("x", "y")
        )
        alone = Element("g", {}, use.line, elements=[target])
        moved = product(matrix, (1, 0, 0, 1, x, y))
        copied = self._styles.copied(use, target, scope)
        yield from self._areas(alone, moved, look, viewport, depth + 1, copied)
