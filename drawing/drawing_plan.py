"""The drawing plan: the dynamic half of a board as data, for pages that draw positions themselves.

`pages/draw.js`, a port of `Board.items`, reads the plan. `schemas/plan.schema.json` defines the format.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from rulespec.drawing.board import Board
from rulespec.drawing.board_panels import part_id, scale_id
from rulespec.drawing.cards import is_counted, is_explained, named_by, number_on
from rulespec.drawing.colours import CALLED, colour, ink_on
from rulespec.drawing.drawn_tokens import LARGEST
from rulespec.drawing.entity_looks import Look
from rulespec.drawing.holdings import SheetTable
from rulespec.drawing.plan import LinkLines
from rulespec.drawing.stands import Stand
from rulespec.drawing.table_columns import Column, fact_text
from rulespec.drawing.table_texts import TextTable
from rulespec.drawing.text_width import tables
from rulespec.typed import nodes as typed
from rulespec.types import Bool, Ent, Maybe, Num, Order, SetOf, Type


def plan(board: Board) -> dict[str, Any]:
    """The drawing plan of a board as JSON data."""
    style, d = board.sheet.style, board.sheet.d
    pieces = {name: _piece(board, name) for name in style.pieces if name in d.pieces or name in d.kinds}
    looks = [look for kind in d.kinds for look in style.looks.get(kind, {}).values()]
    symbols = {look.symbol for look in looks} | {"circle", "card", "diamond", "ring"}
    symbols |= {symbol for piece in pieces.values() for symbol in (piece["symbol"], *piece["symbols"].values())}
    symbols |= {symbol for piece in pieces.values() for _, _, symbol in piece["states"]}
    return {
        "rulespec_plan": 1,
        "kinds": {kind: _kind(board, kind) for kind in d.kinds},
        "pieces": pieces,
        "boards": [_board(board, kind) for kind in board.plans],
        "links": [_link(board, at, *of) for at, plan_ in board.plans.items() for of in plan_.links.items()],
        "markers": [_marker(board, *marker) for marker in style.markers if _is_marker(board, *marker)],
        "scales": [
            {
                "kind": kind,
                "name": name,
                "title": board.words.field(kind, name),
                "panel": scale_id(kind, name),
                "slots": _slots(of.slots),
            }
            for (kind, name), of in board.scales.items()
        ],
        "tables": [_table(board, table, shown) for table, shown in board.text_tables()],
        "turn": _turn(board),
        "symbols": {symbol: style.path(symbol) for symbol in sorted(symbols - {""})},
        "words": {"yes": board.words.word("yes"), "hidden": board.words.word("hidden_pieces", number="{number}")},
        "widths": {weight: tables()[weight] for weight in ("regular", "bold")},
        "largest": LARGEST,
    }


def _kind(board: Board, kind: str) -> dict[str, Any]:
    sheet = board.sheet
    made_of = sheet.d.kinds[kind].product
    named = made_of and any(getattr(field.type, "kind", "") == kind for field in _fields(sheet.d))
    in_sets = any(isinstance(field.type, SetOf | Order) and field.type.kind == kind for field in _fields(sheet.d))
    values = [_look(sheet.value_look(kind, i)) for i in range(len(sheet.names(kind)) if named else 0)]
    looks = sheet.style.looks.get(kind, {}).values()
    is_player = sheet.d.kinds[kind].is_player
    return {
        "names": list(sheet.names(kind)),
        "titles": list(sheet.titles(kind)),
        "looks": [_look(look) for look in looks],
        **({"values": values} if values else {}),
        **({"roles": [_role(board, look) for look in looks]} if is_player else {}),
        "parts": list(made_of),
        "player": is_player,
        "placed": sheet.on_board(kind) or kind in sheet.style.tables,
        **({"titled": True} if in_sets and not is_explained(sheet, kind) else {}),
    }


def _fields(d: typed.Declarations) -> Iterator[typed.FieldDecl]:
    """The fields of the game and of all kinds."""
    yield from d.fields.values()
    for kind in d.kinds.values():
        yield from kind.state.values()


def _look(look: Look) -> list[str | bool]:
    """The fill, the ink on it, the letter, the symbol, and whether the look is ambiguous in grey."""
    return [colour(look.colour), ink_on(look.colour), look.letter, look.symbol, look.hatch != "none"]


def _role(board: Board, look: Look) -> str:
    """The name of a seat by its colour, if the drawing file sets one that has a name; otherwise ""."""
    return board.words.word(f"colour_{look.colour}") if look.chosen and look.colour in CALLED else ""


def _piece(board: Board, name: str) -> dict[str, Any]:
    style, d = board.sheet.style.pieces[name], board.sheet.d
    decl = d.pieces.get(name) or d.kinds[name]
    result: dict[str, Any] = {
        "symbol": style.symbol,
        "symbols": style.symbols,
        "states": [list(state) for state in style.states],
        "colour": [colour(style.colour), ink_on(style.colour)] if style.colour else [],
        "text": style.text,
        "grouped": style.grouped,
        **({"plain": True} if style.plain else {}),
        "shown": None if style.places is None else list(style.places),
        "places": {place: of.index for place, of in decl.places.items()},
    }
    tokens = board.names.names(name) if not isinstance(decl, typed.PieceDecl) else ()
    if any(named := [named_by(board.sheet, name, token) for token in tokens]):
        result["looks"] = [_look(board.sheet.look(*of) if of is not None else Look("grey")) for of in named]
    numbers = [number_on(board.sheet, name, token) for token in tokens]
    if any(number is not None for number in numbers):
        result["numbers"] = numbers
    if isinstance(decl, typed.PieceDecl):
        result["each"] = list(decl.each)
    else:
        result["owners"] = [
            [list(of) for of in board.names.token_owners(name, i)] for i in range(len(board.names.names(name)))
        ]
    held = [what.partition(".") for of in board.plans.values() for what in of.held]
    if held_places := [place for type_, _, place in held if type_ == name]:
        result["where"] = {place: board.words.place(name, place) for place in held_places}
    if held_places or any(place.index in board.plans for place in decl.places.values()):
        result["titles"] = _titles(board, name, decl)
    if any(board.plans[kind].owned for kind in result.get("each", ()) if kind in board.plans):
        result["where"] = {place: board.words.place(name, place) for place, of in decl.places.items() if not of.index}
        result["internal"] = [place for place in decl.places if board.words.internal(name, place)]
    return result


def _titles(board: Board, name: str, decl: typed.PieceDecl | typed.Kind) -> list[str]:
    """The titles of pieces by their owners, in order, or of all tokens."""
    sheet = board.sheet
    if isinstance(decl, typed.PieceDecl):
        groups = product(*([(kind, title) for title in sheet.titles(kind)] for kind in decl.each))
        return [board.words.pieces(name, list(group)) for group in groups]
    owners = (board.names.token_owners(name, i) for i in range(len(sheet.names(name))))
    return [board.words.pieces(name, [(kind, sheet.titles(kind)[n]) for kind, n in each]) for each in owners]


def _slots(slots: Any) -> dict[str, list[float]]:
    return {str(number): list(slot) for number, slot in slots.items()}


def _board(board: Board, kind: str) -> dict[str, Any]:
    fields, dice, style = board.sheet.d.kinds[kind].state, board.plans[kind].dice, board.sheet.style.boards[kind]
    shown = [f for f in style.fields if f in fields and not board.words.internal(kind, f)]
    return {
        "kind": kind,
        "panel": board.panel_of(kind),
        **_panels(board, kind, kind),
        "slots": _slots(board.plans[kind].slots),
        "stands": {str(slot): [_stand(each) for each in of] for slot, of in board.plans[kind].stands.items() if of},
        "piece": board.plans[kind].piece or LARGEST,
        "copies": board.plans[kind].copies,
        "each": board.plans[kind].each,
        "owned": board.plans[kind].owned,
        "held": board.plans[kind].held,
        "holder": board.plans[kind].holder,
        "manners": {str(slot): manner for slot, manner in board.plans[kind].manners.items()},
        "stack": board.plans[kind].stack,
        "dice": None if dice is None else list(dice),
        "fields": [_field(board, kind, f) for f in shown],
        "tiles": _tiles(board, kind),
        **({"plain": sorted(style.plain)} if style.plain else {}),
    }


def _panels(board: Board, at: str, kind: str) -> dict[str, Any]:
    """The panels of the boards of owners, and the number of entities of a kind on each."""
    parts = board.plans[at].parts
    if not parts:
        return {}
    return {"panels": [part_id(at, n) for n in range(len(parts))], "per": len(board.names.names(kind)) // len(parts)}


def _field(board: Board, kind: str, name: str) -> dict[str, Any]:
    """A field of places, with its letters."""
    type_ = _type(board.sheet.d.kinds[kind].state[name].type)
    return {
        "name": name,
        "title": board.words.field(kind, name),
        "code": board.sheet.style.codes.get((kind, name), ""),
        **type_,
        **_private(board.sheet.d.kinds[kind].state[name]),
    }


def _private(field: typed.FieldDecl) -> dict[str, Any]:
    """Whether a field can be hidden, so that its absence from a state means a hidden value."""
    return {"private": True} if field.private is not None else {}


def _tiles(board: Board, kind: str) -> dict[str, Any] | None:
    """The tiles of a board: their faces, and each cell's centre, outline, and printed tile with its visible facts."""
    tiles = board.plans[kind].tiles
    if tiles is None:
        return None
    looks = board.sheet.look
    return {
        "field": tiles.field,
        "of": tiles.kind,
        "turn": tiles.turn,
        "turned": board.words.field(kind, tiles.turn) if tiles.turn else "",
        "faces": [
            {
                "title": f.title,
                "fill": f.fill,
                "drawn": list(f.drawn),
                "texts": [list(map(list, of)) for of in f.texts],
                "stops": [list(map(list, of)) for of in f.stops],
            }
            for f in tiles.faces
        ],
        "cells": {str(n): [*tiles.cells[n], outline] for n, outline in tiles.outlines.items()},
        "printed": {str(n): list(of) for n, of in tiles.printed.items()},
        "low": tiles.low,
        "points": tiles.points,
        "ends": tiles.ends,
        "stops": list(tiles.stops),
        "homes": [[h.kind, h.number, h.place, h.field, looks(h.kind, h.number).letter] for h in tiles.homes],
    }


def _stand(stand: Stand) -> list[Any]:
    """A stand as data: the size of its pieces, their centres, and the coordinates of lines."""
    lines = [round(part, 1) for line in stand.lines for point in line for part in point]
    return [stand.size, [round(part, 1) for spot in stand.spots for part in spot], lines]


def _type(type_: Type) -> dict[str, str]:
    """The type of a field, in the plan's terms."""
    if isinstance(type_, Ent | SetOf | Order):
        return {"type": "entity" if isinstance(type_, Ent) else "set", "of": type_.kind}
    return {"type": "bool" if isinstance(type_, Bool) else "number" if isinstance(type_, Num | Maybe) else "other"}


def _link(board: Board, at: str, kind: str, lines: LinkLines) -> dict[str, Any]:
    """The links of a kind, for links with a drawn state."""
    return {
        "kind": kind,
        "at": at,
        "name": lines.field,
        "panel": board.panel_of(at),
        **_panels(board, at, kind),
        "layer": lines.layer,
        **_type(board.sheet.d.kinds[kind].state[lines.field].type),
        "lines": {str(n): [path, title] for n, (path, title) in lines.lines.items()},
    }


def _is_marker(board: Board, kind: str, name: str) -> bool:
    fields = board.sheet.d.kinds[kind].state if kind else board.sheet.d.fields
    return name in fields and isinstance(fields[name].type, Ent) and not board.words.internal(kind or "game", name)


def _marker(board: Board, kind: str, name: str) -> dict[str, Any]:
    fields = board.sheet.d.kinds[kind].state if kind else board.sheet.d.fields
    return {
        "kind": kind,
        "name": name,
        "title": board.words.field(kind, name),
        "of": _type(fields[name].type)["of"],
        "code": "" if kind else board.sheet.style.codes.get((kind, name), ""),
        "order": board.sheet.style.orders.get((kind, name), ""),
    }


def _turn(board: Board) -> dict[str, str] | None:
    """The field for the acting entity, its title, and the entity's kind; None without such a field."""
    name, type_ = board.sheet.style.turn, board.sheet.turn
    if not isinstance(type_, Ent):
        return None
    return {"name": name, "title": board.words.field("", name), "of": type_.kind}


def _table(board: Board, table: SheetTable, shown: TextTable) -> dict[str, Any]:
    places = board.sheet.row_places(table.kind)
    rows = [[part if isinstance(part, str) else list(part) for part in cell] for cell in shown.rows]
    return {
        **shown.to_json(),
        "rows": rows,
        "kind": table.kind,
        "places": [board.sheet.place_id((table.kind, i)) for i in range(table.rows)] if places else [],
        "columns": [_column(board, table, column) for column in table.columns],
    }


def _column(board: Board, table: SheetTable, column: Column) -> dict[str, Any]:
    if column.is_static:
        return {"texts": [fact_text(board.sheet, table.kind, column, i) for i in range(table.rows)]}
    if column.field is not None:
        type_ = _type(column.field.type)
        facts = (
            [fact_text(board.sheet, type_["of"], column, i) for i in range(len(board.names.names(type_["of"])))]
            if column.fact
            else []
        )
        more = {"facts": facts} if facts else {}
        return {"name": column.name, "kind": column.field.kind, **type_, **more, **_private(column.field)}
    return {
        "pile": column.pile,
        "place": column.place,
        "counted": is_counted(board.sheet, table.kind, column.pile, column.place),
    }
