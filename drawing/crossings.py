"""Edges that cross, or touch at an inner point; two equal edges count as a border instead."""

from __future__ import annotations

from collections.abc import Collection
from enum import IntEnum
from math import hypot
from typing import NamedTuple

from rulespec.drawing.outlines import Dot, Stroke

MAX_PAIRS = 300_000


class Meeting(IntEnum):
    """The relation between two different edges."""

    APART = 0  # or sharing an end
    TOUCHING = 1  # an end of one is on the other, or they overlap
    CROSSING = 2


class Crossings(NamedTuple):
    """The number of edge pairs that cross and of edge pairs that touch, in this order; greater is worse."""

    crossing: int
    touching: int


def crossings(edges: Collection[Stroke], others: Collection[Stroke]) -> Crossings:
    """The number of crossing pairs and of touching pairs with one edge from each collection; each pair counts once."""
    pairs = {(min(e, f), max(e, f)) for e in edges for f in others if e != f and _boxes_meet(e, f)}
    kinds = [meeting(e, f) for e, f in pairs]
    return Crossings(kinds.count(Meeting.CROSSING), kinds.count(Meeting.TOUCHING))


def first_crossing(edges: Collection[Stroke], depth: float) -> tuple[Stroke, Stroke] | None:
    """The leftmost two edges that cross and extend far beyond each other at both ends.

    Returns:
        None if there are none, or none among the first `MAX_PAIRS` pairs with overlapping x-ranges.
    """
    ordered, pairs = sorted(edges), 0
    for i, e in enumerate(ordered):
        (_, a), (right, b) = e
        low, high = (a, b) if a < b else (b, a)
        for k in range(i + 1, len(ordered)):
            f = ordered[k]
            (left, c), (_, d) = f
            if left > right:
                break
            if (pairs := pairs + 1) > MAX_PAIRS:
                return None
            if not ((c < low and d < low) or (c > high and d > high)) and _is_deep(e, f, depth):
                return e, f
    return None


def _is_deep(e: Stroke, f: Stroke, depth: float) -> bool:
    """Whether two edges cross, and no end of either is near the line of the other."""
    return meeting(e, f) is Meeting.CROSSING and all(
        abs((q[0] - p[0]) * (dot[1] - p[1]) - (q[1] - p[1]) * (dot[0] - p[0])) > depth * hypot(q[0] - p[0], q[1] - p[1])
        for (p, q), other in ((e, f), (f, e))
        for dot in other
    )


def _boxes_meet(e: Stroke, f: Stroke) -> bool:
    """Whether the bounding boxes of two edges meet; the ends of an edge are in ascending order."""
    if e[1][0] < f[0][0] or f[1][0] < e[0][0]:
        return False
    (a, b), (c, d) = (e[0][1], e[1][1]), (f[0][1], f[1][1])
    return not (max(a, b) < min(c, d) or max(c, d) < min(a, b))


def meeting(e: Stroke, f: Stroke) -> Meeting:
    """Whether two different edges are apart, touch or cross."""
    (a, b), (c, d) = e, f
    if a in f or b in f:
        same, p = (a, b) if a in f else (b, a)
        q = d if same == c else c
        back = not turn(same, p, q) and (p[0] - same[0]) * (q[0] - same[0]) + (p[1] - same[1]) * (q[1] - same[1]) > 0
        return Meeting.TOUCHING if back else Meeting.APART
    one, other = (turn(a, b, c), turn(a, b, d)), (turn(c, d, a), turn(c, d, b))
    if one == other == (0, 0):  # collinear: they touch if they overlap
        return Meeting.TOUCHING if max(a, b) >= min(c, d) and max(c, d) >= min(a, b) else Meeting.APART
    sides = one[0] * one[1], other[0] * other[1]
    if max(sides) > 0:
        return Meeting.APART
    return Meeting.CROSSING if max(sides) < 0 else Meeting.TOUCHING


def turn(a: Dot, b: Dot, c: Dot) -> int:
    """The side of a line on which a point lies: -1, 0 or 1."""
    size = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
    return (size > 0) - (size < 0)
