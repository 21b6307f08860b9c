"""Tables of holdings as text, for pages that use their own fonts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from rulespec.drawing.cards import card, is_counted, is_explained, unseen_text
from rulespec.drawing.colours import colour, ink_on
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.holdings import SheetTable, piles_of_rows
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import Sheet
from rulespec.drawing.shown import Names, ShownState, Unseen
from rulespec.drawing.table_columns import Column, fact_text
from rulespec.records import Brief
from rulespec.types import Bool, Ent, Order, SetOf

Part = str | tuple[str, str, str]
"""A part of a cell: text, or a chip with its letters, its colour, and the letters' colour."""
Cell = list[Part]


class TextTable(Brief, Struct, frozen=True):
    """The static parts of a table: its title, its column titles, and the first cell of each row."""

    title: str
    heads: list[str]
    rows: list[Cell]

    def to_json(self) -> dict[str, Any]:
        """The table as JSON data for a page."""
        return {"title": self.title, "heads": self.heads, "rows": self.rows}


def text_table(sheet: Sheet, table: SheetTable, title: str) -> TextTable:
    """A table as text."""
    rows: list[Cell] = [[]]
    if table.kind != "game":
        rows = [[_chip(sheet.look(table.kind, i)), name] for i, name in enumerate(sheet.titles(table.kind))]
    return TextTable(title, [column.title for column in table.columns], rows)


class TableTexts:
    """The values of a table, position by position; an unchanged row is returned as the same object."""

    def __init__(self, sheet: Sheet, words: Wording, names: Names, table: SheetTable) -> None:
        self._sheet, self._words, self._names = sheet, words, names
        self._table = table
        self._rows: dict[int, tuple[list[object], list[Cell]]] = {}

    def rows(self, shown: ShownState) -> Iterator[list[Cell]]:
        """The values in all rows of the table, in a given position."""
        piles = piles_of_rows(self._sheet, self._table, shown)
        for i in range(self._table.rows):
            values: list[object] = [
                shown.held(c.field, i) if c.field is not None else piles.get((c.pile, c.place, i), [])
                for c in self._table.columns
            ]
            if i not in self._rows or self._rows[i][0] != values:
                cells = [self._cell(c, i, v) for c, v in zip(self._table.columns, values, strict=True)]
                self._rows[i] = values, cells
            yield self._rows[i][1]

    def _cell(self, column: Column, row: int, value: Any) -> Cell:
        """The text of a cell, from the value of its field or from its piles."""
        sheet, kind = self._sheet, self._table.kind
        if column.field is not None:
            return _value(sheet, self._words, self._names, column, value)
        if column.is_static:
            text = fact_text(sheet, kind, column, row)
            return [text] if text else []
        if is_counted(sheet, kind, column.pile, column.place):
            return [str(sum(pile.count for pile in value))] if value else []
        return [_chip(look, text) for text, look in (card(sheet, pile) for pile in value)]


def _value(sheet: Sheet, words: Wording, names: Names, column: Column, value: Any) -> Cell:
    assert column.field is not None
    type_ = column.field.type
    if value is ... or isinstance(value, Unseen):
        return [unseen_text(sheet, value)]
    if value is None:
        return []
    if column.fact is not None and isinstance(type_, Ent):
        text = fact_text(sheet, type_.kind, column, names.number(type_.kind, value))
        return [text] if text else []
    if isinstance(type_, Bool):
        return [words.word("yes")] if value else []
    if isinstance(type_, SetOf | Order):
        titles = None if is_explained(sheet, type_.kind) else sheet.titles(type_.kind)
        numbers = [names.number(type_.kind, name) for name in value]
        return [_chip(sheet.value_look(type_.kind, n), titles[n] if titles else "") for n in numbers]
    of = names.entity(type_, value)
    return [str(value)] if of is None else [_chip(sheet.value_look(*of)), sheet.titles(of[0])[of[1]]]


def _chip(look: Look, text: str = "") -> Part:
    return text or look.letter, colour(look.colour), ink_on(look.colour)
