"""Bounds that hold at every look."""

from __future__ import annotations

import random
from math import sqrt

import pytest

from rulespec.engine.simulate.sequence import FIRST_LOOK, followed_share, half_width


def test_there_are_no_bounds_before_the_first_look() -> None:
    assert followed_share(FIRST_LOOK - 1, FIRST_LOOK - 1) is None
    share = followed_share(FIRST_LOOK, FIRST_LOOK)
    assert share is not None and 0.7 < share.low < 1 and share.high == 1


@pytest.mark.parametrize("games", [100, 200, 500, 2_000])
def test_the_price_of_looking_is_less_than_twice_the_width(games: int) -> None:
    assert 1.4 < half_width(games, 1) / (1.96 / sqrt(games)) < 1.8


def test_equal_bots_are_seldom_told_apart_however_often_one_looks() -> None:
    """400 matches of 600 games, looked at after each: a fixed interval is wrong in a quarter of them and more."""
    draws, decided, fixed = random.Random(1), 0, 0
    for _ in range(400):
        won, apart, interval = 0, False, False
        for games in range(1, 601):
            won += draws.random() < 0.5
            share = followed_share(won, games)
            if share is not None:
                apart |= not share.low <= 0.5 <= share.high
                interval |= abs(won / games - 0.5) > 1.96 * sqrt(0.25 / games)
        decided += apart
        fixed += interval
    assert decided <= 20 < 100 < fixed
