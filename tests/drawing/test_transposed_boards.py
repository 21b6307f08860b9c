"""Grids whose columns lie as rows, as some printed boards do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import write
from drawing_ports import assert_ports_agree

from rulespec.drawing.board import board_of
from rulespec.drawing.cell_borders import middles
from rulespec.drawing.svg import Box
from rulespec.engine.game.game import Game
from rulespec.engine.game.state_json import state_json
from rulespec.load import load_ruleset

FILES = {
    "game.yaml": "id: strips\ntitle: Strips\nversion: '1'\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n",
    "kinds.yaml": """
kinds:
  cell: {state: {owner: {type: "player?"}}}
  player: {}
""",
    "boards.yaml": """
boards:
  cell: {grid: {columns: a..c, rows: 1..2}, directions: {n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}}
""",
    "rules/play.rules": """
procedure play():
    decide claim by first(player):
        option claim(c in cell):
            set c.owner to first(player)
    end game as over
""",
}


@pytest.mark.parametrize("is_transposed", [False, True])
def test_columns_lie_as_rows_with_their_names(is_transposed: bool, tmp_path: Path) -> None:
    drawing = (
        f"drawing: {{boards: {{cell: {{as: grid, fields: [owner], transposed: {str(is_transposed).lower()}}}}}}}\n"
    )
    write(tmp_path / "strips", {**FILES, "drawing.yaml": drawing})
    game = Game(load_ruleset(str(tmp_path / "strips")), ["Ann", "Bob"])
    board = board_of(game.ruleset, game.names, apart=True)
    at = {id_: place.middle for id_, place in board.places().items()}
    right, down = ("cell.a2", "cell.b1") if is_transposed else ("cell.b1", None)
    first = at["cell.a1"]
    assert at[right][0] > first[0] and at[right][1] == first[1]
    if down:
        assert at[down][1] > first[1] and at[down][0] == first[0]
    else:
        assert at["cell.a2"][1] < first[1]
    (rims,) = (item.svg for item in board.static if item.id == "rims.cell")
    letters = re.findall(r">(\w)</text>", rims)
    assert letters == (["1", "2", "c", "b", "a"] if is_transposed else ["a", "b", "c", "1", "2"])
    game.apply(game.parse("claim(b2)"))
    assert_ports_agree(board, state_json(game), tmp_path)
    ways = middles(game.ruleset.declarations.boards["cell"], Box((0, 0, 10, 10)), transposed=is_transposed)
    north, east = ((10, 5), (5, 10)) if is_transposed else ((5, 0), (10, 5))
    assert ways[:2] == [north, east], "the sides of cells go with them"
