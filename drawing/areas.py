"""Areas for regions that have only positions and links: linked regions touch wherever the plane allows it.

Each region is the union of the Voronoi cells of its position and of additional sites along its links. Without these
sites, a fifth of the links would have no border, and just as many borders would have no link
(docs/explanation/drawing.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import ceil, hypot

from msgspec import Struct

from rulespec.drawing.svg import Point
from rulespec.drawing.voronoi import Corner, Edge, cells

ALONG = (0.1, 0.2, 0.3, 0.4, 0.48)
"""Positions of additional sites along a link, as fractions of its length from either end."""
MAX_SITES = 4_000
MAX_LINES = 800
"""The maximum number of links to place sites along, shortest first; the others are drawn as lines."""
_APART = 9.0  # the minimum distance between sites of one link
_SMOOTHINGS = 2
_REPAIRS = 12
_Line = tuple[int, int, Point, Point]
"""Two regions, the second -1 at the frame, and the ends of a line between them."""


class Border(Struct, frozen=True):
    """A border between two regions; `b` is negative at the outer edge."""

    a: int
    b: int
    points: list[Point]


class Areas(Struct, frozen=True):
    """The outlines of each region, and the borders between them."""

    outlines: list[list[list[Point]]]
    borders: list[Border]

    def touching(self) -> set[tuple[int, int]]:
        """The pairs of regions that share a border, lower number first."""
        return {(min(b.a, b.b), max(b.a, b.b)) for b in self.borders if b.b >= 0}


def areas(
    positions: Sequence[Point],
    links: Iterable[tuple[int, int]],
    width: float,
    height: float,
    stubs: Iterable[tuple[int, Point]] = (),
) -> Areas:
    """The areas of the regions in a frame.

    Args:
        positions: the positions of the regions, inside the frame.
        links: pairs of regions that should touch.
        width: the width of the frame.
        height: the height of the frame.
        stubs: for some regions, an additional point that their area should reach, such as a point on the frame.
    """
    lines = [(a, b, positions[a], positions[b]) for a, b in links]
    lines += [(a, -1, positions[a], end) for a, end in stubs]
    lines = _uncrossed(lines)
    result = _sown(positions, lines, width, height)
    for _ in range(min(_REPAIRS, 5 * MAX_SITES // max(len(positions) + 10 * len(lines), 1))):
        # Distant sites may cut a region into parts: dropping its longest link makes it whole again.
        torn = {i for i, outlines in enumerate(result.outlines) if len(outlines) > 1}
        longest = max((line for line in lines if not torn.isdisjoint(line[:2])), key=_length, default=None)
        if longest is None:
            break
        lines.remove(longest)
        result = _sown(positions, lines, width, height)
    return result


def _sown(positions: Sequence[Point], lines: Sequence[_Line], width: float, height: float) -> Areas:
    """Areas with additional sites along the given lines."""
    sites, owners = list(positions), list(range(len(positions)))
    for a, b, start, end in lines:
        for t in _steps(start, end):
            sites.append((start[0] + t * (end[0] - start[0]), start[1] + t * (end[1] - start[1])))
            owners.append(a)
            if b >= 0:
                sites.append((end[0] + t * (start[0] - end[0]), end[1] + t * (start[1] - end[1])))
                owners.append(b)
            else:
                sites.append((start[0] + (1 - t) * (end[0] - start[0]), start[1] + (1 - t) * (end[1] - start[1])))
                owners.append(a)
        if len(sites) > MAX_SITES:
            break
    return _joined(cells(sites, width, height), owners, len(positions))


def _steps(start: Point, end: Point) -> Sequence[float]:
    length = hypot(end[0] - start[0], end[1] - start[1])
    if length * 0.1 >= _APART:
        return ALONG
    return (0.25, 0.48) if length * 0.23 >= _APART else (0.4,)


def _length(line: _Line) -> float:
    return hypot(line[3][0] - line[2][0], line[3][1] - line[2][1])


def _uncrossed(lines: Sequence[_Line]) -> list[_Line]:
    """The lines, dropping the longer of any two that cross."""
    rest: list[_Line] = []
    for line in sorted(lines, key=lambda line: (_length(line), line))[:MAX_LINES]:
        a, b, start, end = line
        if not any({a, b}.isdisjoint({c, d} - {-1}) and cross(start, end, other, far) for c, d, other, far in rest):
            rest.append(line)
    return rest


def cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Whether two lines cross; their ends do not count."""

    def side(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return side(a, b, c) * side(a, b, d) < 0 and side(c, d, a) * side(c, d, b) < 0


def _joined(edges_by_cell: list[list[Edge]], owners: Sequence[int], count: int) -> Areas:
    """Merges the cells of each owner, and smooths the borders between owners."""
    places: dict[Corner, Point] = {}
    between: dict[tuple[int, int], list[tuple[Corner, Corner]]] = {}
    degree: dict[Corner, int] = {}
    for i, edges in enumerate(edges_by_cell):
        for edge in edges:
            other = owners[edge.beyond] if edge.beyond >= 0 else -1
            if other == owners[i] or (edge.beyond >= 0 and edge.beyond < i):
                continue
            places.setdefault(edge.start, edge.at[0])
            places.setdefault(edge.end, edge.at[1])
            between.setdefault((owners[i], other), []).append((edge.start, edge.end))
            for corner in (edge.start, edge.end):
                degree[corner] = degree.get(corner, 0) + 1
    merged: dict[tuple[int, int], list[tuple[Corner, Corner]]] = {}
    for (a, b), lines in between.items():
        merged.setdefault((a, b) if b < 0 or a < b else (b, a), []).extend(lines)
    outlines: list[list[tuple[Corner, Corner, list[Point]]]] = [[] for _ in range(count)]
    borders = []
    for (a, b), lines in merged.items():
        for chain in chains(lines, degree):
            points = [places[corner] for corner in chain]
            points = points if b < 0 else _smooth(points)
            borders.append(Border(a, b, points))
            outlines[a].append((chain[0], chain[-1], points))
            if b >= 0:
                outlines[b].append((chain[0], chain[-1], points))
    return Areas([loops(parts) for parts in outlines], borders)


def chains(lines: list[tuple[Corner, Corner]], degree: dict[Corner, int]) -> list[list[Corner]]:
    """Chains of connected lines, each ending at corners where more than two lines meet."""
    at: dict[Corner, list[int]] = {}
    for k, ends in enumerate(lines):
        for corner in ends:
            at.setdefault(corner, []).append(k)
    used: set[int] = set()

    def follow(k: int, corner: Corner) -> list[Corner]:
        chain = [lines[k][0] if lines[k][1] == corner else lines[k][1], corner]
        used.add(k)
        while degree[chain[-1]] == 2:
            more = next((n for n in at[chain[-1]] if n not in used), None)
            if more is None:
                break
            used.add(more)
            chain.append(lines[more][0] if lines[more][1] == chain[-1] else lines[more][1])
        return chain

    results = []
    for k, ends in enumerate(lines):
        if k in used:
            continue
        start = next((corner for corner in ends if degree[corner] != 2), None)
        if start is not None:
            results.append(follow(k, ends[0] if start == ends[1] else ends[1]))
    results += [follow(k, ends[1]) for k, ends in enumerate(lines) if k not in used]
    return results


def _smooth(points: list[Point]) -> list[Point]:
    """A line with its corners smoothed; its ends stay fixed."""
    closed = points[0] == points[-1]
    for _ in range(_SMOOTHINGS):
        if len(points) < 3:
            return points
        cut = [] if closed else [points[0]]
        for (x, y), (nx, ny) in pairwise(points):
            cut += [(0.75 * x + 0.25 * nx, 0.75 * y + 0.25 * ny), (0.25 * x + 0.75 * nx, 0.25 * y + 0.75 * ny)]
        points = [*cut, cut[0]] if closed else [points[0], *cut[2:-2], points[-1]] if len(cut) > 5 else points
    return points


def loops(parts: list[tuple[Corner, Corner, list[Point]]]) -> list[list[Point]]:
    """Closed outlines assembled from lines."""
    at: dict[Corner, list[int]] = {}
    for k, (start, end, _) in enumerate(parts):
        at.setdefault(start, []).append(k)
        at.setdefault(end, []).append(k)
    used: set[int] = set()
    results = []
    for k, (start, end, points) in enumerate(parts):
        if k in used:
            continue
        used.add(k)
        loop, place = list(points), end
        while place != start:
            more = next((n for n in at[place] if n not in used), None)
            if more is None:
                break
            used.add(more)
            first, last, line = parts[more]
            loop += line[1:] if first == place else line[-2::-1]
            place = last if first == place else first
        results.append(loop)
    return results


def spans(outlines: Sequence[Sequence[Point]], rows: int, side: int) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The grid squares whose centres are inside outlines, by row: the first and last column of each run."""
    crossings: list[list[float]] = [[] for _ in range(rows)]
    for line in outlines:
        for (x, y), (nx, ny) in zip(line, [*line[1:], line[0]], strict=True):
            if y == ny:
                continue
            (x, y), (nx, ny) = ((x, y), (nx, ny)) if y < ny else ((nx, ny), (x, y))
            for row in range(max(ceil(y / side - 0.5), 0), min(ceil(ny / side - 0.5), rows)):
                at = (row + 0.5) * side
                crossings[row] += (x + (at - y) * (nx - x) / (ny - y),)
    for row, result in enumerate(crossings):
        if result:
            result.sort()
            pairs = zip(result[::2], result[1::2], strict=False)
            # inline floor and ceiling: up to a million calls otherwise
            yield row, [(-int(-(left / side - 0.5) // 1), int((right / side - 0.5) // 1)) for left, right in pairs]
