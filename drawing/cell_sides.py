"""Lines along the sides of the cells of regular boards."""

from __future__ import annotations

from math import hypot

from rulespec.drawing import svg
from rulespec.drawing.plan import LinkLines, Plan, Sheet
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.typed import nodes as typed


def middles(board: typed.BoardDecl, box: Box, *, transposed: bool = False) -> list[Point]:
    """The midpoints of a cell's sides, by direction; `transposed` applies to square cells."""
    (x, y), wide = middle_of(box), box[2] - box[0]
    if board.form == "hexes":
        return [(x + (q + r / 2) * wide / 2, y + r * (box[3] - box[1]) * 0.375) for q, r in board.steps]
    steps = [(b, -a) for a, b in board.steps] if transposed else board.steps
    return [(x + a * wide / 2, y - b * wide / 2) for a, b in steps]


def middle_of(box: Box) -> Point:
    """The centre of a box."""
    return (box[0] + box[2]) / 2, (box[1] + box[3]) / 2


def side_lines(sheet: Sheet, board: BoardStyle, plan: Plan) -> dict[str, LinkLines]:
    """The lines for the drawn fields of cell sides, by kind of sides."""
    results = {}
    for path in board.sides:
        kind, _, name = path.partition(".")
        of = sheet.d.kinds.get(kind)
        decl = sheet.d.boards.get(of.product[-2]) if of is not None and len(of.product) > 1 else None
        if of is None or decl is None or name not in of.state:
            continue
        lines = {}
        titles, count = sheet.titles(kind), len(decl.steps)
        for number, box in plan.boxes.items():
            for direction, at in enumerate(middles(decl, box, transposed=board.transposed)):
                side = number * count + direction
                line = svg.path(_along(decl, box, at))
                lines[side] = line, f"{titles[side]}: {sheet.words.field(kind, name)}"
        results[kind] = LinkLines(name, "marks", lines)
    return results


def _along(board: typed.BoardDecl, box: Box, at: Point) -> list[Point]:
    """A side of a cell, slightly inset so that lines of neighbouring cells do not coincide."""
    (x, y), wide = middle_of(box), box[2] - box[0]
    out = at[0] - x, at[1] - y
    far = hypot(*out)
    length = wide / 3**0.5 if board.form == "hexes" else wide
    half, inside = length * 0.42, 1 - 4 / far
    across = -out[1] / far * half, out[0] / far * half
    x, y = x + out[0] * inside, y + out[1] * inside
    return [(x - across[0], y - across[1]), (x + across[0], y + across[1])]
