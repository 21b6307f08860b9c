"""The visibility of each cell of a state in a picture, in its SVG or in its tables."""

from __future__ import annotations

import copy
import html
import re
from collections.abc import Iterator, Sequence
from typing import Any

from rulespec.drawing.board import Board
from rulespec.engine.game.game import Game, seen_cells
from rulespec.engine.game.named_state import owner_of, place_of
from rulespec.engine.game.state_json import state_json
from rulespec.engine.program.cells import CellName

_MACHINE_NAME = re.compile(r"[a-z]\d+")


def public_cells(game: Game) -> list[CellName]:
    """The declared cells with a public value."""
    program = game.omniscient.program
    seen = seen_cells(game, None)
    return [program.cells[at] for at, value in zip(program.declared, seen, strict=True) if value is not None]


def unfound(board: Board, game: Game, cells: Sequence[CellName]) -> list[str]:
    """The cells, as `owner.field`, for which a changed value does not appear in the changed parts of the picture."""
    state = state_json(game)
    now = _parts(board, state)
    return [f"{cell.owner}.{cell.name}" for cell in cells if not _is_found(board, game, cell, state, now)]


def _is_found(board: Board, game: Game, cell: CellName, state: dict[str, Any], now: dict[str, str]) -> bool:
    for other, said in _changed(board, game, cell, state):
        new = _parts(board, other)
        text = " ".join(part for key, part in new.items() if now.get(key) != part)
        gone = any(key not in new for key in now)
        if (text and any(each in text for each in said)) or ((gone or text) and not said):
            return True
    return False


def _parts(board: Board, state: dict[str, Any]) -> dict[str, str]:
    """The parts that show a state: the items of the picture, unescaped, and the cells of tables."""
    parts = {item.id: html.unescape(item.svg) for item in board.items(state)}
    return parts | {f"row {i}": repr(row) for i, row in enumerate(board.text_rows(state))}


def _changed(
    board: Board, game: Game, cell: CellName, state: dict[str, Any]
) -> Iterator[tuple[dict[str, Any], list[str]]]:
    """States with another value of a cell, each with texts of which one must appear in the picture."""
    labels, new = game.omniscient.labels, copy.deepcopy(state)
    owner = owner_of(labels, cell)
    if cell.group == "pieces":
        place = place_of(labels, cell)
        count = new["pieces"].setdefault(cell.name, {}).setdefault(owner, {}).get(place, 0)
        new["pieces"][cell.name][owner][place] = count + 1
        yield new, [str(count + 1)] if count else _titles_of_owner(board, cell, owner)
        return
    values = new["entities"][cell.group][owner]
    now = values[cell.name]
    form, _, kind = cell.type.rpartition(" ")
    names = labels.names.get(kind.removesuffix("?"), ())
    if cell.name == "place" and cell.group in board.sheet.d.kinds and board.sheet.d.kinds[cell.group].places:
        for value in names:
            values[cell.name] = value
            yield copy.deepcopy(new), [f'data-place="{cell.group}.{owner}"', *_called(board, cell.group, owner)]
    elif form:
        for name in names[:3]:
            values[cell.name] = [name]
            yield copy.deepcopy(new), _called(board, kind, name)
    elif names:
        for name in (each for each in names if each != now):
            values[cell.name] = name
            yield copy.deepcopy(new), [*_called(board, kind.removesuffix("?"), name), *_marked(board, cell, owner)]
    elif cell.type == "bool":
        values[cell.name] = not now
        yield new, [board.words.word("yes"), *_marked(board, cell, owner)] if not now else []
    else:
        values[cell.name] = (now or 0) + 1 or 1
        yield new, [str(values[cell.name])]


def _titles_of_owner(board: Board, cell: CellName, owner: str) -> list[str]:
    """Texts for an owner's pieces: a title, letters, or the number of the seat."""
    each = board.sheet.d.pieces[cell.name].each
    of = [part for kind, number in board.names.owners(cell.name, owner) for part in _texts(board, kind, number)]
    return [*of, "1"] if each else ["1"]


def _called(board: Board, kind: str, name: str) -> list[str]:
    number = board.names.number(kind, name)
    return [] if number < 0 or kind not in board.sheet.d.kinds else _texts(board, kind, number)


def _texts(board: Board, kind: str, number: int) -> list[str]:
    letters = [board.sheet.look(*part).letter for part in board.names.parts(kind, number)]
    return [text for text in (board.sheet.titles(kind)[number], *letters) if text]


def _marked(board: Board, cell: CellName, owner: str) -> list[str]:
    """The title of a field, which is part of the texts that show it."""
    kind = "" if cell.group == "game" else cell.group
    return [board.words.field(kind, cell.name), board.sheet.style.codes.get((kind, cell.name), "\0")]


def shared_labels(board: Board) -> list[str]:
    """Labels shared by two entities, except board coordinates, and labels that are internal names."""
    grids = {kind for kind, of in board.sheet.d.boards.items() if of.form != "line"}
    kinds = [
        kind for kind in board.sheet.style.looks if not grids.intersection((kind, *board.sheet.d.kinds[kind].product))
    ]
    letters = [look.letter for kind in kinds for look in board.sheet.style.looks[kind].values()]
    letters += [code for code in board.sheet.style.codes.values() if code]
    titles = [title for kind in kinds for title in board.sheet.titles(kind)]
    return [
        *(letter for letter in set(letters) if letters.count(letter) > 1),
        *(text for text in (*letters, *titles) if _MACHINE_NAME.fullmatch(text)),
    ]
