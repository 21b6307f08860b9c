"""Import of a map from the shapes of a drawing: names, positions and neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import hypot

from msgspec import Struct, field
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.drawing.corners import beside, common_points, corner_links, corner_meetings, crumbs
from rulespec.drawing.map_names import RegionName, label_of, names_of, stem_of
from rulespec.drawing.outline_checks import overlaps
from rulespec.drawing.outlines import Frame, Ring, area, centre, data_of, holds, net, shared
from rulespec.drawing.outlines import extent as extent_of
from rulespec.drawing.reading.shape_parts import plain_rings
from rulespec.drawing.reading.shapes import Shape
from rulespec.drawing.reading.sketch import Notes, Sketch
from rulespec.drawing.snapping import snapped
from rulespec.drawing.style import fits_sheet
from rulespec.drawing.svg import Box, Point

EXTENT = 1000
"""The length of the longer side of a map's frame."""
_NEARLY = 3  # units: borders at up to twice this distance may be meant as one
_BESIDE = 24  # squares of that size along which they are near; fewer make a corner
_SAME = 0.9  # common share of two areas with one name that counts as one shape drawn twice
_COVERED = 0.3  # share of a region covered by others above which they may be its parts
_PAIR_LINES = 500
_MEETING = 1.0  # units between the outlines of adjacent regions, one of them too small for an outline
_MAX_TESTS = 2_000_000
_NEAR = 0.012  # greatest distance of touching outlines, relative to the drawing's extent
_ALONG = 8  # squares of that size along which outlines must be near; fewer make a corner, not a border
_PAGE = 0.9  # share of the points inside the page above which the page is the map's frame
_LINES = 20_000
_ALIKE = 8  # compared shapes per name, and regions listed in a finding
_GROUND, _SEEN, _ALL = 0.5, 0.03, 0.9
"""The least share of the frame, and the greatest visible share of itself, of a background shape; and the share of the
frame beyond which a shape without an author's name is the background in any case."""


class ImportedRegion(Struct, frozen=True):
    """A region: its name, its title, its position (None if unknown), and its neighbours.

    `outline` is its path data, or ""; `fill` (its colour), `label` (its text) and `line` come from the drawing;
    `origin` is the origin of its name.
    """

    name: str
    title: str
    position: tuple[int, int] | None
    touches: tuple[str, ...]
    outline: str = ""
    fill: str = ""
    line: int = 0
    label: str = ""
    origin: RegionName = RegionName()


class Covered(Struct, frozen=True):
    """A region covered by others: the names of the others, and the covered share."""

    region: ImportedRegion
    share: float
    by: list[str]


class DrawnMap(Struct, frozen=True):
    """The map of a drawing: its regions, frame, background shapes, and file.

    `by_text`: the regions that would be background without the text in them.
    `twice`: duplicate shapes, each with the equal shape that has the same name.
    `near`: the pairs of regions, by name, that run alongside each other without sharing a border; `short`: the pairs
    whose border is too short to count; `unlinked`: the pairs in which one region, or the part of it that meets the
    other, is too small for an outline.
    `by_corner`: the pairs that touch along less than the precision of the drawing; `at_corner`: the pairs that meet at
    a point.
    `notes`: notes from reading the drawing.
    `findings`: the reported diagnostics.
    """

    regions: list[ImportedRegion]
    frame: tuple[int, int, int, int] | None = None
    background: list[Shape] = []
    file: str = ""
    by_text: list[ImportedRegion] = []
    twice: list[tuple[Shape, Shape]] = []
    covered: list[Covered] = []
    near: list[tuple[str, str]] = []
    short: list[tuple[str, str]] = []
    unlinked: list[tuple[str, str]] = []
    by_corner: list[tuple[str, str]] = []
    at_corner: list[tuple[str, str]] = []
    notes: Notes = field(default_factory=Notes)
    findings: tuple[Diagnostic, ...] = ()


def regions_of(sketch: Sketch, ids: Mapping[str, str] | None = None) -> DrawnMap:
    """The regions formed by a drawing's shapes, in map units.

    `ids` maps a label to the name that the author chose for its region.
    """
    box = _box_of(sketch)
    extent = max(box[2] - box[0], box[3] - box[1], 1e-9)
    scale = EXTENT / extent

    def moved(line: Sequence[Point]) -> list[Point]:
        return [((x - box[0]) * scale, (y - box[1]) * scale) for x, y in line]

    outlines = [[moved(line) for line in plain_rings(shape)] for shape in sketch.shapes]
    sketch, outlines, twice = _distinct(sketch, outlines)
    rings = snapped(outlines)
    frame = (0, 0, max(round((box[2] - box[0]) * scale), 1), max(round((box[3] - box[1]) * scale), 1))
    sizes, pairs = overlaps(rings, _LINES)
    page = frame[2] * frame[3]
    below = range(len(rings)) if any(rings) and not sketch.notes.pictured else ()  # a picture has one layer
    ground = {i for i in below if _is_ground(sketch, i, outlines, sizes[i], page)}
    rest = [i for i in range(len(rings)) if i not in ground]
    named = dict(zip(rest, names_of([sketch.shapes[i] for i in rest], ids or {}), strict=True))
    names = {i: name.text for i, name in named.items()}
    touching = _touching([rings[i] for i in rest], [outlines[i] for i in rest])
    if sketch.touching is not None:
        numbers = {i: number for number, i in enumerate(rest)}
        touching = {(numbers[a], numbers[b]) for a, b in sketch.touching if a in numbers and b in numbers}
    results = []
    for number, i in enumerate(rest):
        shape, name = sketch.shapes[i], names[i]
        x, y = centre(max(outlines[i], key=lambda line: abs(area(line))))
        near = sorted(names[rest[k]] for pair in touching if number in pair for k in pair if k != number)
        label = label_of(sketch.texts[i] or shape.name)
        at, data = (round(x), round(y)), data_of(rings[i])
        region = ImportedRegion(
            name, _title(label, name), at, tuple(near), data, shape.fill, shape.line, label, named[i]
        )
        results.append(region)
    by_text = [
        region
        for i, region in zip(rest, results, strict=True)
        if _fills_page(sketch, i, outlines[i], page) and sketch.texts[i]
    ]
    drawn = DrawnMap(
        results,
        frame if fits_sheet(frame[2], frame[3]) else None,
        [sketch.shapes[i] for i in sorted(ground)],
        sketch.file,
        by_text,
        twice,
        _covered(dict(zip(rest, results, strict=True)), sizes, pairs),
        notes=sketch.notes,
    )
    return _with_borders(drawn, [rings[i] for i in rest], [outlines[i] for i in rest], touching)


def _with_borders(
    drawn: DrawnMap, rings: list[list[Ring]], outlines: list[list[list[Point]]], touching: set[tuple[int, int]]
) -> DrawnMap:
    """A map with the pairs of regions that nearly touch, or share too short a border."""
    common = common_points(outlines)
    near = _near(rings, touching)
    short = _short(rings, common, touching)
    unlinked = _unlinked(rings, outlines, touching)
    by_corner = corner_links(rings, common, touching)
    at_corner = corner_meetings(rings, common, touching | near | short | unlinked)

    def named(pairs: set[tuple[int, int]]) -> list[tuple[str, str]]:
        return [(drawn.regions[a].name, drawn.regions[b].name) for a, b in sorted(pairs)]

    return replace(
        drawn,
        near=named(near),
        short=named(short),
        unlinked=named(unlinked),
        by_corner=named(by_corner),
        at_corner=named(at_corner),
    )


def _distinct(
    sketch: Sketch, outlines: list[list[list[Point]]]
) -> tuple[Sketch, list[list[list[Point]]], list[tuple[Shape, Shape]]]:
    """A drawing without duplicates of a shape with the same name; the remaining one gets the texts of both."""
    first: dict[str, list[int]] = {}
    same: dict[int, int] = {}
    for i, shape in enumerate(sketch.shapes):
        known = first.setdefault(stem_of(shape.name) or shape.name, [])
        before = next((k for k in known[:_ALIKE] if _is_same(outlines[k], outlines[i])), None)
        if before is None:
            known.append(i)
        else:
            same[i] = before
    if not same:
        return sketch, outlines, []
    texts, shapes = list(sketch.texts), list(sketch.shapes)
    for i, k in same.items():
        texts[k] = texts[k] or texts[i]
        shapes[k] = replace(shapes[k], fill=shapes[k].fill or shapes[i].fill)
    rest = [i for i in range(len(shapes)) if i not in same]
    result = replace(sketch, touching=None, shapes=[shapes[i] for i in rest], texts=[texts[i] for i in rest])
    return result, [outlines[i] for i in rest], [(sketch.shapes[i], sketch.shapes[k]) for i, k in same.items()]


def _is_same(one: Sequence[Sequence[Point]], other: Sequence[Sequence[Point]]) -> bool:
    """Whether two outlines cover nearly the same area."""
    boxes = [extent_of(p for line in lines for p in line) for lines in (one, other)]
    if any(abs(a - b) > _NEARLY for a, b in zip(*boxes, strict=True)):
        return False
    rings = [[[(round(4 * x), round(4 * y)) for x, y in line] for line in lines] for lines in (one, other)]
    sizes, pairs = overlaps(rings, _PAIR_LINES)
    return 0 < _SAME * max(sizes) <= pairs.get((0, 1), 0)


def _covered(
    regions: dict[int, ImportedRegion], sizes: Sequence[float], pairs: dict[tuple[int, int], float]
) -> list[Covered]:
    """The regions partly covered by others; `pairs` has the common area of two shapes."""
    shares: dict[int, dict[int, float]] = {}
    for (a, b), size in pairs.items():
        small, large = (a, b) if sizes[a] < sizes[b] else (b, a)
        if small in regions and large in regions:
            shares.setdefault(large, {})[small] = size
    results = []
    for i, parts in sorted(shares.items()):
        share = sum(parts.values()) / max(sizes[i], 1)
        if share >= _COVERED:
            by = sorted(parts, key=lambda k: -parts[k])[:_ALIKE]
            results.append(Covered(regions[i], min(share, 1.0), [regions[k].name for k in by]))
    return results


def _near(rings: list[list[Ring]], touching: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The pairs of regions that run alongside each other at a small distance, without a border."""
    lines: list[list[list[Point]]] = [[[*ring, ring[0]] for ring in each] for each in rings]
    return beside(lines, _NEARLY, _BESIDE) - touching


def _short(
    rings: list[list[Ring]], common: Mapping[tuple[int, int], int], touching: set[tuple[int, int]]
) -> set[tuple[int, int]]:
    """The pairs of regions with a common edge that do not touch: the edge is too short, or belongs to a sliver."""
    pairs = {(owners[0], owners[1]) for owners in shared(rings).values() if len(owners) == 2} - touching
    pairs |= {pair for pair, number in common.items() if number > 1 and all(rings[i] for i in pair)} - touching
    return {(a, b) for a, b in pairs if a != b}


def _unlinked(
    rings: list[list[Ring]], outlines: list[list[list[Point]]], touching: set[tuple[int, int]]
) -> set[tuple[int, int]]:
    """The pairs of regions that meet in the drawing but not on the map: one, or its part there, is too small."""
    if not any(rings):
        return set()
    boxes = [Box(extent_of(p for line in lines for p in line)).grown(_MEETING) for lines in outlines]
    results: set[tuple[int, int]] = set()
    left = _MAX_TESTS
    for i, lines in _small_parts(rings, outlines):
        small = Box(extent_of(p for line in lines for p in line)).grown(_MEETING)
        for k, box in enumerate(boxes):
            pair = (min(i, k), max(i, k))
            if k == i or small[0] > box[2] or box[0] > small[2] or small[1] > box[3] or box[1] > small[3]:
                continue
            if pair in touching or pair in results:
                continue
            left -= sum(map(len, lines)) * sum(map(len, outlines[k]))
            if left >= 0 and _meet(lines, outlines[k]):
                results.add(pair)
    return results


def _small_parts(
    rings: list[list[Ring]], outlines: list[list[list[Point]]]
) -> Iterator[tuple[int, Sequence[Sequence[Point]]]]:
    """The regions too small for an outline, and the parts of other regions that are."""
    for i, parts in enumerate(crumbs(rings, outlines)):
        if not rings[i]:
            yield i, outlines[i]
        for part in parts:
            yield i, [part]


def _meet(one: Sequence[Sequence[Point]], other: Sequence[Sequence[Point]]) -> bool:
    """Whether a point of an outline is on an edge of another outline, or inside it."""
    points = [p for line in one for p in line]
    edges = [edge for line in other for edge in pairwise([*line, line[0]])]
    return any(_from_edge(p, *edge) <= _MEETING for p in points for edge in edges) or holds(other, *points[0])


def _from_edge(at: Point, p: Point, q: Point) -> float:
    """The distance of a point from an edge."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    size = dx * dx + dy * dy
    along = min(max(((at[0] - p[0]) * dx + (at[1] - p[1]) * dy) / size, 0), 1) if size else 0
    return hypot(p[0] + along * dx - at[0], p[1] + along * dy - at[1])


def _box_of(sketch: Sketch) -> Box:
    """The frame of a drawing: its page if nearly everything is on it, otherwise the extent of its shapes."""
    points = [p for shape in sketch.shapes for line in shape.outlines for p in line]
    page = sketch.box
    if page is not None and page[0] < page[2] and page[1] < page[3]:
        inside = sum(page[0] - 1 <= x <= page[2] + 1 and page[1] - 1 <= y <= page[3] + 1 for x, y in points)
        if inside >= _PAGE * len(points) and fits_sheet(page[2] - page[0], page[3] - page[1]):
            return page
    return extent_of(points)


def _is_ground(
    sketch: Sketch,
    i: int,
    outlines: Sequence[Sequence[Sequence[Point]]],
    shown: float,
    page: float,
) -> bool:
    """Whether a shape is background; `shown` is its visible area."""
    size = max(abs(area(line)) for line in outlines[i])
    if _fills_page(sketch, i, outlines[i], page):
        others = sum(max(abs(area(line)) for line in outlines[k]) for k in range(i + 1, len(outlines)))
        if not sketch.texts[i] or others >= _GROUND * page:
            return True
    return size >= _GROUND * page and shown <= _SEEN * size


def _fills_page(sketch: Sketch, i: int, outline: Sequence[Sequence[Point]], page: float) -> bool:
    """Whether a shape below others covers nearly the whole page and has no author's name."""
    size = max(abs(area(line)) for line in outline)
    return size >= _ALL * page and not sketch.shapes[i].own and i < len(sketch.shapes) - 1


def _touching(rings: list[list[Ring]], outlines: list[list[list[Point]]]) -> set[tuple[int, int]]:
    """The pairs of outlines with common edges, or close alongside each other where most have none."""
    touching = net(rings, [], Frame(0, 0, EXTENT, EXTENT), 1).touching()
    if 2 * len({i for pair in touching for i in pair}) > len(rings):
        return touching
    return beside([[[*line, line[0]] for line in lines] for lines in outlines], EXTENT * _NEAR, _ALONG)


def _title(label: str, name: str) -> str:
    """A label as a title; "" if it only repeats the region's name."""
    return "" if label in ("", name, name.replace("_", " ")) else label
