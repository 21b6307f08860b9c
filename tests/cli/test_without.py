"""`rulespec playtest --without`: the game without an option, for all or for one seat."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from cases import small
from commands import invoke
from jsonschema import Draft202012Validator

from rulespec.schemas import load_schema

GAMES = ("--bots", "random", "--beside", "", "--ladder", 0, "--format", "json")
RULES = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
kinds:
  player: {state: {fish: {type: int}}}
  boat: {entities: {red: {}, blue: {}}}
--- rules/play.rules
options sailing:
    option sail(b in boat):
        set here.fish to here.fish + (2 if b == red else 1)

procedure play():
    repeat at most 5:
        for p in player:
            trip(p)
    end game as done

procedure trip(here: player):
    decide trip by here:
        include sailing
        option rest:
            pass

scoring p in player:
    score p.fish
"""


def answers(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    (rule,) = report["rules"]
    return {each["title"]: each for each in rule["strengths"][0]["answers"]}


@pytest.fixture
def ref(tmp_path: Path) -> str:
    return str(small(tmp_path / "small", RULES).folders[0])


def played(ref: str, without: str, pairs: int = 60) -> dict[str, Any]:
    code, text, err = invoke("playtest", ref, "--without", without, *GAMES, "--players", 2, "--pairs", pairs)
    assert code == 0, err
    report: dict[str, Any] = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    assert report["rules"][0]["name"] == f"without {without}"
    assert f"--without {without}" in report["command"].replace("'", "")
    return report


@pytest.mark.proof  # 0.3 s
def test_a_seat_without_its_best_option_loses_and_the_other_still_has_it(ref: str) -> None:
    report = played(ref, "trip.sail:B")
    numbers = answers(report)
    assert list(numbers) == ["Wins of B", "Points of B", "Length"]
    assert numbers["Wins of B"]["verdict"] == numbers["Points of B"]["verdict"] == "less"
    assert numbers["Points of B"]["value"] == 0 < numbers["Points of B"]["high"] - numbers["Points of B"]["low"]
    rule, base = report["rules"][0]["strengths"][0]["figures"]
    assert set(base["options"]["trip.sail"]["seats"]) == {"A", "B"} and set(rule["options"]["trip.sail"]["seats"]) == {
        "A"
    }


def test_pairs_in_which_nothing_is_legal_without_the_option_are_no_mistake_of_the_rules(tmp_path: Path) -> None:
    """B may rest only once A has fish."""
    rules = RULES.replace("option rest:", "option rest:\n            require next(here).fish > 0 or here.index == 0")
    ref, page = str(small(tmp_path / "small", rules).folders[0]), tmp_path / "page.html"
    args = ("playtest", ref, "--without", "sail:B", *GAMES, "--players", 2, "--pairs", 30, "--page", page)
    code, text, _ = invoke(*args)
    report = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    (strength,) = report["rules"][0]["strengths"]
    assert code == 1 and 0 < strength["stuck"] == strength["failed"] < 30
    said = f"random: {strength['stuck']} pairs not counted: nothing was legal under the rule"
    assert said in page.read_text("utf-8") and said in invoke(*(each for each in args if each not in GAMES[-2:]))[1]


def test_the_seats_that_use_an_option_are_named_where_one_does_without(ref: str) -> None:
    text = invoke("playtest", ref, "--without", "trip.sail:B", *GAMES[:-2], "--players", 2, "--pairs", 6)[1]
    assert re.search(r"^trip\.sail .* [AB] [0-9.]+, [AB] [0-9.]+ → A [0-9.]+$", text, re.M)


def test_an_argument_is_left_out_alone(ref: str) -> None:
    report = played(ref, "sail(red):A", 6)
    rule, base = (set(each["options"]) for each in report["rules"][0]["strengths"][0]["figures"])
    assert {"trip.sail(red)", "trip.sail(blue)"} <= rule == base
    seats = report["rules"][0]["strengths"][0]["figures"][0]["options"]["trip.sail(red)"]["seats"]
    assert set(seats) == {"B"}


@pytest.mark.proof  # 0.2 s
def test_all_seats_do_without_and_the_usual_questions_are_asked(ref: str) -> None:
    report = played(ref, "sail", 6)
    assert set(answers(report)) == {"Length", "Winner's margin", "Wins of A"}
    assert "trip.sail" not in report["rules"][0]["strengths"][0]["figures"][0]["options"]


@pytest.mark.parametrize(
    "without, why",
    [
        ("sial", "there is no option `sial`; did you mean `sail`?"),
        ("trip.fly", "there is no option `trip.fly`; did you mean `trip.sail`?"),
        ("dig", "there is no option `dig`; the options are trip.sail, trip.rest"),
        ("sail:C", "there is no seat `C`; the seats are A, B"),
        ("sail(green)", "no `boat` is called `green`; its values are red, blue"),
        ("rest(red)", "`rest` has 0 arguments"),
        ("sail red", "not of the form DECISION.OPTION, OPTION(ARGUMENT) or OPTION:SEAT"),
    ],
)
def test_what_cannot_be_left_out_is_said(ref: str, without: str, why: str) -> None:
    code, _, err = invoke("playtest", ref, "--without", without, *GAMES, "--players", 2, "--pairs", 2)
    assert code == 2 and why in " ".join(err.split())


@pytest.mark.usefixtures("known_rulesets")
def test_the_only_option_is_not_left_out() -> None:
    code, _, err = invoke("playtest", "nim", "--without", "take", *GAMES, "--players", 2, "--pairs", 2)
    assert code == 2 and "`take` is the only option of `turn`" in " ".join(err.split())


@pytest.mark.proof
@pytest.mark.parametrize("ref, without", [("chess", "castle:white"), ("imperial", "rondel.move(import):B")])
def test_shipped_rulesets_are_played_without_an_option(ref: str, without: str) -> None:
    """`wrap`, groups, and deciders that are no variable of a procedure's head."""
    players = 2 if ref == "chess" else 3
    code, text, err = invoke("playtest", ref, "--without", without, *GAMES, "--players", players, "--pairs", 2)
    assert code == 0, err
    assert all(each["low"] is not None for each in answers(json.loads(text)).values())
