"""Random games of In the Shadow of the Emperor end with all invariants held, however each ruling is answered.

RULESPEC_RULINGS says how many games each answer has with each number of players; without it, one.
"""

from __future__ import annotations

import os

import pytest
from whole_games import cached, play_to_the_end

from rulespec.typed.settings import values_to_try

REF = "shadow_of_the_emperor"
NUMBER = int(os.environ.get("RULESPEC_RULINGS", "1"))
CAP = 1_000


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_games_end_with_all_invariants_held(players: int) -> None:
    answers: list[dict[str, str | int]] = [
        {o.name: value} for o in cached(REF).settings.values() for value in values_to_try(o)
    ]
    assert len(answers) == 26
    for answer in answers:
        for number in range(NUMBER):
            result = play_to_the_end(REF, players, answer, number, CAP).result
            assert result is not None
            assert result.ending == "fifth_round"
