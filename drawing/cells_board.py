"""Boards whose spaces are arbitrary cells of a square grid; each player's spaces can be a rotated copy."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.cards import chip
from rulespec.drawing.colours import INK, colour, ground
from rulespec.drawing.plan import Manner, Plan, Sheet
from rulespec.drawing.regular_boards import LINE, cell, region
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.style import BoardStyle, Yard
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened

_SIDE, _POINT = 44.0, (58.0, 150.0)
_STRIP = 36.0
"""The width of the strip between the points of the two sides."""
_NAME = 12.0
"""The height reserved for a cell's name."""
_YARD = 18.0
"""The height reserved for a yard's title."""
Cell = tuple[int, int]


class Net(Struct, frozen=True):
    """The grid of a picture: top left corner, cell size, and numbers of columns and rows.

    `strip` is the gap between the upper and the lower half of the rows.
    """

    corner: Point
    side: Point
    columns: int
    rows: int
    strip: float = 0

    @property
    def size(self) -> Point:
        """Width and height of all cells."""
        return self.columns * self.side[0], self.rows * self.side[1] + self.strip

    def box(self, at: Cell, last: Cell | None = None) -> Box:
        """The box of a cell, or of all cells from one to another."""
        (left, top), (right, bottom) = self._corner(at), self._corner(at if last is None else last)
        return Box((left, top, right + self.side[0], bottom + self.side[1]))

    def _corner(self, at: Cell) -> Point:
        down = self.strip if at[1] * 2 >= self.rows else 0
        return self.corner[0] + at[0] * self.side[0], self.corner[1] + at[1] * self.side[1] + down

    def turned(self, at: Cell, how: str) -> Cell:
        """A cell rotated clockwise around the centre by an angle in degrees, or mirrored vertically."""
        (x, y), right, down = at, self.columns - 1, self.rows - 1
        if how == "flip":
            return x, down - y
        return {"90": (down - y, x), "180": (right - x, down - y), "270": (y, right - x)}.get(how, at)


def net_of(board: BoardStyle, corner: Point, width: float) -> Net:
    """The net for the cells of a board."""
    cells = [*_cells(board).values(), *(_last(yard.at) for yard in board.yards)]
    columns, rows = (max(part) + 1 for part in zip(*cells, strict=True)) if cells else (1, 1)
    wide, tall = _POINT if board.shape == "point" else (_SIDE, _SIDE)
    scale = min(1.0, width / (columns * wide))
    strip = _STRIP * scale if board.shape == "point" and rows > 1 else 0.0
    return Net(corner, (wide * scale, tall * scale), columns, rows, strip)


def _last(at: tuple[int, int, int, int]) -> Cell:
    """The last cell of a yard."""
    return at[0] + at[2] - 1, at[1] + at[3] - 1


def _cells(board: BoardStyle) -> dict[int, Cell]:
    return {i: (max(round(x), 0), max(round(y), 0)) for i, (x, y) in board.positions.items()}


def cells_plan(sheet: Sheet, board: BoardStyle, net: Net, viewer: int) -> Plan:
    """The cells of a board, repeated for each owner if the board has owners.

    The slot of space `i` of owner `n` is `i + count * n`; the slots of yards follow. Only the viewer's cells can be
    pointed at. The `data-places` of a cell lists its place for each seat in order, or `-` if a seat has none there.
    """
    names, cells = sheet.names(board.kind), _cells(board)
    owners = max(len(sheet.names(board.each)), 1) if board.each else 1  # there are no seats without a game
    seated = board.each != "" and sheet.d.kinds[board.each].is_player
    viewer = viewer if seated and viewer < owners else 0
    plan = Plan(net.size, each=board.each, holder=board.each, stack=board.stack)
    if board.shape == "point":
        frame: svg.Values = {"x": net.corner[0], "y": net.corner[1], "width": net.size[0], "height": net.size[1]}
        plan.items.append(
            SceneItem(f"ground.{board.kind}", "ground", svg.element("rect", **frame, fill=colour("light")))
        )
        rim = svg.element("rect", **frame, fill="none", stroke=colour("brown"), stroke_width=3)
        plan.items.append(SceneItem(f"rim.{board.kind}", "borders", rim))
    if board.rolls:
        plan.dice = net.corner[0] + net.size[0] * (0.75 if net.strip else 0.5), net.corner[1] + net.size[1] / 2
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
            slot = i + len(names) * owner
            plan.slots[slot] = _slot(board, net, box, where)
            if board.stack:
                plan.manners[slot] = _side(net, where)
            shape = _shape(sheet, board, net, where, (owner, i))
            by_seat = " ".join(ids.get((n, where), "-") for n in range(owners)) if seated else ""
            if owner == viewer:
                plan.items.append(region(shape, sheet.place((board.kind, i), box), by_seat))
            elif where not in drawn:
                copy = svg.group([shape], data_places=by_seat or None)
                plan.items.append(SceneItem(f"copy.{board.kind}.{owner + 1}.{names[i]}", "areas", copy))
            plan.items += _name(sheet, board, i, owner, NamePlace(box, net.rows > where[1] * 2 + 1, where in drawn))
            drawn.add(where)
    for n, how in _spare(board, owners):
        for i, cell_ in cells.items():
            if (where := net.turned(cell_, how)) not in drawn:
                blank = cell(net.box(where), colour("light"))
                plan.items.append(SceneItem(f"spare.{board.kind}.{n + 1}.{names[i]}", "areas", blank))
    _add_yards(sheet, board, net, plan, (owners, hows))
    return plan


def _spare(board: BoardStyle, owners: int) -> list[tuple[int, str]]:
    """The rotations of absent owners: owner number and rotation."""
    most = board.turned[max(board.turned)] if board.turned else ()
    taken = board.turned.get(owners, ("0",))
    return [(n, how) for n, how in enumerate(most) if how not in taken]


def _side(net: Net, at: Cell) -> Manner:
    """The side where a column of pieces begins."""
    return "down" if at[1] * 2 < net.rows - 1 else "up"


def _add_yards(sheet: Sheet, board: BoardStyle, net: Net, plan: Plan, who: tuple[int, tuple[str, ...]]) -> None:
    """Adds each owner's yards; those of absent players stay blank."""
    owners, hows = who
    turns = [(n, hows[n] if n < len(hows) else "0") for n in range(owners)]
    first = len(sheet.names(board.kind)) * owners
    for number, yard in enumerate(board.yards):
        plan.held |= dict.fromkeys(yard.holds, first + number * owners)
        for n, how in turns:
            at, slot = _turned_yard(net, yard, how), first + number * owners + n
            named = n < len(sheet.names(board.each))
            box = net.box(*at)
            top = box[1] + (_YARD if yard.title or named else 2)
            plan.slots[slot] = Box((box[0] + 3, top, box[2] - 3, box[3] - 3))
            plan.manners[slot] = _side(net, at[0]) if board.stack else "spread"
            plan.items += _yard(sheet, board, number, n if named else -1, box)
        for n, how in _spare(board, owners):
            blank = cell(net.box(*_turned_yard(net, yard, how)), colour("light"))
            plan.items.append(SceneItem(f"spare_yard.{board.kind}.{n + 1}.{number + 1}", "areas", blank))


def _turned_yard(net: Net, yard: Yard, how: str) -> tuple[Cell, Cell]:
    """The first and the last cell of a rotated yard."""
    ends = net.turned(yard.at[:2], how), net.turned(_last(yard.at), how)
    (left, right), (top, bottom) = (sorted(part) for part in zip(*ends, strict=True))
    return (left, top), (right, bottom)


def _yard(sheet: Sheet, board: BoardStyle, number: int, owner: int, box: Box) -> Iterator[SceneItem]:
    """A yard; the first untitled one represents its owner as a place unless a board or table does."""
    yard = board.yards[number]
    look = sheet.look(board.each, owner)
    shape = cell(box, ground(look.colour) if owner >= 0 else colour("light"))
    id_ = f"yard.{board.kind}.{owner + 1}.{number + 1}"
    own = sheet.titles(board.each)[owner] if owner >= 0 else ""
    named = next((i for i, each in enumerate(board.yards) if not each.title), -1)
    elsewhere = sheet.on_board(board.each) or sheet.style.tables.get(board.each)
    if owner >= 0 and number == named and not elsewhere:
        place = sheet.place((board.each, owner), box)
        yield SceneItem(id_, "areas", svg.group([shape], place.title, data_place=place.id), (place,))
    else:
        yield SceneItem(id_, "areas", shape)
    title = sheet.words.board(yard.holds[0], yard.title) if yard.title else own
    left, room, y = box[0], box[2] - box[0], box[1] + _YARD / 2 + 2
    mark = "" if yard.title or owner < 0 else chip(look, left + 11, y)  # readable without colours
    left, room = (left + 20, room - 20) if mark else (left, room)
    size = min(10.0, max(room / 5, 8.0))
    if text := shortened(title, size, room - 6, bold=True):
        if mark:
            name = svg.words(text, left + 2, y, size, bold=True, anchor="start", fill=INK)
            note = mark + (svg.named(name, owner, room - 6) if sheet.d.kinds[board.each].is_player else name)
        else:
            note = svg.words(text, left + room / 2, y, size, bold=True, fill=INK)
        yield SceneItem(f"yard_name.{board.kind}.{owner + 1}.{number + 1}", "names", note)


class NamePlace(Struct, frozen=True):
    """The position of a name: its cell, whether it is at the upper edge, and whether another name is there already."""

    box: Box
    above: bool
    second: bool


def _slot(board: BoardStyle, net: Net, box: Box, at: Cell) -> Box:
    left, top, right, bottom = box
    room = 2.0 if board.names == "none" else _NAME
    if board.shape == "point":  # starts at the base of the point; a column may extend past the tip
        depth = (bottom - top) * (1 if board.stack else 0.5)
        if _side(net, at) == "down":
            return Box((left + 2, top + _NAME + 4, right - 2, top + depth))
        return Box((left + 2, bottom - depth, right - 2, bottom - _NAME - 4))
    return Box((left + 3, top + room, right - 3, bottom - 2))


def _shape(sheet: Sheet, board: BoardStyle, net: Net, at: Cell, of: tuple[int, int]) -> str:
    """The background of a cell: in its owner's colour if each owner has separate cells, or a long triangle.

    `of`: the numbers of the owner and of the space; on a board of points, a space with a square symbol is no point.
    """
    box, (owner, number) = net.box(at), of
    if board.shape == "point" and sheet.look(board.kind, number).symbol == "square":
        return cell(box, colour("wood"))
    if board.shape != "point":
        own = board.each and board.turned.get(len(sheet.names(board.each)), ("flip",))[0] != "flip"
        return cell(box, ground(sheet.look(board.each, owner).colour) if own else colour("light"))
    left, top, right, bottom = box
    upper = _side(net, at) == "down"
    base, tip = (top + _NAME + 3, bottom - 8) if upper else (bottom - _NAME - 3, top + 8)
    tone = colour("sand") if (at[0] + upper) % 2 else colour("wood")
    points = [(left + 3, base), (right - 3, base), ((left + right) / 2, tip)]
    point = svg.element("path", d=svg.path(points, closed=True), fill=tone, stroke=LINE, stroke_width=0.6)
    size = {"x": left, "y": top, "width": right - left, "height": bottom - top}
    return svg.element("rect", **size, fill=colour("light")) + point


def _name(sheet: Sheet, board: BoardStyle, number: int, owner: int, at: NamePlace) -> Iterator[SceneItem]:
    """The name of a cell; another owner's name is beside it, and fainter."""
    text = sheet.place_titles(board)[number]
    if not text:
        return
    left, top, right, bottom = at.box
    y = top + _NAME / 2 + 1 if at.above or board.shape != "point" else bottom - _NAME / 2 - 1
    two = board.each != "" and board.shape == "point" and sheet.look(board.kind, number).symbol != "square"
    middle = left + (right - left) * (0.5 if not two else 0.72 if at.second else 0.3)
    size, ink = (8.0, LINE) if at.second or board.shape != "point" else (10.0, INK)
    shown = shortened(text, size, (right - left) * (0.42 if two else 0.9))
    key = sheet.names(board.kind)[number] + (f".{owner + 1}" if at.second or owner > 0 else "")
    yield SceneItem(f"name.{key}", "names", svg.words(shown, middle, y, size, fill=ink))
