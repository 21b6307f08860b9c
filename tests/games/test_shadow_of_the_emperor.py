"""In the Shadow of the Emperor: invariants notice what breaks them, and random games with each ruling keep them.

RULESPEC_RULINGS says how many games each answer has with each number of players; without it, one.
"""

from __future__ import annotations

import os

import pytest
from folders import GAMES
from whole_games import cached, play_to_the_end

from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.verify.scenario_files import load_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
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


def test_the_emperor_decides_a_tie_among_the_fit() -> None:
    """Also in a run that samples scenarios: no other one tells an elector from those who have no heir."""
    path = GAMES / REF / "scenarios" / "n_other_rulings.yaml"
    scenarios = [each for each in load_scenarios(path, Report()) if each.id.startswith("SHA.N.07")]
    assert len(scenarios) == 2
    for each in scenarios:
        assert run_scenario(cached(REF), each) == ()


@pytest.mark.parametrize(
    "invariant, values",
    [
        ("one_elector", {"A_tile_1": "chair[mainz] 25", "B_tile_1": "privilege[mainz] 25"}),
        ("ages", {"A_tile_1": "reserve 25"}),
        ("ages", {"A_tile_1": "reserve 0 couple"}),
        ("ages", {"A_tile_1": "hall[mainz] 30"}),
        ("emperors_tile", {"B_tile_1": "throne 25"}),
        ("archbishops", {"A_tile_1": "chair[mainz] 25 couple"}),
        ("archbishops", {"A_tile_1": "privilege[mainz] 25 couple"}),
        ("in_play", {"realm": "electorate - {bohemia}", "A_tile_1": "chair[bohemia] 25"}),
        ("purses", {"A.chip": "0"}),
        ("one_rival", {"challenger": "A"}),
    ],
)
def test_an_invariant_notices_what_breaks_it(invariant: str, values: dict[str, str]) -> None:
    """No game comes to these positions: an invariant that holds too easily is seen here alone."""
    game = Game(cached(REF), ["A", "B"])
    for target, value in values.items():
        fields = ("place", "age", "side") if "tile" in target else ()
        parts = dict(zip((f"{target}.{each}" for each in fields), value.split(), strict=False)) or {target: value}
        for each, text in parts.items():
            game.omniscient.set_value(each, text)
    assert [each.partition(":")[0] for each in game.omniscient.broken_invariants()] == [invariant]
