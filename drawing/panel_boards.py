"""Boards in columns and rows: panels with a tray for each piece type, and matrices of two kinds."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.drawing import svg
from rulespec.drawing.cards import chip
from rulespec.drawing.colours import INK, colour, ground, ink_on
from rulespec.drawing.plan import HEAD, Plan, Sheet
from rulespec.drawing.regular_boards import cell, heading, notes_of, region
from rulespec.drawing.scene import SceneItem
from rulespec.drawing.style import BoardStyle, Tray
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width

_PANEL, _PANEL_HEAD, _PANEL_WIDTH, _PANEL_GAP = 44.0, 30.0, 280.0, 10.0
"""Layout of panels: head height with facts and without, maximum width, and gap."""
_TRAY, _HAND, _LABEL = 32.0, 76.0, 86.0
_ROW, _ROW_HEAD = 26.0, 74.0
_SMALL, _HEADS = 12.4, 13.0
"""Font sizes of notes, and of the letters above and beside a matrix."""
_FAINT = "#4a525a"


def panels_plan(sheet: Sheet, board: BoardStyle, corner: Point, width: float) -> Plan:
    """A panel for each place: its name and facts, with a tray below for each piece type that fits there.

    The slot of tray `t` of place `i` is `i + count * (t + 1)`; slot `i` is next to the name.
    """
    count = len(sheet.names(board.kind))
    columns = board.columns or 4
    at = {i: (i % columns, i // columns) for i in range(count)}
    at |= {i: (round(x), round(y)) for i, (x, y) in board.positions.items()}
    across = max(x for x, _ in at.values()) + 1
    wide = width / board.columns if board.columns else min(width / across, _PANEL_WIDTH + _PANEL_GAP)
    tall = (_PANEL if board.facts else _PANEL_HEAD) + sum(map(_height, board.trays)) + _PANEL_GAP
    head = HEAD if board.title else 0.0
    plan = Plan((wide * across, head + tall * (max(y for _, y in at.values()) + 1)))
    plan.copies = {name: t for t, tray in enumerate(board.trays, 1) for name in tray.holds}
    plan.holder = board.kind
    plan.held = {name: count * t for name, t in plan.copies.items() if _without_space(sheet, name)}
    if board.title:
        plan.items.append(SceneItem(f"head.{board.kind}", "names", heading(board.title, corner)))
    for i, (x, y) in at.items():
        left, top = corner[0] + x * wide, corner[1] + head + y * tall
        _panel(sheet, board, plan, i, Box((left, top, left + wide - _PANEL_GAP, top + tall - _PANEL_GAP)))
    return plan


def _without_space(sheet: Sheet, what: str) -> bool:
    """Whether pieces, as `piece.place`, belong to an owner without being on a space."""
    name, _, place = what.partition(".")
    pile = sheet.d.pieces.get(name) or sheet.d.kinds[name]
    return place in pile.places and not pile.places[place].index


def _panel(sheet: Sheet, board: BoardStyle, plan: Plan, number: int, box: Box) -> None:
    """Adds a panel to the plan."""
    left, top, right, _ = box
    name, count = sheet.names(board.kind)[number], len(sheet.names(board.kind))
    shape = cell(box, colour("light"), rx=6)
    plan.items.append(region(shape, sheet.place((board.kind, number), box)))
    plan.slots[number] = Box((right - 64, top + 3, right - 5, top + 27))
    title = shortened(sheet.place_titles(board)[number], 13, right - left - 80, bold=True)
    seat = 22.0 if sheet.d.kinds[board.kind].is_player else 0.0  # a mark precedes the names of seats
    parts = [chip(sheet.look(board.kind, number), left + 17, top + 14)] if seat else []
    name_ = svg.words(title, left + 9 + seat, top + 14, 13, bold=True, anchor="start", fill=INK)
    wide = plan.slots[number][0] - 2 - (left + 9 + seat)
    shown = svg.named(name_, number, wide) if seat else svg.roomy(name_, wide)
    parts.append(svg.group([shown], data_name=sheet.place_id((board.kind, number))))
    notes = shortened(" · ".join(notes_of(sheet, board, number)), _SMALL, right - left - 16)
    note = svg.words(notes, left + 9, top + 33, _SMALL, anchor="start", fill=_FAINT)
    parts += [svg.roomy(note, right - left - 16)] if notes else []
    y = top + (_PANEL if board.facts else _PANEL_HEAD)
    for t, tray in enumerate(board.trays):
        tall = _height(tray)
        room = _room(sheet, board.kind, tray.room, number)
        y, head = y + tall, y
        if room == 0:
            continue
        parts.append(svg.element("path", d=svg.path([(left, head), (right, head)]), stroke="#c9cdd1"))
        label = sheet.words.board(tray.holds[0], tray.title)
        label = f"{label}: {room}" if room is not None else label
        label = shortened(label, _SMALL, _LABEL - 10)
        text = svg.words(label, left + 9, head + tall / 2, _SMALL, anchor="start", fill=_FAINT)
        parts.append(svg.roomy(text, _LABEL - 10))
        slot = number + count * (t + 1)
        plan.slots[slot] = Box((left + _LABEL, head + 2, right - 4, y - 2))
        if tray.cards:
            plan.manners[slot] = "cards"
    plan.items.append(SceneItem(f"name.{name}", "names", "".join(parts)))


def _height(tray: Tray) -> float:
    return _HAND if tray.cards else _TRAY


def _room(sheet: Sheet, kind: str, fact: str, number: int) -> int | None:
    """The maximum number of pieces given by a fact; None without one."""
    decl = sheet.d.kinds[kind].facts.get(fact)
    return decl.values[number] if decl is not None and number < len(decl.values) else None


def matrix_plan(sheet: Sheet, board: BoardStyle, corner: Point, width: float) -> Plan:
    """The entities of a product as a matrix: a row for each first component, a column for each second component."""
    first, second = sheet.d.kinds[board.kind].product
    across = len(sheet.names(second))
    wide = pair_width(sheet, board, width)
    facts = [(kind, name) for name in board.facts for kind in (second, first) if name in sheet.d.kinds[kind].facts]
    over = [name for kind, name in facts if kind == second]
    head = (HEAD if board.title else 0.0) + 16.0 * (1 + len(over))
    plan = Plan((_ROW_HEAD + wide * across, head + _ROW * len(sheet.names(first))), owned=True)
    heads = [heading(board.title, corner)] if board.title else []
    top = corner[1] + head
    heads += _heads(sheet, second, over, (corner[0] + _ROW_HEAD, top), wide)
    room = _ROW_HEAD - 24
    named = all(text_width(title, _SMALL) <= room for title in sheet.titles(first))
    for row in range(len(sheet.names(first))):
        look, y = sheet.look(first, row), top + _ROW * row
        wide_chip = max(20.0, text_width(look.letter, _HEADS, bold=True) + 6)
        at: svg.Values = {"x": corner[0], "y": y + _ROW / 2 - 10, "width": wide_chip, "height": 20, "rx": 10}
        chip = svg.element("rect", **at, fill=colour(look.colour), stroke=INK, stroke_width=0.8)
        x = corner[0] + wide_chip / 2
        letter = svg.words(look.letter, x, y + _ROW / 2, _HEADS, bold=True, fill=ink_on(look.colour))
        title = sheet.titles(first)[row] if named else ""
        text = svg.words(title, corner[0] + wide_chip + 3, y + _ROW / 2, _SMALL, anchor="start", fill=INK)
        heads.append(chip + letter + text)
        for column in range(across):
            number, left = row * across + column, corner[0] + _ROW_HEAD + wide * column
            box = Box((left + 1, y + 1, left + wide - 1, y + _ROW - 1))
            shape = cell(box, ground(look.colour), rx=3)
            plan.items.append(region(shape, sheet.place((board.kind, number), box)))
            plan.slots[number] = Box((box[0] + 2, box[1] + 1, box[2] - 2, box[3] - 1))
    plan.items.append(SceneItem(f"heads.{board.kind}", "names", "".join(heads)))
    return plan


def pair_width(sheet: Sheet, board: BoardStyle, width: float) -> float:
    """The width of a column on a board of pairs."""
    titles = sheet.titles(sheet.d.kinds[board.kind].product[1])
    widest = max(text_width(title, _HEADS, bold=True) for title in titles) + 8
    return min((width - _ROW_HEAD) / len(titles), max(60.0, widest) if board.caption else 60.0)


def lettered_heads(sheet: Sheet, kind: str, wide: float) -> bool:
    """Whether column heads are letters because some titles do not fit; the caption then explains the letters."""
    return sheet.style.guessed and any(text_width(t, _HEADS, bold=True) > wide - 2 for t in sheet.titles(kind))


def _heads(sheet: Sheet, kind: str, facts: list[str], corner: Point, wide: float) -> Iterator[str]:
    """The column heads from bottom to top: facts, then titles."""
    left, y = corner[0], corner[1] - 8
    for name in reversed(facts):
        label = shortened(sheet.words.field(kind, name), _HEADS, _ROW_HEAD - 6)
        yield svg.words(label, left - _ROW_HEAD, y, _HEADS, anchor="start", fill=_FAINT)
        for i, value in enumerate(sheet.d.kinds[kind].facts[name].values):
            yield svg.words(str(value), left + wide * (i + 0.5), y, _HEADS, fill=_FAINT)
        y -= 16
    titles = sheet.titles(kind)
    if lettered_heads(sheet, kind, wide):
        titles = tuple(sheet.look(kind, i).letter for i in range(len(titles)))
    for i, title in enumerate(titles):
        text = shortened(title, _HEADS, wide - 2)
        yield svg.words(text, left + wide * (i + 0.5), y, _HEADS, bold=True, fill=INK)
