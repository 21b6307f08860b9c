"""The drawn links of a map, those with the same ends side by side, and arrows over borders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from math import hypot

from msgspec import Struct
from msgspec.structs import replace

from rulespec.documents.yaml_nodes import bits
from rulespec.drawing.areas import Areas
from rulespec.drawing.outlines import holds
from rulespec.drawing.plan import Sheet
from rulespec.drawing.style import BoardStyle, LinkStyle
from rulespec.drawing.svg import Point

_TOWARDS, _HALF = 7.0, 2.5
_DENSE = 6.0
_BESIDE = 9.0  # the distance between links with the same ends
Across = tuple[str, int, int]
"""A fact, the region that has it, and the region that it names."""
Arrow = tuple[str, int, int, list[Point]]
"""An arrow over a border: the displayed fact, the regions at its tail and its head, and its points."""


class Link(Struct, frozen=True):
    """A link of one kind between two regions; `both` means that it also leads back.

    `row` is its number among the `abreast` links with a name between these regions, which are drawn side by side.
    """

    kind: str
    a: int
    b: int
    both: bool
    name: str = ""
    dashed: bool = False
    row: int = 0
    abreast: int = 1

    def beside(self, line: Sequence[Point]) -> list[Point]:
        """A line from its first end to its second, moved aside to its row."""
        if self.abreast == 1:
            return list(line)
        (ax, ay), (bx, by) = line[0], line[-1]
        aside = (self.row - (self.abreast - 1) / 2) * (_BESIDE if self.a < self.b else -_BESIDE)
        length = max(hypot(bx - ax, by - ay), 1)
        dx, dy = (by - ay) / length * aside, (ax - bx) / length * aside
        return [(x + dx, y + dy) for x, y in line]


def links_of(sheet: Sheet, board: BoardStyle) -> list[Link]:
    """The links of a map; those of a kind without names occur once between two regions."""
    kind = sheet.d.kinds[board.kind]
    results = []
    for name, style in board.links.items():
        decl = sheet.d.links.get(name)
        if decl is not None:
            results += list(_named(sheet, name, style))
            continue
        fact = kind.facts.get(name)
        if fact is None:
            continue
        for a, mask in enumerate(fact.values):
            for b in bits(mask):
                back = b < len(fact.values) and fact.values[b] >> a & 1 == 1
                if a < b or not back:
                    results.append(Link(name, a, b, back, dashed=style.dashed is True))
    return _side_by_side(board, results)


def _side_by_side(board: BoardStyle, links: list[Link]) -> list[Link]:
    """The links, with those between the same regions beside one another."""
    rows: dict[tuple[int, int], list[Link]] = {}
    for link in links:
        if link.name and not board.links[link.kind].hidden:
            rows.setdefault((min(link.a, link.b), max(link.a, link.b)), []).append(link)
    placed = {
        (link.kind, link.name): replace(link, row=number, abreast=len(row))
        for row in rows.values()
        for number, link in enumerate(row)
    }
    return [placed.get((link.kind, link.name), link) for link in links]


def _named(sheet: Sheet, name: str, style: LinkStyle) -> Iterator[Link]:
    """Links that are themselves entities."""
    decl, kind = sheet.d.links[name], sheet.d.kinds[name]
    fact = kind.facts.get(style.dashed) if isinstance(style.dashed, str) else None
    for number, entity in enumerate(kind.entities):
        bit = 1 << number
        a = next((i for i, mask in enumerate(decl.out.values) if mask & bit), -1)
        b = next((i for i, mask in enumerate(decl.into.values) if mask & bit), -1)
        dashed = style.dashed is True or (fact is not None and number < len(fact.values) and fact.values[number] == 1)
        if a >= 0 and b >= 0:
            yield Link(name, a, b, decl.two_way, entity.name, dashed)


def pairs_of(board: BoardStyle, links: list[Link]) -> set[tuple[int, int]]:
    """The pairs of regions connected by a displayed link, lower number first; links over a seam are excluded."""
    pairs = {(min(link.a, link.b), max(link.a, link.b)) for link in links if not board.links[link.kind].hidden}
    return pairs - {(min(seam), max(seam)) for seam in board.seams}


def across_of(sheet: Sheet, board: BoardStyle) -> Iterator[Across]:
    """The facts shown as arrows over borders, each with a region that has the fact and the region that it names."""
    for fact in board.across:
        for i in range(len(sheet.names(board.kind))):
            of = sheet.fact(board.kind, fact, i)
            if of is not None and of[0] == board.kind:
                yield fact, i, of[1]


def arrows_of(across: Sequence[Across], areas: Areas) -> Iterator[Arrow]:
    """Triangles over borders, each pointing to the place that a fact names."""
    borders: dict[tuple[int, int], list[list[Point]]] = {}
    for border in areas.borders if across else ():
        borders.setdefault((min(border.a, border.b), max(border.a, border.b)), []).append(list(border.points))
    for fact, i, other in across:
        if lines := borders.get((min(i, other), max(i, other))):
            yield fact, i, other, arrow_over(max(lines, key=len), partial(holds, areas.outlines[other]))


def arrow_over(line: list[Point], within: Callable[[float, float], bool]) -> list[Point]:
    """A triangle near the middle of a border, where it fits; it points into the area whose points `within` accepts."""
    line = dense(line)
    middle = len(line) // 2
    tried = [_arrow(line, k, side) for k in sorted(range(len(line)), key=lambda k: abs(k - middle)) for side in (1, -1)]
    fits = (points for points in tried if within(*points[0]) and not within(*points[1]) and not within(*points[2]))
    return next(fits, tried[0])


def dense(line: list[Point]) -> list[Point]:
    """A line with extra points, inserted at least every few units."""
    results = line[:1]
    for (ax, ay), (bx, by) in pairwise(line):
        parts = max(int(hypot(bx - ax, by - ay) / _DENSE), 1)
        results += [(ax + (bx - ax) * k / parts, ay + (by - ay) * k / parts) for k in range(1, parts + 1)]
    return results


def _arrow(line: list[Point], at: int, side: int) -> list[Point]:
    """The tip and the wings of a triangle over a point of a line."""
    (ax, ay), (x, y), (bx, by) = line[max(at - 1, 0)], line[at], line[min(at + 1, len(line) - 1)]
    length = max(((bx - ax) ** 2 + (by - ay) ** 2) ** 0.5, 1e-6) * side
    nx, ny = -(by - ay) / length, (bx - ax) / length
    back = (x - nx * _HALF, y - ny * _HALF)
    return [
        (x + nx * _TOWARDS, y + ny * _TOWARDS),
        (back[0] - ny * 5, back[1] + nx * 5),
        (back[0] + ny * 5, back[1] - nx * 5),
    ]
