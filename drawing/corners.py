"""Corners of a map: regions that meet at a point, or along less than a drawing is exact, and crumbs of a region.

Where points less than a unit apart become one, two regions that meet at a point may get a short border, and two with a
short one none. Whether a piece can go from one to the other is for the author to say, so all of them are listed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations
from math import hypot

from rulespec.drawing.outlines import Ring, area, extent, shared
from rulespec.drawing.svg import Box, Point

SHORT_LINK = 5.0
"""Units: a shorter border may be one of rounding."""
_INEXACT = 0.1
"""The share of pairs that touch with at most one point in common, up to which neighbours of a drawing share points."""
_CROWD = 24
"""Regions at one point: they lie on one another."""
_CRUMB = 4.0
"""Square units: a part of a region below this may be left out of its outline."""
_SPAN = 2.0
"""Units between a crumb and a point of the outline that it has become."""
Pairs = set[tuple[int, int]]
Lines = Sequence[Sequence[Point]]


def common_points(outlines: Sequence[Lines]) -> Counter[tuple[int, int]]:
    """For each two outlines the number of points that they have in common."""
    owners: dict[Point, set[int]] = {}
    for i, lines in enumerate(outlines):
        for x, y in (p for line in lines for p in line):
            owners.setdefault((round(x, 3), round(y, 3)), set()).add(i)
    few = (each for each in owners.values() if 1 < len(each) <= _CROWD)
    return Counter(pair for each in few for pair in combinations(sorted(each), 2))


def corner_links(rings: Sequence[Sequence[Ring]], common: Counter[tuple[int, int]], touching: Pairs) -> Pairs:
    """The pairs that touch by rounding alone, perhaps: they have at most one point in common, and a short border.

    Where nearly all others have two points in common, the border may be of any length.

    Args:
        rings: the outlines with shared points.
        common: the points in common before points were shared.
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
    """The pairs that meet at a point, before or after points were shared, and that are not known otherwise."""
    after = common_points(rings)
    return {pair for pair in common.keys() | after.keys() if all(rings[i] for i in pair)} - known


def crumbs(rings: Sequence[Sequence[Ring]], outlines: Sequence[Lines]) -> list[Lines]:
    """The slivers of each outlined region, too small to become outlines."""
    results: list[Lines] = []
    for own, lines in zip(rings, outlines, strict=True):
        small = [line for line in lines if abs(area(line)) < _CRUMB] if own else []
        results.append([line for line in small if not _is_part(line, own)])
    return results


def _is_part(crumb: Sequence[Point], rings: Iterable[Ring]) -> bool:
    """Whether a part of a region is a part of its outline, too."""
    box = Box(extent(crumb)).grown(_SPAN)
    return any(all(box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in ring) for ring in rings)
