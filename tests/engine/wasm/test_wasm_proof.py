"""Wasm does what Python does, at length: every ruleset and every overlay step by step, whole games by seed.

`make proof` sets RULESPEC_WASM, the number of games of each ruleset, step by step; RULESPEC_SEEDS, that of whole
games, of all rulesets together; and RULESPEC_EXAMPLES for the random programs of `test_wasm.py`.
"""

from __future__ import annotations

import os
import random

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from folders import SHIPPED
from wasm_steps import Counted, Steps

from rulespec.engine.game.machines import wasm_program
from rulespec.engine.simulate.plan import Outcome, Plan
from rulespec.engine.simulate.wasm import play_in_wasm
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

GAMES = int(os.environ.get("RULESPEC_WASM", "0"))
SEEDS = int(os.environ.get("RULESPEC_SEEDS", "0"))
NAMES = [folder.name for folder in SHIPPED]
REFS = [ref for name in NAMES for ref in (name, *(f"{name}+{o}" for o in load_ruleset(name).offered if GAMES))]
PLIES = 5_000
_OF_A_KIND = 10
"""Games with the same number of players and the same settings."""


def some_settings(ruleset: typed.Ruleset, rng: random.Random) -> dict[str, str]:
    """A value for each setting."""
    results = {}
    for key, one in ruleset.settings.items():
        names = one.values or (("true", "false") if one.bounds is None else (one.default, *map(str, one.bounds)))
        results[key] = rng.choice(names)
    return results


def play(ref: str, games: int, plies: int, counted: Counted) -> None:
    """Plays games of a ruleset step by step: the first ten with the usual settings, others with some."""
    ruleset, rng = load_ruleset(ref), random.Random(ref)
    numbers = list(range(ruleset.players[0], ruleset.players[1] + 1))
    for first in range(0, games, _OF_A_KIND):
        settings = {key: o.default for key, o in ruleset.settings.items()}
        if first:
            settings = some_settings(ruleset, rng)
        steps = Steps(wasm_program(ruleset, numbers[-1 - first // _OF_A_KIND % len(numbers)], settings), counted)
        for _ in range(min(_OF_A_KIND, games - first)):
            steps.play(rng, plies)


@pytest.mark.parametrize("name", NAMES)
def test_a_game_of_each_ruleset_step_by_step(name: str) -> None:
    play(name, 1, 100, Counted())


@pytest.mark.skipif(not GAMES, reason="long: set RULESPEC_WASM to a number of games")
@pytest.mark.parametrize("ref", REFS)
def test_games_step_by_step(ref: str) -> None:
    counted = Counted()
    play(ref, GAMES, PLIES, counted)
    assert counted.games == GAMES


@pytest.mark.skipif(not SEEDS, reason="long: set RULESPEC_SEEDS to a number of games")
@pytest.mark.parametrize("name", NAMES)
def test_whole_games_by_seed(name: str) -> None:
    ruleset = load_ruleset(name)
    players = list(range(ruleset.players[0], ruleset.players[1] + 1))
    plan = Plan.of(name, ruleset, players, SEEDS)
    games = range(-(-SEEDS // len(NAMES)))
    for number, outcome in enumerate(play_in_wasm(plan, ruleset, games)):
        assert outcome == Outcome.of(plan.play(ruleset, number)), f"game {number} of {name}"
