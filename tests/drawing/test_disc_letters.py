"""Discs and pieces have letters only where their colours do not tell everybody whose they are."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import write
from drawing_ports import assert_ports_agree
from shipped import loaded

from rulespec.drawing.board import board_of
from rulespec.drawing.colour_vision import is_distinct
from rulespec.drawing.drawing_file import read_drawing
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

FILES = {
    "game.yaml": "id: net\ntitle: Net\nversion: '1'\nplayers: {kind: player, min: 2, max: 3}\nstart: play\n",
    "kinds.yaml": """
kinds:
  cell: {state: {owner: {type: "player?"}, crop: {type: "crop?"}}}
  crop: {entities: {flax: {}, rye: {}}}
  player: {}
pieces:
  man: {each: [player], places: {bag: {}, at: {index: cell}}}
""",
    "boards.yaml": "boards: {cell: {grid: {columns: a..d, rows: 1..2}}}\n",
    "setup.yaml": "setup: {pieces: {man.bag: 4}}\n",
    "rules/play.rules": """
procedure play():
    decide claim by first(player):
        option claim(c in cell):
            set c.owner to first(player)
            set c.crop to rye
            move 2 of man[first(player)] from bag to at[c]
    end game as over
""",
}
YELLOW_AND_BLUE = "1: {colour: yellow, letter: Y}, 2: {colour: blue, letter: B}"


def texts(folder: Path, drawing: str, seats: int = 2) -> dict[str, str]:
    """The texts on the discs of the owners, the crops and the men, after a claim."""
    write(folder, FILES | ({"drawing.yaml": f"drawing: {{{drawing}}}\n"} if drawing else {}))
    ruleset = load_ruleset(str(folder))
    game = Game(ruleset, seat_names(seats, ruleset.seats))
    game.apply(next(option for option in game.legal_options if "b2" in str(option)))
    board = board_of(ruleset, game.names, style=read_drawing(ruleset))
    assert_ports_agree(board, state_json(game), folder)
    items = {item.id: "".join(re.findall(r"<text[^>]*>([^<]*)<", item.svg)) for item in board.scene(game).dynamic}
    return {"owner": items["field.b2.owner"], "crop": items.get("field.b2.crop", ""), "man": items[MAN]}


MAN = "piece.b2.man.at.seat1"
BOARD = "boards: {cell: {as: grid, fields: [owner]}}"


def test_owners_of_distinct_colours_have_no_letters(tmp_path: Path) -> None:
    drawing = f"{BOARD}, entities: {{player: {{{YELLOW_AND_BLUE}}}}}"
    assert texts(tmp_path / "net", drawing) == {"owner": "", "crop": "", "man": "2"}


def test_a_third_owner_whose_colour_is_alike_in_grey_brings_the_letters_back(tmp_path: Path) -> None:
    three = f"{BOARD}, entities: {{player: {{{YELLOW_AND_BLUE}, 3: {{colour: vermilion, letter: R}}}}}}"
    assert texts(tmp_path / "three", three, seats=3) == {"owner": "Y", "crop": "", "man": "Y2"}
    assert texts(tmp_path / "two", three, seats=2) == {"owner": "", "crop": "", "man": "2"}, "nobody has the third"


@pytest.mark.parametrize(
    "one, other", [("blue", "vermilion"), ("white", "yellow"), ("#777777", "#8a8a8a"), ("#30a030", "#a06000")]
)
def test_owners_of_colours_that_somebody_confuses_have_letters(tmp_path: Path, one: str, other: str) -> None:
    looks = f"1: {{colour: '{one}', letter: P}}, 2: {{colour: '{other}', letter: Q}}"
    drawing = f"{BOARD}, entities: {{player: {{{looks}}}}}"
    assert texts(tmp_path / "net", drawing)["owner"] == "P"


def test_colours_that_no_author_has_chosen_name_nobody(tmp_path: Path) -> None:
    assert texts(tmp_path / "bare", "")["owner"] == "1"
    assert texts(tmp_path / "net", BOARD) == {"owner": "1", "crop": "", "man": "12"}


def test_a_disc_of_another_kind_in_the_same_colour_brings_the_letters_back(tmp_path: Path) -> None:
    crops = "crop: {flax: {colour: yellow, letter: F}, rye: {colour: black, letter: R}}"
    both = (
        f"boards: {{cell: {{as: grid, fields: [owner, crop]}}}}, entities: {{player: {{{YELLOW_AND_BLUE}}}, {crops}}}"
    )
    shown = texts(tmp_path / "net", both)
    assert shown == {"owner": "Y", "crop": "R", "man": "Y2"}


def test_a_drawing_may_ask_for_letters(tmp_path: Path) -> None:
    looks = f"entities: {{player: {{{YELLOW_AND_BLUE}}}}}"
    board = f"boards: {{cell: {{as: grid, fields: [owner], letters: true}}}}, {looks}"
    assert texts(tmp_path / "board", board) == {"owner": "Y", "crop": "", "man": "Y2"}
    pieces = f"{BOARD}, {looks}, pieces: {{man: {{text: owner}}}}"
    assert texts(tmp_path / "pieces", pieces) == {"owner": "", "crop": "", "man": "Y2"}


@pytest.mark.parametrize("ref, seats", [("draughts", 2), ("go", 2), ("connect_four", 2), ("ludo", 2), ("ludo", 4)])
def test_shipped_boards_have_letters_only_where_needed(ref: str, seats: int, tmp_path: Path) -> None:
    ruleset, _ = loaded(ref)
    game = Game(ruleset, seat_names(seats, ruleset.seats))
    while game.ply < 6:
        game.apply(game.legal_options[0])
    board = board_of(ruleset, game.names)
    discs = [item for item in board.scene(game).dynamic if item.id.startswith(("piece.", "field."))]
    lettered = [item.id for item in discs if re.search(r"<text[^>]*>[A-Z]", item.svg)]
    assert discs and bool(lettered) == (seats == 4)
    assert_ports_agree(board, state_json(game), tmp_path)


def test_colours_are_distinct_for_everybody_or_not_at_all() -> None:
    assert is_distinct("white", "black") and is_distinct("yellow", "vermilion")
    assert not is_distinct("blue", "vermilion"), "alike in grey"
    assert not is_distinct("#471750", "#a90d7c"), "alike without red cones"
    assert not is_distinct("#2eda95", "#ff286a"), "alike without green cones"
