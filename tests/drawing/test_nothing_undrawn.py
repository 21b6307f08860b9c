"""Each value of the state is in the picture, in a table or among the other values, unless the drawing hides it."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from cases import small
from parlour import PARLOUR
from proofs import proofs_but
from shipped import NAMES, loaded
from ways_out import new_game

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.drawing_file import read_drawing
from rulespec.engine.game.game import Game
from rulespec.engine.game.named_state import owner_of, place_of
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.state_json import state_json
from rulespec.engine.program.cells import CellName
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.words.words import Words
from rulespec.pages.other_values import OtherValues
from rulespec.typed import nodes as typed

Path_ = tuple[str, str]
"""A field or a place of pieces: what it is of, and its name."""


def path_of(cell: CellName) -> Path_:
    return (cell.name, cell.place) if cell.group == "pieces" else (cell.group, cell.name)


def looks(board: Board, state: dict[str, Any]) -> tuple[list[str], list[Any]]:
    """The picture of a state, and its tables as texts."""
    return [item.svg for item in board.items(state)], list(board.text_rows(state))


def changed(game: Game, cell: CellName, state: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """States that differ in one cell."""
    labels = game.omniscient.labels
    owner = owner_of(labels, cell)
    if cell.group == "pieces":
        at = state["pieces"].get(cell.name, {}).get(owner, {})
        count = at.get(place := place_of(labels, cell), 0)
        for number in {count + 1, 0} - {count}:
            new = copy.deepcopy(state)
            new["pieces"].setdefault(cell.name, {}).setdefault(owner, {})[place] = number
            if not number:
                del new["pieces"][cell.name][owner][place]
            yield new
        return
    now = state["entities"][cell.group][owner][cell.name]
    form, _, of = cell.type.rpartition(" ")
    names = labels.names.get(of.removesuffix("?"), ())
    values: list[Any] = [list(names[:1]), list(names[:2])] if form else [*names, None] if names else [now is not True]
    if not form and not names and cell.type != "bool":
        values = [(now or 0) + 1, (now or 0) - 1]
    for value in values:
        if value != now:
            new = copy.deepcopy(state)
            new["entities"][cell.group][owner][cell.name] = value
            yield new


def missing(ruleset: typed.Ruleset, moves: int, each: int) -> set[Path_]:
    """Fields and places that change nothing which is shown, and are neither listed nor hidden, along a random game."""
    game, draws, words = new_game(ruleset), Draws(1), Words(ruleset)
    board = board_of(ruleset, game.names, words)
    program = game.omniscient.program
    cells = [program.cells[at] for at in program.declared]
    listed = {path_of(cells[number]) for number in OtherValues(board, game, words).numbers}
    hidden = {(kind or "game", name) for kind, name in board.sheet.style.hides}
    hidden |= {path for path in map(path_of, cells) if words.internal("" if path[0] == "game" else path[0], path[1])}
    left: dict[Path_, list[CellName]] = {path_of(cell): [] for cell in cells}
    for cell in cells:
        if path_of(cell) not in listed | hidden:
            left[path_of(cell)].append(cell)
    undrawn = {path for path, of in left.items() if of}
    for ply in range(moves):
        if ply % each == 0 and undrawn:
            state = state_json(game)
            now = looks(board, state)
            for path in sorted(undrawn):
                others = (other for cell in left[path][:80] for other in changed(game, cell, state))
                if any(looks(board, other) != now for other in others):
                    undrawn.remove(path)
        option = choose(game, draws)
        if option is None or not undrawn:
            break
        game.apply(option)
        if game.is_over:
            break
    return undrawn


def test_what_is_neither_drawn_nor_hidden_is_listed(tmp_path: Path) -> None:
    assert missing(small(tmp_path / "small", PARLOUR), 18, 6) == set()


BARE = """
--- drawing.yaml
drawing:
  tables: {}
  markers: []
  pieces: {hold: {places: []}}
  boards: {player: {as: hidden}}
  hides: [pointed, hold.box]
"""


def test_values_without_a_table_are_listed_but_those_that_are_hidden_on_purpose(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", PARLOUR + BARE)
    assert missing(ruleset, 18, 6) == set()
    game, words = new_game(ruleset), Words(ruleset)
    values = OtherValues(board_of(ruleset, game.names, words), game, words)
    listed = {(of["path"][0], of["path"][2]) for of in values.to_json()}
    assert listed >= {("game", "rested"), ("player", "cash"), ("player", "plan"), ("tile", "place"), ("pieces", "hold")}
    assert ("game", "pointed") not in listed and all("box" not in of["path"][3] for of in values.to_json())


def test_a_page_of_a_seat_lists_what_it_sees(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", PARLOUR + BARE)
    game, draws, words = Game(ruleset, ["A", "B"]), Draws(2), Words(ruleset)
    while game.ply < 9 and (option := choose(game, draws)) is not None:
        game.apply(option)
    values = OtherValues(board_of(ruleset, game.names, words), game, words)
    for seat, other in (("A", "B"), ("B", "A")):
        rows = dict(zip(values.titles, values.texts(game, seat), strict=True))
        assert rows[f"{other} cash"] == "?" and rows[f"{seat} cash"] in "123" and rows["rested"] == "0"
    assert "?" not in values.texts(game, OMNISCIENT)


@pytest.mark.parametrize(
    "hides, wrong", [("[rested, plans]", "plans"), ("[player.purse]", "purse"), ("[hold.attic]", "hold")]
)
def test_only_state_can_be_hidden(hides: str, wrong: str, tmp_path: Path) -> None:
    text = f"{PARLOUR}\n--- drawing.yaml\ndrawing: {{hides: {hides}}}\n"
    with pytest.raises(DiagnosticsError, match=wrong):
        read_drawing(small(tmp_path / "small", text))


def untold(ruleset: typed.Ruleset) -> set[Path_]:
    """Fields without words that are drawn at the start, except orders of things in one place."""
    game, words = new_game(ruleset), Words(ruleset)
    board, state = board_of(ruleset, game.names, words), state_json(game)
    now = looks(board, state)
    orders = {(kind or "game", order) for (kind, _), order in board.sheet.style.orders.items()}
    silent: dict[Path_, list[CellName]] = {}
    for cell in (game.omniscient.program.cells[at] for at in game.omniscient.program.declared):
        if words.internal(*path_of(cell)) and path_of(cell) not in orders:
            silent.setdefault(path_of(cell), []).append(cell)
    results: set[Path_] = set()
    for path, cells in silent.items():
        some = cells[:: len(cells) // 5 + 1]
        others = (other for cell in some for other in islice(changed(game, cell, state), 3))
        if any(looks(board, other) != now for other in others):
            results.add(path)
    return results


@pytest.mark.parametrize("name", proofs_but(NAMES, "rails_1889"))
def test_what_shipped_drawings_show_has_words(name: str) -> None:
    """A preview names all changes that are drawn, so no such field is internal."""
    assert untold(loaded(name)[0]) == set()


def test_a_field_that_is_drawn_without_words_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Words, "internal", lambda _, owner, name="": (owner, name) == ("hex", "turn"))
    assert untold(loaded("rails_1889")[0]) == {("hex", "turn")}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.proof
def test_shipped_drawings_hide_nothing_by_accident(name: str) -> None:
    assert missing(loaded(name)[0], 400, 40) == set()
