"""Detection of parallel lines that are close enough to be one border."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, hypot

from rulespec.drawing.svg import Point

_CROWD = 24  # areas at one point; more of them overlap rather than run side by side
_MAX_POINTS = 120_000


def beside(areas: Sequence[Sequence[Sequence[Point]]], near: float, along: int) -> set[tuple[int, int]]:
    """The pairs of areas with lines that run side by side.

    Args:
        areas: the lines of each area.
        near: the side of the grid squares; points in equal or adjacent squares are near.
        along: the minimum number of squares of either area that are near the other.
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
