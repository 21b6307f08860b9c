"""Tables of holdings: a row for each entity of a kind, its fields and the pieces that it has."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from msgspec import Struct

from rulespec.drawing import svg
from rulespec.drawing.colours import INK, colour, ink_on
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import GAP, HEAD, Plan, Sheet
from rulespec.drawing.regular_boards import heading
from rulespec.drawing.scene import Place, SceneItem
from rulespec.drawing.shown import Entity, Names, Pile, ShownState
from rulespec.drawing.style import Look
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.text_width import shortened, text_width
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, SetOf

SIZE = 12.0
_ROW = 24.0
_PAD = 14.0
_CHIP = 19.0
_WIDEST = 150.0
_CHIPS = 150.0  # the least width of a column of pieces
_LINE = "#c9cdd1"
_TWO = ((-1, -1), (1, 1))
_FOUR = (*_TWO, (-1, 1), (1, -1))
_SPOTS = {
    1: ((0, 0),),
    2: _TWO,
    3: (*_TWO, (0, 0)),
    4: _FOUR,
    5: (*_FOUR, (0, 0)),
    6: (*_FOUR, (-1, 0), (1, 0)),
}
"""The spots of a die by its number: across and down from its middle."""


class Column(Brief, Struct):
    """A column: a field, or the pieces in a place; `left` is its left edge."""

    name: str
    title: str
    width: float
    field: typed.FieldDecl | None = None
    pile: str = ""
    place: str = ""
    left: float = 0.0
    fact: typed.FactDecl | None = None


class SheetTable(Brief, Struct):
    """A table on the sheet; `many`: whether a row has room for two lines of pieces."""

    kind: str
    columns: list[Column]
    corner: Point
    width: float
    row: float
    rows: int
    top: float


def table_of(
    sheet: Sheet, words: Wording, names: Names, kind: str, columns: Sequence[str], corner: Point, width: float
) -> SheetTable | None:
    """The table of a kind, or of the game's fields; None if it is empty."""
    results = [c for name in columns if (c := _column(sheet, words, names, kind, name)) is not None]
    if not results:
        return None
    first = 0.0
    if kind != "game":
        titles = sheet.titles(kind)
        first = min(max((text_width(t, SIZE, bold=True) for t in titles), default=0.0) + _CHIP + _PAD, _WIDEST + 40)
    chips = [c for c in results if c.pile]
    left = corner[0] + first
    fixed = sum(c.width + _PAD for c in results if not c.pile)
    room = (width - first - fixed) / len(chips) - _PAD if chips else 0
    for column in chips:
        column.width = max(min(room, _needed(sheet, kind, column)), min(text_width(column.title, 10), 110.0))
    scale = min(1.0, (width - first) / max(sum(c.width + _PAD for c in results), 1))
    for column in results:
        column.width = column.width * scale
        column.left = left
        left += column.width + _PAD * scale
    tall = any(_needed(sheet, kind, c) > c.width for c in chips)
    rows = 1 if kind == "game" else len(names.names(kind))
    heads = 16.0
    return SheetTable(
        kind, results, corner, left - corner[0], _ROW * (1.7 if tall else 1), rows, corner[1] + HEAD + heads
    )


def _needed(sheet: Sheet, kind: str, column: Column) -> float:
    """The room that pieces may need."""
    return _CHIP * 1.4 if is_counted(sheet, kind, column) else _CHIP * 1.5 * 12


def _column(sheet: Sheet, words: Wording, names: Names, kind: str, name: str) -> Column | None:
    head, dot, tail = name.partition(".")
    if dot:
        return Column(name, _pile_title(sheet, words, head, tail), _CHIPS, None, head, tail)
    fields = sheet.d.fields if kind == "game" else sheet.d.kinds[kind].state
    field = fields.get(name)
    if field is None and kind != "game" and name in sheet.d.kinds[kind].facts:
        title = words.field(kind, name)
        return Column(name, title, max(40.0, min(text_width(title, 10), 90.0)), fact=sheet.d.kinds[kind].facts[name])
    if field is None or words.internal(kind, name):
        return None
    title = words.field("" if kind == "game" else kind, name)
    width = 40.0
    if isinstance(field.type, Ent):
        titles = sheet.titles(field.type.kind)
        width = max([width, *(text_width(t, SIZE) + _CHIP + 6 for t in titles)])
    elif isinstance(field.type, SetOf):
        width = _CHIP * 1.3 * min(len(names.names(field.type.kind)), 10)
    width = max(min(width, _WIDEST), min(text_width(title, 10), 90.0))
    return Column(name, title, width, field)


_OWNER = re.compile(r" \w{1,3} …$")
"""An owner that is left out at the end of a title, with its preposition: `carts of …`."""


def _pile_title(sheet: Sheet, words: Wording, pile: str, place: str) -> str:
    """The title of pieces in a place, regardless of owner and entity."""
    decl = sheet.d.pieces.get(pile) or sheet.d.kinds[pile]
    each = decl.each if isinstance(decl, typed.PieceDecl) else decl.product
    pieces = words.pieces(pile, [(kind, "…") for kind in each]) if each else words.pieces(pile)
    index = decl.places[place].index
    where = words.place(pile, place, "…" if index else "", index)
    pieces = pieces if pieces.strip("… ") else pile.replace("_", " ")  # a text that is its owner alone
    where = where if where.strip("… ") else place.replace("_", " ")
    title = f"{_OWNER.sub('', pieces).removeprefix('… ')}: {where}".replace(" (…)", "")
    return words.board(f"{pile}.{place}", title)


def table_plan(sheet: Sheet, table: SheetTable, title: str) -> Plan:
    """The static items of a table: its heading, the heads of its columns, the names of its rows."""
    x, y = table.corner
    plan = Plan((table.width, table.top - y + table.row * table.rows))
    parts = [heading(shortened(title, 13, table.width + 2 * GAP - 8, bold=True), table.corner)]
    for column in table.columns:
        text = shortened(column.title, 10, column.width + _PAD - 6)
        parts.append(svg.words(text, column.left, table.top - 9, 10, anchor="start", fill="#4a525a"))
    places = tuple(_rows_as_places(sheet, table))
    for place in places:
        left, top, right, bottom = place.box
        area: svg.Values = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        parts.append(svg.element("rect", **area, fill="none", pointer_events="all", data_place=place.id))
    for i in range(table.rows + 1):
        at = table.top + i * table.row
        parts.append(svg.element("path", d=svg.path([(x, at), (x + table.width, at)]), stroke=_LINE))
    if table.kind != "game":
        room = table.columns[0].left - x - _CHIP - 8
        for i, name in enumerate(sheet.titles(table.kind)):
            middle = table.top + (i + 0.5) * table.row
            parts.append(chip(sheet.look(table.kind, i), x + _CHIP / 2, middle))
            text = shortened(name, SIZE, room, bold=True)
            parts.append(svg.words(text, x + _CHIP + 3, middle, SIZE, bold=True, anchor="start", fill=INK))
            for column in table.columns:
                if (text := fact_text(sheet, table.kind, column, i)) != "":
                    text = shortened(text, SIZE, column.width)
                    parts.append(svg.words(text, column.left, middle, SIZE, anchor="start", fill=INK))
    plan.items.append(SceneItem(f"table.{table.kind}", "tables", "".join(parts), places))
    return plan


def fact_text(sheet: Sheet, kind: str, column: Column, row: int) -> str:
    """The value of a fact in a row; empty where there is none."""
    if column.fact is None or row >= len(column.fact.values) or column.fact.values[row] < 0:
        return ""
    of = sheet.fact(kind, column.name, row)
    if of is not None:
        return sheet.titles(of[0])[of[1]]
    value = column.fact.values[row]
    if isinstance(column.fact.type, Bool):
        return sheet.words.word("yes") if value else ""
    return str(value)


def _rows_as_places(sheet: Sheet, table: SheetTable) -> Iterator[Place]:
    """The rows, if their entities are neither places of a board nor tokens."""
    for i in range(table.rows if sheet.row_places(table.kind) else 0):
        top = table.top + i * table.row
        box = Box((table.corner[0], top, table.corner[0] + table.width, top + table.row))
        yield sheet.place((table.kind, i), box)


def _chip_letters(text: str) -> float:
    return 10.0 if text_width(text, 10, bold=True) <= 15 else 8.0


def _chip_width(text: str) -> float:
    return max(16.0, text_width(text, _chip_letters(text), bold=True) + 5)


@lru_cache(4096)  # the same few in each position of a game
def chip(look: Look, x: float, y: float, text: str = "") -> str:
    """A small disc with the letter of an entity, or a longer text on a small card."""
    text = text or look.letter
    fill = colour(look.colour)
    size = _chip_letters(text)
    wide = _chip_width(text)
    at = {"x": x - wide / 2, "y": y - 8, "width": wide, "height": 16, "rx": 8 if text == look.letter else 2}
    if text == look.letter and look.symbol == "card":
        at |= {"y": y - 10, "height": 20, "rx": 2}
    shape = svg.element("rect", **at, fill=fill, stroke=INK, stroke_width=0.8)
    return shape + svg.words(text, x, y, size, bold=True, fill=ink_on(look.colour))


# --- what changes --------------------------------------------------------------------------------


def rows(
    sheet: Sheet, words: Wording, names: Names, table: SheetTable, shown: ShownState, placed: dict[str, Place]
) -> Iterator[SceneItem]:
    """The rows of a table, each an item; `placed` collects the drawn entities, including those of chips."""
    piles = piles_of_rows(sheet, table.kind, shown)
    turn = names.entity(sheet.turn, shown.fields.get(("", sheet.style.turn), {}).get(0))
    for i in range(table.rows):
        middle = table.top + (i + 0.5) * table.row
        parts = [turn_mark(sheet, (table.corner[0], middle))] if turn == (table.kind, i) else []
        before = len(placed)
        for column in table.columns:
            if column.pile:
                parts += _chips(
                    sheet, table.kind, column, piles.get((column.pile, column.place, i), []), middle, placed
                )
            elif column.field is not None:
                value = shown.fields.get((column.field.kind, column.name), {}).get(i)
                parts.append(_value(sheet, words, names, column, value, middle))
        if body := "".join(parts):
            key = "game" if table.kind == "game" else sheet.names_of((table.kind, i))
            yield SceneItem(f"row.{table.kind}.{key}", "tables", body, tuple(placed.values())[before:])


def turn_mark(sheet: Sheet, at: Point) -> str:
    """The mark beside the row of the acting entity."""
    x, y = at
    mark = svg.element("path", d=svg.path([(x - 12, y - 6), (x - 3, y), (x - 12, y + 6)], closed=True), fill=INK)
    return svg.group([mark], sheet.words.field("", sheet.style.turn))


def die(value: int, x: float, y: float) -> str:
    """A die that shows a number from 1 to 6; `x` is its left side."""
    box = {"x": x, "y": y - 9, "width": 18, "height": 18, "rx": 4}
    spots = [
        svg.element("circle", cx=x + 9 + 5 * across, cy=y + 5 * down, r=1.9, fill=INK) for across, down in _SPOTS[value]
    ]
    return svg.element("rect", **box, fill="#ffffff", stroke=INK, stroke_width=1.2) + "".join(spots)


def piles_of_rows(sheet: Sheet, kind: str, shown: ShownState) -> dict[tuple[str, str, int], list[Pile]]:
    """The piles by type, place and row, where a row is their place, their owner, or an owner's component."""
    piles: dict[tuple[str, str, int], list[Pile]] = {}
    for pile in shown.piles:
        own = pile.index
        if own < 0 and pile.owners:
            made_of = [part for of in pile.owners for part in (of, *sheet.parts(*of))]
            own = next((number for part, number in made_of if part == kind), pile.owners[0][1])
        piles.setdefault((pile.type, pile.place, own), []).append(pile)
    return piles


def _value(sheet: Sheet, words: Wording, names: Names, column: Column, value: Any, y: float) -> str:
    assert column.field is not None
    type_ = column.field.type
    if value is None:
        return ""
    if isinstance(type_, Bool):
        return svg.words(words.word("yes"), column.left, y, SIZE, anchor="start", fill=INK) if value else ""
    if isinstance(type_, SetOf):
        result, x = [], column.left + 8
        for name in value:
            if x + 8 <= column.left + column.width + _PAD:
                result.append(chip(sheet.look(type_.kind, names.number(type_.kind, name)), x, y))
            x += _CHIP * 1.3
        return "".join(result)
    if (column.field.kind, column.name) in sheet.style.dice and value in _SPOTS:
        return die(value, column.left, y)
    of = names.entity(type_, value)
    if of is None:
        return svg.words(shortened(str(value), SIZE, column.width), column.left, y, SIZE, anchor="start", fill=INK)
    text = shortened(sheet.titles(of[0])[of[1]], SIZE, column.width - _CHIP)
    look = sheet.look(*of)
    beyond = max(_chip_width(look.letter) / 2 - 8, 0)  # a chip of two letters reaches farther
    return chip(look, column.left + 8 + beyond, y) + svg.words(
        text, column.left + _CHIP + 2 * beyond, y, SIZE, anchor="start", fill=INK
    )


def _chips(
    sheet: Sheet, kind: str, column: Column, piles: Sequence[Pile], y: float, placed: dict[str, Place]
) -> list[str]:
    """The pieces in a place of a row: a card each, with its owner's letter and other components."""
    if not piles:
        return []
    if is_counted(sheet, kind, column):
        return [svg.words(str(sum(p.count for p in piles)), column.left, y, SIZE, anchor="start", fill=INK)]
    cards = [card(sheet, pile) for pile in piles]
    widths = [_chip_width(text) + 3 for text, _ in cards]
    lines: list[list[int]] = [[]]
    x = 0.0
    for i, width in enumerate(widths):
        if x + width > column.width + 3 and lines[-1]:
            lines.append([])
            x = 0.0
        lines[-1].append(i)
        x += width
    shown = lines[:2]
    results = []
    for k, line in enumerate(shown):
        x = column.left
        at = y + (k - (len(shown) - 1) / 2) * 18
        for i in line:
            drawn = chip(cards[i][1], x + (widths[i] - 3) / 2, at, cards[i][0])
            of = entity_of(sheet, piles[i])
            if of is not None and (id_ := sheet.place_id(of)) not in placed:
                placed[id_] = sheet.place(of, Box((x, at - 8, x + widths[i] - 3, at + 8)))
                drawn = svg.group([drawn], data_place=id_)
            results.append(drawn)
            x += widths[i]
    if left := sum(map(len, lines[2:])):
        results.append(svg.words(f"+{left}", column.left + column.width + 2, y + 9, 9, anchor="start", fill=INK))
    return results


def is_counted(sheet: Sheet, kind: str, column: Column) -> bool:
    """Whether a column shows the number of pieces instead of each: the row's own, all alike."""
    decl = sheet.d.pieces.get(column.pile)
    if decl is None or decl.places[column.place].index:
        return False
    return kind in decl.each or all(kind not in sheet.d.kinds[owner].product for owner in decl.each)


def entity_of(sheet: Sheet, pile: Pile) -> Entity | None:
    """The entity of a card: a token, or the entity of a one-piece pile, unless that entity is a place itself."""
    if pile.token:
        return pile.type, sheet.known.number(pile.type, pile.token)
    kind = pile.owners[0][0] if len(pile.owners) == 1 else ""
    if not kind or sheet.on_board(kind) or kind in sheet.style.tables:
        return None
    return pile.owners[0]


def card(sheet: Sheet, pile: Pile) -> tuple[str, Look]:
    """The text on the card of a pile, and its colours: the letters of its owners' parts."""
    style = sheet.style.pieces[pile.type]
    parts = [part for owner in pile.owners for part in sheet.parts(*owner)]
    looks = [sheet.look(*part) for part in parts]
    if style.text == "title" and len(pile.owners) == 1:
        kind, number = pile.owners[0]
        return sheet.titles(kind)[number] + (f" x{pile.count}" if pile.count > 1 else ""), sheet.look(kind, number)
    if not looks:
        return str(pile.count), Look(style.colour or "white")
    if isinstance(value := pile.fields.get(style.text), int):
        return f"{looks[0].letter} {value}", looks[0]
    return " ".join(look.letter for look in looks) + (f" x{pile.count}" if pile.count > 1 else ""), looks[0]
