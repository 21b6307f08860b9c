"""Spaces in cells of a square net, wherever a drawing puts them; those that each owner has for itself are turned."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.plan import Plan, Sheet
from rulespec.drawing.regular_boards import LINE, cell, region
from rulespec.drawing.scene import Item
from rulespec.drawing.style import BoardStyle
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened

_SIDE, _POINT = 44.0, (58.0, 150.0)
_NAME = 12.0
"""The room of the name of a cell."""
Cell = tuple[int, int]


class Net(Struct, frozen=True):
    """Cells on the picture: the top left corner, the size of a cell, and how many columns and rows there are."""

    corner: Point
    side: Point
    columns: int
    rows: int

    def box(self, at: Cell) -> Box:
        """A cell on the picture."""
        left, top = self.corner[0] + at[0] * self.side[0], self.corner[1] + at[1] * self.side[1]
        return Box((left, top, left + self.side[0], top + self.side[1]))

    def turned(self, at: Cell, how: str) -> Cell:
        """A cell turned clockwise around the middle by so many degrees, or upside down."""
        (x, y), right, down = at, self.columns - 1, self.rows - 1
        if how == "flip":
            return x, down - y
        return {"90": (down - y, x), "180": (right - x, down - y), "270": (y, right - x)}.get(how, at)


def net_of(board: BoardStyle, corner: Point, width: float) -> Net:
    """The net that the cells of a board need."""
    cells = _cells(board)
    columns, rows = (max(part) + 1 for part in zip(*cells.values(), strict=True)) if cells else (1, 1)
    wide, tall = _POINT if board.shape == "point" else (_SIDE, _SIDE)
    scale = min(1.0, width / (columns * wide))
    return Net(corner, (wide * scale, tall * scale), columns, rows)


def _cells(board: BoardStyle) -> dict[int, Cell]:
    return {i: (max(round(x), 0), max(round(y), 0)) for i, (x, y) in board.positions.items()}


def cells_plan(sheet: Sheet, board: BoardStyle, net: Net, viewer: int) -> Plan:
    """The cells of a board, once for each owner if they have their own.

    The slot of space `i` of owner `n` is `i + count * n`; to be pointed at are those of the viewer.
    `data-places` of a cell are the places that it is for each seat, in their order; `-`: none.
    """
    names, cells = sheet.names(board.kind), _cells(board)
    owners = max(len(sheet.names(board.each)), 1) if board.each else 1  # without a game there are no seats
    seated = board.each != "" and sheet.d.kinds[board.each].is_player
    viewer = viewer if seated and viewer < owners else 0
    plan = Plan((net.columns * net.side[0], net.rows * net.side[1]), each=board.each)
    hows = board.turned.get(owners, ())
    at = {
        (owner, i): net.turned(cell_, hows[owner]) if owner < len(hows) else cell_
        for owner in range(owners)
        for i, cell_ in cells.items()
    }
    ids = {(owner, where): sheet.place_id((board.kind, i)) for (owner, i), where in at.items()}
    drawn: set[Cell] = set()
    for owner in (viewer, *(n for n in range(owners) if n != viewer)):
        for i in cells:
            where = at[owner, i]
            box = net.box(where)
            plan.slots[i + len(names) * owner] = _slot(board, net, box, where)
            plain = sheet.look(board.kind, i).symbol == "square"
            shape = _shape(sheet, replace(board, shape="square") if plain else board, net, where, owner)
            by_seat = " ".join(ids.get((n, where), "-") for n in range(owners)) if seated else ""
            if owner == viewer:
                plan.items.append(region(shape, sheet.place((board.kind, i), box), by_seat))
            elif where not in drawn:
                copy = svg.group([shape], data_places=by_seat or None)
                plan.items.append(Item(f"copy.{board.kind}.{owner + 1}.{names[i]}", "areas", copy))
            plan.items += _name(sheet, board, i, owner, Name(box, net.rows > where[1] * 2 + 1, where in drawn))
            drawn.add(where)
    return plan


class Name(Struct, frozen=True):
    """The place of a name: its cell, whether at the upper edge, and whether beside that of the viewer."""

    box: Box
    above: bool
    second: bool


def _slot(board: BoardStyle, net: Net, box: Box, at: Cell) -> Box:
    left, top, right, bottom = box
    room = 2.0 if board.names == "none" else _NAME
    if board.shape == "point":  # near the edge from which the point rises
        half = (bottom - top) / 2
        return (
            Box((left + 2, top + _NAME + 4, right - 2, top + half))
            if at[1] * 2 < net.rows - 1
            else Box((left + 2, bottom - half, right - 2, bottom - _NAME - 4))
        )
    return Box((left + 3, top + room, right - 3, bottom - 2))


def _shape(sheet: Sheet, board: BoardStyle, net: Net, at: Cell, owner: int) -> str:
    """A cell in the colour of its owner, if each has his own alone; or a long triangle in a field."""
    box = net.box(at)
    if board.shape != "point":
        own = board.each and board.turned.get(len(sheet.names(board.each)), ("flip",))[0] != "flip"
        return cell(box, ground(sheet.look(board.each, owner).colour) if own else colour("light"))
    left, top, right, bottom = box
    upper = at[1] * 2 < net.rows - 1
    base, tip = (top + _NAME + 3, bottom - 8) if upper else (bottom - _NAME - 3, top + 8)
    tone = colour("sand") if (at[0] + upper) % 2 else colour("wood")
    points = [(left + 3, base), (right - 3, base), ((left + right) / 2, tip)]
    point = svg.element("path", d=svg.path(points, closed=True), fill=tone, stroke=LINE, stroke_width=0.6)
    size = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return svg.element("rect", **size, fill=colour("light")) + point


def _name(sheet: Sheet, board: BoardStyle, number: int, owner: int, at: Name) -> Iterator[Item]:
    """The name of a cell; that of another owner is beside it, and fainter."""
    text = sheet.place_titles(board)[number]
    if not text:
        return
    left, top, right, bottom = at.box
    y = top + _NAME / 2 + 1 if at.above or board.shape != "point" else bottom - _NAME / 2 - 1
    two = board.each != "" and board.shape == "point"
    middle = left + (right - left) * (0.5 if not two else 0.72 if at.second else 0.3)
    size, ink = (8.0, LINE) if at.second or board.shape != "point" else (10.0, INK)
    shown = shortened(text, size, (right - left) * (0.42 if two else 0.9))
    key = sheet.names(board.kind)[number] + (f".{owner + 1}" if at.second or owner > 0 else "")
    yield Item(f"name.{key}", "names", svg.words(shown, middle, y, size, fill=ink))
