"""Tables of holdings as texts, for pages with their own fonts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from rulespec.drawing.cards import card, is_counted
from rulespec.drawing.colours import colour, ink_on
from rulespec.drawing.holdings import Column, SheetTable, fact_text, piles_of_rows
from rulespec.drawing.picture_words import Wording
from rulespec.drawing.plan import Sheet
from rulespec.drawing.shown import Names, ShownState
from rulespec.drawing.style import Look
from rulespec.records import Brief
from rulespec.types import Bool, Order, SetOf

Part = str | tuple[str, str, str]
"""A text, or a chip: its letters, its colour, and that of the letters."""
Cell = list[Part]


class TextTable(Brief, Struct, frozen=True):
    """A table without its values: its title, the titles of its columns, and the first cell of each row."""

    title: str
    heads: list[str]
    rows: list[Cell]

    def to_json(self) -> dict[str, Any]:
        """The object in the data of a page."""
        return {"title": self.title, "heads": self.heads, "rows": self.rows}


def text_table(sheet: Sheet, table: SheetTable, title: str) -> TextTable:
    """A table as text."""
    rows: list[Cell] = [[]]
    if table.kind != "game":
        rows = [[_chip(sheet.look(table.kind, i)), name] for i, name in enumerate(sheet.titles(table.kind))]
    return TextTable(title, [column.title for column in table.columns], rows)


def text_rows(sheet: Sheet, words: Wording, names: Names, table: SheetTable, shown: ShownState) -> Iterator[list[Cell]]:
    """The values of all rows of a table."""
    piles = piles_of_rows(sheet, table.kind, shown)
    for i in range(table.rows):
        row: list[Cell] = []
        for column in table.columns:
            if column.field is not None:
                value = shown.fields.get((column.field.kind, column.name), {}).get(i)
                row.append(_value(sheet, words, names, column, value))
                continue
            if column.fact is not None:
                text = fact_text(sheet, table.kind, column, i)
                row.append([text] if text else [])
                continue
            of = piles.get((column.pile, column.place, i), [])
            if is_counted(sheet, table.kind, column.pile, column.place):
                row.append([str(sum(pile.count for pile in of))] if of else [])
            else:
                row.append([_chip(look, text) for text, look in (card(sheet, pile) for pile in of)])
        yield row


def _value(sheet: Sheet, words: Wording, names: Names, column: Column, value: Any) -> Cell:
    assert column.field is not None
    type_ = column.field.type
    if value is None:
        return []
    if isinstance(type_, Bool):
        return [words.word("yes")] if value else []
    if isinstance(type_, SetOf | Order):
        return [_chip(sheet.look(type_.kind, names.number(type_.kind, name))) for name in value]
    of = names.entity(type_, value)
    return [str(value)] if of is None else [_chip(sheet.look(*of)), sheet.titles(of[0])[of[1]]]


def _chip(look: Look, text: str = "") -> Part:
    return text or look.letter, colour(look.colour), ink_on(look.colour)
