"""Tiles whose facts name the sides that their tracks join: drawn without a drawing file, as they are turned."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from cases import split, write
from drawing_ports import assert_ports_agree
from worlds import IDLE

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.captions import notes
from rulespec.drawing.drawing_file import read_drawing
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

PLOTS = """
--- boards.yaml
boards:
  plot: {grid: {columns: a..c, rows: 1..3}, direction: way, directions: {n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}}
--- kinds.yaml
kinds:
  player: {}
  plot: {state: {tile: {type: "tile?"}, turn: {type: int 0..3}}}
  tile:
    facts: {road: set way, river: set way}
    entities:
      straight: {road: [n, s]}
      bend: {road: [n, e]}
      fork: {road: [n, e, w]}
      dead: {road: [n]}
      bridge: {road: [n, s], river: [e, w]}
      meadow: {}
"""
PAIRS = PLOTS.replace("{road: set way, river: set way}", "{from: way, to: way}").partition("      straight")[0]
PAIRS += "      straight: {from: n, to: s}\n      bend: {from: n, to: e}\n"
SIDES = {"n": (0, -1), "e": (1, 0), "s": (0, 1), "w": (-1, 0)}


def plots(folder: Path, text: str = PLOTS) -> Path:
    return write(folder / "plots", split(f"--- rules/main.rules\n{IDLE}{text}", ""))


def laid(folder: Path, tile: str, turn: int | None = 0) -> tuple[Board, str]:
    """The board, and the drawing of a tile on b2."""
    game = Game(load_ruleset(str(folder)), ["A", "B"])
    board, state = board_of(game.ruleset, game.names), state_json(game)
    state["entities"]["plot"]["b2"] |= {"tile": tile} | ({} if turn is None else {"turn": turn})
    return board, {item.id: item.svg for item in board.items(state)}["tile.plot.b2"]


def joined(drawn: str) -> list[tuple[list[str], bool]]:
    """The tracks of a tile: the sides of each line (`-` for the centre), and whether it is dashed."""
    results: list[tuple[list[str], bool]] = []
    if "<g transform" not in drawn:
        return results
    for data, look in re.findall(r'<path d="([^"]*)"([^>]*)/>', drawn.split("<g transform", 1)[-1]):
        if 'stroke="#ffffff"' in look:
            continue
        for line in re.findall(r"M([^M]*)", data):
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", line)]
            ends = [(numbers[0], numbers[1]), (numbers[-2], numbers[-1])]
            signs = [tuple((part > 1) - (part < -1) for part in end) for end in ends]
            sides = [next((side for side, at in SIDES.items() if at == sign), "-") for sign in signs]
            results.append((sorted(sides), "dasharray" in look))
    return sorted(results)


@pytest.mark.parametrize(
    "tile, turn, tracks",
    [
        ("straight", 0, [(["n", "s"], False)]),
        ("straight", 1, [(["e", "w"], False)]),
        ("bend", 0, [(["e", "n"], False)]),
        ("bend", 2, [(["s", "w"], False)]),
        ("fork", 1, [(["-", "e"], False), (["-", "n"], False), (["-", "s"], False)]),
        ("dead", 3, [(["-", "w"], False)]),
        ("bridge", 0, [(["e", "w"], True), (["n", "s"], False)]),
        ("bridge", 1, [(["e", "w"], False), (["n", "s"], True)]),
        ("meadow", 2, []),
    ],
)
def test_a_track_joins_the_sides_of_the_turned_tile(
    tile: str, turn: int, tracks: list[tuple[list[str], bool]], tmp_path: Path
) -> None:
    board, drawn = laid(plots(tmp_path), tile, turn)
    assert joined(drawn) == tracks
    assert "lines: road" in [*notes(board.sheet, [board.sheet.style.boards["plot"]])]


@pytest.mark.parametrize("tile, turn, sides", [("straight", 1, ["e", "w"]), ("bend", 1, ["e", "s"])])
def test_two_facts_with_a_side_each_are_one_line(tile: str, turn: int, sides: list[str], tmp_path: Path) -> None:
    assert joined(laid(plots(tmp_path, PAIRS), tile, turn)[1]) == [(sides, False)]


def test_what_is_not_turned_has_its_letter_as_well(tmp_path: Path) -> None:
    """It may be a man, with the directions of his moves."""
    board, drawn = laid(plots(tmp_path, PLOTS.replace(", turn: {type: int 0..3}", "")), "fork", None)
    assert len(joined(drawn)) == 3 and ">F<" in drawn
    assert any("F fork" in note for note in notes(board.sheet, [board.sheet.style.boards["plot"]]))
    assert ">F<" not in laid(plots(tmp_path / "turned"), "fork")[1]


def test_a_city_is_where_all_tracks_end(tmp_path: Path) -> None:
    text = PLOTS.replace("river: set way", "town: bool").replace(", river: [e, w]", ", town: true")
    assert joined(laid(plots(tmp_path, text), "bridge")[1]) == [(["-", "n"], False), (["-", "s"], False)]


def test_the_page_draws_them_alike(tmp_path: Path) -> None:
    game = Game(load_ruleset(str(plots(tmp_path))), ["A", "B"])
    board, state = board_of(game.ruleset, game.names), state_json(game)
    for space, tile, turn in (("a1", "bridge", 1), ("b3", "fork", 3), ("c2", "meadow", 0)):
        state["entities"]["plot"][space] |= {"tile": tile, "turn": turn}
    assert_ports_agree(board, state, tmp_path)


@pytest.mark.parametrize(
    "lines, message",
    [
        ("roads", "`tile` has no fact `roads` that names directions of `plot`"),
        ("[road, price]", "`tile` has no fact `price` that names directions of `plot`"),
    ],
)
def test_names_of_tracks_in_a_drawing_file_are_checked(lines: str, message: str, tmp_path: Path) -> None:
    folder: Any = plots(tmp_path, PLOTS.replace("river: set way}", "river: set way, price: int?}"))
    drawing = f"drawing:\n  boards: {{plot: {{tiles: {{field: tile, turn: turn, lines: {lines}}}}}}}\n"
    (folder / "drawing.yaml").write_text(drawing, "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        read_drawing(load_ruleset(str(folder)))
    assert message in str(error.value)
    (folder / "drawing.yaml").write_text(drawing.replace(lines, "river"), "utf-8")
    assert joined(laid(folder, "bridge")[1]) == [(["e", "w"], False)]
