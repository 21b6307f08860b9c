"""`draw.js` draws what `Board.items` draws: item by item, in random positions of every shipped ruleset."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from deadlines import DEADLINE
from drawing_ports import PORT, by_python
from folders import ROOT
from proofs import proofs_but
from shipped import NAMES, OFFERED, loaded

from rulespec.drawing.board import Board, board_of
from rulespec.drawing.drawing_plan import plan
from rulespec.drawing.played_marks import dice, last_roll
from rulespec.drawing.svg import Box
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

_SCRIPT = (
    PORT
    + """
const { readFileSync, writeFileSync } = require("node:fs");
const { makeDrawing } = require(process.argv[1]);
const { plan, states, rolls } = JSON.parse(readFileSync(process.argv[2], "utf-8"));
const draw = makeDrawing(plan);
writeFileSync(process.argv[3], JSON.stringify(states.map((state, i) => shownBy(draw(state, rolls[i])))));
"""
)


def by_node(
    drawing: dict[str, Any], states: list[dict[str, Any]], folder: Path, rolls: tuple[list[int], ...] = ()
) -> list[dict[str, Any]]:
    """The items and rows of states, with rolls if there are any, as the page draws them."""
    asked, answered = folder / "asked.json", folder / "answered.json"
    asked.write_text(json.dumps({"plan": drawing, "states": states, "rolls": rolls}), "utf-8")
    command = ["node", "-e", _SCRIPT, str(ROOT / "pages" / "draw.js"), str(asked), str(answered)]
    subprocess.run(command, check=True, timeout=DEADLINE)
    result: list[dict[str, Any]] = json.loads(answered.read_text("utf-8"))
    return result


def all_by_python(board: Board, states: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [by_python(board, state) for state in states]


def random_states(ref: str, players: int, seed: int, most: int, each: int) -> tuple[Board, list[dict[str, Any]]]:
    """The board of a random game, and some of its states."""
    ruleset, _ = loaded(ref)
    game = Game(ruleset, dict(zip(seat_names(players, ruleset.seats), _names(), strict=False)))
    choose, states = random.Random(seed), [state_json(game)]
    while game.ply < most and not game.is_over:
        game.apply(choose.choice(list(game.legal_options)))
        if game.ply % each == 0:
            states.append(state_json(game))
    return board_of(ruleset, game.names, apart=True), states


def _names() -> list[str]:
    return ["Ann <b>&\"'", "Ωmega ٣", "C\u200bd\u0301", "名前がとても長い人", "E" * 60, "f", "g", "h"]


@pytest.mark.parametrize("ref", proofs_but(NAMES, "backgammon", "tutorial"))
def test_both_drawings_are_equal(ref: str, tmp_path: Path) -> None:
    ruleset, _ = loaded(ref)
    board, states = random_states(ref, ruleset.players[1], 1, 400, 25)
    assert by_node(plan(board), states, tmp_path) == all_by_python(board, states)


@pytest.mark.parametrize("ref", ["backgammon", "ludo"])
def test_the_last_roll_lies_on_the_board(ref: str, tmp_path: Path) -> None:
    game, choose = Game(loaded(ref)[0], ["A", "B"]), random.Random(1)
    board = board_of(loaded(ref)[0], game.names, apart=True)
    states, rolls, scenes = [], [], []
    while game.ply < 12:
        game.apply(choose.choice(list(game.legal_options)))
        states.append(state_json(game))
        rolls.append(last_roll(game.history))
        scenes.append(by_python(board, states[-1], list(dice(board.plans, game.history))))
    assert sum(any(item["id"].startswith("dice.") for item in shown["items"]) for shown in scenes) > 8
    assert by_node(plan(board), states, tmp_path, tuple(rolls)) == scenes


@pytest.mark.parametrize("ref", NAMES)
@pytest.mark.sampled(3)
def test_plans_are_of_their_form(ref: str) -> None:
    board, _ = random_states(ref, loaded(ref)[0].players[1], 1, 0, 1)
    schema = json.loads((ROOT / "rulespec" / "schemas" / "plan.schema.json").read_text("utf-8"))
    jsonschema_rs.validate(schema, plan(board))


def test_a_tie_goes_to_the_even_digit(tmp_path: Path) -> None:
    """Places of tokens at odd quarters, eighths and sixteenths, which JavaScript rounds up."""
    board, states = random_states("tutorial", 3, 1, 60, 30)
    slots = board.plans["region"].slots
    before = dict(slots)
    try:
        for i, (number, box) in enumerate(before.items()):
            left, top = 100 + i / 4 + 0.125, -3 - i / 16
            slots[number] = Box((left, top, left + 23 + i / 8, top + 23 + (box[3] - box[1]) // 8))
        board._stood.clear()
        assert by_node(plan(board), states, tmp_path) == all_by_python(board, states)
    finally:
        slots |= before
        board._stood.clear()


@pytest.mark.proof
@pytest.mark.parametrize("ref", [*NAMES, *OFFERED])
def test_both_drawings_are_equal_in_whole_games(ref: str, tmp_path: Path) -> None:
    ruleset, _ = loaded(ref)
    for seed, players in enumerate(range(ruleset.players[0], ruleset.players[1] + 1)):
        board, states = random_states(ref, players, seed, 3000, 20)
        assert by_node(plan(board), states, tmp_path) == all_by_python(board, states)
