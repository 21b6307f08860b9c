"""Doubtful borders in an imprecise drawing: regions that meet at a point or nearly so, lines side by side, and slivers.

Merging points less than a unit apart can turn a meeting point into a short border, or a short border into a point. Only
the author knows whether a piece can move between such regions, so all such pairs are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise
from math import ceil, hypot

from rulespec.drawing.outlines import Ring, area, extent, shared
from rulespec.drawing.svg import Box, Point

SHORT_LINK = 5.0
"""The length in units below which a border may be a rounding artefact."""
_INEXACT = 0.1
"""The maximum share of adjacent pairs with at most one common point for which a drawing counts as exact."""
_CROWD = 24
"""The maximum number of regions at one point; more of them overlap."""
_CRUMB = 4.0
"""Square units; a smaller part of a region may be dropped from its outline."""
_SPAN = 2.0
"""Units; the maximum distance of an outline's points from the crumb that it replaces."""
Pairs = set[tuple[int, int]]
Lines = Sequence[Sequence[Point]]


def common_points(outlines: Sequence[Lines]) -> Counter[tuple[int, int]]:
    """The number of points that each pair of outlines has in common."""
    owners: dict[Point, set[int]] = {}
    for i, lines in enumerate(outlines):
        for x, y in (p for line in lines for p in line):
            owners.setdefault((round(x, 3), round(y, 3)), set()).add(i)
    few = (each for each in owners.values() if 1 < len(each) <= _CROWD)
    return Counter(pair for each in few for pair in combinations(sorted(each), 2))


def corner_links(rings: Sequence[Sequence[Ring]], common: Counter[tuple[int, int]], touching: Pairs) -> Pairs:
    """The pairs that may touch only because of rounding: they have at most one common point, and a short border.

    If nearly all other pairs of the drawing share two points, the border may have any length.

    Args:
        rings: the outlines with shared points.
        common: the number of common points of each pair, before points were shared.
        touching: the pairs that touch.
    """
    lengths: dict[tuple[int, int], float] = {}
    for (p, q), owners in shared(rings).items():
        if len(owners) == 2:
            a, b = sorted(owners)
            lengths[a, b] = lengths.get((a, b), 0) + hypot(q[0] - p[0], q[1] - p[1])
    few = {pair for pair in touching if common[pair] < 2}
    exact = len(few) <= _INEXACT * len(touching)
    return {pair for pair in few if pair in lengths and (exact or lengths[pair] < SHORT_LINK)}


def corner_meetings(rings: Sequence[Sequence[Ring]], common: Counter[tuple[int, int]], known: Pairs) -> Pairs:
    """The pairs that meet at a point, before or after points were shared, except for pairs already known."""
    after = common_points(rings)
    return {pair for pair in common.keys() | after.keys() if all(rings[i] for i in pair)} - known


def crumbs(rings: Sequence[Sequence[Ring]], outlines: Sequence[Lines]) -> list[Lines]:
    """The slivers of each outlined region, which are too small to become outlines."""
    results: list[Lines] = []
    for own, lines in zip(rings, outlines, strict=True):
        small = [line for line in lines if abs(area(line)) < _CRUMB] if own else []
        results.append([line for line in small if not _is_part(line, own)])
    return results


def _is_part(crumb: Sequence[Point], rings: Iterable[Ring]) -> bool:
    """Whether a part of a region is also a part of its outline."""
    box = Box(extent(crumb)).grown(_SPAN)
    return any(all(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in ring) for ring in rings)


_MAX_POINTS = 120_000


def beside(areas: Sequence[Sequence[Sequence[Point]]], near: float, along: int) -> set[tuple[int, int]]:
    """The pairs of areas whose lines run side by side.

    Args:
        areas: the lines of each area.
        near: the side of the grid squares; points in equal or adjacent squares are near.
        along: the minimum number of squares in which one area is near the other.
    """
    length = sum(hypot(nx - x, ny - y) for lines in areas for line in lines for (x, y), (nx, ny) in pairwise(line))
    step = max(near / 2, length / _MAX_POINTS)
    at: dict[tuple[int, int], set[int]] = {}
    for i, lines in enumerate(areas):
        for line in lines:
            for x, y in _sampled(line, step):
                at.setdefault((int(x // near), int(y // near)), set()).add(i)
    counts: dict[tuple[int, int], int] = {}
    for (column, row), place in at.items():
        around = set().union(*(at.get((column + a, row + b), ()) for a in (-1, 0, 1) for b in (-1, 0, 1)))
        if len(around) > _CROWD:
            continue
        for i in place:
            for k in around - {i}:
                counts[min(i, k), max(i, k)] = counts.get((min(i, k), max(i, k)), 0) + 1
    return {pair for pair, count in counts.items() if count >= along}


def _sampled(line: Sequence[Point], step: float) -> list[Point]:
    results = []
    for (x, y), (nx, ny) in pairwise(line):
        parts = min(max(ceil(hypot(nx - x, ny - y) / step), 1), _MAX_POINTS)
        results += [(x + (nx - x) * k / parts, y + (ny - y) * k / parts) for k in range(parts)]
    return results
