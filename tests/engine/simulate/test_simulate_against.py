"""Confidence intervals of shares and means of random games, and two rulesets side by side."""

from __future__ import annotations

import json
import random
import statistics
from pathlib import Path

import pytest
from commands import invoke
from jsonschema import Draft202012Validator
from simulation import broken_nim

from rulespec.cli.main import run
from rulespec.engine.simulate.confidence import (
    LEAST,
    ConfidenceInterval,
    Sample,
    mean_difference,
    share,
    share_difference,
)
from rulespec.engine.simulate.game_plans import Outcome
from rulespec.engine.simulate.game_totals import Totals, differences
from rulespec.schemas import load_schema

pytestmark = pytest.mark.usefixtures("known_rulesets")


# Newcombe's figures for the method of Wilson: "Two-sided confidence intervals for the single proportion" (1998).
@pytest.mark.parametrize(
    "wins, games, low, high",
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_intervals_of_shares_are_those_that_are_published(wins: int, games: int, low: float, high: float) -> None:
    result = share(wins, games)
    assert (round(result.low, 4), round(result.high, 4)) == (low, high)
    assert result.value == wins / games


# His method 10: "Interval estimation for the difference between independent proportions" (1998).
@pytest.mark.parametrize(
    "one, other, low, high",
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((5, 56), (0, 29), -0.0381, 0.1926),
        ((0, 56), (0, 29), -0.1170, 0.0642),
    ],
)
def test_intervals_of_differences_are_those_that_are_published(
    one: tuple[int, int], other: tuple[int, int], low: float, high: float
) -> None:
    result = share_difference(share(*one), share(*other))
    assert (round(result.low, 4), round(result.high, 4)) == (low, high)


def test_means_and_their_errors() -> None:
    rng, sample = random.Random(1), Sample()
    values = [rng.randrange(-50, 100) for _ in range(200)]
    for value in values[:100]:
        sample.add(value)
    for value in set(values[100:]):
        sample.add(value, values[100:].count(value))
    assert sample.mean == pytest.approx(statistics.mean(values))
    assert sample.error == pytest.approx(statistics.stdev(values) / 200**0.5)
    few = Sample()
    for value in values[: LEAST - 1]:
        few.add(value)
    assert few.error is None and mean_difference(sample, few) is None and Sample().mean is None


def test_an_interval_misses_one_time_in_twenty() -> None:
    rng, missed = random.Random(5), [0, 0]
    for _ in range(2_000):
        one, other = (sum(rng.random() < 0.3 for _ in range(150)) for _ in range(2))
        missed[0] += not share(one, 150).low <= 0.3 <= share(one, 150).high
        missed[1] += leaves_out_0(share_difference(share(one, 150), share(other, 150)))
    assert all(70 <= times <= 130 for times in missed)


def leaves_out_0(interval: ConfidenceInterval) -> bool:
    return interval.low > 0 or interval.high < 0


def outcome(decisions: int, ended: str | None, winners: str, **scores: int) -> Outcome:
    return Outcome(0, 2, decisions, ended, tuple(winners), scores, None)


def test_what_only_one_ruleset_has_is_beside_nothing() -> None:
    one, other = Totals(), Totals()
    for _ in range(LEAST):
        one.add(outcome(10, "peace", "A", A=3, B=1))
        other.add(outcome(12, None, ""))
    results = {(each.what, each.name): each for each in differences(one, other)}
    assert list(results) == [
        *(("decisions", ""), ("ending", "peace"), ("capped", "")),
        *(("seat", "A"), ("seat", "B"), ("score", "A"), ("score", "B")),
    ]
    length, score = results["decisions", ""], results["score", "A"]
    assert (length.value, length.other) == (10, 12)
    assert length.difference is not None and leaves_out_0(length.difference)
    assert (score.value, score.other, score.difference) == (3, None, None)
    assert (results["seat", "A"].value, results["seat", "A"].other, results["seat", "A"].difference) == (1, None, None)
    assert (results["capped", ""].value, results["capped", ""].other) == (0, 1)
    with_itself = list(differences(one, one))
    assert not any(each.difference is not None and leaves_out_0(each.difference) for each in with_itself)


def test_both_rulesets_play_the_games_that_each_plays_by_itself() -> None:
    games = ("--players", 2, "--games", 40, "--seed", 3, "--format", "json")
    code, text, _ = invoke("simulate", "wager", "--against", "nim", *games)
    assert code == 0
    result = json.loads(text)
    Draft202012Validator(load_schema("simulate")).validate(result)
    for ref, note in (("wager", result), ("nim", result["against"])):
        alone = json.loads(invoke("simulate", ref, *games)[1])
        assert note["ruleset"] == ref and note["totals"] == alone["totals"]
    (length,) = (each for each in result["against"]["differences"] if each["what"] == "decisions")
    assert length["value"] == pytest.approx(result["totals"]["decisions"]["total"] / 40)


def test_numbers_stand_side_by_side_without_a_verdict() -> None:
    games = ("--players", "2", "--games", "60")
    code, said, _ = invoke("simulate", "nim", "--against", "wager", *games)
    assert code == 0
    lines = said.splitlines()
    assert lines[0].startswith("nim 1") and " against wager " in lines[0] and "60 games" in lines[0]
    assert "19 times in 20" in lines[2]
    assert any(line.startswith("decisions on average") for line in lines)
    assert said.count("all invariants held") == 2
    assert "`rulespec playtest` measures the effect of a rule" in said


def test_a_mistake_of_the_other_ruleset_counts(tmp_path: Path) -> None:
    broken = broken_nim(tmp_path)
    code, said, _ = invoke("simulate", "nim", "--against", broken, "--players", "2", "--games", "30")
    assert code == 1 and "nim: all invariants held" in said and "failed" in said


@pytest.mark.parametrize(
    "more, why",
    [
        (("--only", "a=b"), "--only needs --against"),
        (("--against", "nim", "--only", "a"), "Invalid value for --only"),
        (("--against", "nim", "--out", "x.jsonl"), "--out, --codes and --failures are for one ruleset"),
        (("--against", "nim", "--failures", "x"), "--out, --codes and --failures are for one ruleset"),
        (("--against", "nimm"), "did you mean `nim`"),
        (("--against", "nim", "--only", "a=b"), "has no setting `a`"),
    ],
)
def test_what_does_not_go_together_is_told(more: tuple[str, ...], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "nim", "--players", "2", *more]) == 2
    assert why in capsys.readouterr().err
    assert not Path("x.jsonl").exists() and not Path("x").exists()


@pytest.mark.proof
def test_an_option_of_the_first_alone() -> None:
    args = ("simulate", "tutorial", "--against", "tutorial", "--players", "2", "--games", "6", "--format", "json")
    result = json.loads(invoke(*args, "--only", "gifts=off")[1])
    assert result["settings"] == {"gifts": "off"} and result["against"]["settings"] == {}
    alone = json.loads(invoke("simulate", "tutorial", "--players", "2", "--games", "6", "--format", "json")[1])
    assert result["against"]["totals"] == alone["totals"] != result["totals"]
    both = json.loads(invoke(*args, "--set", "gifts=off")[1])
    assert both["settings"] == both["against"]["settings"] == {"gifts": "off"}
    assert both["totals"] == both["against"]["totals"] == result["totals"]
