"""Clip paths and masks: the parts of outlines that are inside areas of any shape."""

from __future__ import annotations

from cmath import phase
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot, pi

from msgspec import Struct

from rulespec.drawing.areas import chains, loops
from rulespec.drawing.outlines import extent
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.voronoi import Corner

Rings = Sequence[Sequence[Point]]
Edge = tuple[Point, Point]
_PARTS = 4_000_000
"""The extent of outlines divided by the distance below which points coincide."""
_BESIDE = 50  # in such distances: where the sides of an edge are sampled, measured from its middle


class ClipArea(Struct, frozen=True):
    """A clipping area: its outlines, its fill rule, and whether it shows or hides what is inside."""

    rings: Rings
    evenodd: bool = False
    opens: bool = True


class Clip(Struct, frozen=True):
    """The areas of a clip path or a mask, in drawing order."""

    areas: tuple[ClipArea, ...]

    @property
    def convex(self) -> Sequence[Point] | None:
        """The corners of the clip if it is a single convex area, otherwise None."""
        area = self.areas[0] if len(self.areas) == 1 else None
        if area is None or not area.opens or len(area.rings) != 1 or not is_convex(area.rings[0]):
            return None
        return area.rings[0]

    @property
    def size(self) -> int:
        """The total number of points."""
        return sum(len(ring) for area in self.areas for ring in area.rings)


def clip_of(corners: Sequence[Point]) -> Clip:
    """A clip with one convex area."""
    return Clip((ClipArea([corners]),))


def within(outlines: Rings, evenodd: bool, clip: Clip) -> list[list[Point]]:
    """The visible part of an area, computed under the even-odd rule unless the clip is convex.

    Edges are cut where they cross; a part of an edge bounds the result if exactly one of its sides is in both areas.
    """
    if (corners := clip.convex) is not None:
        return [line for each in outlines if (line := clipped(each, corners))]
    box = Box(extent(p for line in outlines for p in line))
    step = max(box[2] - box[0], box[3] - box[1], 1e-9) / _PARTS
    ours = _edges(outlines)
    near = [[edge for edge in _edges(area.rings) if _is_near(edge, box, step)] for area in clip.areas]
    theirs = [edge for edges in near for edge in edges if min(edge[0][0], edge[1][0]) <= box[2] + step]

    def lets(point: Point) -> bool:
        for area, edges in zip(reversed(clip.areas), reversed(near), strict=True):
            if _is_in(edges, area.evenodd, point):
                return area.opens
        return False

    def key(p: Point) -> Corner:
        return round(p[0] / step), round(p[1] / step)

    places: dict[Corner, Point] = {}
    lines: dict[tuple[Corner, Corner], None] = {}
    for p, q in _cut(ours, theirs):
        a, b = key(p), key(q)
        if a == b or (b, a) in lines:
            continue
        aside = _BESIDE * step / (hypot(q[0] - p[0], q[1] - p[1]) or 1)
        (x, y), (dx, dy) = ((p[0] + q[0]) / 2, (p[1] + q[1]) / 2), (-(q[1] - p[1]) * aside, (q[0] - p[0]) * aside)
        sides = ((x + dx, y + dy), (x - dx, y - dy))
        if len({_is_in(ours, evenodd, side) and lets(side) for side in sides}) == 2:
            places.setdefault(a, p)
            places.setdefault(b, q)
            lines[a, b] = None
    degree: dict[Corner, int] = {}
    for ends in lines:
        for corner in ends:
            degree[corner] = degree.get(corner, 0) + 1
    parts = [(chain[0], chain[-1], [places[corner] for corner in chain]) for chain in chains([*lines], degree)]
    return [loop[:-1] if loop[0] == loop[-1] else loop for loop in loops(parts) if len(loop) > 3]


def _edges(rings: Rings) -> list[Edge]:
    return [edge for ring in rings for edge in pairwise([*ring, ring[0]])]


def _is_near(edge: Edge, box: Box, step: float) -> bool:
    """Whether an edge is level with a box and not left of it, and so matters to points in the box."""
    (px, py), (qx, qy) = edge
    return max(px, qx) >= box[0] - step and max(py, qy) >= box[1] - step and min(py, qy) <= box[3] + step


def _is_in(edges: Sequence[Edge], evenodd: bool, point: Point) -> bool:
    """Whether a point is inside an area."""
    (x, y), count = point, 0
    for (px, py), (qx, qy) in edges:
        if (py > y) != (qy > y) and x < px + (y - py) * (qx - px) / (qy - py):
            count += 1 if qy > py else -1
    return count % 2 == 1 if evenodd else count != 0


def _cut(ours: Sequence[Edge], theirs: Sequence[Edge]) -> Iterator[Edge]:
    """All edges, cut at the points where two of them cross or meet."""
    edges = [*ours, *theirs]
    boxes = [extent(edge) for edge in edges]
    order = sorted(range(len(edges)), key=lambda i: boxes[i][0])
    cuts: list[list[tuple[float, Point]]] = [[] for _ in edges]
    open_: list[int] = []
    for i in order:
        left, top, _, bottom = boxes[i]
        open_ = [k for k in open_ if boxes[k][2] >= left]
        for k in open_:
            if boxes[k][1] <= bottom and top <= boxes[k][3]:
                for along, other, point in _meetings(edges[i], edges[k]):
                    cuts[i].append((along, point))
                    cuts[k].append((other, point))
        open_.append(i)
    for (p, q), inner in zip(edges, cuts, strict=True):
        points = [p, *(point for along, point in sorted(inner) if 0 < along < 1), q]
        yield from pairwise(points)


def _meetings(one: Edge, other: Edge) -> Iterator[tuple[float, float, Point]]:
    """The points where two edges cross or meet: the position along each, as a fraction, and the point."""
    (ax, ay), (bx, by) = one
    (cx, cy), (dx, dy) = other
    ux, uy, vx, vy = bx - ax, by - ay, dx - cx, dy - cy
    cross = ux * vy - uy * vx
    if abs(cross) <= 1e-12 * hypot(ux, uy) * hypot(vx, vy):
        for point in other:
            yield _along(one, point), _along(other, point), point
        for point in one:
            yield _along(one, point), _along(other, point), point
        return
    s = ((cx - ax) * vy - (cy - ay) * vx) / cross
    t = ((cx - ax) * uy - (cy - ay) * ux) / cross
    if -1e-9 <= s <= 1 + 1e-9 and -1e-9 <= t <= 1 + 1e-9:
        yield s, t, (ax + s * ux, ay + s * uy)


def _along(edge: Edge, point: Point) -> float:
    """The position of a point along an edge, as a fraction; negative if the point is off the edge."""
    (ax, ay), (bx, by) = edge
    ux, uy, x, y = bx - ax, by - ay, point[0] - ax, point[1] - ay
    size = ux * ux + uy * uy
    if size == 0 or abs(ux * y - uy * x) > 1e-9 * size:
        return -1.0
    return (x * ux + y * uy) / size


def is_convex(corners: Sequence[Point]) -> bool:
    """Whether an area is convex and has winding number one."""
    turns = set()
    ring = [*corners, *corners[:2]]
    for a, b, c in zip(ring, ring[1:], ring[2:], strict=False):
        cross = (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0])
        if abs(cross) > 1e-9:
            turns.add(cross > 0)
        elif (b[0] - a[0]) * (c[0] - b[0]) + (b[1] - a[1]) * (c[1] - b[1]) < 0:
            return False  # a reversal
    return len(turns) == 1 and abs(_turned(corners)) < 2.5 * pi


def _turned(corners: Sequence[Point]) -> float:
    """The total angle by which a closed line turns."""
    ring, total = [*corners, *corners[:2]], 0.0
    for a, b, c in zip(ring, ring[1:], ring[2:], strict=False):
        p, q = complex(b[0] - a[0], b[1] - a[1]), complex(c[0] - b[0], c[1] - b[1])
        if p and q:
            total += phase(q / p)
    return total


def clipped(line: Sequence[Point], clip: Sequence[Point]) -> list[Point]:
    """The intersection of an area with a convex area."""
    sign = 1 if sum(x * ny - nx * y for (x, y), (nx, ny) in pairwise([*clip, clip[0]])) > 0 else -1
    results = list(line)
    for a, b in pairwise([*clip, clip[0]]):
        if a == b or not results:
            continue

        def side(p: Point, a: Point = a, b: Point = b) -> float:
            return sign * ((b[0] - a[0]) * (p[1] - a[1]) - (b[1] - a[1]) * (p[0] - a[0]))

        before, results = results, []
        for p, q in pairwise([before[-1], *before]):
            sp, sq = side(p), side(q)
            if (sp < 0) != (sq < 0):
                t = sp / (sp - sq)
                results.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
            if sq >= 0:
                results.append(q)
    return results if len(results) > 2 else []
