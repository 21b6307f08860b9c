"""Games of bots and of random players in one machine: their outcomes and details are those of Python."""

from __future__ import annotations

from dataclasses import replace
from typing import NoReturn

import pytest
from shipped import NAMES

from rulespec.engine.bots import bot_games
from rulespec.engine.bots.bot_games import BotGames
from rulespec.engine.bots.sides import PlanSide, play_sides
from rulespec.engine.game import machines
from rulespec.engine.playtest.playtest import ComparedRule, Playtest, PlaytestLimits
from rulespec.engine.search.detailed import DetailedGames
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed


def plan(ref: str, *bots: str, cap: int = 5_000) -> tuple[GamePlan, typed.Ruleset]:
    ruleset = load_ruleset(ref)
    low, high = ruleset.players
    result = GamePlan.of(ref, ruleset, [max(low, min(3, high))], 4, cap=cap)
    return replace(result, details=True, bots=bots), ruleset


def none(*_: object) -> NoReturn:
    raise NoWasmtimeError("none")


@pytest.mark.parametrize("ref", ["leduc_poker", "tutorial"])
@pytest.mark.sampled(1)
def test_bots_play_the_same_games_with_and_without_wasm(ref: str, monkeypatch: pytest.MonkeyPatch) -> None:
    games = BotGames(*plan(ref, "flat:4", "mcts:4", "random"))
    outcomes = [games.outcome(number) for number in range(2)]
    monkeypatch.setattr(bot_games, "machine", none)
    games = BotGames(*plan(ref, "flat:4", "mcts:4", "random"))
    assert [games.outcome(number) for number in range(2)] == outcomes
    assert all(each.details is not None and each.details.course for each in outcomes)


@pytest.mark.proof  # 0.5 s
def test_a_game_of_bots_needs_no_machine_but_that_of_wasm(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not for its result, nor for its measures."""
    others: list[str] = []
    ruled, ruleset = plan("tutorial", "flat:4")
    monkeypatch.setattr(machines, "_python_made", lambda ruleset, *_: others.append(ruleset.ref))
    outcome = BotGames(ruled, ruleset).outcome(0)
    assert outcome.ended is not None and outcome.scores and not others


@pytest.mark.proof  # 1.1 s
@pytest.mark.sampled(1)
@pytest.mark.parametrize("ref", ["tutorial", "kuhn_poker"])
def test_random_games_in_wasm_have_the_details_of_python(ref: str) -> None:
    ruled, ruleset = plan(ref)
    games = DetailedGames(ruled, ruleset)
    assert [games.outcome(n) for n in range(3, 6)] == [ruled.outcome(ruleset, n) for n in range(3, 6)]
    short = replace(ruled, cap=3)
    assert DetailedGames(short, ruleset).outcome(0) == short.outcome(ruleset, 0)


@pytest.mark.proof
@pytest.mark.parametrize("ref", NAMES)
def test_random_games_of_all_rulesets_have_the_details_of_python(ref: str) -> None:
    ruled, ruleset = plan(ref, cap=2_000)
    games = DetailedGames(ruled, ruleset)
    assert [games.outcome(n) for n in range(4)] == [ruled.outcome(ruleset, n) for n in range(4)]


def test_games_that_a_forecast_has_played_count_as_results(monkeypatch: pytest.MonkeyPatch) -> None:
    ruled, ruleset = plan("kuhn_poker")
    base = ComparedRule("kuhn_poker", ruleset, replace(ruled, details=False))
    playtest = Playtest(base, [base], [("flat:2",)], PlaytestLimits((3,), None, (0,)))
    played: list[int] = []
    original = PlanSide.outcome

    def outcome(side: PlanSide, number: int) -> object:
        if number not in side.known:
            played.append(number)
        return original(side, number)

    monkeypatch.setattr(PlanSide, "outcome", outcome)
    assert playtest.seconds(("flat:2",)) > 0
    (strength,) = playtest.play()
    assert strength.pairs == 3 and sorted(played) == [0, 0, 1, 1, 2, 2]
    assert len(list(play_sides([PlanSide(ruled, ruleset)], 2))) == 2
