"""Geometry and contents of the sides and corners of regular board cells."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import hypot

from rulespec.drawing import svg
from rulespec.drawing.plan import LinkLines, Plan, Sheet
from rulespec.drawing.regular_boards import BORDER, region
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.typed import nodes as typed

FORMS = ("sides", "corners")
"""The forms of boards whose places are the sides or corners of the cells of a grid, bottom first."""
_BREADTH = 0.8
"""The width of a side that can be pointed at, relative to a place on it."""
_MOST = 2
"""The maximum number of tokens side by side for which a place is widened."""


def middle_of(box: Box) -> Point:
    """The centre of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def middles(board: typed.BoardDecl, box: Box, *, transposed: bool = False) -> list[Point]:
    """The midpoints of a cell's sides, by direction; `transposed` applies to square cells."""
    (x, y), wide = middle_of(box), box[2] - box[0]
    if board.form == "hexes":
        return [(x + (q + r / 2) * wide / 2, y + r * (box[3] - box[1]) * 0.375) for q, r in board.steps]
    steps = [(b, -a) for a, b in board.steps] if transposed else board.steps
    return [(x + a * wide / 2, y - b * wide / 2) for a, b in steps]


def corners_of(board: typed.BoardDecl, box: Box, *, transposed: bool = False) -> list[Point]:
    """The corners of a cell in the order of `BoardDecl.corner_of`; `transposed` applies to square cells."""
    (x, _), (left, top, right, bottom) = middle_of(box), box
    if board.form == "hexes":
        high, low = top + (bottom - top) / 4, bottom - (bottom - top) / 4
        return [(x, top), (right, high), (right, low), (x, bottom), (left, low), (left, high)]
    ring = [(right, top), (right, bottom), (left, bottom), (left, top)]
    return [*ring[1:], ring[0]] if transposed else ring


def side_lines(sheet: Sheet, board: BoardStyle, plan: Plan) -> dict[str, LinkLines]:
    """The lines for the drawn fields of cell sides, by kind of side."""
    results: dict[str, LinkLines] = {}
    for path in board.sides:
        kind, _, name = path.partition(".")
        if kind in sheet.d.kinds and name in sheet.d.kinds[kind].state:
            ends = _shared_sides(sheet, board, kind, plan) or dict(_own_sides(sheet, board, kind, plan))
            titles, field = sheet.titles(kind), sheet.words.field(kind, name)
            lines = {side: (svg.path(line), f"{titles[side]}: {field}") for side, line in ends.items()}
            results |= {kind: LinkLines(name, "marks", lines)} if lines else {}
    return results


def _shared_sides(sheet: Sheet, board: BoardStyle, kind: str, plan: Plan) -> dict[int, list[Point]]:
    """The lines of sides shared by two spaces, or of a copy of them for each owner."""
    of = sheet.d.kinds[kind].product
    decl = next((b for b in sheet.d.boards.values() if b.sides and b.sides in (kind, *of[-1:])), None)
    if decl is None or decl.kind not in (board.kind, *sheet.d.kinds[board.kind].product):
        return {}
    count, results = len(sheet.names(decl.sides)), {}
    for number, box in plan.boxes.items():
        owner, space = divmod(number, len(decl.spaces))
        for side, at in zip(decl.side_of[space], middles(decl, box, transposed=board.transposed), strict=True):
            results[owner * count + side] = _along(decl, box, at, 0)
    return results


def _own_sides(sheet: Sheet, board: BoardStyle, kind: str, plan: Plan) -> Iterator[tuple[int, list[Point]]]:
    """The lines of sides that are a product of spaces and directions, each slightly inside its own cell."""
    of = sheet.d.kinds[kind].product
    decl = sheet.d.boards.get(of[-2]) if len(of) > 1 else None
    if decl is None:
        return
    for number, box in plan.boxes.items():
        for direction, at in enumerate(middles(decl, box, transposed=board.transposed)):
            yield number * len(decl.steps) + direction, _along(decl, box, at, 4)


def _along(board: typed.BoardDecl, box: Box, at: Point, inset: float) -> list[Point]:
    """A side of a cell, moved inwards so that lines of neighbouring cells do not coincide."""
    (x, y), wide = middle_of(box), box[2] - box[0]
    out = at[0] - x, at[1] - y
    far = hypot(*out)
    length = wide / 3**0.5 if board.form == "hexes" else wide
    half, inside = length * (0.42 if inset else 0.5 - BORDER), 1 - inset / far
    across = -out[1] / far * half, out[0] / far * half
    x, y = x + out[0] * inside, y + out[1] * inside
    return [(x - across[0], y - across[1]), (x + across[0], y + across[1])]


def border_plans(sheet: Sheet, host: BoardStyle, plan: Plan, guests: Mapping[str, BoardStyle]) -> dict[str, Plan]:
    """The plans of a board's sides and corners as places; the slots of its cells shrink to make room for them."""
    decl = sheet.d.boards[host.kind]
    if not plan.boxes:
        return {kind: Plan((0.0, 0.0)) for kind in guests}
    half = BORDER * min(box[2] - box[0] for box in plan.boxes.values())
    for number, slot in plan.slots.items():
        inner = plan.boxes[number].grown(-half - 1)
        plan.slots[number] = Box((max(slot[0], inner[0]), max(slot[1], inner[1]), *map(min, slot[2:], inner[2:])))
    results = {}
    for kind, board in guests.items():
        lines = _shared_sides(sheet, host, kind, plan) if board.form == "sides" else {}
        spots = {i: middle_of(Box((*a, *b))) for i, (a, b) in lines.items()} or _corner_points(decl, host, plan)
        results[kind] = _places(sheet, board, half, spots, lines)
    return results


def _corner_points(decl: typed.BoardDecl, host: BoardStyle, plan: Plan) -> dict[int, Point]:
    """The corners of the drawn cells."""
    results: dict[int, Point] = {}
    for space, box in plan.boxes.items():
        for corner, at in zip(decl.corner_of[space], corners_of(decl, box, transposed=host.transposed), strict=True):
            results.setdefault(corner, at)
    return results


def _places(
    sheet: Sheet, board: BoardStyle, half: float, spots: Mapping[int, Point], lines: Mapping[int, list[Point]]
) -> Plan:
    """Places around points, or along lines; they are transparent, as the cells already have their outlines."""
    plan = Plan((0.0, 0.0))
    wide = half * max(1, min(len(board.fields) + board.roomy, _MOST))
    for i, (x, y) in sorted(spots.items()):
        outline = _beside(lines[i], half * _BREADTH) if i in lines else _around(x, y, half)
        box = Box((x - half, y - half, x + half, y + half))
        shape = svg.element("path", d=outline, fill="none", pointer_events="all")
        plan.items.append(region(shape, sheet.place((board.kind, i), box, (x, y), outline)))
        plan.slots[i] = Box((x - wide, y - half, x + wide, y + half))
    return plan


def _beside(line: Sequence[Point], half: float) -> str:
    """The outline of a strip along a line."""
    a, b = line
    far = hypot(b[0] - a[0], b[1] - a[1])
    x, y = (b[1] - a[1]) / far * half, (a[0] - b[0]) / far * half
    strip = [(a[0] + x, a[1] + y), (b[0] + x, b[1] + y), (b[0] - x, b[1] - y), (a[0] - x, a[1] - y)]
    return svg.path(strip, closed=True)


def _around(x: float, y: float, half: float) -> str:
    """The outline of an octagon."""
    cut = half * 0.41
    upper = [(-half, -cut), (-cut, -half), (cut, -half), (half, -cut)]
    return svg.path([(x + a, y + b) for a, b in (*upper, *((-a, -b) for a, b in upper))], closed=True)
