"""Snapping of pointer positions on a board: to points first, then to edges, then to the frame."""

from __future__ import annotations

from collections.abc import Iterable
from math import hypot

from rulespec.drawing.outlines import Dot, Frame, Ring, Stroke
from rulespec.drawing.svg import Box, Point

_EXACT = 1e-6
"""The numerical tolerance for a point on an edge."""


def snapped(
    rings: Iterable[Ring], frame: Frame | None, place: Dot, reach: float, moving: Dot | None = None
) -> tuple[Dot, Stroke | None]:
    """The target of a pointer: a point within reach, otherwise a position on an edge (returned with the edge),
    otherwise a position on the frame.

    With a reach of 0, the position is unchanged, and an edge is returned only if the position is exactly on it.

    Args:
        rings: the rings of all outlines of the board.
        frame: the frame of the board.
        place: the place pointed at.
        reach: the snapping distance.
        moving: a point that is being dragged; neither the point nor its edges are targets.
    """
    x, y = place
    near = edges_near(rings, Box((x - reach, y - reach, x + reach, y + reach)))
    dots = {dot for edge in near for dot in edge if distance(dot, place) <= reach} - {moving}
    if dots:
        return min(dots, key=lambda dot: (distance(dot, place), dot)), None
    feet = [(_foot(place, *edge), edge) for edge in near if moving not in edge]
    choices = [(distance(at, place), at, edge) for at, edge in feet if at is not None]
    if choices and min(choices)[0] <= max(reach, _EXACT):
        _, foot, edge = min(choices)
        dot = (round(foot[0]), round(foot[1]))
        return dot, None if dot in edge else edge
    return _at_frame(frame, place, reach), None


def distance(p: Point, q: Point) -> float:
    """The distance between two points."""
    return hypot(p[0] - q[0], p[1] - q[1])


def edges_near(rings: Iterable[Ring], box: Box) -> set[Stroke]:
    """The edges whose bounding boxes may intersect a box."""
    left, top, right, bottom = box
    near: set[Stroke] = set()
    for ring in rings:
        px, py = p = ring[-1]
        for q in ring:
            qx, qy = q
            if not (
                (px < left and qx < left)
                or (px > right and qx > right)
                or (py < top and qy < top)
                or (py > bottom and qy > bottom)
            ):
                near.add((p, q) if p < q else (q, p))
            p, px, py = q, qx, qy
    return near


def _foot(place: Dot, p: Dot, q: Dot) -> tuple[float, float] | None:
    """The point of an edge that is nearest to a position, if between its ends."""
    dx, dy = q[0] - p[0], q[1] - p[1]
    if not dx and not dy:
        return None
    along = ((place[0] - p[0]) * dx + (place[1] - p[1]) * dy) / (dx * dx + dy * dy)
    return (p[0] + along * dx, p[1] + along * dy) if 0 < along < 1 else None


def _at_frame(frame: Frame | None, place: Dot, reach: float) -> Dot:
    """The nearest position on the frame within reach."""
    if frame is None:
        return place
    x, y = place
    right, bottom = frame.left + frame.width, frame.top + frame.height
    x = round(next((side for side in (frame.left, right) if abs(x - side) <= reach), x))
    y = round(next((side for side in (frame.top, bottom) if abs(y - side) <= reach), y))
    return x, y
