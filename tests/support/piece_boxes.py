"""Boxes of pieces on a drawn map, measured from the picture rather than its plan, with checks of their regions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from html import unescape
from math import cos, hypot, radians, sin
from typing import Any, NamedTuple

from rulespec.drawing.board import Board
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.shown import Names
from rulespec.drawing.standing import PlacedPiles, standing
from rulespec.drawing.text_width import text_width

Point = tuple[float, float]
INSIDE = 0.8
"""The least share of a piece inside its region."""
LINE = 2.0
"""The maximum length of a line from a piece to its region, in pieces."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?|[a-zA-Z]")
_PLACED = re.compile(r'transform="translate\((\S+) (\S+)\) scale\((\S+)\)"')
_LINE = re.compile(r'<path d="M(\S+) (\S+)L(\S+) (\S+)" fill="none" stroke="#1a1a1a"')


class Piece(NamedTuple):
    """A piece: its item, region, centre, side, placement (inside, pile, line or outside), and its line's end."""

    id: str
    region: str
    middle: Point
    side: float
    how: str
    end: Point | None = None


class Shape:
    """An area given by the path of a picture, under the even-odd rule."""

    def __init__(self, data: str) -> None:
        self.rings = _rings(data)
        self._depths = [sum(_odd([other], ring[0]) for other in self.rings if other is not ring) for ring in self.rings]

    def holds(self, point: Point) -> bool:
        """Whether a point is inside."""
        return _odd(self.rings, point)

    def share(self, middle: Point, side: float) -> float:
        """The share of a square inside the area."""
        sizes = (_area(_clipped(ring, middle, side / 2)) for ring in self.rings)
        return sum(-size if depth % 2 else size for size, depth in zip(sizes, self._depths, strict=True)) / side**2


def _rings(data: str) -> list[list[Point]]:
    """The rings in path data with `M`, `L`, `l` and `z`."""
    parts = _NUMBER.findall(data)
    rings: list[list[Point]] = []
    command, at = "", 0
    while at < len(parts):
        if parts[at].isalpha():
            command, at = parts[at], at + 1
            if command == "M":
                rings.append([])
            continue
        x, y = float(parts[at]), float(parts[at + 1])
        at += 2
        if command == "l":
            x, y = rings[-1][-1][0] + x, rings[-1][-1][1] + y
        rings[-1].append((x, y))
    return rings


def _odd(rings: Sequence[Sequence[Point]], point: Point) -> bool:
    x, y = point
    count = 0
    for ring in rings:
        for (px, py), (qx, qy) in zip(ring, [*ring[1:], ring[0]], strict=True):
            if (py > y) != (qy > y) and x < px + (y - py) * (qx - px) / (qy - py):
                count += 1
    return count % 2 == 1


def _clipped(ring: Sequence[Point], middle: Point, half: float) -> list[Point]:
    """A ring clipped to a square, one side after another."""
    points = list(ring)
    for axis in (0, 1):
        for sign in (1, -1):
            edge = middle[axis] + sign * half
            result: list[Point] = []
            for p, q in zip(points, [*points[1:], *points[:1]], strict=True):
                p_in, q_in = (edge - p[axis]) * sign >= 0, (edge - q[axis]) * sign >= 0
                if p_in:
                    result.append(p)
                if p_in != q_in:
                    t = (edge - p[axis]) / (q[axis] - p[axis])
                    result.append((p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])))
            points = result
    return points


def _area(points: Sequence[Point]) -> float:
    pairs = zip(points, [*points[1:], *points[:1]], strict=True)
    return abs(sum(p[0] * q[1] - q[0] * p[1] for p, q in pairs)) / 2


def shapes(board: Board) -> dict[str, Shape]:
    """The areas of all maps' regions, by place."""
    results = {}
    for item in board.static:
        if (
            item.id.startswith("region.")
            and item.layer == "areas"
            and (data := re.search(r'<path d="([MLlzZ\d. -]+)"', item.svg))
        ):
            place = re.search(r'data-place="([^"]+)"', item.svg)
            assert place is not None
            results[place[1]] = Shape(data[1])
    return results


def pieces(board: Board, areas: dict[str, Shape], state: dict[str, Any]) -> Iterator[Piece]:
    """The pieces on regions in a state."""
    items = {item.id: item for item in board.items(state)}
    names: Names = board.names
    for (kind, number), tokens in standing(
        board.sheet, board.plans, names.read(state), PlacedPiles(board.sheet, board.plans), {}
    ).items():
        place = f"{kind}.{names.names(kind)[number]}" if number < len(names.names(kind)) else ""
        if place not in areas or number not in board.plans[kind].slots:
            continue
        for token in tokens:
            for suffix in ("", ".pile"):
                if (item := items.get(token.id + suffix)) is not None:
                    yield _piece(item, place, areas[place], suffix)


def _piece(item: SceneItem, place: str, area: Shape, suffix: str) -> Piece:
    placed = _PLACED.search(item.svg)
    assert placed is not None, item.svg
    x, y, scale = (float(part) for part in placed.groups())
    side = 24 * scale
    middle = (x + side / 2, y + side / 2)
    if area.holds(middle) and area.share(middle, side) >= INSIDE:
        return Piece(item.id, place, middle, side, "pile" if suffix else "inside")
    line = _LINE.search(item.svg)
    if line is not None:
        ax, ay, bx, by = (float(part) for part in line.groups())
        far = hypot(max(abs(bx - middle[0]) - side / 2, 0), max(abs(by - middle[1]) - side / 2, 0))
        if (abs(ax - middle[0]) < 0.1 and abs(ay - middle[1]) < 0.1) and area.holds((bx, by)) and far <= LINE * side:
            return Piece(item.id, place, middle, side, "line", (bx, by))
    return Piece(item.id, place, middle, side, "outside")


def overlaps(of: Sequence[Piece]) -> list[tuple[str, str]]:
    """Pairs of overlapping pieces."""
    results = []
    for i, one in enumerate(of):
        for other in of[:i]:
            reach = (one.side + other.side) / 2 - 0.5
            if abs(one.middle[0] - other.middle[0]) < reach and abs(one.middle[1] - other.middle[1]) < reach:
                results.append((one.id, other.id))
    return results


class NameBox(NamedTuple):
    """The box of one line of a name, rotated around a point by degrees."""

    middle: Point
    width: float
    height: float
    degrees: float

    def meets(self, piece: Piece) -> bool:
        """Whether a piece covers a legible part of the name."""
        corners = (
            (piece.middle[0] + a * piece.side / 2, piece.middle[1] + b * piece.side / 2)
            for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))
        )
        turned = [turned_back(corner, self.middle, self.degrees) for corner in corners]
        clipped = _cut(turned, self.middle, self.width / 2, self.height / 2)
        return _area(clipped) > 2


def turned_back(point: Point, middle: Point, degrees: float) -> Point:
    """A point rotated counterclockwise around another."""
    c, s = cos(radians(degrees)), sin(radians(degrees))
    x, y = point[0] - middle[0], point[1] - middle[1]
    return x * c + y * s, -x * s + y * c


def _cut(points: Sequence[Point], middle: Point, half: float, high: float) -> list[Point]:
    """A polygon clipped to a box around the origin, by scaling the box to a square and back."""
    scaled = [(x / half, y / high) for x, y in points]
    return [(x * half, y * high) for x, y in _clipped(scaled, (0, 0), 1)]


@cache
def names(board: Board) -> tuple[NameBox, ...]:
    """The boxes of region names."""
    results = []
    for item in board.static:
        if item.id.startswith("name.") and "data-name" in item.svg:
            for text in re.finditer(
                r'<text x="(\S+)" y="(\S+)" font-size="(\S+)"([^>]*paint-order[^>]*)>([^<]*)<', item.svg
            ):
                x, y, size = (float(part) for part in text.groups()[:3])
                turn = re.search(r"rotate\((\S+) (\S+) (\S+)\)", text[4])
                spaced = re.search(r'letter-spacing="(\S+)"', text[4])
                words = unescape(text[5])
                width = text_width(words, size, bold="bold" in text[4]) + float(spaced[1] if spaced else 0) * len(words)
                middle, degrees = (x, y - size * 0.36), 0.0
                if turn is not None:
                    degrees = float(turn[1])
                    around = (float(turn[2]), float(turn[3]))
                    dx, dy = turned_back(middle, around, -degrees)
                    middle = (around[0] + dx, around[1] + dy)
                results.append(NameBox(middle, max(width, 1), size * 0.75, degrees))
    return tuple(results)


def crossed(of: Sequence[Piece]) -> list[tuple[str, str]]:
    """Pairs of a piece with a line, and another piece crossed by that line."""
    results = []
    for piece in of:
        if piece.end is None:
            continue
        (ax, ay), (bx, by) = piece.middle, piece.end
        for other in of:
            along = ((ax + (bx - ax) * k / 40, ay + (by - ay) * k / 40) for k in range(41))
            half = other.side / 2 - 0.5
            if other is not piece and any(
                abs(x - other.middle[0]) < half and abs(y - other.middle[1]) < half for x, y in along
            ):
                results.append((piece.id, other.id))
    return results
