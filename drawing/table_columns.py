"""Table columns, and the texts of columns that are the same in every position: facts and lookup tables."""

from __future__ import annotations

from msgspec import Struct

from rulespec.drawing.plan import Sheet
from rulespec.records import Brief
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, SetOf, Type, none_of


class Column(Brief, Struct):
    """A column: a field, a fact, a fact of the entity that a field names, a lookup table, or the pieces in a place.

    `left` is its left edge.
    """

    name: str
    title: str
    width: float
    field: typed.FieldDecl | None = None
    pile: str = ""
    place: str = ""
    left: float = 0.0
    fact: typed.FactDecl | None = None
    lookup: typed.TableDecl | None = None

    @property
    def is_static(self) -> bool:
        """Whether the column is the same in every position."""
        return self.field is None and not self.pile


def fact_text(sheet: Sheet, kind: str, column: Column, row: int) -> str:
    """The text of a fact or lookup table in a row; "" if it has no value."""
    if column.lookup is not None:
        return _row_text(sheet, column.lookup, row)
    if column.fact is None or row >= len(column.fact.values):
        return ""
    if (of := sheet.fact(kind, column.fact.name, row)) is not None:
        return sheet.titles(of[0])[of[1]]
    return _text_of(sheet, column.fact.type, column.fact.values[row])


def _row_text(sheet: Sheet, table: typed.TableDecl, row: int) -> str:
    """The value of a look-up table for an entity; with a second key, its entities with their values: `2 ore, glass`."""
    if len(table.keys) == 1:
        return _text_of(sheet, table.value, table.rows.get((row,)))
    assert isinstance(table.keys[1], Ent)
    return ", ".join(
        _listed(title, _text_of(sheet, table.value, value), table.value)
        for i, title in enumerate(sheet.titles(table.keys[1].kind))
        if (value := table.rows.get((row, i))) not in (None, none_of(table.value))
        if value or isinstance(table.value, Ent)
    )


def _listed(title: str, text: str, type_: Type) -> str:
    """An entity of a list with its value; 1 and true are left out."""
    if isinstance(type_, Ent):
        return f"{title}: {text}"
    return title if isinstance(type_, Bool) or text == "1" else f"{text} {title}"


def _text_of(sheet: Sheet, type_: Type, value: int | None) -> str:
    """The text of a value of a look-up table."""
    if value is None or value == none_of(type_):
        return ""
    if isinstance(type_, Ent):
        return sheet.titles(type_.kind)[value]
    if isinstance(type_, SetOf):
        return ", ".join(title for i, title in enumerate(sheet.titles(type_.kind)) if value >> i & 1)
    if isinstance(type_, Bool):
        return sheet.words.word("yes") if value else ""
    return str(value)
