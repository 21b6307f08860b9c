"""Positions drawn one after another: the memory of the last one makes no difference."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from folders import SHIPPED

from rulespec.drawing.board import Board, board_of
from rulespec.engine.game.game import Game
from rulespec.engine.game.named_state import NamedStates, named_state
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

DECISIONS, DRAWN_AGAIN = 60, 25


def random_positions(folder: Path) -> tuple[Game, list[list[int]]]:
    """A random game, and the cells of its positions; each tenth decision is followed by a return to an earlier one."""
    ruleset = load_ruleset(str(folder))
    game, draws = Game(ruleset, seat_names(max(ruleset.players), ruleset.seats)), Draws(7)
    positions = [list(game.omniscient.numbers.state)]
    while not game.is_over and len(positions) < DECISIONS:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
        positions.append(list(game.omniscient.numbers.state))
        if len(positions) % 10 == 0:
            positions.append(positions[len(positions) // 2])
    return game, positions


def pictured(board: Board, state: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    return list(board.items(state)), list(board.text_rows(state))


@pytest.mark.parametrize("folder", SHIPPED, ids=lambda folder: folder.name)
@pytest.mark.sampled(1)  # large maps take 1.5 s
def test_a_position_looks_the_same_after_any_other(folder: Path) -> None:
    game, positions = random_positions(folder)
    table = game.omniscient.program, game.omniscient.labels
    states = NamedStates(*table)
    tables = bool(len(folder.name) % 2)
    drawn_before = board_of(game.ruleset, game.seats, Words(game.ruleset), tables=tables)
    for number, cells in enumerate(positions):
        state = states.of(cells)
        assert json.dumps(state) == json.dumps(named_state(*table, cells, (), null=True))
        seen = pictured(drawn_before, state)
        if number % DRAWN_AGAIN == DRAWN_AGAIN - 1 or number == len(positions) - 1:
            assert seen == pictured(board_of(game.ruleset, game.seats, Words(game.ruleset), tables=tables), state)


def test_what_a_reader_was_given_stays_what_it_was() -> None:
    game, positions = random_positions(SHIPPED[0])
    states = NamedStates(game.omniscient.program, game.omniscient.labels)
    states_read = [states.of(cells) for cells in positions]
    texts = [json.dumps(state) for state in states_read]
    for cells in positions:
        states.of(cells)
    assert [json.dumps(state) for state in states_read] == texts
    assert len(set(texts)) > len(texts) / 2
