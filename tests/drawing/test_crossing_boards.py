"""Grids whose pieces stand on the crossings of lines, as stones of Go do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import write
from drawing_ports import assert_ports_agree
from shipped import loaded

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.board import Board, board_of
from rulespec.drawing.drawing_file import read_drawing
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

FILES = {
    "game.yaml": "id: net\ntitle: Net\nversion: '1'\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n",
    "kinds.yaml": """
kinds:
  cell: {state: {owner: {type: "player?"}}}
  player: {}
""",
    "boards.yaml": "boards:\n  cell:\n    grid: {columns: a..c, rows: 1..3}\n    facts: {there: bool}\n    spaces:\n"
    + "".join(
        f"      {column}{row}: {{there: {str(column + row != 'b2').lower()}}}\n" for column in "abc" for row in "123"
    ),
    "rules/play.rules": """
procedure play():
    decide claim by first(player):
        option claim(c in cell):
            set c.owner to first(player)
    end game as over
""",
}


def net(folder: Path, how: str) -> Game:
    write(folder, {**FILES, "drawing.yaml": f"drawing: {{boards: {{cell: {{as: grid, fields: [owner], {how}}}}}}}\n"})
    return Game(load_ruleset(str(folder)), ["Ann", "Bob"])


def lines(board: Board) -> str:
    return next(item.svg for item in board.static if item.id == "lines.cell")


def test_lines_lead_from_each_middle_to_the_next_and_pieces_stand_on_them(tmp_path: Path) -> None:
    game = net(tmp_path / "net", "shape: crossing, dots: [c1]")
    board = board_of(game.ruleset, game.names, apart=True)
    middles = {id_: place.middle for id_, place in board.places().items()}
    (drawn,) = re.findall(r' d="([^"]+)"', lines(board))
    numbers = [float(number) for number in re.findall(r"-?\d+(?:\.\d+)?", drawn)]
    ends = list(zip(numbers[::2], numbers[1::2], strict=True))
    assert len(ends) == 2 * 12 and {*ends} == {*middles.values()}
    (dot,) = re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', lines(board))
    assert tuple(map(float, dot)) == middles["cell.c1"]
    assert 'pointer-events="none"' in lines(board), "the square around a crossing is clicked"
    game.apply(game.parse("claim(b2)"))
    (stone,) = (item for item in board.items(state_json(game)) if "b2" in item.id)
    (corner,) = re.findall(r"translate\((\S+) (\S+)\) scale", stone.svg)
    left, top = (middle - float(at) for middle, at in zip(middles["cell.b2"], corner, strict=True))
    assert left == top > 20
    assert_ports_agree(board, state_json(game), tmp_path)


def test_no_line_leads_to_a_cell_that_is_not_there(tmp_path: Path) -> None:
    game = net(tmp_path / "net", "shape: crossing, dots: [b2, c1], only: there")
    board = board_of(game.ruleset, game.names, apart=True)
    assert lines(board).count("M") == 8 and lines(board).count("<circle") == 1


def test_a_dot_on_an_unknown_cell_is_a_mistake(tmp_path: Path) -> None:
    ruleset = net(tmp_path / "net", "shape: crossing, dots: [c9]").ruleset
    with pytest.raises(DiagnosticsError, match="c9"):
        read_drawing(ruleset)


def test_a_larger_board_for_go_has_its_own_dots() -> None:
    for ref, count in (("go", 5), ("go_19", 9)):
        board = read_drawing(loaded(ref)[0]).boards["point"]
        assert board.shape == "crossing" and len(board.dots) == count
