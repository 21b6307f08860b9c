"""Bridges: lines for links between areas that do not touch, drawn over the shortest gap that is clear of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import hypot

from rulespec.drawing.areas import cross
from rulespec.drawing.placing import STEP, Raster
from rulespec.drawing.svg import Box, Point

MAX_BRIDGES = 60
"""The maximum number of links for which a gap is searched; beyond it, lines connect positions directly."""
_POINTS = 48  # candidate points per area
_TRIES = 300
_IN, _FAR = 2, 5  # the least and the greatest distance of ends from the border, in raster cells
_GAP = 3.0
_DOTS = 400  # sampled points per outline
_OVER = 6.0

Bridge = tuple[Point, Point]
Pair = tuple[int, int]


def bridges(pairs: Iterable[Pair], raster: Raster, taken: Sequence[Box]) -> dict[Pair, Bridge]:
    """The ends of lines between areas, at points with some free space around them.

    Args:
        pairs: the pairs of areas to connect, lower number first.
        raster: the raster of the areas.
        taken: boxes that lines should avoid.
    """
    results: dict[Pair, Bridge] = {}
    ends: dict[int, list[Point]] = {}
    for a, b in sorted(set(pairs))[:MAX_BRIDGES]:
        for region in (a, b):
            if region not in ends:
                ends[region] = _ends(raster, region, taken)
        if (bridge := _shortest(ends[a], ends[b], taken, list(results.values()))) is not None:
            results[a, b] = bridge
    return results


def crossings(pairs: Iterable[Pair], outlines: Sequence[Sequence[Sequence[Point]]]) -> dict[Pair, Bridge]:
    """The ends of lines between outlined areas, slightly inside their nearest points."""
    results: dict[Pair, Bridge] = {}
    for a, b in sorted(set(pairs))[:MAX_BRIDGES]:
        ones, others = (_thinned([p for ring in outlines[i] for p in ring]) for i in (a, b))
        far, (x, y), (nx, ny) = min((hypot(p[0] - q[0], p[1] - q[1]), p, q) for p in ones for q in others)
        dx, dy = ((nx - x) / far * _OVER, (ny - y) / far * _OVER) if far else (_OVER, 0.0)
        results[a, b] = (x - dx, y - dy), (nx + dx, ny + dy)
    return results


def _thinned(points: Sequence[Point]) -> Sequence[Point]:
    return points[:: len(points) // _DOTS + 1]


def _ends(raster: Raster, region: int, taken: Sequence[Box]) -> list[Point]:
    """Points inside an area, near its border."""
    cells = raster.cells[region]
    rim = [c for c in cells if _whole(raster, region, c, _IN) and not _whole(raster, region, c, _FAR)]
    points = [((column + 0.5) * STEP, (row + 0.5) * STEP) for column, row in rim[:: len(rim) // (4 * _POINTS) + 1]]
    free = [p for p in points if not any(_crosses(p, p, box) for box in taken)]
    return free[:: len(free) // _POINTS + 1]


def _whole(raster: Raster, region: int, cell: tuple[int, int], far: int) -> bool:
    """Whether an area extends `far` cells in all four directions."""
    column, row = cell
    around = ((column + far, row), (column - far, row), (column, row + far), (column, row - far))
    return all(0 <= x < raster.columns and 0 <= y < raster.rows and raster.owner[y][x] == region for x, y in around)


def _shortest(
    ends: Sequence[Point], others: Sequence[Point], taken: Sequence[Box], lines: Sequence[Bridge]
) -> Bridge | None:
    """The shortest line that avoids all boxes and other lines; without one, the shortest of all."""
    pairs = sorted((hypot(x - nx, y - ny), (x, y), (nx, ny)) for x, y in ends for nx, ny in others)
    tried = [point for _, *points in pairs[:_TRIES] for point in points]
    xs, ys = [x for x, _ in tried], [y for _, y in tried]
    near = [box for box in taken if tried and box.meets(Box((min(xs), min(ys), max(xs), max(ys))), _GAP)]
    for _, start, end in pairs[:_TRIES]:
        if any(_crosses(start, end, box) for box in near) or any(cross(start, end, *line) for line in lines):
            continue
        return start, end
    return pairs[0][1:] if pairs else None


def _crosses(start: Point, end: Point, box: Box) -> bool:
    """Whether a line meets a box or comes close to it."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        at, along = start[axis], end[axis] - start[axis]
        least, most = box[axis] - _GAP, box[axis + 2] + _GAP
        if not along:
            if not least < at < most:
                return False
            continue
        near, far = sorted(((least - at) / along, (most - at) / along))
        low, high = max(low, near), min(high, far)
    return low <= high
