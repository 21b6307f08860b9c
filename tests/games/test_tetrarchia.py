"""Random games of Tetrarchia come to an end with all invariants held, at every level and with every set of overlays.

RULESPEC_LEVELS says how many games each of the 81 levels has with each number of players, as in `make proof`; without
it, some levels have one. RULESPEC_LEVELS is also how many each overlay has, and all five together.
"""

from __future__ import annotations

import os
import random
from functools import cache
from itertools import product

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.simulate.playouts import choose
from rulespec.load import load_ruleset

GAMES = int(os.environ.get("RULESPEC_LEVELS", "0"))
CAP = 5_000
DIGITS = {"emperor_discs": (3, 4, 5), "fleets": (1, 2, 3), "extra_revolts": (0, 1, 2), "initial_armies": (0, 1, 2)}
LEVELS = [dict(zip(DIGITS, level, strict=True)) for level in product(*DIGITS.values())]
VARIANTS = ["imperivm", "mare_nostrvm", "diarchia", "patres_patriae", "el_grande"]

cached = cache(load_ruleset)


def play(ref: str, players: int, level: dict[str, int], number: int) -> Game:
    """A random game to its end, with all invariants after each decision."""
    game = Game(cached(ref), [f"P{i + 1}" for i in range(players)], level)
    rng = random.Random(f"{ref} {players} {level} {number}")
    while not game.is_over:
        assert game.ply < CAP
        option = choose(game, rng)
        assert option is not None
        game.apply(option)
        assert game.broken_invariants() == [], game.history[-5:]
    return game


@pytest.mark.parametrize("players", [1, 2, 3, 4])
def test_games_of_all_levels_end_with_all_invariants_held(players: int) -> None:
    assert len(LEVELS) == 81
    for level in LEVELS if GAMES else LEVELS[players :: len(LEVELS) // 4]:
        for number in range(max(1, GAMES)):
            result = play("tetrarchia", players, level, number).result
            assert result is not None
            assert result.ending in ("chaos", "rome_falls", "victory")
            assert len(result.winners) == (players if result.ending == "victory" else 0)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("overlays", [*VARIANTS, "+".join(VARIANTS)])
def test_games_with_overlays_end_with_all_invariants_held(overlays: str, players: int) -> None:
    rng = random.Random(f"{overlays} {players}")
    for number in range(max(1, GAMES)):
        play(f"tetrarchia+{overlays}", players, rng.choice(LEVELS), number)
