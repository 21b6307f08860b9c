"""Voronoi cells, computed by clipping half-planes.

A corner is identified by the sites whose cells meet there, not by its coordinates, so cells fit together exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import hypot, inf, sqrt

from msgspec import Struct

from rulespec.drawing.svg import Point

Corner = tuple[int, ...]
"""The sorted numbers of the sites that meet at a corner; the sides of the frame count as -4 to -1."""

_JITTER = 0.05
"""The maximum shift of a site; the shifts keep any four sites off a common circle, so each corner has three."""


class Edge(Struct, frozen=True):
    """An edge of a cell: its corners, and the site on the other side (negative for the frame)."""

    start: Corner
    end: Corner
    at: tuple[Point, Point]
    beyond: int


def cells(sites: Sequence[Point], width: float, height: float) -> list[list[Edge]]:
    """The cell of each site in a frame, given by its edges in order."""
    moved = [(x + _JITTER * (i * 37 % 101) / 101, y + _JITTER * (i * 71 % 103) / 103) for i, (x, y) in enumerate(sites)]
    near = _Buckets(moved, width, height)
    return [_cell(i, moved, near, width, height) for i in range(len(moved))]


def _cell(i: int, sites: Sequence[Point], near: _Buckets, width: float, height: float) -> list[Edge]:
    x, y = sites[i]
    # Corners in order, each with the site beyond the edge that follows it.
    polygon: list[tuple[float, float, int]] = [(0, 0, -1), (width, 0, -2), (width, height, -3), (0, height, -4)]
    reach = inf
    for distance, j in near.by_distance(i):
        if distance > 2 * reach:
            break
        clipped = _clipped(polygon, x, y, *sites[j], j)
        if clipped is not polygon:
            polygon = clipped
            reach = max((hypot(px - x, py - y) for px, py, _ in polygon), default=0.0)
    corners = [_corner(i, polygon[k - 1][2], polygon[k][2]) for k in range(len(polygon))]
    return [
        Edge(corners[k], corners[n], (polygon[k][:2], polygon[n][:2]), polygon[k][2])
        for k in range(len(polygon))
        for n in [(k + 1) % len(polygon)]
    ]


def _corner(a: int, b: int, c: int) -> Corner:
    return (a, b, c) if a < b < c else tuple(sorted((a, b, c)))


def _clipped(
    polygon: list[tuple[float, float, int]], x: float, y: float, ox: float, oy: float, beyond: int
) -> list[tuple[float, float, int]]:
    """The part of a polygon nearer to (x, y) than to (ox, oy)."""
    dx, dy = ox - x, oy - y
    limit = (ox * ox + oy * oy - x * x - y * y) / 2
    sides = [px * dx + py * dy - limit for px, py, _ in polygon]
    if max(sides) <= 0:
        return polygon
    results: list[tuple[float, float, int]] = []
    for k, (px, py, label) in enumerate(polygon):
        n = (k + 1) % len(polygon)
        place, there = sides[k], sides[n]
        if place <= 0:
            results.append((px, py, label))
        if (place <= 0) != (there <= 0):
            t = place / (place - there)
            nx, ny, _ = polygon[n]
            # Leaving: the new edge starts here. Returning: the old edge continues here.
            results.append((px + t * (nx - px), py + t * (ny - py), beyond if place <= 0 else label))
    return results


class _Buckets:
    """An index of sites by squares of the plane, for finding neighbours quickly."""

    def __init__(self, sites: Sequence[Point], width: float, height: float) -> None:
        self.sites = sites
        self.size = max(sqrt(width * height / max(len(sites), 1)) * 1.5, 1.0)
        self.most = int(max(width, height) / self.size) + 2
        self.squares: dict[tuple[int, int], list[int]] = {}
        for i, (x, y) in enumerate(sites):
            self.squares.setdefault((int(x // self.size), int(y // self.size)), []).append(i)

    def by_distance(self, i: int) -> Iterator[tuple[float, int]]:
        """The other sites with their distances, ring by ring; no site is nearer than its ring."""
        x, y = self.sites[i]
        column, row = int(x // self.size), int(y // self.size)
        rest: list[tuple[float, int]] = []
        for ring in range(self.most + 1):
            result = (j for j in self._ring(column, row, ring) if j != i)
            rest = sorted(rest + [(hypot(self.sites[j][0] - x, self.sites[j][1] - y), j) for j in result])
            sure = ring * self.size
            cut = next((k for k, (distance, _) in enumerate(rest) if distance > sure), len(rest))
            yield from rest[:cut]
            rest = rest[cut:]
        yield from rest

    def _ring(self, column: int, row: int, ring: int) -> Iterator[int]:
        if not ring:
            yield from self.squares.get((column, row), ())
            return
        for k in range(-ring, ring + 1):
            yield from self.squares.get((column + k, row - ring), ())
            yield from self.squares.get((column + k, row + ring), ())
        for k in range(-ring + 1, ring):
            yield from self.squares.get((column - ring, row + k), ())
            yield from self.squares.get((column + ring, row + k), ())
