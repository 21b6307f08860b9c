"""Figures without a verdict: endings, who used which option how often and when first, where a rule acted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rulespec.engine.playtest.figures import Acts, Figures, ending_shares, most_changed, rate, users, users_of_both
from rulespec.engine.playtest.sentence import acted
from rulespec.engine.simulate.details import Described, Details, UsedMoves, details_of
from rulespec.engine.simulate.game_plans import Outcome


def game(moves: str, ended: str | None = "home", **roles: str) -> Outcome:
    """A game of decisions such as `A:buy B:sell -:deal`."""
    return Outcome(0, 2, len(moves.split()), ended, ("A",), {}, None, details(moves, roles))


def details(moves: str, roles: dict[str, str]) -> Details:
    result = UsedMoves()
    for ply, text in enumerate(moves.split()):
        seat, _, option = text.partition(":")
        line, name = text.encode(), f"market.{option}"
        result.add(ply, Described(line, (), None) if seat == "-" else Described(line, (name,), seat))
    return details_of(result, roles, {})


def figures(*games: Outcome) -> dict[str, Any]:
    result = Figures(("A", "B"))
    for each in games:
        result.add(each)
    return result.to_json()


def test_an_option_is_counted_by_seats_and_roles_and_from_its_first_use() -> None:
    one = game("-:deal A:buy A:buy B:sell", red="A", blue="A", green="B")
    other = game("-:deal B:sell B:sell B:buy", red="B", blue="A", green="A")
    options = figures(one, other)["options"]
    assert options["market.buy"] == {
        "times": 1.5,
        "games": 2,
        "first": 2.0,
        "seats": {"A": 1.0, "B": 0.5},
        "roles": {"red": 1.5, "blue": 1.0},
    }
    assert users(options["market.buy"], 1) == "red 1.5, …"
    assert users({"roles": {"red": 2.0, "blue": 1.0, "grey": 2.0}, "seats": {}}, 2) == "red/grey 2.0, blue 1.0"
    assert users(figures(game("A:buy B:buy B:buy"))["options"]["market.buy"], 4) == "B 2.0, A 1.0"


def test_the_options_whose_use_differs_most_come_first() -> None:
    """The last is used as often, and later."""
    under, without = (figures(game(moves))["options"] for moves in ("A:a A:a A:b A:c A:new", "A:a A:b A:c A:c A:c"))
    assert most_changed(under, without, 9) == ["market.c", "market.new", "market.a", "market.b"]
    assert most_changed(under, without, 1) == ["market.c"]


def test_endings_are_shares_of_games_with_their_titles() -> None:
    sides = [figures(game("A:a"), game("A:a", "lost")), figures(game("A:a"), game("A:a", None))]
    strength = {"figures": sides, "capped": [0, 1]}
    shares = ending_shares({"endings": {"home": "Home", "lost": "All is lost", "never": "Never"}}, strength)
    assert shares == [("Home", (0.5, 0.5)), ("All is lost", (0.0, 0.5)), ("given up", (0.5, 0.0))]


@pytest.mark.parametrize(
    "under, without, place",
    [
        ("A:a B:b", "A:a B:c", "market.b in place of market.c (1)"),
        ("A:a B:b A:c", "A:a B:b", "market.c in place of the end of the game (1)"),
        ("A:a -:six", "A:a -:one", "chance (1)"),
        ("A:a -:six", "A:a B:c", "chance in place of market.c (1)"),
        ("A:a B:b", "A:a A:b", "another market.b (1)"),
        ("A:b", "A:c", "market.b in place of market.c (1)"),
    ],
)
def test_a_rule_acts_where_games_part(under: str, without: str, place: str) -> None:
    acts = Acts()
    acts.add(game(without), game(under))
    text = acted({"acted": acts.to_json(), "pairs": 3, "failed": 0})
    ply = min(len(under.split()), len(without.split())) - (under.count(" ") == without.count(" "))
    when = {0: "at the first decision", 1: "after 1 decision"}.get(ply, f"after {ply} decisions")
    assert text == f"The rule acted in 1 of 3 pairs, first {when}: {place}."


def test_a_rule_on_the_result_alone_acts_at_the_end() -> None:
    acts = Acts()
    acts.add(game("A:a B:b"), replace(game("A:a B:b"), winners=("B",)))
    for _ in range(3):
        acts.add(game("A:a B:b"), game("A:a B:c"))
    text = acted({"acted": acts.to_json(), "pairs": 9, "failed": 1})
    assert text == (
        "The rule acted in 4 of 8 pairs, first after 1 to 2 decisions (median 1): "
        "market.c in place of market.b (3), the end of the game (1)."
    )
    assert acted({"acted": Acts().to_json(), "pairs": 9, "failed": 0}) == ""


@pytest.mark.parametrize("times, text", [(1234.56, "1,234.6"), (0.1, "0.1"), (0.017, "0.02"), (0.0, "0.0")])
def test_rare_uses_have_two_decimals(times: float, text: str) -> None:
    assert rate(times) == text


def test_all_places_at_which_a_rule_acts_are_counted() -> None:
    acts = Acts()
    for option in "bcdefghijk":
        acts.add(game("A:a B:l"), game(f"A:a B:{option}"))
    text = acted({"acted": acts.to_json(), "pairs": 10, "failed": 0})
    assert text.endswith(
        "market.b in place of market.l (1), market.c in place of market.l (1), market.d in place of market.l (1), "
        "elsewhere (7)."
    )


def test_the_users_of_an_option_are_named_on_both_sides_where_they_are_others() -> None:
    both = figures(game("A:buy B:buy B:buy"))["options"]["market.buy"]
    alone = figures(game("A:buy A:buy"))["options"]["market.buy"]
    assert users_of_both(alone, both, 4) == "B 2.0, A 1.0 → A 2.0"
    assert (
        users_of_both(both, both, 4) == users_of_both(both, None, 4) == users_of_both(None, both, 4) == "B 2.0, A 1.0"
    )
    in_roles = both | {"roles": {"red": 1.5}}
    assert users_of_both(in_roles, in_roles, 4) == "red 1.5"
    assert users_of_both(in_roles, in_roles, 4, "A") == "B 2.0, A 1.0"
