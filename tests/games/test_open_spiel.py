"""Games of the gallery beside OpenSpiel: who moves, what is legal, the end and the result are the same in random games.

`make proof` plays a thousand of each, and needs the package; RULESPEC_OPEN_SPIEL says how many games.
Without it a few are played, and none if the package is missing.
"""

from __future__ import annotations

import importlib
import os
import random
import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, TypeAlias

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset

pytestmark = pytest.mark.proof

REQUIRED = int(os.environ.get("RULESPEC_OPEN_SPIEL", "0"))
GAMES = REQUIRED or 20
SEATS = ["A", "B"]

Key: TypeAlias = tuple[int, ...]
"""What both programs call a move: numbers that say it, or what it leads to."""
Ours: TypeAlias = Callable[[Game], Mapping[Key, tuple[Option, ...]]]
Theirs: TypeAlias = Callable[[Any], Mapping[Key, int]]

cached = cache(load_ruleset)


@pytest.fixture(scope="module")
def spiel() -> Any:
    if REQUIRED:
        return importlib.import_module("pyspiel")
    return pytest.importorskip("pyspiel")


def decider(game: Game) -> int:
    """Who decides, as OpenSpiel numbers them: -1 is chance."""
    assert game.decision is not None
    return SEATS.index(game.decision.by) if game.decision.by is not None else -1


def play_beside(game: Game, state: Any, ours: Ours, theirs: Theirs, rng: random.Random) -> None:
    """One game by both programs, which must agree all the way."""
    while not state.is_terminal():
        assert not game.is_over
        assert decider(game) == state.current_player()
        here, there = ours(game), theirs(state)
        assert here.keys() == there.keys(), (str(state), game.history)
        key = rng.choice(sorted(there))
        for option in here[key]:
            game.apply(option)
        state.apply_action(there[key])
    assert game.is_over


# --- Nim --------------------------------------------------------------------------------------------------------------


def takes(game: Game) -> dict[Key, tuple[Option, ...]]:
    """By heap, the first is 0, and number of matches."""
    return {option.args: (option,) for option in game.legal_options}


def spiel_takes(state: Any) -> dict[Key, int]:
    found: dict[Key, int] = {}
    for action in state.legal_actions():
        said = re.fullmatch(r"pile:(\d+), take:(\d+);", state.action_to_string(action))
        assert said is not None
        found[int(said[1]) - 1, int(said[2])] = action
    return found


@pytest.mark.parametrize("misere", ["false", "true"])
def test_nim(misere: str, spiel: Any) -> None:
    rng = random.Random(f"nim {misere}")
    other = spiel.load_game(f"nim(pile_sizes=1;3;5;7,is_misere={misere})")
    for _ in range(GAMES):
        game, state = Game(cached("nim"), SEATS, {"misere": misere}), other.new_initial_state()
        play_beside(game, state, takes, spiel_takes, rng)
        assert game.result is not None
        assert state.returns() == [1.0 if seat in game.result.winners else -1.0 for seat in SEATS]
