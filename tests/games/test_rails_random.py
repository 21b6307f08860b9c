"""Random games of railways by seed, by both machines in turns: money and certificates are neither made nor lost.

RULESPEC_PLAYOUTS is fifty times the number of games of each ruleset: `make proof` plays twenty, 10,000 are two hundred.
"""

from __future__ import annotations

import os
from functools import cache

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.seating import seat_names
from rulespec.engine.game.state_json import state_json
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

BANK = {"rails_1889": 7000, "rails_18chesapeake": 8000}
"""Ruleset → all the money there is."""
CAP = 2_000
"""Decisions after which a game is given up."""
PAIRS = max(1, int(os.environ.get("RULESPEC_PLAYOUTS", "0")) // 100)
"""Pairs of games of each ruleset, one by each machine."""
EVERY = 50
"""Decisions from one count to the next."""

loaded = cache(load_ruleset)


def money(game: Game) -> int:
    """The money of the bank, the players and the corporations."""
    of = state_json(game)["entities"]
    players, corporations = of["player"].values(), of["corporation"].values()
    bank = of["game"]["game"]["bank"]
    return int(bank + sum(p["cash"] for p in players) + sum(c["treasury"] for c in corporations))


def shares(game: Game) -> dict[str, int]:
    """The shares of each corporation that lie anywhere; two for the certificate of its president."""
    results: dict[str, int] = {}
    for name, certificate in state_json(game)["entities"]["certificate"].items():
        corporation, _, rank = name.rpartition("_")
        there = certificate["place"] is not None and certificate["place"] != "out"
        results[corporation] = results.get(corporation, 0) + there * (1 if int(rank) else 2)
    return results


def numbers(ruleset: typed.Ruleset) -> list[int]:
    """The numbers of players."""
    return [*range(ruleset.players[0], ruleset.players[1] + 1)]


def plays(name: str, number: int, cap: int = CAP) -> Game:
    """A random game by its number, with its money and its certificates counted as it goes on."""
    ruleset = loaded(name)
    backend: Backend = "wasm" if number % 2 else "python"
    players = numbers(ruleset)[number // 2 % len(numbers(ruleset))]
    game, draws = Game(ruleset, seat_names(players, ruleset.seats), {}, backend), Draws(60, number)
    while not game.is_over and game.ply < cap:
        if game.ply % EVERY == 0:
            counted(name, game)
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    counted(name, game)
    return game


def counted(name: str, game: Game) -> None:
    """Checks all that is never made or lost."""
    assert money(game) == BANK[name]
    assert set(shares(game).values()) == {10}
    assert game.omniscient.broken_invariants() == []


@pytest.mark.parametrize("number", [0, pytest.param(1, marks=pytest.mark.proof)])  # 0.7 s each
@pytest.mark.parametrize("name", BANK)
def test_nothing_is_lost_at_the_start_of_a_random_game(name: str, number: int) -> None:
    assert plays(name, number, 250).ply == 250


@pytest.mark.proof  # 3 s for two games of 1889, half a minute or more for 18Chesapeake
@pytest.mark.parametrize("pair", range(PAIRS))
@pytest.mark.parametrize("name", BANK)
def test_nothing_is_lost_in_random_games_to_their_ends(name: str, pair: int) -> None:
    for number in (2 * pair, 2 * pair + 1):
        game = plays(name, number)
        assert game.result is None or game.result.ending in ("bank", "bankrupt")
