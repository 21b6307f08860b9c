"""Random games of In the Shadow of the Emperor end with all invariants held, however each ruling is answered.

RULESPEC_RULINGS says how many games each answer has with each number of players; without it, one.
"""

from __future__ import annotations

import os
import random
from functools import cache

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.simulate.playouts import choose
from rulespec.load import load_ruleset
from rulespec.typed.settings import values_to_try

REF = "shadow_of_the_emperor"
NUMBER = int(os.environ.get("RULESPEC_RULINGS", "1"))
CAP = 1_000

cached = cache(load_ruleset)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_games_end_with_all_invariants_held(players: int) -> None:
    answers = [{o.name: value} for o in cached(REF).settings.values() for value in values_to_try(o)]
    assert len(answers) == 26
    for answer in answers:
        for number in range(NUMBER):
            game = Game(cached(REF), [f"P{i + 1}" for i in range(players)], answer)
            rng = random.Random(f"{players} {answer} {number}")
            while not game.is_over:
                assert game.ply < CAP
                option = choose(game, rng)
                assert option is not None
                game.apply(option)
                assert game.broken_invariants() == [], (answer, game.history[-5:])
            assert game.result is not None
            assert game.result.ending == "fifth_round"
