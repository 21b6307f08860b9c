"""Land and water of a board: countries divided by towns, seas divided by cuts, all on one network of lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import shapely
from shapely import Geometry, LineString, MultiPoint, Point, Polygon, STRtree, box
from shapely.affinity import translate
from shapely.ops import polygonize

from tools.coasts.projections import Points, Projection, projection

Region = str
OUTSIDE, WATER, CRUMB = "", "~", "?"
"""Owners of areas that are not regions: land, water, and faces too small to stand alone."""
_GRID = 0.05  # the grid of the network, on which all lines meet
_RIPPLE = 26.0  # wavelength of the borders between towns


def polygons(of: Geometry) -> list[Polygon]:
    """The polygons in a geometry."""
    if isinstance(of, Polygon):
        return [] if of.is_empty else [of]
    return [polygon for part in getattr(of, "geoms", []) for polygon in polygons(part)]


class Sheet:
    """The sheet of a recipe: converts degrees to board units."""

    def __init__(self, recipe: dict[str, Any]) -> None:
        self.seam: float | None = recipe["projection"].get("cylinder")
        self.clip = recipe["clip"]
        project = projection(recipe["projection"])
        left, top, right, bottom = project(np.array(recipe["edges"], float))
        self.width = recipe["width"]
        scale = self.width / (right[0] - left[0])
        self.height = round((bottom[1] - top[1]) * scale)
        self.to: Projection = lambda at: (project(at) - np.array([left[0], top[1]])) * scale
        self.frame = box(0, 0, self.width, self.height)

    def point(self, at: Sequence[float]) -> Point:
        """A point on the board."""
        return Point(self.to(np.array([self._turned(at)], float))[0])

    def line(self, points: Iterable[Sequence[float]]) -> LineString:
        """A line on the board that is straight in degrees of longitude and latitude."""
        degrees = LineString([self._turned(at) for at in points])
        return shapely.transform(shapely.segmentize(degrees, 0.5), self.to)

    def area(self, of: Geometry) -> Geometry:
        """An area on the board."""
        if self.seam is not None:
            strip = box(self.seam, -89, self.seam + 360, 89)
            of = shapely.union_all([translate(of, turn).intersection(strip) for turn in (-720, -360, 0, 360, 720)])
        of = shapely.segmentize(of.intersection(box(*self.clip)), 0.5)
        return shapely.make_valid(shapely.transform(of, self.to)).buffer(0).intersection(self.frame)

    def _turned(self, at: Sequence[float]) -> Sequence[float]:
        x, y = at
        if self.seam is None or self.seam <= x <= self.seam + 360:
            return x, y
        return (x - self.seam) % 360 + self.seam, y


def _rippled(at: Points, height: float) -> Points:
    """Points displaced by a smooth function of position, so that both sides of a border agree."""
    x, y = at[:, 0] / _RIPPLE, at[:, 1] / _RIPPLE
    a = np.sin(1.7 * x + 2.3 * y + 0.5) + 0.6 * np.sin(3.9 * x - 3.1 * y + 1.1) + 0.4 * np.sin(6.1 * y - 7.3 * x + 2.2)
    b = np.sin(1.9 * y - 2.1 * x + 3.1) + 0.6 * np.sin(3.3 * x + 4.3 * y + 0.3) + 0.4 * np.sin(6.7 * x + 7.9 * y + 1.7)
    return np.stack((at[:, 0] + height * a / 1.2, at[:, 1] + height * b / 1.2), axis=1)


class Land:
    """The land of a board, in pieces with an owner.

    Attributes:
        pieces: pairs of owner and area; areas may overlap minimally, and include crumbs.
        whole: all land, with simplified coasts.
    """

    def __init__(self, recipe: dict[str, Any], atlas: dict[str, Geometry]) -> None:
        self.recipe = recipe
        self.sheet = Sheet(recipe)
        self.straits = shapely.union_all(
            [self.sheet.line(each["line"]).buffer(each["width"]) for each in recipe["straits"]]
        )
        pieces = [piece for name, area in atlas.items() for piece in self._country(name, area)]
        islands = polygons(shapely.union_all([part.buffer(_GRID) for _, part in pieces]))
        keep = [self.sheet.point(at) for at in recipe.get("keep", [])]
        islands = [i for i in islands if i.area >= recipe["smallest"] or any(i.contains(at) for at in keep)]
        self.pieces = [(owner, part.intersection(shapely.union_all(islands))) for owner, part in pieces]
        self.whole = self._shore(islands)

    def _country(self, name: str, area: Geometry) -> Iterator[tuple[str, Polygon]]:
        """The pieces of a country: one for its owner, or cells around the towns of several owners."""
        owners = self.recipe["countries"].get(name, OUTSIDE)
        area = self.sheet.area(area) if owners is not None else Polygon()
        if area.is_empty:
            return
        if name in self.recipe.get("grow", {}):
            large = shapely.union_all([part for part in polygons(area) if part.area > 15])
            area = large.buffer(self.recipe["grow"][name], quad_segs=3).intersection(self.sheet.frame)
        area = area.difference(self.straits)
        if isinstance(owners, str):
            yield from ((owners, part) for part in polygons(area))
            return
        own = self.recipe.get("towns_in", {}).get(name, {})
        outside = self.recipe.get("outside", {})
        towns = {owner: own.get(owner) or outside.get(owner) or self.recipe["towns"][owner] for owner in owners}
        for owner, cell in self._cells(towns).items():
            for part in polygons(area.intersection(cell)):
                yield OUTSIDE if owner in outside else owner, part

    def _cells(self, towns: dict[str, list[list[float]]]) -> dict[str, Geometry]:
        """Owner → the area closer to one of its towns than to others, with wavy borders."""
        owners = [owner for owner, points in towns.items() for _ in points]
        points = MultiPoint([self.sheet.point(at) for points in towns.values() for at in points])
        if len(towns) == 1:
            return {owners[0]: self.sheet.frame.buffer(500)}
        cells = shapely.voronoi_polygons(points, extend_to=self.sheet.frame.buffer(800), ordered=True).geoms
        whole = {
            owner: shapely.union_all([cell for cell, of in zip(cells, owners, strict=True) if of == owner])
            for owner in towns
        }
        wave = self.recipe["wave"]

        def rippled(of: Geometry) -> Geometry:
            return shapely.transform(shapely.segmentize(of, 4), lambda at: _rippled(at, wave))

        borders = rippled(shapely.line_merge(shapely.union_all([cell.boundary for cell in whole.values()])))
        lines = shapely.union_all([borders, self.sheet.frame.buffer(400).boundary])
        moved = {owner: rippled(cell).buffer(0) for owner, cell in whole.items()}
        results: dict[str, list[Polygon]] = {}
        for face in polygonize(lines):
            inside = face.representative_point()
            owner = next((owner for owner, cell in moved.items() if cell.contains(inside)), None)
            if owner is not None:
                results.setdefault(owner, []).append(face)
        return {owner: shapely.union_all(faces) for owner, faces in results.items()}

    def _shore(self, islands: list[Polygon]) -> Geometry:
        """All land, with lakes and narrow inlets filled, and straits kept open."""
        lakes = [Polygon(hole) for island in islands for hole in island.interiors]
        large = shapely.union_all([lake for lake in lakes if lake.area > self.recipe["lake"]])
        land = shapely.union_all([Polygon(island.exterior) for island in islands]).difference(large)
        far = self.recipe["close"]
        land = land.buffer(far, quad_segs=3).buffer(-far, quad_segs=3).difference(self.straits)
        least = self.recipe["smallest"] * 0.6
        return shapely.union_all([part for part in polygons(land) if part.area >= least]).intersection(self.sheet.frame)


def regions_of(land: Land) -> dict[Region, Geometry]:
    """Owner → area. The areas tile the board, and two areas have exactly their border in common."""
    recipe, sheet = land.recipe, land.sheet
    water = sheet.frame.difference(land.whole)
    lines = [part.boundary for _, piece in land.pieces for part in polygons(piece)]
    lines += [land.whole.boundary, sheet.frame.boundary]
    lines += [sheet.line(cut).intersection(water.buffer(0.6)) for cut in recipe["cuts"]]
    net = shapely.union_all([line for line in lines if not line.is_empty], grid_size=_GRID)
    faces = [face for face in polygonize([net]) if face.area > 0]
    owners = list(_owners(land, faces, water))
    _give_crumbs(faces, owners)
    results = {
        owner: shapely.union_all([face for face, of in zip(faces, owners, strict=True) if of == owner])
        for owner in dict.fromkeys(owners)
        if owner != CRUMB
    }
    seas = recipe["seas"]
    for name in [name for name in results if name not in (OUTSIDE, WATER, *seas)]:
        _give_bits(results, name, recipe)
    thinned = shapely.coverage_simplify(list(results.values()), recipe["simplify"])
    return dict(zip(results, thinned, strict=True))


def _owners(land: Land, faces: Sequence[Polygon], water: Geometry) -> Iterator[str]:
    """The owner of each face of the network."""
    pieces = STRtree([piece for _, piece in land.pieces])
    seas = [(name, land.sheet.point(at)) for name, points in land.recipe["seas"].items() for at in points]
    for face in faces:
        inside = face.representative_point()
        if water.contains(inside):
            names = {name for name, at in seas if face.contains(at)}
            if len(names) > 1:
                raise ValueError(f"these seas run into one another: {', '.join(sorted(names))}")
            yield next(iter(names), CRUMB if face.area <= land.recipe["lake"] else WATER)
        elif face.area <= 2:
            yield CRUMB
        else:
            near = pieces.query(inside, "within")
            yield land.pieces[int(near[0] if len(near) else pieces.nearest(inside))][0]


def _give_crumbs(faces: Sequence[Polygon], owners: list[str]) -> None:
    """Merges each crumb into the neighbour with the longest common border."""
    tree = STRtree(faces)
    for _ in range(4):
        for i in [i for i, owner in enumerate(owners) if owner == CRUMB]:
            lengths: dict[str, float] = {}
            for k in tree.query(faces[i], "intersects"):
                if owners[k] != CRUMB:
                    lengths[owners[k]] = lengths.get(owners[k], 0) + faces[i].intersection(faces[k]).length
            if lengths:
                owners[i] = max(lengths, key=lambda owner: lengths[owner])


def _give_bits(regions: dict[str, Geometry], name: str, recipe: dict[str, Any]) -> None:
    """Transfers small detached parts of a region to the adjacent land."""
    parts = sorted(polygons(regions[name]), key=lambda part: -part.area)
    stay = parts[:1]
    for part in parts[1:]:
        lengths = {
            other: part.intersection(area).length
            for other, area in regions.items()
            if other not in (OUTSIDE, WATER, name, *recipe["seas"]) and part.intersects(area)
        }
        owner = max(lengths, key=lambda other: lengths[other], default="")
        if owner and lengths[owner] > 1 and part.area < min(0.25 * parts[0].area, recipe.get("bit", 1500)):
            regions[owner] = shapely.union_all([regions[owner], part])
        else:
            stay.append(part)
    regions[name] = shapely.union_all(stay)
