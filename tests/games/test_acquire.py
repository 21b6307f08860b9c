"""Acquire: the prices and bonuses of all sizes, its tiles and shares, and hands that only their players see."""

from __future__ import annotations

import random

import pytest

from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

SEATS = list("ABC")
PRICES = {
    2: 200,
    3: 300,
    4: 400,
    5: 500,
    6: 600,
    10: 600,
    11: 700,
    20: 700,
    21: 800,
    30: 800,
    31: 900,
    40: 900,
    41: 1000,
}
"""Of the cheapest chains, at both ends of each row of the table."""
DEARER = {
    "luxor": 0,
    "tower": 0,
    "american": 100,
    "festival": 100,
    "worldwide": 100,
    "continental": 200,
    "imperial": 200,
}


def game() -> Game:
    return Game(load_ruleset("acquire"), SEATS)


@pytest.mark.parametrize("chain", DEARER)
def test_prices_and_bonuses_are_those_of_the_table(chain: str) -> None:
    played = game()
    for size, price in [*PRICES.items(), (108, 1000)]:
        played.omniscient.set_value(f"{chain}.size", str(size))
        whole = price + DEARER[chain]
        asked = [f"price({chain})", f"majority * price({chain})", f"minority * price({chain})"]
        assert [played.omniscient.value(one) for one in asked] == [str(whole), str(10 * whole), str(5 * whole)]


def test_there_are_108_tiles_and_25_shares_of_each_chain() -> None:
    asked = ["count(tile)", "count(tile.bag)", "count(chain)", *(f"share[{chain}].stock" for chain in DEARER)]
    assert [game().omniscient.value(one) for one in asked] == ["108", "108", "7", *["25"] * 7]


def test_shares_stay_shares_and_tiles_tiles_in_random_games() -> None:
    for seed in range(3):
        rng, played = random.Random(seed), game()
        while not played.is_over:
            played.apply(rng.choice(list(played.legal_options)))
        for chain in DEARER:
            held = f"share[{chain}].stock + sum(share[{chain}].held[p] for p in player)"
            assert played.omniscient.value(held) == "25"
        assert played.omniscient.broken_invariants() == []


def test_a_hand_is_seen_by_its_player_alone() -> None:
    played, rng = game(), random.Random(1)
    while played.decision is None or played.decision.name != "placing":
        played.apply(rng.choice(list(played.legal_options)))
    for seat in SEATS:
        for other in SEATS:
            tile = played.omniscient.value(f"first(tile.hand[{other}])")
            answer = played.omniscient.value(f"tile.{tile} in tile.hand[{other}]", seat=seat)
            assert answer == ("true" if seat == other else "?")
    assert list(map(str, played.view("A").history)).count("chance: draws(?)") == 12
