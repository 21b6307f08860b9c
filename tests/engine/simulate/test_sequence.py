"""Bounds that hold at every look."""

from __future__ import annotations

from bisect import bisect_left
from fractions import Fraction
from math import exp, inf, isclose, lgamma, log, sqrt

import pytest

from bench.matches import PAGE, SHARES, by_betting, by_mean, ever, table
from rulespec.engine.bots.match import MatchStanding
from rulespec.engine.simulate.confidence import ConfidenceInterval
from rulespec.engine.simulate.sequence import (
    SPREAD,
    followed_share,
    games_to_tell,
    half_width,
    log_stakes,
)


def test_there_are_bounds_from_the_first_game_on() -> None:
    assert followed_share(0, 0) is None
    assert followed_share(1, 1) == ConfidenceInterval(1.0, 0.0, 1.0)
    row_of_wins = [bounds(number, number).low for number in (5, 10, 20, 40)]
    assert row_of_wins == sorted(row_of_wins) and 0.5 < row_of_wins[2] < row_of_wins[3] < 1
    assert bounds(0, 40).high == pytest.approx(1 - row_of_wins[3])


def test_a_share_of_a_win_counts_as_a_part_of_one() -> None:
    """Three shared wins are one of three games: bounds hold for all numbers from 0 to 1, and are those of coins."""
    assert bounds(sum([1 / 3] * 90), 90).low == pytest.approx(bounds(30, 90).low)


@pytest.mark.parametrize("games", [100, 200, 500, 2_000])
def test_the_price_of_looking_is_less_than_twice_the_width(games: int) -> None:
    assert 1.4 < half_width(games, 1) / (1.96 / sqrt(games)) < 1.8
    half = bounds(games / 2, games).high - 0.5
    assert 1.4 < half / (1.96 * 0.5 / sqrt(games)) < 1.9


@pytest.mark.parametrize(
    "won, games, share", [(3, 7, 0.5), (40, 60, 0.5), (1, 30, 1 / 6), (0, 30, 0.05), (11, 80, 0.1)]
)
def test_a_gambler_owns_what_their_bets_have_won(won: int, games: int, share: float) -> None:
    """The closed form beside its definition: what bets on each mean p win, added up by their share of the money."""
    a, b, steps = SPREAD * share, SPREAD * (1 - share), 20_000
    owned = 0.0
    for step in range(steps):
        p = (step + 0.5) / steps
        money = (a - 1) * log(p) + (b - 1) * log(1 - p) - lgamma(a) - lgamma(b) + lgamma(a + b)
        owned += exp(money + won * log(p / share) + (games - won) * log((1 - p) / (1 - share))) / steps
    assert exp(log_stakes(won, games, share)) == pytest.approx(owned, rel=2e-3)


def test_what_cannot_be_is_out_and_what_must_be_is_in() -> None:
    assert (log_stakes(1, 3, 0), log_stakes(2, 3, 1)) == (inf, inf)
    assert (log_stakes(0, 3, 0), log_stakes(3, 3, 1)) == (0, 0)


@pytest.mark.parametrize("won, games", [(0.5, 1), (1.25, 4), (2.5, 9), (30, 40), (0, 15), (333.3, 1_000)])
def test_all_between_the_bounds_is_in_and_all_else_is_out(won: float, games: int) -> None:
    share = bounds(won, games)
    for at in range(1, 400):
        inside = log_stakes(won, games, at / 400) < log(20)
        assert inside == (share.low < at / 400 < share.high) or isclose(at / 400, share.low) or won <= 1
        assert not inside or share.low < at / 400 < share.high


def test_the_games_to_tell_are_the_first_that_do() -> None:
    needed = games_to_tell(11, 20, 0.5)
    assert needed is not None
    assert bounds(0.55 * needed, needed).low > 0.5 > bounds(0.55 * (needed - 1), needed - 1).low
    assert games_to_tell(10, 20, 0.5) is None


@pytest.mark.parametrize("share", [SHARES[0], SHARES[3]], ids=str)
def test_equal_bots_are_seldom_told_apart_however_often_one_looks(share: Fraction) -> None:
    """The exact share of matches of 300 games with a verdict, by sums over all wins; a fixed interval tells a third."""
    even = float(share)

    def fixed(won: int, games: int) -> bool:
        return games >= 10 and abs(won / games - even) > 1.96 * sqrt(even * (1 - even) / games)

    assert ever(even, 300, by_betting(even))[0] <= 0.05 < 0.25 < ever(even, 300, fixed)[0]


def test_a_better_bot_is_found_after_hardly_more_games_than_by_bounds_of_a_mean() -> None:
    """At 60 : 40 half of the matches have a verdict after 1.1 times as many games."""
    half, before = (ever(0.6, 200, rule(0.5))[1] for rule in (by_betting, by_mean))
    assert half is not None and before is not None and half <= 1.1 * before


@pytest.mark.proof
@pytest.mark.parametrize("share", SHARES, ids=str)
def test_5000_matches_of_coins_are_seldom_by_betting(share: Fraction) -> None:
    """1,000 games each, looked at after every one: the upper end of the interval of 99 % is at most 5.8 %."""
    import numpy as np

    runs, even = 5_000, float(share)
    won = np.cumsum(np.random.default_rng(share.denominator).random((runs, 1_000)) < even, axis=1)
    ends = np.array([untold(even, games) for games in range(1, 1_001)])
    decided = int(((won < ends[:, 0]) | (won > ends[:, 1])).any(axis=1).sum())
    p, z = decided / runs, 2.5758**2 / runs
    upper = (p + z / 2 + sqrt(z * (p * (1 - p) + z / 4))) / (1 + z)
    assert upper <= 0.058
    assert ever(even, 1_000, by_betting(even))[0] <= 0.05


@pytest.mark.proof
def test_the_page_has_the_figures_of_the_bench() -> None:
    assert table() in PAGE.read_text("utf-8")


def untold(even: float, games: int) -> tuple[int, int]:
    """The least and the most wins of a match that is undecided."""

    def verdict(won: int) -> str:
        return MatchStanding("a", "b", even, games, won).verdict

    near = round(even * games)
    least = bisect_left(range(near), True, key=lambda won: verdict(won) == "undecided")
    return least, near + bisect_left(range(near + 1, games + 1), True, key=lambda won: verdict(won) != "undecided")


def bounds(won: float, games: int) -> ConfidenceInterval:
    share = followed_share(won, games)
    assert share is not None
    return share
