"""Few games whose machine is changed on the way: the same games as by one machine, and sooner where they take long."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import count

import pytest
from commands import invoke

import rulespec.engine.simulate.change_over as change_over
from rulespec.engine.program.long_values import counting
from rulespec.engine.simulate.change_over import play_quickly, worth_changing
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.load import load_ruleset

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
pytestmark = pytest.mark.usefixtures("known_rulesets")


def taking(*seconds: float) -> Callable[[], float]:
    """A clock of games that take so long each, the last for ever."""
    now, asked = 0.0, count()

    def clock() -> float:
        nonlocal now
        game, end = divmod(next(asked), 2)
        now += seconds[min(game, len(seconds) - 1)] * end
        return now

    return clock


@pytest.mark.parametrize(
    "seconds, left, worth",
    [
        ([0.4], 50, False),  # most of it is the making of the program
        ([3.1], 1, True),
        ([0.4, 0.05], 19, False),
        ([0.4, 0.05], 20, True),
        ([3.1, 0.01], 60, False),
        ([0.4, 0.01, 0.05], 40, True),
    ],
)
def test_wasm_is_worth_it_by_the_time_that_is_left(seconds: list[float], left: int, worth: bool) -> None:
    assert worth_changing(seconds, left) is worth


@pytest.mark.parametrize(
    "ref, players, seconds, by_python",
    [
        ("nim", [2], (0.0,), 12),
        ("nim", [2], (5.0,), 1),
        ("wager", [2, 3], (0.1, 0.05, 0.5), 3),
        ("kuhn_poker", [2, 3], (0.2,), 2),
    ],
)
def test_the_games_are_the_same_whichever_machine_plays_them(
    ref: str, players: list[int], seconds: tuple[float, ...], by_python: int
) -> None:
    ruleset = load_ruleset(ref)
    plan = GamePlan.of(ref, ruleset, players, 3)
    after: list[GamePlan] = []
    with counting() as handed:
        outcomes = list(play_quickly(plan, ruleset, range(12), 1, after.append, taking(*seconds)))
    assert outcomes == [plan.outcome(ruleset, number) for number in range(12)]
    assert [each.backend for each in after] == ["wasm"] * (by_python < 12)
    assert handed["python"] == sum(each.decisions for each in outcomes[:by_python]) * (by_python < 12)


@pytest.mark.proof  # 1.0 s
@pytest.mark.sampled(1)
@pytest.mark.parametrize("jobs", [1, 2])
def test_where_there_is_no_wasm_python_goes_on(jobs: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(change_over, "can_play", lambda plan, ruleset: False)
    ruleset = load_ruleset("nim")
    plan = GamePlan.of("nim", ruleset, [2], 3)
    after: list[GamePlan] = []
    outcomes = list(play_quickly(plan, ruleset, range(4), jobs, after.append, taking(9.0)))
    assert not after
    assert outcomes == [plan.outcome(ruleset, number) for number in range(4)]


def test_the_command_says_who_has_played(monkeypatch: pytest.MonkeyPatch) -> None:
    args = ("simulate", "nim", "--players", "3", "--games", "20", "--seed", "4")
    in_python = json.loads(invoke(*args, "--backend", "python", "--format", "json")[1])
    monkeypatch.setattr(change_over, "LONG", 0.0)
    monkeypatch.setattr(change_over, "WORTH_IT", 0.0)
    changed = json.loads(invoke(*args, "--format", "json")[1])
    assert (in_python.pop("backend"), changed.pop("backend")) == ("python", "wasm")
    assert changed == in_python
    first = in_python["playouts"][0]["decisions"]
    assert f"wasm, Python {first} decisions)" in invoke(*args)[1]
