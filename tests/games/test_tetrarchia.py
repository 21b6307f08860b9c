"""Random games of Tetrarchia come to an end with all invariants held, at every level and with every set of overlays.

RULESPEC_LEVELS says how many games each of the 81 levels has with each number of players, as in `make proof`; without
it, some levels have one. RULESPEC_LEVELS is also how many each overlay has, and all five together.
"""

from __future__ import annotations

import os
import random
from itertools import product

import pytest
from whole_games import play_to_the_end

GAMES = int(os.environ.get("RULESPEC_LEVELS", "0"))
CAP = 5_000
DIGITS = {"emperor_discs": (3, 4, 5), "fleets": (1, 2, 3), "extra_revolts": (0, 1, 2), "initial_armies": (0, 1, 2)}
LEVELS: list[dict[str, str | int]] = [dict(zip(DIGITS, level, strict=True)) for level in product(*DIGITS.values())]
VARIANTS = ["imperivm", "mare_nostrvm", "diarchia", "patres_patriae", "el_grande"]


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.sampled(1)
def test_games_of_all_levels_end_with_all_invariants_held(players: int) -> None:
    assert len(LEVELS) == 81
    for level in LEVELS if GAMES else LEVELS[players :: len(LEVELS) // 4]:
        for number in range(max(1, GAMES)):
            result = play_to_the_end("tetrarchia", players, level, number, CAP).result
            assert result is not None
            assert result.ending in ("chaos", "rome_falls", "victory")
            assert len(result.winners) == (players if result.ending == "victory" else 0)


@pytest.mark.parametrize("players", [1, 2, 3, 4])
@pytest.mark.parametrize("overlays", [*VARIANTS, "+".join(VARIANTS)])
@pytest.mark.sampled(1)
def test_games_with_overlays_end_with_all_invariants_held(overlays: str, players: int) -> None:
    rng = random.Random(f"{overlays} {players}")
    for number in range(max(1, GAMES)):
        play_to_the_end(f"tetrarchia+{overlays}", players, rng.choice(LEVELS), number, CAP)
