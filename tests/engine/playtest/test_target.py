"""The search for values that bring a number of games nearest to what is wanted."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from statistics import fmean

import pytest

from rulespec.engine.playtest.compared_numbers import length
from rulespec.engine.playtest.playtest import ComparedRule
from rulespec.engine.playtest.target import MOST, GridGames, Point, nearest, target_of
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.load import load_ruleset

RUNS, ENOUGH = 20, 18
OVERLAY = 'id: stones_{n}\ntitle: heap\nfor: nim\nversion: "1"\nchanges: {{constants.stones: {n}}}\n'


class Bowl:
    """Noisy games whose mean is the wanted one at one point, and grows by 2 with each step from there."""

    def __init__(self, axes: Sequence[range], seed: int) -> None:
        self.best = tuple(random.Random(seed).choice(axis) for axis in axes)
        self.played = 0
        self._seed = seed

    def numbers(self, points: Sequence[Point], games: int) -> list[list[float]]:
        self.played += len(points) * games
        return [self._numbers(point, games) for point in points]

    def _numbers(self, point: Point, games: int) -> list[float]:
        mean = 100 + 2 * sum(abs(value - best) for value, best in zip(point, self.best, strict=True))
        draws = random.Random(f"{self._seed} {point}")
        return [draws.gauss(mean, 8) for _ in range(games)]

    def near(self, point: Point) -> bool:
        return all(abs(value - best) <= 1 for value, best in zip(point, self.best, strict=True))


@pytest.mark.parametrize("axes", [[range(3, 15)], [range(1, 9), range(-4, 5)], [range(6)] * 4], ids=["1", "2", "4"])
def test_a_planted_optimum_is_found_within_one_step_of_each_number(axes: Sequence[range]) -> None:
    bowls = [Bowl(axes, seed) for seed in range(RUNS)]
    results = [nearest(axes, 100, 200, bowl.numbers)[0].point for bowl in bowls]
    assert sum(bowl.near(point) for bowl, point in zip(bowls, results, strict=True)) >= ENOUGH
    assert max(bowl.played for bowl in bowls) < 6_000


def test_a_large_grid_is_never_tried_in_whole() -> None:
    asked: list[int] = []

    def numbers(points: Sequence[Point], games: int) -> list[list[float]]:
        asked.append(len(points))
        return [[float(sum(point))] * games for point in points]

    tried = nearest([range(12)] * 4, 17, 100, numbers)
    assert sum(tried[0].point) == 17 and tried[0].mean == 17
    assert max(asked) <= MOST < 12**4
    assert len({each.point for each in tried}) == len(tried)


@pytest.mark.proof
@pytest.mark.usefixtures("known_rulesets")
def test_a_planted_optimum_of_games_is_found_within_one_step(tmp_path: Path) -> None:
    """Heaps of Nim: the length that random games from a heap of 9 have on average is wanted."""

    @cache
    def heap(point: Point) -> ComparedRule:
        file = tmp_path / f"stones_{point[0]}.yaml"
        file.write_text(OVERLAY.format(n=point[0]))
        reference = f"nim+{file}" if point[0] != 9 else "nim"
        ruleset = load_ruleset(reference)
        return ComparedRule(f"stones={point[0]}", ruleset, GamePlan.of(reference, ruleset, [2], 0))

    def rule(seed: int, point: Point) -> ComparedRule:
        return ComparedRule("", heap(point).ruleset, replace(heap(point).plan, seed=seed))

    base = rule(1_000, (9,))
    wanted = fmean(base.plan.outcome(base.ruleset, number).decisions for number in range(1_000))
    target = target_of(base, ("random",), "length", wanted)
    assert (target.asked.title, target.wanted) == ("Length", wanted)
    near = 0
    for seed in range(RUNS):
        games = GridGames(partial(rule, seed), ("random",), tmp_path / f"{seed}", length)
        (best, *_) = nearest([range(5, 17)], wanted, 60, games.numbers)
        near += abs(best.point[0] - 9) <= 1
    assert near >= ENOUGH


@pytest.mark.usefixtures("known_rulesets")
def test_wins_are_wanted_in_percent_and_an_unknown_number_is_named() -> None:
    nim = load_ruleset("nim")
    rule = ComparedRule("nim", nim, GamePlan.of("nim", nim, [2], 0))
    assert target_of(rule, ("random",), "wins of a", 40).wanted == 0.4
    with pytest.raises(ValueError, match="no number `wons`; the numbers are Length, Winner's margin, Wins of A"):
        target_of(rule, ("random",), "wons", 40)
