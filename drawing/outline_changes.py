"""Changes to a board's outlines: a point moves in every outline that contains it, so borders stay closed.

Each function returns the changed outlines. A change that would make borders cross is refused.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise, permutations

from rulespec.drawing.crossings import Crossings, crossings, turn
from rulespec.drawing.outlines import MAX_NUMBER, MAX_RINGS, Dot, Frame, Ring, Stroke, area
from rulespec.drawing.pointing import distance, edges_near, snapped
from rulespec.drawing.svg import Box
from rulespec.errors import RulespecError

Part = tuple[str, str]
"""A section of a board, `outlines` or `scenery`, and a name in that section."""
Outlines = Mapping[Part, list[Ring]]
Changed = dict[Part, list[Ring]]
MAX_PAIRS = 4_000_000
"""The maximum number of pairs of edges compared to check a change."""


class OutlineError(RulespecError):
    """A refused change to outlines; the text gives the reason."""


def moved(
    outlines: Outlines, frame: Frame | None, at: Dot, to: Dot, snap: float = 0, only: Part | None = None
) -> Changed:
    """The outlines after a point was moved, in all outlines that contain it or, detached from the others, only in the
    outline `only`.

    Args:
        outlines: all outlines of the board.
        frame: the edge of the board; a point on a side stays on it.
        at: the point.
        to: its new place.
        snap: the distance from `to` within which it snaps to another point, otherwise to an edge, otherwise to a side
            of the frame.
        only: the outline to detach.

    Raises:
        OutlineError: if there is no such point, or the result is not a valid board.
    """
    owners = [part for part in outlines if any(at in ring for ring in outlines[part])]
    if only is not None and only not in owners:
        raise OutlineError(f"`{only[1]}` has no point at {written(at)}")
    if not owners:
        raise OutlineError(f"no outline has a point at {written(at)}; {_nearest(outlines, at)}")
    to, edge = snapped(_all(outlines), frame, to, snap, at)
    _check_place(frame, at, to)
    if to == at:
        return {}
    joined = _with_point(outlines, edge, to) if edge is not None else {}
    merged = edge is not None or any(to in ring for ring in _all(outlines))
    changed = dict(joined)
    for part in owners if only is None else [only]:
        rings = [[to if dot == at else dot for dot in ring] for ring in joined.get(part, outlines[part])]
        changed[part] = [_tidy(ring, to) for ring in rings] if merged else rings
    _check(outlines, changed)
    return changed


def inserted(outlines: Outlines, frame: Frame | None, edge: Stroke, to: Dot) -> Changed:
    """The outlines after a point was inserted into an edge, in all outlines that share this edge.

    Raises:
        OutlineError: if there is no such edge, or the result is not a valid board.
    """
    changed = _with_point(outlines, edge, to)
    if not changed:
        raise OutlineError(f"no outline has an edge from {written(edge[0])} to {written(edge[1])}")
    if to in edge:
        raise OutlineError(f"the edge already has a point at {written(to)}")
    if frame is not None and frame.side(*edge) and not (frame.side(edge[0], to) and frame.holds(to)):
        raise OutlineError("the edge is on the frame, so a new point must also be on it")
    _check_place(frame, None, to)
    _check(outlines, changed)
    return changed


def removed(outlines: Outlines, frame: Frame | None, at: Dot) -> Changed:
    """The outlines after a point was removed from all outlines that contain it.

    Raises:
        OutlineError: if there is no such point, a border ends there, or the result is not a valid board.
    """
    beside = {
        frozenset((before, after))
        for ring in _all(outlines)
        for before, dot, after in zip([ring[-1], *ring], ring, [*ring[1:], ring[0]], strict=False)
        if dot == at
    }
    if not beside:
        raise OutlineError(f"no outline has a point at {written(at)}; {_nearest(outlines, at)}")
    if len(beside) > 1:
        raise OutlineError(f"borders meet at {written(at)}, and would come apart without this point: move it instead")
    ends = [dot for each in beside for dot in each]
    if frame is not None and not all(_sides(frame, at) <= _sides(frame, dot) for dot in ends):
        raise OutlineError(f"the border reaches the frame at {written(at)}, and would leave it without this point")
    owners = [part for part in outlines if any(at in ring for ring in outlines[part])]
    changed = {part: [[dot for dot in ring if dot != at] for ring in outlines[part]] for part in owners}
    _check(outlines, changed)
    return changed


def drawn(outlines: Outlines, frame: Frame | None, part: Part, points: Sequence[Dot], snap: float = 0) -> Changed:
    """The outlines after a ring was added to one of them: its area if it was empty, otherwise an island or a hole.

    Points of other outlines that lie on the ring's edges become points of the ring, and vice versa.

    Raises:
        OutlineError: if the ring crosses itself or another ring of the outline, or has no area.
    """
    if len(outlines.get(part, ())) >= MAX_RINGS:
        raise OutlineError(f"`{part[1]}` already has {MAX_RINGS} rings, which is the maximum")
    changed: Changed = {}
    ring: Ring = []
    for point in points:
        to, edge = snapped(_all({**outlines, **changed}), frame, point, snap)
        _check_place(frame, None, to)
        if edge is not None:
            changed |= _with_point({**outlines, **changed}, edge, to)
        if not ring or to != ring[-1]:
            ring.append(to)
    if len(ring) > 1 and ring[-1] == ring[0]:
        ring.pop()
    if len(ring) < 3 or not any(turn(ring[0], p, q) for p, q in pairwise(ring)):
        raise OutlineError("an outline needs at least three points that are not collinear")
    others = sorted({dot for other in _all({**outlines, **changed}) for dot in other})
    ring = [dot for p, q in pairwise([*ring, ring[0]]) for dot in (p, *_between(others, p, q))]
    _check(outlines, changed)
    changed[part] = [*changed.get(part, outlines.get(part, [])), ring]
    own = {edge for each in changed[part] for edge in _edges(each)}
    _check_number(len(ring) * len(own))
    if len(set(ring)) < len(ring) or any(crossings({*_edges(ring)}, own)):
        raise OutlineError("the outline crosses itself")
    if any({*_edges(ring)} == {*_edges(each)} for each in changed[part][:-1]):
        raise OutlineError(f"`{part[1]}` already has this ring")
    return changed


def followed(outlines: Outlines, part: Part, other: Part, begin: Dot, end: Dot) -> Changed:
    """The outlines after one of them was made to follow the points of another between two shared points.

    Each ring has two paths between these points; the pair with the least area between them is used.

    Raises:
        OutlineError: if they do not share the two points, or the result is not a valid board.
    """
    ways = [way for ring in outlines[other] for way in _ways(ring, begin, end)]
    choices = []
    for number, ring in enumerate(outlines[part]):
        for old, rest in permutations(_ways(ring, begin, end), 2):
            choices += [(abs(area([*old, *way[-2:0:-1]])), number, [*way, *rest[-2:0:-1]]) for way in ways]
    if not choices:
        places = f"{written(begin)} and {written(end)}"
        raise OutlineError(f"`{part[1]}` and `{other[1]}` do not share the points {places}: move or insert them first")
    _, number, ring = min(choices, key=lambda choice: choice[0])
    rings = [ring if i == number else each for i, each in enumerate(outlines[part])]
    if area(ring) * area(outlines[part][number]) < 0:
        rings[number] = ring[::-1]
    changed = {part: rings}
    _check(outlines, changed)
    return changed


def written(dot: Dot) -> str:
    """A point as written in edits."""
    return f"{dot[0]},{dot[1]}"


# --- parts of changes ------------------------------------------------------------------------------------------------


def _all(outlines: Outlines) -> Iterator[Ring]:
    return (ring for rings in outlines.values() for ring in rings)


def _edges(ring: Ring) -> Iterator[Stroke]:
    return ((p, q) if p < q else (q, p) for p, q in pairwise([*ring, ring[0]]))


def _with_point(outlines: Outlines, edge: Stroke, to: Dot) -> Changed:
    """The outlines that have an edge, with a point inserted there."""
    changed: Changed = {}
    for part, rings in outlines.items():
        for number, ring in enumerate(rings):
            if edge[0] not in ring or {edge, edge[::-1]}.isdisjoint(zip(ring, [*ring[1:], ring[0]], strict=True)):
                continue
            both = zip(ring, [*ring[1:], ring[0]], strict=True)
            result = [dot for p, q in both for dot in ((p, to) if {p, q} == {*edge} else (p,))]
            changed.setdefault(part, list(rings))[number] = result
    return changed


def _tidy(ring: Ring, to: Dot) -> Ring:
    """A ring after two of its points were merged: without repeated points, and without edges walked both ways.

    Raises:
        OutlineError: if nothing of the ring is left.
    """
    while len(ring) > 2:
        places = enumerate(zip([ring[-1], *ring], ring, [*ring[1:], ring[0]], strict=False))
        vain = (i for i, (p, dot, q) in places if dot == p or (p == q and to in (p, dot)))
        if (i := next(vain, None)) is None:
            return ring
        ring = ring[:i] + ring[i + 1 :]
    raise OutlineError("a ring would have no area: remove its outline instead")


def _between(dots: Sequence[Dot], p: Dot, q: Dot) -> list[Dot]:
    """Those of some sorted points that are exactly on an edge, in order."""
    low, high = min(p, q), max(p, q)
    near = dots[bisect_right(dots, low) : bisect_left(dots, high)]
    top, bottom = min(p[1], q[1]), max(p[1], q[1])
    dx, dy = q[0] - p[0], q[1] - p[1]
    on = [d for d in near if top <= d[1] <= bottom and dx * (d[1] - p[1]) == dy * (d[0] - p[0])]
    return on if p < q else on[::-1]


def _ways(ring: Ring, begin: Dot, end: Dot) -> list[Ring]:
    """Both paths along a ring between two of its points; empty if one is missing."""
    if begin == end or begin not in ring or end not in ring:
        return []
    from_begin = ring[ring.index(begin) :] + ring[: ring.index(begin)]
    number = from_begin.index(end)
    return [from_begin[: number + 1], [from_begin[0], *from_begin[number:][::-1]]]


def _sides(frame: Frame, dot: Dot) -> set[str]:
    """The sides of the frame that contain a point."""
    x, y = dot
    right, bottom = frame.left + frame.width, frame.top + frame.height
    on = {"left": x == frame.left, "right": x == right, "top": y == frame.top, "bottom": y == bottom}
    return {side for side, is_on in on.items() if is_on and frame.holds(dot)}


def _check_place(frame: Frame | None, at: Dot | None, to: Dot) -> None:
    """Refuses a place beyond the frame, or off the frame side that contains the point."""
    if max(map(abs, to)) > MAX_NUMBER:
        raise OutlineError(f"{written(to)} has a coordinate beyond a million")
    if frame is None:
        return
    if not frame.holds(to):
        raise OutlineError(f"{written(to)} is outside the frame")
    if at is not None and not _sides(frame, at) <= _sides(frame, to):
        sides = len(_sides(frame, at))
        way = "it cannot move" if sides > 1 else "it can move only along the frame"
        raise OutlineError(f"{written(at)} is {'a corner' if sides > 1 else 'a point'} of the frame: {way}")


def _check(outlines: Outlines, changed: Changed) -> None:
    """Refuses changes that flatten a ring or turn it inside out, or that make further edges cross."""
    gone: set[Stroke] = set()
    new: set[Stroke] = set()
    for part, rings in changed.items():
        for old_ring, ring in zip(outlines[part], rings, strict=True):
            if len(ring) < 3 or not area(ring):
                raise OutlineError("a ring would have no area: remove its outline instead")
            if area(old_ring) * area(ring) < 0:
                raise OutlineError(f"`{part[1]}` would be inverted")
        before, after = ({edge for ring in each for edge in _edges(ring)} for each in (outlines[part], rings))
        if _swept(before ^ after, before & after):
            raise OutlineError(f"the border of `{part[1]}` would cross another part of it")
        gone |= before - after
        new |= after - before
    others = [ring for part, rings in outlines.items() if part not in changed for ring in rings]
    now = _faults(new, [*others, *(ring for rings in changed.values() for ring in rings)])
    if any(now) and now > _faults(gone, _all(outlines)):
        raise OutlineError("borders would cross")


def _swept(change: set[Stroke], rest: set[Stroke]) -> bool:
    """Whether a border, by moving, passes the end of a fixed edge."""
    ends = {dot for edge in change for dot in edge}
    if not ends:
        return False
    low, high = min(y for _, y in ends), max(y for _, y in ends)
    left, right = min(x for x, _ in ends), max(x for x, _ in ends)
    inside = {dot for edge in rest for dot in edge if left < dot[0] < right and low < dot[1] < high} - ends
    _check_number(len(inside) * len(change))
    return any(_count(change, x, y) % 2 for x, y in inside)


def _count(edges: set[Stroke], x: int, y: int) -> int:
    """The number of edges to the right of a place."""
    return sum(x < px + (y - py) * (qx - px) / (qy - py) for (px, py), (qx, qy) in edges if (py > y) != (qy > y))


def _faults(edges: set[Stroke], rings: Iterable[Ring]) -> Crossings:
    """The crossings of edges with those of rings."""
    if not edges:
        return Crossings(0, 0)
    xs, ys = zip(*(dot for edge in edges for dot in edge), strict=True)
    near = edges_near(rings, Box((min(xs), min(ys), max(xs), max(ys))))
    _check_number(len(edges) * len(near))
    return crossings(edges, near)


def _check_number(pairs: int) -> None:
    """Refuses changes that would take seconds to check, such as hundreds of borders with thousands of points."""
    if pairs > MAX_PAIRS:
        raise OutlineError("too many borders would change at once")


def _nearest(outlines: Outlines, at: Dot) -> str:
    """The nearest point, for use in a message."""
    dots = [dot for ring in _all(outlines) for dot in ring]
    if not dots:
        return "there are no outlines"
    return f"the nearest is {written(min(dots, key=lambda dot: distance(dot, at)))}"
