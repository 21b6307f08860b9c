"""Roles of one seat are one number of a trial: seen in its games, and the same for all trials of a report."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rulespec.engine.playtest.compared_numbers import Asked, length
from rulespec.engine.playtest.rule_trial import RuleTrial, distinct
from rulespec.engine.simulate.details import Details
from rulespec.engine.simulate.game_plans import Outcome

ROLES = ("red", "green", "blue")


def game(**roles: str) -> Outcome:
    return Outcome(0, 2, 9, "end", ("A",), {}, None, Details("", roles, (), "", None, ()))


def trial(*games: Outcome) -> RuleTrial:
    wins = [Asked("wins", "Wins", f"Wins of {role}", True, length, 0.05, length, 0.95, role) for role in ROLES]
    result = RuleTrial([Asked("length", "Length", "Length", False, length, 1, length, 0.95), *wins], ["A", "B"])
    for each in games:
        result.add(each, each)
    return result


def test_roles_that_one_seat_has_in_all_games_are_one_number() -> None:
    together = game(red="A", green="B", blue="A")
    assert distinct([trial(together, together)]) == {0: "Length", 1: "Wins of red and blue", 2: "Wins of green"}
    alone = game(red="A", green="A", blue="A")
    assert distinct([trial(alone)]) == {0: "Length", 1: "Wins of red, green and blue"}
    assert list(distinct([trial(together, game(red="A", green="B", blue="B"))])) == [0, 1, 2, 3]


def test_what_one_trial_tells_apart_is_apart_in_all() -> None:
    one, other = trial(game(red="A", green="A", blue="B")), trial(game(red="A", green="B", blue="B"))
    assert list(distinct([one])) == [0, 1, 3] and list(distinct([other])) == [0, 1, 2]
    assert list(distinct([one, other])) == [0, 1, 2, 3]


@pytest.mark.parametrize(
    "under, verdicts",
    [
        ({}, ["same", "same"]),
        ({"winners": ("B",)}, ["equal", "equal"]),
        ({"scores": {"A": 3}}, ["equal", "equal"]),
        ({"details": Details("other moves", {}, (), "", None, ())}, ["equal", "equal"]),
        ({"ended": "other"}, ["equal", "equal"]),
        ({"decisions": 10}, ["more", "equal"]),
    ],
)
def test_a_rule_that_acted_is_told_from_one_that_never_did(under: dict[str, Any], verdicts: list[str]) -> None:
    """Equal is a number, the same is all of the game: a rule may change who wins and not how long it takes."""
    numbers = {"length": length, "one": lambda _: 1.0}
    asked = [Asked(name, name, name, False, of, 0.5, of, 0.95) for name, of in numbers.items()]
    result = RuleTrial(asked, ["A", "B"])
    for number in range(50):
        result.add(one := replace(game(), game=number), replace(one, **(under if number % 5 else {})))
    assert result.equal == (10 if under else 50)
    assert [each.answer.verdict for each in result.answers()] == verdicts


def test_without_games_all_numbers_are_apart() -> None:
    assert list(distinct([trial()])) == [0, 1, 2, 3]
