"""Snapping of outlines to integer points: nearly equal points are merged so that neighbours share edges.

Points are snapped to one another, points on an edge are inserted there, parts that overlap another outline are cut out,
and finally each border is simplified once for both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import hypot

from rulespec.drawing.areas import chains, loops
from rulespec.drawing.outlines import MAX_POINTS, MAX_RINGS, Dot, Ring, area, holds, shared, strokes
from rulespec.drawing.svg import Point
from rulespec.drawing.voronoi import Corner

TOLERANCE = 1.0
"""The distance below which two points count as one, and a point counts as lying on an edge."""
_THIN = (0.6, 1.0, 1.6, 2.5, 4.0, 6.0)
"""The tolerances for simplifying a line, tried in order until few enough points remain."""
_WINDOW = 24  # consecutive points that may be dropped
_SQUARE = 4.0
_MAX_SQUARES = 300_000
_CROWD = 200  # edges at one place; more of them are a tangle
_MAX_DRAWN = 120_000  # points less than a unit apart in a drawing; a shape with more gets no outline
_MAX_TESTS = 3_000_000
_SMALL = 2  # square units; a smaller area is a crumb


def snapped(shapes: Sequence[Sequence[Sequence[Point]]]) -> list[list[Ring]]:
    """The outlines of shapes, bottom first, with common points along borders; empty if they have too many points."""
    joined = _joined(shapes)
    if sum(len(ring) for rings in joined for ring in rings) > _MAX_DRAWN:
        return [[] for _ in shapes]
    return _thinned(_cut(_on_edges(joined)))


def _joined(shapes: Sequence[Sequence[Sequence[Point]]]) -> list[list[Ring]]:
    """Merges nearby points, with integer coordinates, and drops shapes without an area."""
    dots: dict[tuple[int, int], list[tuple[Point, Dot]]] = {}

    def joined(p: Point) -> Dot:
        column, row = int(p[0] // TOLERANCE), int(p[1] // TOLERANCE)
        for a in (0, -1, 1):
            for b in (0, -1, 1):
                for q, dot in dots.get((column + a, row + b), ()):
                    if hypot(p[0] - q[0], p[1] - q[1]) < TOLERANCE:
                        return dot
        dot = (round(p[0]), round(p[1]))
        dots.setdefault((column, row), []).append((p, dot))
        return dot

    results = []
    for rings in shapes:
        whole = (_plain([joined(p) for p in ring]) for ring in rings)
        results.append([ring for ring in whole if len(ring) > 2])
    return results


def _plain(ring: Sequence[Dot]) -> Ring:
    """A ring without consecutive equal points."""
    return [dot for dot, before in zip(ring, [ring[-1], *ring[:-1]], strict=True) if dot != before]


def _on_edges(outlines: list[list[Ring]]) -> list[list[Ring]]:
    """Outlines with the points of all outlines inserted into the edges that contain them."""
    edges = sorted({edge for rings in outlines for edge in strokes(rings)})
    square = max(_SQUARE, sum(hypot(q[0] - p[0], q[1] - p[1]) for p, q in edges) / _MAX_SQUARES)
    at: dict[tuple[int, int], list[int]] = {}
    for number, (p, q) in enumerate(edges):
        for place in _squares(p, q, square):
            at.setdefault(place, []).append(number)
    more: dict[int, list[tuple[float, Dot]]] = {}
    for dot in sorted({dot for edge in edges for dot in edge}):
        column, row = int(dot[0] // square), int(dot[1] // square)
        around = [at.get((column + a, row + b), ()) for a in (-1, 0, 1) for b in (-1, 0, 1)]
        for number in sorted({n for near in around for n in near}) if sum(map(len, around)) <= _CROWD else ():
            along = _along(dot, *edges[number])
            if along is not None:
                more.setdefault(number, []).append((along, dot))
    between = {edges[number]: [dot for _, dot in sorted(points)] for number, points in more.items()}
    return [[_with(ring, between) for ring in rings] for rings in outlines]


def _squares(p: Dot, q: Dot, square: float) -> Iterator[tuple[int, int]]:
    parts = int(hypot(q[0] - p[0], q[1] - p[1]) / square) + 1
    for k in range(parts + 1):
        yield int((p[0] + (q[0] - p[0]) * k / parts) // square), int((p[1] + (q[1] - p[1]) * k / parts) // square)


def _along(dot: Dot, p: Dot, q: Dot) -> float | None:
    """The position of a point along an edge; None if it is off the edge or at an end."""
    if dot in (p, q):
        return None
    dx, dy = q[0] - p[0], q[1] - p[1]
    along = ((dot[0] - p[0]) * dx + (dot[1] - p[1]) * dy) / (dx * dx + dy * dy)
    return along if 0 < along < 1 and _off(dot, p, q) <= TOLERANCE else None


def _off(dot: Dot, p: Dot, q: Dot) -> float:
    """The distance of a point from the line through two other points."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    length = hypot(dx, dy)
    return abs((dot[0] - p[0]) * dy - (dot[1] - p[1]) * dx) / length if length else hypot(dot[0] - p[0], dot[1] - p[1])


def _with(ring: Ring, between: dict[tuple[Dot, Dot], list[Dot]]) -> Ring:
    results = []
    for p, q in pairwise([*ring, ring[0]]):
        results.append(p)
        results += between.get((p, q), ()) if p < q else reversed(between.get((q, p), []))
    return _plain(results)


def _cut(outlines: list[list[Ring]]) -> list[list[Ring]]:
    """Outlines without the parts covered by shapes completely inside them."""
    boxes = [_box(rings) for rings in outlines]
    sizes = [abs(sum(abs(area(ring)) for ring in rings)) for rings in outlines]
    dots = [{dot for ring in rings for dot in ring} for rings in outlines]
    left = _MAX_TESTS

    def inside(k: int, i: int) -> bool:
        nonlocal left
        (a, b, c, d), (e, f, g, h) = boxes[k], boxes[i]
        if not outlines[k] or not (e <= a and f <= b and c <= g and d <= h) or sizes[k] >= sizes[i] or left < 0:
            return False
        left -= len(dots[i]) * len(dots[k])
        free = dots[k] - dots[i]
        return left >= 0 and all(holds(outlines[i], *dot) for dot in free or (_within(outlines[k][0]),))

    results = []
    for i, rings in enumerate(outlines):
        largest: list[int] = []
        for k in sorted(range(i + 1, len(outlines)), key=lambda k: (-sizes[k], -k)):
            # A shape inside a shape that is cut out, or a copy of that shape, is cut out too.
            if inside(k, i) and not any(outlines[k] == outlines[n] or inside(k, n) for n in largest):
                largest.append(k)
        results.append([*rings, *(ring for k in largest for ring in outlines[k])])
    return results


def _within(ring: Ring) -> Point:
    """A point just inside the middle of the first edge; the edge itself may coincide with that of a hole."""
    (px, py), (qx, qy) = ring[:2]
    aside = (0.1 if area(ring) > 0 else -0.1) / hypot(qx - px, qy - py)
    return (px + qx) / 2 - (qy - py) * aside, (py + qy) / 2 + (qx - px) * aside


def _box(rings: Sequence[Ring]) -> tuple[int, int, int, int]:
    dots = [dot for ring in rings for dot in ring] or [(0, 0)]
    return min(x for x, _ in dots), min(y for _, y in dots), max(x for x, _ in dots), max(y for _, y in dots)


def _thinned(outlines: list[list[Ring]]) -> list[list[Ring]]:
    """Simplified outlines; each common line is simplified once for both sides."""
    between: dict[tuple[int, ...], list[tuple[Corner, Corner]]] = {}
    degree: dict[Corner, int] = {}
    for edge, owners in shared(outlines).items():
        between.setdefault(tuple(owners), []).append(edge)
        for dot in edge:
            degree[dot] = degree.get(dot, 0) + 1
    lines = [(key, chain) for key, edges in between.items() for chain in chains(edges, degree)]
    for within in _THIN:
        results = _thinner(len(outlines), lines, within)
        if sum(len(ring) for rings in results for ring in rings) <= MAX_POINTS:
            return results
    return [[] for _ in outlines]


def _thinner(count: int, lines: Sequence[tuple[tuple[int, ...], Sequence[Corner]]], within: float) -> list[list[Ring]]:
    """The simplified lines of the outlines, kept in common with the outlines on their other side."""
    parts: list[list[tuple[Corner, Corner, list[Point]]]] = [[] for _ in range(count)]
    for key, chain in lines:
        line: list[Point] = [(x, y) for x, y in _thin([(x, y) for x, y in chain], within)]
        for side in key:
            parts[side].append((chain[0], chain[-1], line))
    results = []
    for part in parts:
        rings = [_plain([(int(x), int(y)) for x, y in loop]) for loop in loops(part)]
        rings = [_clockwise(ring) for ring in rings if len(ring) > 2 and abs(area(ring)) >= _SMALL]
        results.append(sorted(rings, key=lambda ring: -abs(area(ring)))[:MAX_RINGS])
    return results


def _clockwise(ring: Ring) -> Ring:
    """A ring in normal form: clockwise on the screen, from its leftmost point."""
    ring = ring if area(ring) > 0 else ring[::-1]
    first = ring.index(min(ring))
    return ring[first:] + ring[:first]


def _thin(line: Sequence[Dot], within: float) -> list[Dot]:
    """A line without points nearly on it; its ends stay, and a closed line keeps three points."""
    least = 3 if line[0] == line[-1] else 0
    results, at = [line[0]], 0
    while at < len(line) - 1:
        end = at + 1
        most = min(at + _WINDOW, len(line) - 1, at + max((len(line) - 1) // least, 1) if least else len(line))
        while end < most and line[end + 1] != line[at]:
            if any(_off(dot, line[at], line[end + 1]) > within for dot in line[at + 1 : end + 1]):
                break
            end += 1
        results.append(line[end])
        at = end
    return results
