"""State that neither boards nor tables show, unless the drawing hides it deliberately."""

from __future__ import annotations

from collections.abc import Iterable

from rulespec.drawing.board import Board
from rulespec.engine.program.cells import CellName
from rulespec.typed import nodes as typed
from rulespec.types import Ent


def undrawn(board: Board, cells: Iterable[CellName]) -> list[int]:
    """The numbers of the given cells whose values the picture does not show; pages list these values beside it."""
    known: dict[tuple[str, str, str], bool] = {}
    results = []
    for number, cell in enumerate(cells):
        key = cell.group, cell.name, cell.place
        if key not in known:
            known[key] = _is_hidden(board, cell) or _is_drawn(board, cell)
        if not known[key]:
            results.append(number)
    return results


def _is_hidden(board: Board, cell: CellName) -> bool:
    if cell.group == "pieces":
        return board.words.internal(cell.name, cell.place) or (cell.name, cell.place) in board.sheet.style.hides
    kind = "" if cell.group == "game" else cell.group
    return board.words.internal(cell.group, cell.name) or (kind, cell.name) in board.sheet.style.hides


def _is_drawn(board: Board, cell: CellName) -> bool:
    if cell.group == "pieces":
        decl = board.sheet.d.pieces[cell.name]
        return _is_pile_drawn(board, cell.name, decl.places[cell.place], decl.each)
    style, d = board.sheet.style, board.sheet.d
    if any(cell.name in (column, column.partition(".")[0]) for column in style.tables.get(cell.group, ())):
        return True
    if cell.group != "game" and d.kinds[cell.group].places:
        return _is_token_drawn(board, d.kinds[cell.group], cell.name)
    kind = "" if cell.group == "game" else cell.group
    field = (d.kinds[kind].state if kind else d.fields)[cell.name]
    if (kind, cell.name) in style.markers and isinstance(field.type, Ent) and field.type.kind in board.plans:
        return True
    if any(style.orders.get(marker) == cell.name and marker[0] == kind for marker in style.markers):
        return True
    lines = [plan.links[kind].field for plan in board.plans.values() if kind in plan.links]
    if cell.name in lines or (kind, cell.name) in board.scales:
        return True
    tiled = (plan.tiles for plan in board.plans.values() if plan.tiles is not None)
    if any(home.kind == kind and home.field == cell.name for tiles in tiled for home in tiles.homes):
        return True
    if kind not in board.plans:
        return False
    tiles = board.plans[kind].tiles
    return cell.name in style.boards[kind].fields or (tiles is not None and cell.name in (tiles.field, tiles.turn))


def _is_token_drawn(board: Board, kind: typed.Kind, name: str) -> bool:
    """Whether a field of tokens is drawn; their place counts as drawn if all places are."""
    style = board.sheet.style.pieces[kind.name]
    if name != "place":
        return style.text == name or any(field == name for field, _, _ in style.states)
    return all(_is_pile_drawn(board, kind.name, place, ()) for place in kind.places.values())


def _is_pile_drawn(board: Board, name: str, place: typed.PlaceDecl, each: tuple[str, ...]) -> bool:
    """Whether pieces or tokens in a place are drawn, on a board or in a table."""
    style, plans, path = board.sheet.style, board.plans, f"{name}.{place.name}"
    if any(path in columns for columns in style.tables.values()):
        return True
    shown = style.pieces[name].places
    if shown is not None and place.name not in shown:
        return False
    owned = len(each) == 1 and each[0] in plans and plans[each[0]].owned
    return place.index in plans or owned or any(path in plan.held for plan in plans.values())
