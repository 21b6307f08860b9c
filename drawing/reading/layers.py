"""Proposals for the part of a drawing to import as a map: groups whose shapes tile the plane."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.drawing.outline_checks import overlaps
from rulespec.drawing.outlines import area, extent
from rulespec.drawing.reading.contexts import Layer, Part
from rulespec.drawing.reading.element_names import quoted, slug
from rulespec.drawing.reading.shapes import Shape
from rulespec.drawing.svg import Box

_UNITS = 400  # length of a drawing's longer side, as scaled for comparing areas
_LINES = 20_000
_LEAST = 2  # least number of shapes
_GROUND = 0.9  # share of the drawing from which a shape counts as its paper
_SMALL = 0.1  # relative to the median shape of a map: a smaller one may be a mark
_COVERED, _TWICE = 0.4, 0.25
"""The least share of the drawing that a map covers, and the greatest share of overlap between its shapes."""
_MOST, _LISTED = 40, 3  # groups examined, and groups proposed
_POINTS, _ALL_POINTS = 60_000, 240_000


class LayerProposal(Struct, frozen=True):
    """A group whose shapes tile the plane, with their number and their share of the drawing."""

    layer: Layer
    shapes: int
    covered: float

    @property
    def flag(self) -> str:
        """The command-line flag that selects the group."""
        return f"--layer {quoted(self.layer.name)}"


def proposals(all_: Sequence[Shape], read: Sequence[Shape], box: Box | None, part: Part) -> list[LayerProposal]:
    """The groups that look more like a map than the shapes read so far, most likely first.

    Args:
        all_: all shapes, including hidden ones.
        read: the shapes read as regions.
        box: the page of the drawing.
        part: the part that the author chose; if it names layers, nothing is proposed.
    """
    if part.layers or not all_:
        return []
    frame = box or extent(p for shape in all_ for line in shape.outlines for p in line)
    if frame[2] <= frame[0] or frame[3] <= frame[1]:
        return []
    groups: dict[Layer, list[Shape]] = {}
    for shape in all_:
        for layer in shape.layers:
            groups.setdefault(layer, []).append(shape)
    read = _distinct(read, max(frame[2] - frame[0], frame[3] - frame[1]))
    groups = {layer: shapes for layer, shapes in [*groups.items()][:_MOST] if len(shapes) >= _LEAST}
    whole = bool(read and groups) and _tiles(read, frame) is not None
    results, budget = [], _ALL_POINTS
    for layer, shapes in groups.items():
        budget -= sum(len(line) for shape in shapes for line in shape.outlines)
        if budget < 0 or (whole and not _has_marks_beside(layer, shapes, read)):
            continue
        if (covered := _tiles(shapes, frame)) is not None:
            results.append(LayerProposal(layer, len(shapes), covered))
    results.sort(key=lambda each: (-round(each.covered, 1), each.shapes, each.layer.line))
    return [each for i, each in enumerate(results) if all(each.shapes != other.shapes for other in results[:i])][
        :_LISTED
    ]


def _distinct(shapes: Sequence[Shape], whole: float) -> list[Shape]:
    """Shapes without duplicates of the same name and place, as in a layer drawn twice."""
    results: dict[tuple[str, ...], Shape] = {}
    for shape in shapes:
        box = extent(p for line in shape.outlines for p in line)
        place = (f"{round(_UNITS / 4 * n / whole)}" for n in box)
        results.setdefault((slug(shape.name), *place), shape)
    return [*results.values()]


def _has_marks_beside(layer: Layer, shapes: Sequence[Shape], read: Sequence[Shape]) -> bool:
    """Whether all shapes outside a group are small compared with its own."""
    rest = [_size(shape) for shape in read if layer not in shape.layers]
    sizes = sorted(_size(shape) for shape in shapes)
    return len(rest) > 1 and max(rest) <= _SMALL * sizes[len(sizes) // 2]


def _size(shape: Shape) -> float:
    return sum(abs(area(line)) for line in shape.outlines)


def _tiles(shapes: Sequence[Shape], frame: Box) -> float | None:
    """The share of a drawing that shapes cover; None if it is small, or if they overlap much."""
    if sum(len(line) for shape in shapes for line in shape.outlines) > _POINTS:
        return None
    page = (frame[2] - frame[0]) * (frame[3] - frame[1])
    shapes = [shape for shape in shapes if shape.own or _size(shape) < _GROUND * page] or shapes
    scale = _UNITS / max(frame[2] - frame[0], frame[3] - frame[1])
    rings = [
        [[(round((x - frame[0]) * scale), round((y - frame[1]) * scale)) for x, y in line] for line in shape.outlines]
        for shape in shapes
    ]
    sizes, pairs = overlaps(rings, _LINES)
    whole = sum(sizes)
    covered = (whole - sum(pairs.values())) / (page * scale * scale)
    return covered if covered >= _COVERED and sum(pairs.values()) <= _TWICE * whole else None
