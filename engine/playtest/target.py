"""The search for settings whose games come closest to a target number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from math import ceil, inf, log2, sqrt
from pathlib import Path

from msgspec import Struct

from rulespec.engine.bots.sides import PlanSide, play_sides
from rulespec.engine.playtest.compared_numbers import Asked, asked
from rulespec.engine.playtest.playtest import ComparedRule, playing
from rulespec.engine.simulate.game_plans import Outcome

MOST = 64
"""The maximum number of points tried at the same time."""
_FEWEST = 4
"""The number of games before points are first compared."""

Point = tuple[int, ...]
"""A point of a grid: a value for each setting."""


class Tried(Struct, frozen=True):
    """A point of a grid of settings, with the results of the games played there.

    Attributes:
        point: the values.
        games: the number of games that have a value.
        mean: the mean value.
        half: half the width of the 95 % interval for the true mean, which is valid unless these games were used to
            select the point.
    """

    point: Point
    games: int
    mean: float
    half: float

    @classmethod
    def of(cls, point: Point, numbers: Sequence[float]) -> Tried:
        """The statistics of a point, computed from the numbers of its games."""
        n = len(numbers)
        mean = sum(numbers) / n if n else inf
        variance = sum((number - mean) ** 2 for number in numbers) / (n - 1) if n > 1 else inf
        return cls(point, n, mean, 1.96 * sqrt(variance / n) if n else inf)


Numbers = Callable[[Sequence[Point], int], Sequence[Sequence[float]]]
"""A function that plays the first N games at each of some points, and returns their numbers."""


def nearest(axes: Sequence[range], wanted: float, games: int, numbers: Numbers) -> list[Tried]:
    """Searches a grid for the point whose mean is nearest to the target.

    This is sequential halving (Karnin, Koren, Somekh: "Almost Optimal Exploration in Multi-Armed Bandits", 2013): all
    points play a few games, the worse half is dropped, and the others play twice as many. In a grid of more than `MOST`
    points, every second value of the longest axes is skipped until it fits; the values in between are then tried around
    the nearest point.

    Args:
        axes: the values of each setting.
        wanted: the target mean.
        games: the number of games at each of the last two points.
        numbers: a function that plays games and returns their numbers.

    Returns:
        The remaining points, nearest first, followed by the dropped points, latest first.
    """
    box = list(axes)
    tried: dict[Point, Tried] = {}
    while True:
        strides = _strides(box)
        points = list(product(*(axis[::stride] for axis, stride in zip(box, strides, strict=True))))
        order = _halved(points, wanted, games, numbers)
        tried = {each.point: each for each in order} | {p: t for p, t in tried.items() if p not in points}
        if max(strides) == 1:
            return list(tried.values())
        best = order[0].point
        box = [
            range(max(axis[0], value - stride + 1), min(axis[-1], value + stride - 1) + 1)
            for axis, value, stride in zip(box, best, strides, strict=True)
        ]


def _strides(axes: Sequence[range]) -> list[int]:
    """For each axis, the step between values that keeps the number of points within `MOST`."""
    strides = [1] * len(axes)
    while True:
        sizes = [ceil(len(axis) / stride) for axis, stride in zip(axes, strides, strict=True)]
        count = 1
        for size in sizes:
            count *= size
        if count <= MOST:
            return strides
        strides[sizes.index(max(sizes))] *= 2


def _halved(points: Sequence[Point], wanted: float, games: int, numbers: Numbers) -> list[Tried]:
    """The points, ordered by halving, nearest first."""
    left, out = list(points), list[Tried]()
    rounds = max(1, ceil(log2(len(points))))
    for number in range(rounds):
        count = min(games, max(_FEWEST, games >> (rounds - 1 - number)))
        played = zip(left, numbers(left, count), strict=True)
        order = sorted((Tried.of(point, each) for point, each in played), key=lambda one: abs(one.mean - wanted))
        half = ceil(len(order) / 2)
        out = order[half:] + out
        left = [each.point for each in order[:half]]
    return order[:half] + out


class Target(Struct, frozen=True):
    """A compared number, and its target mean.

    Attributes:
        asked: the compared number.
        wanted: the target mean; for wins, a share.
    """

    asked: Asked
    wanted: float


def target_of(rule: ComparedRule, bots: tuple[str, ...], name: str, value: float) -> Target:
    """The target for a number, identified by its title or by the name of a question that has a single number.

    Raises:
        ValueError: if no number has this name; the message lists them.
    """
    first = PlanSide(playing(rule.plan, bots), rule.ruleset).outcome(0)
    numbers = asked(rule.ruleset, rule.plan.seats(0), first, 1)
    of_question = [each for each in numbers if each.question == name]
    named = [each for each in numbers if each.title.casefold() == name.casefold()]
    results = named or (of_question if len(of_question) == 1 else [])
    if not results:
        raise ValueError(f"there is no number `{name}`; the numbers are {', '.join(each.title for each in numbers)}")
    return Target(results[0], value / 100 if results[0].share else value)


class GridGames:
    """Games at the points of a grid, recorded as they are played.

    Args:
        rule: a function that returns the compared game for the values of a point.
        bots: the bots that play.
        out: the folder for recorded games.
        number: the number to compute for each game.
        jobs: the number of processes.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`; empty means no cluster.
    """

    def __init__(
        self,
        rule: Callable[[Point], ComparedRule],
        bots: tuple[str, ...],
        out: Path,
        number: Callable[[Outcome], float | None],
        jobs: int = 1,
        cluster: str = "",
    ) -> None:
        self._rule, self._bots, self._out = rule, bots, out
        self._number = number
        self._jobs, self._cluster = jobs, cluster
        self._sides: dict[Point, PlanSide] = {}

    def numbers(self, points: Sequence[Point], games: int) -> list[list[float]]:
        """The numbers of the first games at some points; games that reveal a mistake in the rules have none."""
        self._sides = {point: self._sides.get(point) or self._side(point) for point in points}
        results: list[list[float]] = [[] for _ in points]
        for outcomes in play_sides(list(self._sides.values()), games, self._jobs, self._cluster):
            for numbers, outcome in zip(results, outcomes, strict=True):
                number = self._number(outcome) if outcome.failure is None else None
                numbers += [] if number is None else [number]
        return results

    def _side(self, point: Point) -> PlanSide:
        rule = self._rule(point)
        plan = playing(replace(rule.plan, seed=rule.plan.seed + 1), self._bots)
        return PlanSide(plan, rule.ruleset, self._out / f"{'_'.join(map(str, point))}.jsonl")
