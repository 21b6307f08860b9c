"""Connect Four beside OpenSpiel: what is legal, the end and the result are the same in random games.

RULESPEC_OPEN_SPIEL says how many games are played, and that the package must be there.
"""

from __future__ import annotations

import importlib
import os
import random
from typing import Any

import pytest

from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

pytestmark = pytest.mark.proof

REQUIRED = int(os.environ.get("RULESPEC_OPEN_SPIEL", "0"))
GAMES = REQUIRED or 20
SEATS = ["A", "B"]


@pytest.fixture(scope="module")
def spiel() -> Any:
    if REQUIRED:
        return importlib.import_module("pyspiel")
    return pytest.importorskip("pyspiel")


def test_connect_four(spiel: Any) -> None:
    rng = random.Random("connect four")
    ruleset, other = load_ruleset("connect_four"), spiel.load_game("connect_four")
    endings = set()
    for _ in range(GAMES):
        game, state = Game(ruleset, SEATS), other.new_initial_state()
        while not state.is_terminal():
            assert game.decision is not None
            assert game.decision.by == SEATS[state.current_player()]
            drops = {option.args[0] % 7: option for option in game.legal_options}  # the column, from the left
            assert sorted(drops) == state.legal_actions(), str(state)
            column = rng.choice(sorted(drops))
            game.apply(drops[column])
            state.apply_action(column)
        assert game.is_over
        assert game.result is not None
        won = [1.0 if seat in game.result.winners else -1.0 for seat in SEATS]
        assert state.returns() == (won if game.result.winners else [0.0, 0.0]), str(state)
        endings.add(game.result.ending)
    assert endings == {"four_in_a_row", "full_board"} or not REQUIRED
