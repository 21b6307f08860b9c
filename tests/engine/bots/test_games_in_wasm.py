"""Games of bots and of random players in one machine: their outcomes and details are those of Python."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NoReturn

import pytest
from shipped import NAMES

from rulespec.engine.bots import bot_games
from rulespec.engine.bots.bot_games import BotGames, BotTable
from rulespec.engine.bots.sides import PlanSide, play_sides
from rulespec.engine.game import machines
from rulespec.engine.playtest.playtest import ComparedRule, Playtest, PlaytestLimits
from rulespec.engine.search.detailed import AHEAD, DetailedGames
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


class SetClock:
    """A clock that is set ahead by games of bots and by their set-up."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *games: float, set_up: float = 0) -> None:
        self.now, self.played = 0.0, list[int]()
        outcome_of, set_up_of = BotGames.outcome, BotTable.__init__

        def outcome(bots: BotGames, number: int) -> object:
            self.played.append(number)
            result = outcome_of(bots, number)
            self.now += games[min(number, len(games) - 1)] / 2
            return result

        def init(table: BotTable, *args: Any) -> None:
            set_up_of(table, *args)
            self.now += set_up

        monkeypatch.setattr(BotGames, "outcome", outcome)
        monkeypatch.setattr(BotTable, "__init__", init)

    def __call__(self) -> float:
        return self.now


def forecast(clock: SetClock, *pairs: int) -> Playtest:
    ruled, ruleset = plan("kuhn_poker")
    base = ComparedRule("kuhn_poker", ruleset, replace(ruled, details=False))
    return Playtest(base, [base], [("flat:2",)], PlaytestLimits(pairs, None, (0,)), clock=clock)


def test_games_that_a_forecast_has_played_count_as_results(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = SetClock(monkeypatch, 1.5)
    playtest = forecast(clock, 3)
    assert playtest.times(("flat:2",)) == (1.5, 1.5) and clock.played == [0, 0, 1, 1]
    (strength,) = playtest.play()
    assert strength.pairs == 3 and clock.played == [0, 0, 1, 1, 2, 2]
    ruled, ruleset = plan("kuhn_poker")
    assert len(list(play_sides([PlanSide(ruled, ruleset)], 2))) == 2


@pytest.mark.parametrize(
    "games, most, times",
    [
        ((30.0,), (), (30.0,)),
        ((5.0, 1.0), (), (5.0, 1.0)),
        ((0.25, 1.25), (), (0.25, 1.25, 1.25)),
        ((0.5,), (), (0.5,) * 4),
        ((0.5,), (3, 1), (0.5,) * 3),
        ((0.5,), (1,), (0.5,)),
    ],
)
def test_a_forecast_is_made_from_several_pairs_without_their_set_up(
    games: tuple[float, ...], most: tuple[int, ...], times: tuple[float, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It once came from one pair with the set-up included, or from the second pair alone."""
    assert forecast(SetClock(monkeypatch, *games, set_up=60.0), *most).times(("flat:2",)) == times


def test_random_games_that_are_played_at_once_share_their_time() -> None:
    moments = iter([0.0, 8.0, 10.0, 12.0])
    ruled, ruleset = plan("kuhn_poker")
    base = ComparedRule("kuhn_poker", ruleset, ruled)
    playtest = Playtest(base, [base], [("random",)], PlaytestLimits(), clock=lambda: next(moments))
    assert playtest.times(("random",)) == (8 / AHEAD, 2 / AHEAD)
    assert {*playtest._sides(("random",))[0].known} == {*range(2 * AHEAD)}
