"""Spots of names and pieces: the centre of the largest text block that fits, and the remaining room."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

import shapely
from msgspec import Struct
from shapely import Geometry, Point, box
from shapely.affinity import rotate, scale
from shapely.ops import polylabel

from rulespec.drawing.text_width import Lettering, wrapped
from tools.coasts.land import polygons

_FITS = 0.86  # relative to half a block's diagonal, as coasts cut corners off
_TURNS = (-75, -60, -45, -30, 30, 45, 60, 75)
_TRAY = 1.5  # width of the room for pieces, relative to its height
_PIECE = 12  # half the side of a piece, with a margin


class Name(Struct):
    """A name to place: its titles in all languages, its lettering, and the width of symbols beside it."""

    titles: list[str]
    lettering: Lettering
    badges: float = 0


class Spot(Struct):
    """A spot: the centre of the name, its angle, its block, and the centre of the room for pieces."""

    label: tuple[int, int]
    turned: int
    block: Geometry
    fits: bool
    pieces: tuple[int, int] | None = None
    room: float = 0


def spots(
    areas: Mapping[str, Geometry], names: Mapping[str, Name], water: Geometry, frame: Geometry, taken: Geometry
) -> dict[str, Spot]:
    """A spot for each name, smallest areas first, without overlapping blocks.

    Args:
        areas: the areas of the regions.
        names: the names of the regions.
        water: the area where names of small islands may extend.
        frame: the frame of the board.
        taken: areas to keep free.
    """
    inside = frame.buffer(-14)
    results: dict[str, Spot] = {}
    for region in sorted(areas, key=lambda each: areas[each].area):
        area = areas[region].intersection(inside)
        spot = _label(area, names[region], taken)
        if not spot.fits:
            spot = _beside(area, names[region], water.union(area).intersection(inside).difference(taken)) or spot
        results[region] = spot
        taken = taken.union(spot.block.buffer(2))
    for region, spot in results.items():
        part = _main(areas[region].intersection(inside))
        room = _pole(part.buffer(-1.5).difference(taken), _TRAY) or (0, 0, 0)
        if room[2] < _PIECE:  # crossing the border is better than overlapping a name
            wider = part.buffer(_PIECE).intersection(inside).difference(taken)
            near = [piece for piece in polygons(wider) if piece.intersects(part)]
            room = max((pole for each in near if (pole := _pole(each, 1))), key=lambda pole: pole[2], default=room)
        if room[2]:
            spot.pieces, spot.room = (round(room[0]), round(room[1])), room[2]
            taken = taken.union(Point(spot.pieces).buffer(_PIECE).envelope)
    return results


def _beside(area: Geometry, name: Name, free: Geometry) -> Spot | None:
    """The nearest spot with room beside a small island."""
    size = name.lettering.sizes[-2]
    left, top, right, bottom = _main(area).bounds
    x, y = (left + right) / 2, (top + bottom) / 2
    best: tuple[float, Spot] | None = None
    free = free.intersection(box(left, top, right, bottom).buffer(150))
    shapely.prepare(free)
    for parts in (1, 2):
        width, height = _extent(name, size, parts)
        for dx in range(-10, 11):
            for dy in range(-10, 11):
                at = x + dx * ((right - left + width) / 20 + 0.3), y + dy * ((bottom - top + height) / 20 + 0.3)
                far = abs(dx) + abs(dy) + parts
                if best is not None and far >= best[0]:
                    continue
                spot = _spot((size, *at, width, height), 0)
                if free.contains(spot.block):
                    best = far, spot
    return best[1] if best is not None else None


def _main(area: Geometry) -> Geometry:
    """The large parts of an area."""
    parts = polygons(area)
    largest = max(part.area for part in parts)
    return shapely.union_all([part for part in parts if part.area > 0.3 * largest])


def _pole(area: Geometry, ratio: float) -> tuple[float, float, float] | None:
    """Centre and half height of the largest block with a given aspect ratio, by the pole of inaccessibility."""
    best = None
    for part in polygons(area):
        rough = part.area**0.5 / 150  # larger areas tolerate a coarser precision
        squeezed = scale(part.simplify(max(0.5, rough)), 1 / ratio, 1, origin=(0, 0))
        for one in polygons(squeezed.buffer(0)):
            if best is not None and one.area < 3.2 * best[2] ** 2:
                continue
            point = polylabel(one, max(0.7, rough))
            far = one.exterior.distance(point) if one.contains(point) else 0
            far = min([far, *(point.distance(hole) for hole in one.interiors)])
            if best is None or far > best[2]:
                best = (point.x * ratio, point.y, far)
    return best


def _label(area: Geometry, name: Name, taken: Geometry) -> Spot:
    """The spot of a name: level if it fits at an acceptable size, otherwise rotated if that permits larger letters."""
    main = _main(area)
    free = main.difference(taken)
    free = main if free.is_empty else free
    level = next(_tries(free, name, 0), None)
    if level is not None and level[0] >= name.lettering.sizes[-2]:
        return _spot(level, 0)
    turned = [(turn, next(_tries(free, name, turn), None)) for turn in _TURNS]
    best = max(((each[0], turn, each) for turn, each in turned if each is not None), default=None, key=lambda t: t[:2])
    if best is not None and (level is None or best[0] > level[0]):
        return _spot(best[2], best[1])
    if level is not None:
        return _spot(level, 0)
    size = name.lettering.sizes[-1]
    width, height = min((_extent(name, size, parts) for parts in (1, 2, 3)), key=lambda each: each[0] + 2 * each[1])
    x, y, _ = _pole(free, width / height) or (*free.representative_point().coords[0], 0)
    return _spot((size, x, y, width, height), 0, fits=False)


Try = tuple[float, float, float, float, float]
"""A candidate: font size, centre, width and height of a block that fits."""


def _tries(area: Geometry, name: Name, turn: int) -> Iterator[Try]:
    upright = rotate(area, -turn, origin=(0, 0))
    for size in name.lettering.sizes:
        for width, height in dict.fromkeys(_extent(name, size, parts) for parts in (1, 2, 3)):
            pole = _pole(upright, width / height)
            if pole is not None and pole[2] >= math.sqrt(2) / 2 * height * _FITS:
                at = rotate(Point(pole[:2]), turn, origin=(0, 0))
                yield size, at.x, at.y, width, height


def _extent(name: Name, size: float, parts: int) -> tuple[float, float]:
    """The width and height of a block that holds the name in every language."""
    extents = [
        name.lettering.extent(wrapped(title, parts) or wrapped(title, 1) or [title], size, name.badges)
        for title in name.titles
    ]
    return max(width for width, _ in extents), max(height for _, height in extents)


def _spot(at: Try | Sequence[float], turn: int, *, fits: bool = True) -> Spot:
    _, x, y, width, height = at
    block = rotate(box(x - width / 2, y - height / 2, x + width / 2, y + height / 2), turn)
    return Spot((round(x), round(y)), turn, block, fits)
