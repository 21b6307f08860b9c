"""Tables of holdings: one row per entity of a kind, with the entity's fields and pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from math import ceil, prod
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from rulespec.drawing import svg
from rulespec.drawing.cards import (
    SIZE,
    alone,
    card,
    chip,
    chip_width,
    entity_of,
    flowed,
    grouped,
    is_counted,
    is_explained,
    lettered,
    most_texts,
    unseen_text,
)
from rulespec.drawing.colours import INK
from rulespec.drawing.guess import row_tables
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import GAP, HEAD, Plan, Sheet
from rulespec.drawing.played_marks import SPOTS, die
from rulespec.drawing.regular_boards import heading
from rulespec.drawing.scene import Place, SceneItem
from rulespec.drawing.shown import Names, Pile, ShownState, Unseen
from rulespec.drawing.svg import Box, Point
from rulespec.drawing.table_columns import Column, fact_text
from rulespec.drawing.text_width import shortened, text_width
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Num, Order, SetOf

HEADS = 12.0
"""The font size of column heads."""
_ROW, _LINE_OF_CHIPS = 24.0, 21.0
"""The height of a row with one line, and of each line of pieces."""
_MOST_LINES, _FEW_ROWS, _BLOCK = 6, 8, 40
"""The maximum numbers of lines of pieces in a row, and of rows of a table with titles; and the rows per part of a long
table."""
_PAD = 14.0
_CHIP = 22.0
_LONG_NUMBER = 60.0
_MORE = 26.0
"""The width reserved for the count of pieces that do not fit."""
_MEMBERS, _SET = 16, 420.0
"""The number of set members that a column has room for, and its maximum width."""
"""The room of a number without bounds."""
_WIDEST = 150.0
_LIST = 240.0
"""The maximum widths of a column of single values, and of lists of a look-up table."""
_CHIPS = 150.0  # minimum width of a column of pieces
_LINE = "#c9cdd1"


class SheetTable(Brief, Struct):
    """A table on the sheet, or one part of a long or wide table.

    Attributes:
        row: the height of a row.
        rows: the number of rows, from the entity `first`.
        lines: the number of lines that the pieces in a row take.
        part: the number of the part, from 0.
        has_places: whether its rows can be pointed at; false for parts with additional columns for the same entities.
    """

    kind: str
    columns: list[Column]
    corner: Point
    width: float
    row: float
    rows: int
    top: float
    lines: int = 1
    first: int = 0
    part: int = 0
    has_places: bool = True

    @property
    def suffix(self) -> str:
        """The suffix of the ids of the table's items, which is empty except for later parts."""
        return f".{self.part + 1}" if self.part else ""


class TablePart(Struct, frozen=True):
    """Part of a table: the names of its columns, and its rows from `first` on (all of them if `rows` is None)."""

    columns: tuple[str, ...]
    first: int = 0
    rows: int | None = None


def _parts_of(
    sheet: Sheet, words: Wording, names: Names, kind: str, columns: Sequence[str], width: float
) -> list[TablePart]:
    """The parts of a table that fit a width, with as many rows as fit on a sheet."""
    groups: list[list[str]] = [[]]
    left = first = 0.0 if kind == "game" else _first_column(sheet, kind)
    for name in columns:
        column = _column(sheet, words, names, kind, name)
        if column is None:
            continue
        if groups[-1] and left + column.width + _PAD > width:
            groups.append([])
            left = first
        groups[-1].append(name)
        left += column.width + _PAD
    count = 1 if kind == "game" else len(names.names(kind))
    blocks = [(at, min(_BLOCK, count - at)) for at in range(0, count, _BLOCK)] if count > _BLOCK * 1.5 else [(0, count)]
    return [TablePart(tuple(group), *block) for group in groups for block in blocks if group]


def tables_within(
    sheet: Sheet, words: Wording, names: Names, kind: str, columns: Sequence[str], width: float
) -> Iterator[SheetTable]:
    """The parts of a table that fit into a width, each positioned on the sheet."""
    firsts = set[int]()
    for number, part in enumerate(_parts_of(sheet, words, names, kind, columns, width)):
        table = table_of(sheet, words, names, kind, part, (0.0, 0.0), width)
        if table is not None and table.rows:
            table.part, table.has_places = number, part.first not in firsts
            firsts.add(part.first)
            yield table


def _first_column(sheet: Sheet, kind: str) -> float:
    """The width of the row names, including the disc before each."""
    widest = max((text_width(title, SIZE, bold=True) for title in sheet.titles(kind)), default=0.0)
    return min(widest, _WIDEST + 40) + _disc_room(sheet, kind) + _PAD


def _disc_room(sheet: Sheet, kind: str) -> float:
    """The width of the widest disc before a row's name; 0 if no entity has a letter."""
    letters = [sheet.look(kind, i).letter for i in range(len(sheet.names(kind)))]
    return max(map(chip_width, letters)) + 5 if any(letters) else 0.0


def table_of(
    sheet: Sheet, words: Wording, names: Names, kind: str, part: TablePart, corner: Point, width: float
) -> SheetTable | None:
    """The table of a kind, or of the game's fields; None if it would be empty."""
    results = [c for name in part.columns if (c := _column(sheet, words, names, kind, name)) is not None]
    if not results:
        return None
    first = 0.0 if kind == "game" else _first_column(sheet, kind)
    chips = [c for c in results if c.pile]
    left = corner[0] + first
    fixed = sum(c.width + _PAD for c in results if not c.pile)
    room = (width - first - fixed) / len(chips) - _PAD if chips else 0
    for column in chips:
        column.width = max(min(room, _needed(sheet, kind, column)), min(text_width(column.title, HEADS), 150.0))
    scale = min(1.0, (width - first) / max(sum(c.width + _PAD for c in results), 1))
    for column in results:
        column.width = column.width * scale
        column.left = left
        left += column.width + _PAD * scale
    lines = max([1, *(_lines(sheet, kind, c) for c in chips), *(_lines_of_set(sheet, kind, c) for c in results)])
    rows = part.rows if part.rows is not None else 1 if kind == "game" else len(names.names(kind))
    row = _ROW if lines == 1 else _LINE_OF_CHIPS * lines + 4
    top = corner[1] + HEAD + 16.0
    return SheetTable(kind, results, corner, left - corner[0], row, rows, top, lines, part.first)


def moved(table: SheetTable, to: Point) -> SheetTable:
    """The table moved to another corner of the sheet."""
    right, down = to[0] - table.corner[0], to[1] - table.corner[1]
    columns = [replace(column, left=column.left + right) for column in table.columns]
    return replace(table, columns=columns, corner=to, top=table.top + down)


def _cards(sheet: Sheet, kind: str, column: Column) -> tuple[int, float, float]:
    """The maximum number of cards in a column, and the width of one with its title and with letters alone."""
    style = sheet.style.pieces[column.pile]
    decl = sheet.d.pieces.get(column.pile)
    if style.grouped and decl is None:
        wide = max(chip_width(f"{card(sheet, pile)[0]} x9") for pile in alone(sheet, column.pile, column.place)) + 3
        return most_texts(sheet, kind, column.pile, column.place), wide, wide
    count = prod(len(sheet.names(each)) for each in decl.each) if decl is not None else len(sheet.names(column.pile))
    short = _CHIP * (1 if decl is None or len(decl.each) < 2 else 1.6)
    if decl is None and len(sheet.d.kinds[column.pile].product) > 1:  # letters of several entities
        short = max(chip_width(lettered(sheet, pile)[0]) + 3 for pile in alone(sheet, column.pile, column.place))
    if style.text != "title":
        return count, short, short
    of = column.pile if decl is None else decl.each[0] if len(decl.each) == 1 else ""
    titles = sheet.titles(of) if of else ()
    widest = max((text_width(title, SIZE, bold=True) for title in titles), default=short)
    return count, min(widest + _CHIP * 1.6, _WIDEST), short * 1.3


def _needed(sheet: Sheet, kind: str, column: Column) -> float:
    """The width that a column of pieces may need."""
    if is_counted(sheet, kind, column.pile, column.place):
        return _CHIP * 1.4
    count, wide, _ = _cards(sheet, kind, column)
    if sheet.style.pieces[column.pile].grouped:
        return wide * min(count, 6)
    return max(wide * min(count, 8), _CHIP * 1.5 * 12) if wide > _CHIP * 2 else _CHIP * 1.5 * 12


def _lines(sheet: Sheet, kind: str, column: Column) -> int:
    """The number of lines of pieces that a row may need in a column."""
    if is_counted(sheet, kind, column.pile, column.place):
        return 1
    count, wide, short = _cards(sheet, kind, column)
    if not sheet.style.guessed:
        return 2 if count * (wide if sheet.style.pieces[column.pile].grouped else _CHIP) > column.width + 3 else 1
    few = kind == "game" or len(sheet.names(kind)) <= _FEW_ROWS
    full = min(count * wide / column.width - 0.3, 2.0) if few else 1.0
    return max(1, min(_MOST_LINES, ceil(max(full, count * short / column.width))))


def _lines_of_set(sheet: Sheet, kind: str, column: Column) -> int:
    """The number of lines of members that a row needs in a column of sets: two if they need titles."""
    of = column.field.type if column.field is not None and column.fact is None else None
    if not isinstance(of, SetOf | Order) or is_explained(sheet, of.kind) or not sheet.style.guessed:
        return 1
    few = kind == "game" or len(sheet.names(kind)) <= _FEW_ROWS
    titles = sorted(chip_width(title) + 3 for title in sheet.titles(of.kind))[-_MEMBERS:]
    return 2 if few and sum(titles) > column.width else 1


def _column(sheet: Sheet, words: Wording, names: Names, kind: str, name: str) -> Column | None:
    head, dot, tail = name.partition(".")
    if dot and (named := _named_fact(sheet, kind, head, tail)) is not None:
        title = words.field(named[0].type.kind, tail) if isinstance(named[0].type, Ent) else tail
        return Column(head, title, max(40.0, text_width(title, HEADS)), named[0], fact=named[1])
    if dot:
        column = Column(name, _pile_title(sheet, words, head, tail), _CHIPS, None, head, tail)
        if is_counted(sheet, kind, head, tail) and not sheet.style.guessed:
            column.width = max(_CHIP * 1.4, text_width(column.title, HEADS))
        elif sheet.style.pieces[head].grouped and head in sheet.d.kinds:
            column.width = max(min(_CHIPS, _needed(sheet, kind, column)), text_width(column.title, HEADS))
        return column
    fields = sheet.d.fields if kind == "game" else sheet.d.kinds[kind].state
    field = fields.get(name)
    if field is None and kind != "game" and name in sheet.d.kinds[kind].facts:
        fact, title = sheet.d.kinds[kind].facts[name], words.field(kind, name)
        titles = sheet.titles(fact.type.kind) if isinstance(fact.type, Ent) else ()
        if isinstance(fact.type, SetOf):
            column = Column(name, title, 0.0, fact=fact)
            titles = tuple(fact_text(sheet, kind, column, i) for i in range(len(fact.values)))
        widest = max((text_width(each, SIZE) for each in titles), default=0.0)
        return Column(name, title, max(40.0, min(max(text_width(title, HEADS), widest), _WIDEST)), fact=fact)
    if field is None and kind != "game" and (lookup := row_tables(sheet.d, kind).get(name)) is not None:
        column = Column(name, words.field(kind, name), 0.0, lookup=lookup)
        texts = (fact_text(sheet, kind, column, i) for i in range(len(sheet.names(kind))))
        column.width = max(40.0, text_width(column.title, HEADS), *(text_width(each, SIZE) for each in texts))
        column.width = min(column.width, _LIST)
        return column
    if field is None or words.internal(kind, name):
        return None
    title = words.field("" if kind == "game" else kind, name)
    width = 40.0
    if isinstance(field.type, Ent):
        titles = sheet.titles(field.type.kind)
        letters = (sheet.value_look(field.type.kind, i).letter for i in range(len(titles)))
        disc = max(map(chip_width, letters), default=0.0)
        width = max([width, *(text_width(t, SIZE) + disc + 6 for t in titles)])
    elif isinstance(field.type, SetOf | Order):
        looks = (sheet.value_look(field.type.kind, i) for i in range(len(sheet.names(field.type.kind))))
        discs = [chip_width(look.letter) + 3 for look in looks]
        width = sum(sorted(discs)[-_MEMBERS:])
        return Column(name, title, max(min(width, _SET), min(text_width(title, HEADS), 110.0)), field)
    elif isinstance(field.type, Num) and field.high is None and not field.type.unit and sheet.style.guessed:
        width = _LONG_NUMBER
    width = max(min(width, _WIDEST), min(text_width(title, HEADS), 110.0))
    return Column(name, title, width, field)


def _named_fact(sheet: Sheet, kind: str, field: str, fact: str) -> tuple[typed.FieldDecl, typed.FactDecl] | None:
    """A field that names an entity, and a fact of such entities; None if either is missing."""
    of = (sheet.d.fields if kind == "game" else sheet.d.kinds[kind].state).get(field)
    if of is None or not isinstance(of.type, Ent) or fact not in sheet.d.kinds[of.type.kind].facts:
        return None
    return of, sheet.d.kinds[of.type.kind].facts[fact]


_OWNER = re.compile(r" \w{1,3} …$")
"""An omitted owner at the end of a title, with its preposition: `carts of …`."""


def _pile_title(sheet: Sheet, words: Wording, pile: str, place: str) -> str:
    """The title of pieces in a place, without owner or entity."""
    decl = sheet.d.pieces.get(pile) or sheet.d.kinds[pile]
    each = decl.each if isinstance(decl, typed.PieceDecl) else decl.product
    pieces = words.pieces(pile, [(kind, "…") for kind in each])
    pieces = pieces if pieces.strip("… ") else pile.replace("_", " ")
    index = decl.places[place].index
    where = words.place(pile, place, "…" if index else "", index)
    where = where if where.strip("… ") else place.replace("_", " ")  # a title that consists of its owner
    alone = len(sheet.d.pieces) + sum(bool(kind.places) for kind in sheet.d.kinds.values()) == 1
    title = _OWNER.sub("", where) if alone else f"{_OWNER.sub('', pieces).lstrip('… ')}: {where}"
    return words.board(f"{pile}.{place}", title.replace(" (…)", "").removesuffix(" …").removeprefix(": "))


def table_plan(sheet: Sheet, table: SheetTable, title: str) -> Plan:
    """The static items of a table: its heading, column heads and row names."""
    x, y = table.corner
    plan = Plan((table.width, table.top - y + table.row * table.rows))
    parts = [heading(shortened(title, 13, table.width + 2 * GAP - 8, bold=True), table.corner)]
    for column in table.columns:
        text = shortened(column.title, HEADS, column.width + _PAD - 6)
        parts.append(svg.words(text, column.left, table.top - 9, HEADS, anchor="start", fill="#4a525a"))
    places = tuple(_rows_as_places(sheet, table))
    for place in places:
        left, top, right, bottom = place.box
        area: svg.Values = {"x": left, "y": top, "width": right - left, "height": bottom - top}
        parts.append(svg.element("rect", **area, fill="none", pointer_events="all", data_place=place.id))
    for i in range(table.rows + 1):
        at = table.top + i * table.row
        parts.append(svg.element("path", d=svg.path([(x, at), (x + table.width, at)]), stroke=_LINE))
    if table.kind != "game":
        discs = _disc_room(sheet, table.kind)
        room = table.columns[0].left - x - discs - 4
        for i, name in islice(enumerate(sheet.titles(table.kind)), table.first, table.first + table.rows):
            middle = table.top + (i - table.first + 0.5) * table.row
            if discs:
                parts.append(chip(sheet.look(table.kind, i), x + (discs - 5) / 2, middle))
            text = shortened(name, SIZE, room, bold=True)
            parts.append(svg.words(text, x + discs, middle, SIZE, bold=True, anchor="start", fill=INK))
            for column in (column for column in table.columns if column.is_static):
                if (text := fact_text(sheet, table.kind, column, i)) != "":
                    text = shortened(text, SIZE, column.width)
                    parts.append(svg.words(text, column.left, middle, SIZE, anchor="start", fill=INK))
    plan.items.append(SceneItem(f"table.{table.kind}{table.suffix}", "tables", "".join(parts), places))
    return plan


def _rows_as_places(sheet: Sheet, table: SheetTable) -> Iterator[Place]:
    """The rows as places, if their entities are neither places of a board nor tokens."""
    for i in range(table.rows if sheet.row_places(table.kind) and table.has_places else 0):
        top = table.top + i * table.row
        box = Box((table.corner[0], top, table.corner[0] + table.width, top + table.row))
        yield sheet.place((table.kind, table.first + i), box)


# --- what changes --------------------------------------------------------------------------------


def rows(
    sheet: Sheet, words: Wording, names: Names, table: SheetTable, shown: ShownState, placed: dict[str, Place]
) -> Iterator[SceneItem]:
    """The rows of a table as items; `placed` collects the entities that they draw, including chips."""
    turn = names.entity(sheet.turn, shown.fields.get(("", sheet.style.turn), {}).get(0))
    if all(column.is_static for column in table.columns) and (turn is None or turn[0] != table.kind):
        return
    piles = piles_of_rows(sheet, table, shown)
    for i in range(table.first, table.first + table.rows):
        middle = table.top + (i - table.first + 0.5) * table.row
        parts = [turn_mark(sheet, (table.corner[0], middle))] if turn == (table.kind, i) else []
        before = len(placed)
        for column in table.columns:
            if column.pile:
                parts += _chips(sheet, table, column, piles.get((column.pile, column.place, i), []), middle, placed)
            elif column.field is not None:
                parts.append(_value(sheet, words, names, table, column, shown.held(column.field, i), middle))
        if body := "".join(parts):
            key = "game" if table.kind == "game" else sheet.names_of((table.kind, i))
            yield SceneItem(f"row.{table.kind}.{key}{table.suffix}", "tables", body, tuple(placed.values())[before:])


def turn_mark(sheet: Sheet, at: Point) -> str:
    """The mark next to the acting entity's row, as SVG."""
    x, y = at
    mark = svg.element("path", d=svg.path([(x - 12, y - 6), (x - 3, y), (x - 12, y + 6)], closed=True), fill=INK)
    return svg.group([mark], sheet.words.field("", sheet.style.turn))


def piles_of_rows(sheet: Sheet, table: SheetTable, shown: ShownState) -> dict[tuple[str, str, int], list[Pile]]:
    """The piles in the columns of a table, by type, place and row.

    The row of a pile is the entity of its place, its owner, or a component of its owner.
    """
    piles: dict[tuple[str, str, int], list[Pile]] = {}
    columns = {(column.pile, column.place) for column in table.columns}
    types = {column.pile for column in table.columns}
    for pile in chain.from_iterable(group for group in shown.piles if group and group[0].type in types):
        if (pile.type, pile.place) not in columns:
            continue
        own = pile.index
        if own < 0 and table.kind == "game":
            own = 0
        elif own < 0 and pile.owners:
            made_of = [part for of in pile.owners for part in (of, *sheet.parts(*of))]
            own = next((number for part, number in made_of if part == table.kind), pile.owners[0][1])
        piles.setdefault((pile.type, pile.place, own), []).append(pile)
    return {key: grouped(sheet, of) if sheet.style.pieces[key[0]].grouped else of for key, of in piles.items()}


def _value(sheet: Sheet, words: Wording, names: Names, table: SheetTable, column: Column, value: Any, y: float) -> str:
    assert column.field is not None
    type_ = column.field.type
    if value is None:
        return ""
    if value is ... or isinstance(value, Unseen):
        return svg.words(unseen_text(sheet, value), column.left, y, SIZE, anchor="start", fill=INK)
    if column.fact is not None and isinstance(type_, Ent):
        text = fact_text(sheet, type_.kind, column, names.number(type_.kind, value))
        return svg.words(shortened(text, SIZE, column.width), column.left, y, SIZE, anchor="start", fill=INK)
    if isinstance(type_, Bool):
        return svg.words(words.word("yes"), column.left, y, SIZE, anchor="start", fill=INK) if value else ""
    if isinstance(type_, SetOf | Order):
        return _members(sheet, type_.kind, [names.number(type_.kind, name) for name in value], table, column, y)
    if (column.field.kind, column.name) in sheet.style.dice and value in SPOTS:
        return die(value, column.left, y)
    of = names.entity(type_, value)
    if of is None:
        return _number(str(value), column, y)
    look = sheet.value_look(*of)
    disc = chip_width(look.letter)
    text = shortened(sheet.titles(of[0])[of[1]], SIZE, column.width - disc - 3)
    x = column.left
    return chip(look, x + disc / 2, y) + svg.words(text, x + disc + 3, y, SIZE, anchor="start", fill=INK)


def _number(text: str, column: Column, y: float) -> str:
    """A number, split over two lines if it has too many digits for one."""
    if text_width(text, SIZE) <= column.width + _PAD - 4:
        return svg.words(text, column.left, y, SIZE, anchor="start", fill=INK)
    half = (len(text) + 1) // 2
    lines = (shortened(part, SIZE, column.width + _PAD - 4) for part in (text[:half], text[half:]))
    at = (y - SIZE / 2, y + SIZE / 2)
    return "".join(svg.words(line, column.left, h, SIZE, anchor="start") for line, h in zip(lines, at, strict=True))


def _members(sheet: Sheet, kind: str, numbers: Sequence[int], table: SheetTable, column: Column, y: float) -> str:
    """The members of a set: with titles if nothing else explains their letters and all fit, otherwise as discs; and the
    count of those that do not fit.
    """
    looks = [sheet.value_look(kind, n) for n in numbers]
    texts = [look.letter for look in looks]
    if not is_explained(sheet, kind):
        titles = [sheet.titles(kind)[n] for n in numbers]
        texts = titles if len(flowed(titles, column.width)) <= table.lines else texts
    lines = flowed(texts, column.width)
    shown, left = lines[: table.lines], len(texts) - sum(map(len, lines[: table.lines]))
    if left and sum(chip_width(texts[i]) + 3 for i in shown[-1]) + _MORE > column.width + 3:
        left += len(shown[-1][-1:])
        shown[-1] = shown[-1][:-1]
    results = []
    for k, line in enumerate(shown):
        x, at = column.left, y + (k - (len(shown) - 1) / 2) * _LINE_OF_CHIPS
        for i in line:
            wide = chip_width(texts[i])
            results.append(chip(looks[i], x + wide / 2, at, texts[i]))
            x += wide + 3
        if left and k == len(shown) - 1:
            results.append(svg.words(f"+{left}", x, at, SIZE, anchor="start", fill=INK))
    return "".join(results)


def _chips(
    sheet: Sheet, table: SheetTable, column: Column, piles: Sequence[Pile], y: float, placed: dict[str, Place]
) -> list[str]:
    """The pieces in a place of a row, one card each: with titles if all fit, otherwise with letters."""
    if not piles:
        return []
    if is_counted(sheet, table.kind, column.pile, column.place):
        return [svg.words(str(sum(p.count for p in piles)), column.left, y, SIZE, anchor="start", fill=INK)]
    cards = [card(sheet, pile) for pile in piles]
    lines = flowed([text for text, _ in cards], column.width)
    if len(lines) > table.lines:
        cards = [lettered(sheet, pile) for pile in piles]
        lines = flowed([text for text, _ in cards], column.width)
    shown = lines[: table.lines]
    results = []
    for k, line in enumerate(shown):
        x = column.left
        at = y + (k - (len(shown) - 1) / 2) * _LINE_OF_CHIPS
        for i in line:
            wide = chip_width(cards[i][0])
            drawn = chip(cards[i][1], x + wide / 2, at, cards[i][0])
            of = entity_of(sheet, piles[i])
            if of is not None and (id_ := sheet.place_id(of)) not in placed:
                placed[id_] = sheet.place(of, Box((x, at - 9, x + wide, at + 9)))
                drawn = svg.group([drawn], data_place=id_)
            results.append(drawn)
            x += wide + 3
    if left := sum(map(len, lines[len(shown) :])):
        at = y + (len(shown) - 1) / 2 * _LINE_OF_CHIPS
        results.append(svg.words(f"+{left}", column.left + column.width + 2, at, SIZE, anchor="start", fill=INK))
    return results
