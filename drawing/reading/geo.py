"""Geographic data as regions: GeoJSON and TopoJSON, with neighbours, projected onto a plane."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import cos, isfinite, radians
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.text_files import read_bytes
from rulespec.drawing.reading.contexts import Layer, Part
from rulespec.drawing.reading.element_names import MAX_NAME, slug
from rulespec.drawing.reading.fantasy import is_fantasy, read_fantasy
from rulespec.drawing.reading.paints import colour_of
from rulespec.drawing.reading.shapes import Shape
from rulespec.drawing.reading.sketch import MAX_SHAPES, Notes, Sketch
from rulespec.drawing.svg import Point

SUFFIXES = (".geojson", ".topojson", ".json")
MAX_BYTES = 32_000_000
MAX_POINTS = 1_500_000
MAX_NUMBER = 1e9
_MAX_PARTS, _DEEPEST = 20_000, 8
_NAMES = ("name", "NAME", "Name", "title", "label", "name_en", "NAME_1", "NAME_2", "admin", "ADMIN")
_FILLS = ("fill", "color", "colour")
_FINE = 4_000  # relative to the extent: the least distance of a point from the one before
_HALF, _WHOLE = 180.0, 360.0
_GAP = 10.0  # degrees of longitude without land that suffice to cut a map there

Ring = list[Point]
Edge = tuple[Point, Point]


class Area(Struct):
    """A named area: its rings, its group and its colour."""

    name: str
    rings: list[Ring]
    group: str
    fill: str = ""
    is_id: bool = False


class GeoError(ValueError):
    """An invalid file; the text describes the fault."""


def read_geo(path: Path, part: Part | None = None) -> Sketch:
    """The regions of a map of the Earth, or of a world from Azgaar's generator.

    Args:
        path: the file.
        part: the groups to import, and the parts to exclude.

    Raises:
        DiagnosticsError: RS561 if the file is unreadable, RS562 if it has no named areas, RS904 if it lacks a name in
            `part`.
    """
    file, place = str(path), Span(str(path), 1, 1, 1, 2)
    try:
        data = read_bytes(path, file, MAX_BYTES)
    except DiagnosticsError as error:
        (result,) = error.diagnostics
        raise failure("RS561", result.message, result.span, result.help) from None
    try:
        if is_fantasy(data):
            return read_fantasy(data, file, part or Part())
        root = msgspec.json.decode(data)
        areas = [*_areas(root)]
        if sum(len(ring) for area in areas for ring in area.rings) > MAX_POINTS:
            raise GeoError(f"it has more than {MAX_POINTS:,} points")
        return _sketch(areas, root, file, part or Part())
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        help_ = "give `--map` a file in SVG, GeoJSON or TopoJSON, or the full JSON of Azgaar's generator"
        raise failure("RS561", "this drawing cannot be read: its JSON format is unknown", place, help=help_) from None
    except GeoError as error:
        message = f"this drawing cannot be read: {error}"
        raise failure("RS561", message, place, help="export it again, simplified, with the regions only") from None


def _areas(root: Any) -> Iterator[Area]:
    """The areas of a file, in its own coordinates."""
    if not isinstance(root, dict):
        raise GeoError("its JSON is not an object")
    if root.get("type") == "Topology":
        yield from _Topology(root).areas()
        return
    for feature in _list(root, "features") if root.get("type") == "FeatureCollection" else [root]:
        geometry = feature.get("geometry") if isinstance(feature, dict) and "geometry" in feature else feature
        rings = [[_point(p) for p in ring] for ring in _polygons(geometry, "coordinates")]
        if rings:
            yield _area(feature, rings, "")


def _area(feature: dict[str, Any], rings: list[Ring], group: str) -> Area:
    properties = feature.get("properties")
    said = properties if isinstance(properties, dict) else {}
    name = next((text for key in _NAMES if (text := _text(said.get(key)))), "")
    id_ = _text(feature.get("id"))
    fill = next((text for key in _FILLS if (text := _text(said.get(key)))), "")
    return Area(name or id_, rings, group, fill, is_id=not name)


def _text(value: Any) -> str:
    return " ".join(str(value).split())[:MAX_NAME] if isinstance(value, str | int) and value is not True else ""


def _list(of: dict[str, Any], key: str) -> list[Any]:
    value = of.get(key)
    if not isinstance(value, list):
        raise GeoError(f"`{key}` is not a list")
    return value


def _polygons(geometry: Any, key: str, depth: int = 0) -> Iterator[list[Any]]:
    """The rings of a geometry's polygons; other geometries have no area."""
    if not isinstance(geometry, dict) or depth > _DEEPEST:
        return
    match geometry.get("type"):
        case "Polygon":
            yield from _rings(_list(geometry, key))
        case "MultiPolygon":
            for polygon in _list(geometry, key):
                yield from _rings(polygon)
        case "GeometryCollection":
            for each in _list(geometry, "geometries"):
                yield from _polygons(each, key, depth + 1)


def _rings(polygon: Any) -> Iterator[list[Any]]:
    if not isinstance(polygon, list) or len(polygon) > _MAX_PARTS:
        raise GeoError(f"a polygon is not a list of at most {_MAX_PARTS:,} rings")
    for ring in polygon:
        if not isinstance(ring, list):
            raise GeoError("a ring is not a list")
        yield ring


def _point(value: Any) -> Point:
    numbers = value[:2] if isinstance(value, list) else ()
    if len(numbers) != 2 or not all(type(n) in (int, float) and isfinite(n) and abs(n) <= MAX_NUMBER for n in numbers):
        raise GeoError("a position is not two numbers")
    return float(numbers[0]), float(numbers[1])


class _Topology:
    """The shared arcs of a TopoJSON file, from which its areas are assembled."""

    def __init__(self, root: dict[str, Any]) -> None:
        self._objects = root.get("objects")
        transform = root.get("transform")
        self._arcs: list[Ring] = []
        count = 0
        for arc in _list(root, "arcs"):
            points = [_point(p) for p in arc] if isinstance(arc, list) else []
            count += len(points)
            if count > MAX_POINTS:
                raise GeoError(f"it has more than {MAX_POINTS:,} points")
            self._arcs.append(_moved(points, transform) if isinstance(transform, dict) else points)

    def areas(self) -> Iterator[Area]:
        """The areas of all objects, each in the group of its object."""
        if not isinstance(self._objects, dict):
            raise GeoError("`objects` is not a mapping")
        for group, top in self._objects.items():
            if not isinstance(top, dict):
                continue
            features = top.get("geometries") if top.get("type") == "GeometryCollection" else [top]
            for feature in features if isinstance(features, list) else ():
                rings = [self._ring(ring) for ring in _polygons(feature, "arcs")]
                if rings:
                    yield _area(feature, rings, group)

    def _ring(self, numbers: list[Any]) -> Ring:
        """The points of consecutive arcs; `~n` is arc `n` in reverse."""
        results: Ring = []
        for number in numbers:
            if type(number) is not int or not -len(self._arcs) <= number < len(self._arcs):
                raise GeoError("an area refers to a missing arc")
            arc = self._arcs[number] if number >= 0 else self._arcs[~number][::-1]
            results += arc[1:] if results else arc
            if len(results) > MAX_POINTS:
                raise GeoError(f"it has more than {MAX_POINTS:,} points")
        return results[:-1] if len(results) > 1 and results[0] == results[-1] else results


def _moved(points: Ring, transform: dict[str, Any]) -> Ring:
    """The points of a delta-encoded arc."""
    (sx, sy), (tx, ty) = _point(transform.get("scale")), _point(transform.get("translate"))
    x = y = 0.0
    results = []
    for dx, dy in points:
        x, y = x + dx, y + dy
        results.append((x * sx + tx, y * sy + ty))
    return results


def _sketch(areas: list[Area], root: Any, file: str, part: Part) -> Sketch:
    groups = {area.group: Layer("", area.group, 1) for area in areas}
    chosen, without = part.named()
    _check_part(areas, part, file)
    notes = Notes()
    if chosen:
        areas = [area for area in areas if slug(area.group) in chosen]
    elif len(groups) > 1:
        counts = {group: [area.group for area in areas if area.name].count(group) for group in groups}
        most = max(counts, key=lambda group: (counts[group] <= MAX_SHAPES, counts[group]))
        whole = [area.group for area in areas]
        notes.hidden = [(groups[group], whole.count(group)) for group in groups if group != most]
        areas = [area for area in areas if area.group == most]
    nameless = [area for area in areas if not area.name]
    if nameless:
        notes.left_out["areas without a name"] = [1] * len(nameless)
    areas = [area for area in areas if area.name and slug(area.name) not in without]
    place = Span(file, 1, 1, 1, 2)
    if not areas:
        help_ = "give each area a `name` among its properties, or an `id`"
        raise failure("RS562", "no area of this map has a name", place, help=help_)
    if len(areas) > MAX_SHAPES:
        others = " or ".join(f"--layer {group}" for group in groups if group != areas[0].group)
        help_ = f"choose another part of it: {others}" if others else "keep only the regions of the map"
        raise failure("RS561", f"this drawing cannot be read: it has more than {MAX_SHAPES} areas", place, help=help_)
    touching = _touching(areas)
    planar = _Plane(areas, y_down=isinstance(root, dict) and root.get("type") == "Topology")
    shapes = [
        Shape(area.name, planar.rings(area), 1, own=True, fill=colour_of(area.fill), label=not area.is_id)
        for area in areas
    ]
    return Sketch(shapes, [""] * len(shapes), None, file, notes, touching)


def _check_part(areas: Sequence[Area], part: Part, file: str) -> None:
    """Refuses names that occur nowhere in the file."""
    groups, report = {slug(area.group): area.group for area in areas}, Report()
    for flag, names, there in (
        ("--layer", part.layers, groups),
        ("--not", part.without, {slug(area.name): area.name for area in areas}),
    ):
        for name in names:
            if slug(name) not in there:
                message = f"{flag} names `{name[:60]}`, but the map has no part with that name"
                known = ", ".join(f"`{each[:60]}`" for each in [*there.values()][:12] if each)
                help_ = f"name one of {known}" if known else f"omit {flag}: the parts of this map have no names"
                report.error("RS904", message, Span(file, 1, 1, 1, 2), help=help_)
    report.raise_if_errors()


def _touching(areas: Sequence[Area]) -> set[tuple[int, int]] | None:
    """The pairs of areas with a common edge; None if they are few, so that outlines decide instead."""
    owners: dict[Edge, int] = {}
    results = set()
    for i, area in enumerate(areas):
        for ring in area.rings:
            for p, q in pairwise([*ring, *ring[:1]]):
                edge = (p, q) if p < q else (q, p)
                other = owners.setdefault(edge, i)
                if other != i:
                    results.add((other, i))
    return results if 2 * len({i for pair in results for i in pair}) >= len(areas) else None


class _Plane:
    """A projection onto a plane: longitude is scaled by the cosine of the middle latitude, and north is up.

    Coordinates other than degrees are planar already, with y pointing down in a topology and up otherwise.
    """

    def __init__(self, areas: Sequence[Area], *, y_down: bool) -> None:
        points = [p for area in areas for ring in area.rings for p in ring]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        degrees = all(abs(x) <= _WHOLE for x in xs) and all(abs(y) <= 90.001 for y in ys)
        self._swapped = not degrees and all(abs(y) <= _WHOLE for y in ys) and all(abs(x) <= 90.001 for x in xs)
        self._degrees = degrees or self._swapped
        self._up = self._degrees or not y_down
        if self._swapped:
            xs, ys = ys, xs
        self._across = cos(radians((min(ys) + max(ys)) / 2)) if self._degrees else 1.0
        self._cut = _cut_of(areas, self._swapped) if self._degrees else -_HALF
        placed = [self._placed(p) for p in points]
        wide = max(x for x, _ in placed) - min(x for x, _ in placed)
        high = max(y for _, y in placed) - min(y for _, y in placed)
        self._fine = max(wide, high) / _FINE

    def _placed(self, p: Point) -> Point:
        x, y = (p[1], p[0]) if self._swapped else p
        return (x * self._across, -y if self._up else y)

    def rings(self, area: Area) -> list[Ring]:
        """The projected rings of an area, without repeated points."""
        results = []
        for ring in area.rings:
            line = _unrolled(ring, self._swapped, self._cut) if self._degrees else ring
            thin: Ring = []
            for p in map(self._placed, line):
                if not thin or abs(p[0] - thin[-1][0]) + abs(p[1] - thin[-1][1]) >= self._fine:
                    thin.append(p)
            if len(thin) > 2:
                results.append(thin)
        return results or [[self._placed(p) for p in area.rings[0]]]


def _unrolled(ring: Ring, swapped: bool, cut: float) -> Ring:
    """A ring continued across the 180th meridian, starting on its own side of the map."""
    at, results, turn = 1 if swapped else 0, [], 0.0
    for i, p in enumerate(ring):
        beside = i > 0 and min(abs(p[at]), abs(ring[i - 1][at])) >= _HALF - 1e-6  # along the meridian, or around a pole
        if i and not beside and abs(p[at] - ring[i - 1][at]) > _HALF:
            turn += _WHOLE if p[at] < ring[i - 1][at] else -_WHOLE
        results.append((p[0], p[1] + turn) if swapped else (p[0] + turn, p[1]))
    middle = sum(p[at] for p in results) / max(len(results), 1)
    shift = -_WHOLE * ((middle - cut) // _WHOLE)
    return [(x, y + shift) if swapped else (x + shift, y) for x, y in results]


def _cut_of(areas: Iterable[Area], swapped: bool) -> float:
    """The meridian at which a map is cut: the 180th, or the middle of a wide gap without land."""
    covered = [False] * 360
    at = 1 if swapped else 0
    for area in areas:
        for ring in area.rings:
            for p, q in pairwise([*ring, *ring[:1]]):
                low, high = sorted((p[at], q[at]))
                steps = range(int(low // 1), int(high // 1) + 1)
                if high - low > _HALF:
                    steps = range(int(high // 1), int((low + _WHOLE) // 1) + 1)
                for degree in steps:
                    covered[degree % 360] = True
    if covered[179] is False or covered[180] is False:
        return -_HALF  # nothing crosses it
    best, start = (0, 0), None
    for degree in range(720):
        if covered[degree % 360]:
            start = None
        else:
            start = degree if start is None else start
            best = max(best, (degree - start + 1, start))
    if best[0] < _GAP or best[0] >= 360:
        return -_HALF
    middle = best[1] + best[0] / 2
    return middle % _WHOLE - _WHOLE
