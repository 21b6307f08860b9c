"""The lead over time: its changes, when it was last taken, how wide it is."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from folders import ROOT

from rulespec.diagnostics.report import Report
from rulespec.engine.bots.bot_games import BotGames
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.playtest.figures import recorded_figures
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.leading import Lead, lead_of
from rulespec.load import load_ruleset


@pytest.fixture(scope="module")
def nim() -> Game:
    return Game(load_ruleset("nim"), ("A", "B"))


@pytest.mark.parametrize(
    "course, changes, taken, widest",
    [
        ([(0, 0), (1, 0), (1, 1), (1, 2), (5, 2)], 2, 4, 3),
        ([(0, 0), (0, 3), (2, 3), (3, 3), (3, 4)], 0, 1, 3),  # who draws level takes no lead
        ([(2, 2), (2, 2)], 0, None, 0),
        ([(9, 1), (0, 0), (1, 0)], 0, 0, 8),
    ],
)
def test_a_lead_is_taken_by_who_is_ahead_alone(
    nim: Game, course: list[tuple[int, int]], changes: int, taken: int | None, widest: int
) -> None:
    assert lead_of(nim, "points", 0, dict(enumerate(course))) == Lead("points", changes, taken, widest)


def test_who_is_hardly_ahead_by_random_games_does_not_lead(nim: Game) -> None:
    course = {0: (50, 50), 1: (60, 40), 2: (61, 39), 3: (40, 60), 4: (39, 61)}
    assert lead_of(nim, "playouts", 20, course) == Lead("playouts", 1, 4, 22)


@pytest.mark.parametrize(
    "log, expression",
    [
        ("gallery/ludo/logs/*.jsonl", ""),
        ("gallery/backgammon/logs/single.jsonl", "value"),
        ("gallery/kuhn_poker/logs/random-2-1.jsonl", ""),
    ],
)
def test_the_lead_of_a_recorded_game_is_as_counted_by_hand(log: str, expression: str) -> None:
    """Position by position, from the points that measures say, or the value's own expression."""
    path = sorted((ROOT / "games").glob(log))[0]
    game = replayed(path)
    again, leader, changes, taken, widest, first = restarted(game), "", 0, 0, 0, True
    for option in [*game.history, None]:
        decision = again.decision
        first = first and (decision is None or decision.by is None)
        if not first:
            numbers = by_hand(again, expression)
            (second, _), (most, seat) = sorted((number, seat) for seat, number in numbers.items())[-2:]
            widest = max(widest, most - second)
            if most > second and seat != leader:
                changes, leader, taken = changes + (leader != ""), seat, again.ply
        if option is not None:
            again.apply(option)
    lead = recorded_figures([game]).to_json()["lead"]
    assert lead["lead_changes"] == changes and lead["widest_lead"] == widest
    assert lead["lead_taken"] == pytest.approx(100 * taken / game.ply, abs=0.01)


def by_hand(game: Game, expression: str) -> dict[str, int]:
    if not expression:
        return {seat: number or 0 for seat, number in game.omniscient.measures()["score"].items()}
    value = next(iter(game.ruleset.declarations.values.values()))
    position = game.omniscient.numbers
    compiled = next(each for each in position.program.values if each.name == value.name)
    return {seat: position.value(compiled.value, (at,)) for at, seat in enumerate(game.seats)}


def replayed(path: Path) -> Game:
    result = replay_log(path, report=Report())
    assert result.divergence is None
    return result.game


@pytest.mark.proof  # 0.3 s
def test_where_nothing_else_says_who_leads_random_games_do() -> None:
    """The last move of connect four wins, so the winner leads by all of 100 %; who wins together has no lead."""
    ruleset = load_ruleset("connect_four")
    plan = replace(GamePlan.of("connect_four", ruleset, [2], 1), bots=("flat:4",), details=True)
    details = BotGames(plan, ruleset).outcome(0).details
    assert details is not None and details.lead is not None
    assert (details.lead.by, details.lead.widest) == ("playouts", 100)
    together = load_ruleset("tetrarchia")
    plan = replace(GamePlan.of("tetrarchia", together, [2], 1), bots=("random",), details=True, cap=20)
    details = BotGames(plan, together).outcome(0).details
    assert details is not None and details.lead is None
