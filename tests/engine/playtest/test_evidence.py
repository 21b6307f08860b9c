"""Evidence of paired games: false alarms, power, the number of pairs that would tell."""

from __future__ import annotations

import random
from collections.abc import Callable
from statistics import median

import pytest

from rulespec.engine.playtest.evidence import SAME, Evidence, QuestionAnswer
from rulespec.engine.simulate.sequence import FIRST_LOOK, MOST

LEVEL = 1 - 0.05 / 3


def evidence(rng: random.Random, pairs: int, shift: float, noise: float = 10.0) -> Evidence:
    """Pairs whose games share most of their luck."""
    result = Evidence()
    for _ in range(pairs):
        deal = rng.gauss(100, 20)
        result.add(deal + rng.gauss(shift, noise), deal + rng.gauss(0, noise))
    return result


def answer(shift: float, pairs: int = 400, matters: float = 5.0) -> QuestionAnswer:
    return evidence(random.Random(7), pairs, shift).answer(LEVEL, matters)


def test_the_six_answers() -> None:
    assert [answer(shift).verdict for shift in (8, -8, 0)] == ["more", "less", "none"]
    undecided = answer(2, 60, 1.0)
    assert undecided.verdict == "undecided" and undecided.needed is not None and undecided.needed > 60
    equal = Evidence()
    for value in range(50):
        equal.add(value, value)
    verdicts = [equal.answer(LEVEL, 1.0, acted=acted) for acted in (False, True)]
    assert [each.verdict for each in verdicts] == ["same", "equal"]
    assert not any(each.settled for each in verdicts)
    for value in range(SAME):
        equal.add(value, value)
    assert all(equal.answer(LEVEL, 1.0, acted=acted).settled for acted in (False, True))


def test_before_the_first_look_there_are_bounds_and_a_number_of_pairs_but_no_answer() -> None:
    early = [evidence(random.Random(1), pairs, 50).answer(LEVEL, 1.0) for pairs in (2, 8, FIRST_LOOK - 1)]
    assert all(each.verdict == "undecided" and each.needed is not None for each in early)
    widths = [each.high - each.low for each in early if each.low is not None and each.high is not None]
    assert len(widths) == 3 and widths == sorted(widths, reverse=True)
    assert evidence(random.Random(1), FIRST_LOOK, 50).answer(LEVEL, 1.0).verdict == "more"


def test_one_pair_bounds_a_share_and_no_other_number() -> None:
    share, other = Evidence(share=True), Evidence()
    for each in (share, other):
        assert each.answer(LEVEL, 0.05).low is None
        each.add(1.0, 0.0)
    low, high = share.answer(LEVEL, 0.05).low, share.answer(LEVEL, 0.05).high
    assert low is not None and low < 0 and high == 1
    assert other.answer(LEVEL, 1.0).low is None and other.answer(LEVEL, 1.0).needed is None


@pytest.mark.parametrize("pairs", [3, 39, 40, 300])
def test_games_that_are_equal_in_all_pairs_may_differ_in_the_next(pairs: int) -> None:
    share = Evidence(share=True)
    for _ in range(pairs):
        share.add(0.0, 0.0)
    result = share.answer(0.95, 0.05)
    assert result.verdict == "equal" and result.high is not None and result.low == -result.high
    assert (1 - result.high) ** pairs < 0.05  # had so many differed, one would have been seen


@pytest.mark.parametrize("pairs", [2, 39, 40])
def test_the_same_difference_in_all_pairs_has_bounds_all_the_same(pairs: int) -> None:
    steady = Evidence()
    for _ in range(pairs):
        steady.add(4.0, 3.0)
    result = steady.answer(0.95, 0.1)
    assert result.low is not None and result.high is not None and result.high - result.low > 0.1


@pytest.mark.sampled(2)
@pytest.mark.parametrize("kind", ["normal", "skew", "coin"])
def test_bounds_of_few_pairs_hold_at_every_look(kind: str) -> None:
    """40 playtests looked at after each of 45 pairs: the truth is outside in 2 of them at most."""
    numbers: dict[str, Callable[[random.Random], float]] = {
        "normal": lambda rng: rng.gauss(0, 1),
        "skew": lambda rng: rng.expovariate(1),
        "coin": lambda rng: rng.random() < 0.3,
    }
    outside = 0
    for run in range(40):
        rng, result, out = random.Random(run), Evidence(share=kind == "coin"), False
        for _ in range(45):
            result.add(numbers[kind](rng), numbers[kind](rng))
            now = result.answer(0.95, 1e-9)
            out |= now.low is not None and now.high is not None and not now.low <= 0 <= now.high
        outside += out
    assert outside <= 2


def test_a_rule_that_acts_once_in_forty_games_is_not_harmless_yet() -> None:
    """The bounds leave room for what has not happened: all but one pair are equal, and the true difference is 1."""
    rare = Evidence()
    for number in range(FIRST_LOOK):
        rare.add(100 + number % 20, 100 + number % 20)
    rare.add(140, 100)
    assert rare.answer(LEVEL, 1.5).verdict == "undecided"


def test_nobody_waits_for_more_games_than_anybody_plays() -> None:
    close = evidence(random.Random(3), 100, 0)
    assert (close.answer(LEVEL, 1e-9).needed or 0) <= MOST
    exact = Evidence()
    for number in range(100):
        exact.add(number % 2, (number + 1) % 2)
    assert exact.answer(LEVEL, 1e-6).needed is None


@pytest.mark.proof  # 0.7 s
def test_equal_rules_get_few_verdicts_however_often_one_looks() -> None:
    """60 comparisons of nine questions, looked at every 20 pairs up to 600: fixed intervals mark most of them."""
    rng, alarms, fixed = random.Random(5), 0, 0
    for _ in range(60):
        questions = [Evidence() for _ in range(9)]
        alarm = mark = False
        for pair in range(1, 601):
            for number, each in enumerate(questions):
                if number % 3:
                    each.add(rng.expovariate(0.01), rng.expovariate(0.01))
                else:
                    each.add(rng.random() < 0.3, rng.random() < 0.3)
            if pair % 20 or pair < FIRST_LOOK:
                continue
            for each in questions:
                result = each.answer(1 - 0.05 / 9, 1e-6)
                alarm |= result.verdict in ("more", "less")
                assert result.low is not None
                mark |= abs(result.difference) > (result.difference - result.low) * 1.96 / width(pair)
        alarms += alarm
        fixed += mark
    assert alarms <= 3 < 36 < fixed


def width(pairs: int) -> float:
    from math import sqrt

    from rulespec.engine.simulate.sequence import half_width

    return half_width(pairs, 1.0, 1 - 0.05 / 9) * sqrt(pairs)


@pytest.mark.proof  # 0.3 s
def test_a_planted_effect_is_decided_when_it_said_it_would_be() -> None:
    """40 runs: all find the effect; after 100 pairs the median of what they ask for is near what half of them need."""
    decided, asked = [], []
    for run in range(40):
        rng, result, at = random.Random(run), Evidence(), 0
        while at == 0 or result.pairs < 100:
            deal = rng.gauss(100, 20)
            result.add(deal + rng.gauss(3, 10), deal + rng.gauss(0, 10))
            now = result.answer(LEVEL, 0.1)
            if result.pairs == 100:
                asked.append(now.needed or result.pairs)
            at = at or (result.pairs if now.verdict == "more" else 0)
            assert now.verdict != "less" and result.pairs < 3_000
        decided.append(at)
    assert 0.5 <= median(asked) / median(decided) <= 2


@pytest.mark.parametrize("shift", [0.0, 2.0, 8.0])
def test_pairs_that_share_their_luck_need_fewer_games(shift: float) -> None:
    paired = evidence(random.Random(2), 200, shift).answer(LEVEL, 1.0)
    apart = Evidence()
    rng = random.Random(2)
    for _ in range(200):
        apart.add(rng.gauss(100 + shift, 22), rng.gauss(100, 22))
    alone = apart.answer(LEVEL, 1.0)
    assert paired.low is not None and paired.high is not None and alone.low is not None and alone.high is not None
    assert paired.high - paired.low < 0.7 * (alone.high - alone.low)
