"""Outlines of regions, as data and as text edited in place: points with equal coordinates are the same point."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from math import hypot

from msgspec import Struct

from rulespec.drawing.areas import Areas, Border, chains
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.voronoi import Corner
from rulespec.records import Brief

MAX_RINGS = 64
MAX_POINTS = 20_000
"""Limits: the numbers of rings of an outline, and of points of all outlines of a board."""
MAX_NUMBER = 1_000_000
BRUSH = 3
"""The minimum length of a border; regions with a shorter one meet at a point."""
_RING = re.compile(r"\s*M([-\d\s]*)l([-\d\s]*)", re.ASCII)
_NUMBER = re.compile(r"-?\d+", re.ASCII)

Dot = tuple[int, int]
Ring = list[Dot]
Stroke = tuple[Dot, Dot]
"""An edge as its two ends in ascending order."""


class Outline(Brief, Struct, frozen=True):
    """The outline of a region, with the spots of its name and its pieces if they are given."""

    rings: list[Ring]
    label: Point | None = None
    pieces: Point | None = None
    turned: float = 0


class Scenery(Brief, Struct, frozen=True):
    """Land or water outside all regions."""

    rings: list[Ring]
    colour: str


def rings_of(data: str) -> list[Ring]:
    """The rings of path data.

    Raises:
        ValueError: if it is unreadable.
    """
    *parts, rest = data.split("z")
    if rest.strip() or not parts:
        raise ValueError("it does not end with `z`")
    if len(parts) > MAX_RINGS:
        raise ValueError(f"it has more than {MAX_RINGS} rings")
    return [[*_ring(part)] for part in parts]


@lru_cache(maxsize=4096)  # most rings are unchanged between two readings of a board
def _ring(text: str) -> tuple[Dot, ...]:
    result = _RING.fullmatch(text)
    if result is None:
        raise ValueError("expected a ring: `M`, a point, `l`, steps, `z`, all in whole numbers")
    start, steps = (_numbers(part) for part in result.groups())
    if len(start) != 2 or len(steps) % 2:
        raise ValueError("a number is missing: `M` needs two, and `l` two per step")
    x, y = start
    ring = [(x, y)]
    for dx, dy in zip(steps[::2], steps[1::2], strict=True):
        x, y = x + dx, y + dy
        if abs(x) > MAX_NUMBER or abs(y) > MAX_NUMBER:
            raise ValueError("a point has a coordinate beyond a million")
        if (x, y) != ring[-1]:
            ring.append((x, y))
    if len(ring) > 1 and ring[-1] == ring[0]:
        ring.pop()
    if len(ring) < 3:
        raise ValueError("a ring has fewer than three points")
    return tuple(ring)


def _numbers(text: str) -> list[int]:
    results = _NUMBER.findall(text)
    if text.count("-") != sum(n[0] == "-" for n in results) or any(len(n) > 8 for n in results):
        raise ValueError("a number cannot be read")
    return [int(n) for n in results]


def data_of(rings: Iterable[Ring]) -> str:
    """Path data for rings, the inverse of `rings_of`."""
    return "".join(
        f"M{ring[0][0]} {ring[0][1]}l{_joined(x - px for p, n in pairwise(ring) for px, x in zip(p, n, strict=True))}z"
        for ring in rings
    )


def _joined(numbers: Iterable[int]) -> str:
    """Numbers joined by blanks, or by nothing before a sign."""
    return "".join(f"{n}" if n < 0 or not i else f" {n}" for i, n in enumerate(numbers))


def strokes(rings: Iterable[Ring]) -> tuple[Stroke, ...]:
    """The edges of an outline, except for edges traversed in both directions."""
    return _strokes(tuple(map(tuple, rings)))


@lru_cache(maxsize=4096)
def _strokes(rings: tuple[tuple[Dot, ...], ...]) -> tuple[Stroke, ...]:
    counts: dict[Stroke, int] = {}
    for ring in rings:
        for p, q in pairwise((*ring, ring[0])):
            edge = (p, q) if p < q else (q, p)
            counts[edge] = counts.get(edge, 0) + 1
    return tuple(edge for edge, count in counts.items() if count % 2)


class Frame(Struct, frozen=True):
    """The extent of a board, in the units of its outlines."""

    left: float
    top: float
    width: float
    height: float

    def side(self, p: Point, q: Point) -> bool:
        """Whether an edge is on a side of the frame, or beyond it."""
        right, bottom = self.left + self.width, self.top + self.height
        return (
            (p[0] <= self.left and q[0] <= self.left)
            or (p[0] >= right and q[0] >= right)
            or (p[1] <= self.top and q[1] <= self.top)
            or (p[1] >= bottom and q[1] >= bottom)
        )

    def holds(self, point: Point) -> bool:
        """Whether a point is inside the frame or on its edge."""
        x, y = point[0] - self.left, point[1] - self.top
        return 0 <= x <= self.width and 0 <= y <= self.height

    def placed(self, point: Point, scale: float) -> Point:
        """A point scaled to the sheet, and clamped to the frame."""
        x = min(max(point[0] - self.left, 0), self.width)
        y = min(max(point[1] - self.top, 0), self.height)
        return x * scale, y * scale


def extent(points: Iterable[Point]) -> Box:
    """The bounding box of points."""
    xs, ys = zip(*points, strict=True)
    return Box((min(xs), min(ys), max(xs), max(ys)))


def net(outlines: Sequence[Sequence[Ring]], scenery: Sequence[Sequence[Ring]], frame: Frame, scale: float) -> Areas:
    """The areas of a board on the sheet, and the borders between them, which are the edges shared by two outlines."""
    between: dict[tuple[int, int], list[tuple[Corner, Corner]]] = {}
    owners = shared(outlines, scenery)
    degree: dict[Corner, int] = {}
    for edge, sides in owners.items():
        regions = sorted(i for i in sides if i < len(outlines))
        if not regions or (len(sides) == 1 and frame.side(*edge)):
            continue
        # Beyond a lone edge is nothing (-1), or scenery, numbered from -2 downwards.
        beyond = min((len(outlines) - i - 2 for i in sides if i >= len(outlines)), default=-1)
        for pair in pairwise(regions) if len(regions) > 1 else [(regions[0], beyond)]:
            between.setdefault(pair, []).append(edge)
            for dot in edge:
                degree[dot] = degree.get(dot, 0) + 1
    borders = []
    for (a, b), edges in between.items():
        beyond = b if b < 0 or sum(hypot(q[0] - p[0], q[1] - p[1]) for p, q in edges) >= BRUSH else -1
        lines = ([frame.placed((x, y), scale) for x, y in chain] for chain in chains(edges, degree))
        borders += [Border(a, beyond, line) for line in lines]
    return Areas([[[frame.placed(p, scale) for p in ring] for ring in rings] for rings in outlines], borders)


def shared(outlines: Sequence[Sequence[Ring]], scenery: Sequence[Sequence[Ring]] = ()) -> dict[Stroke, list[int]]:
    """Maps each edge to the numbers of the outlines that contain it; scenery is numbered after regions."""
    owners: dict[Stroke, list[int]] = {}
    for i, rings in enumerate([*outlines, *scenery]):
        for edge in strokes(rings):
            owners.setdefault(edge, []).append(i)
    return owners


def area(line: Sequence[Point]) -> float:
    """The signed area inside a line, negative if clockwise."""
    return sum(x * ny - nx * y for (x, y), (nx, ny) in pairwise([*line, line[0]])) / 2


def centre(line: Sequence[Point]) -> Point:
    """The centroid of the area inside a line."""
    size = area(line)
    if abs(size) < 1e-9:
        return sum(x for x, _ in line) / len(line), sum(y for _, y in line) / len(line)
    x = y = 0.0
    for (ax, ay), (bx, by) in pairwise([*line, line[0]]):
        part = ax * by - bx * ay
        x += (ax + bx) * part
        y += (ay + by) * part
    return x / (6 * size), y / (6 * size)


def centre_of(rings: Sequence[Ring]) -> Point:
    """The centroid of the largest ring."""
    return centre(max(rings, key=lambda ring: abs(area(ring))))


def holds(rings: Sequence[Sequence[Point]], x: float, y: float) -> bool:
    """Whether an area contains a point."""
    count = 0
    for ring in rings:
        for (px, py), (qx, qy) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (py > y) != (qy > y) and x < px + (y - py) * (qx - px) / (qy - py):
                count += 1
    return count % 2 == 1


def square(at: Dot, half: int) -> Ring:
    """A square around a point."""
    (x, y), half = at, max(half, 1)
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half)]


_PART = re.compile(r"[Mlz]|-?[0-9]+")


def rewritten(source: str, rings: Iterable[Ring]) -> str:
    """Path data with new rings.

    Args:
        source: the data as they appear in a file, with quotes and possibly on several lines.
        rings: the new rings.

    Returns:
        The text with only the numbers between the first and the last difference replaced.
    """
    data = data_of(rings)
    places = [place.span() for place in _PART.finditer(source)]
    old, new = _PART.findall(source), _PART.findall(data)
    if not old or old == new:
        return source if old else data
    most = min(len(old), len(new))
    begin = next((i for i in range(most) if old[i] != new[i]), most)
    end = next((i for i in range(most - begin) if old[-1 - i] != new[-1 - i]), most - begin)
    gaps = [source[stop:start] for (_, stop), (start, _) in pairwise(places)]
    blank = any(gap and part[0] == "-" for gap, part in zip(gaps, old[1:], strict=True))
    text = source[: places[begin - 1][1] if begin else places[0][0]]
    last = len(new) - end
    for i in range(begin, last + (end > 0)):
        part = new[i]
        apart = new[i - 1][-1].isdecimal() and (part.isdecimal() or (blank and part[0] == "-"))
        gap = gaps[begin - 1] if i == begin and 0 < begin < len(old) else ""
        gap = "" if gap == " " and part[0] == "-" and not blank else gap
        gap = gaps[len(old) - end - 1] if i == last and end < len(old) else gap
        text += (gap or " " * apart) + part * (i < last)
    return text + source[places[-end][0] if end else places[-1][1] :]
