"""The search for a target value over many settings, compared with SPSA by the rate at which a planted optimum is found.

    python -m bench.targets                  # writes its table into docs/explanation/judging.md; a minute

Games are simulated as numbers. Their mean equals the target at one point and grows by 2 with each step of a relevant
setting; their noise has a standard deviation of four steps. Half of the noise is common to both rules of a pair.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean
from typing import NamedTuple

from msgspec import Struct

from rulespec.engine.playtest.screening import screened
from rulespec.engine.playtest.target import Point, nearest

PAGE = Path(__file__).resolve().parents[1] / "docs" / "explanation" / "judging.md"
STEP, NOISE, WANTED = 2.0, 8.0, 100.0
RUNS, GAMES = 20, 200
BUDGET = 6_000
_TABLE = re.compile(r"(<!-- targets -->\n).*?(\n<!-- end of targets -->)", re.DOTALL)


class Case(Struct, frozen=True):
    """A search problem: the number of settings, the relevant ones, and the number of values of each."""

    settings: int
    matter: int
    values: int

    @property
    def axes(self) -> list[range]:
        """The values of each setting."""
        return [range(1, self.values + 1)] * self.settings


CASES = [Case(4, 2, 6), Case(8, 2, 12), Case(8, 3, 8), Case(12, 2, 12), Case(12, 6, 6)]


class Bowl:
    """A source of noisy games whose mean equals the target at one point of the relevant settings.

    Attributes:
        own: the game's own values.
        played: the number of games so far.
        points: the points of these games; in practice, each would need its own ruleset.
    """

    def __init__(self, case: Case, seed: int) -> None:
        draws = random.Random(seed)
        self._best = [draws.choice(axis) for axis in case.axes]
        self._matter = draws.sample(range(case.settings), case.matter)
        self._seed = seed
        self.own: Point = tuple(draws.choice(axis) for axis in case.axes)
        self.played = 0
        self.points: set[Point] = set()

    def numbers(self, points: Sequence[Point], games: int, first: int = 0) -> list[list[float]]:
        """The numbers of a range of games at some points."""
        self.played += len(points) * games
        self.points |= set(points)
        common = random.Random(f"{self._seed} {first}")
        alike = [common.gauss(0, NOISE * sqrt(0.5)) for _ in range(games)]
        results = []
        for point in points:
            mean = WANTED + STEP * sum(abs(point[place] - self._best[place]) for place in self._matter)
            draws = random.Random(f"{self._seed} {first} {point}")
            results.append([mean + noise + draws.gauss(0, NOISE * sqrt(0.5)) for noise in alike])
        return results

    def near(self, point: Point) -> bool:
        """Whether a point is within one step of the optimum in the relevant settings."""
        return all(abs(point[place] - self._best[place]) <= 1 for place in self._matter)


Search = Callable[[Case, Bowl], Point]


def by_screening(case: Case, bowl: Bowl) -> Point:
    """The point found by the search that `playtest --target` uses for more than four settings."""
    return screened(case.axes, bowl.own, WANTED, GAMES, bowl.numbers).tried[0].point


def by_halving(case: Case, bowl: Bowl) -> Point:
    """The point found by the search that `playtest --target` uses for up to four settings."""
    return nearest(case.axes, WANTED, GAMES, bowl.numbers)[0].point


def spsa(gain: float, width: float, games: int) -> Search:
    """A search that minimises the distance from the target by simultaneous perturbation (SPSA, Spall 1992, with the
    exponents of 1998).

    Args:
        gain: the first step, as a fraction of the range.
        width: the first perturbation, as a fraction of the range.
        games: the number of games at each of a step's two points.
    """

    def search(case: Case, bowl: Bowl) -> Point:
        axes, draws = case.axes, random.Random(1)
        at = [float(value) for value in bowl.own]
        span, steps = case.values - 1, BUDGET // (2 * games)
        scale = 0.0
        for step in range(steps):
            way = [draws.choice((-1, 1)) for _ in axes]
            reach = max(0.5, width * span / (step + 1) ** 0.101)
            points = [_rounded([v + side * reach * w for v, w in zip(at, way, strict=True)], axes) for side in (1, -1)]
            there, back = (abs(fmean(each) - WANTED) for each in bowl.numbers(points, games, step * games))
            slope = (there - back) / (2 * reach)
            scale = scale or abs(slope) or 1.0
            move = gain * span / (step + 1 + 0.1 * steps) ** 0.602 * (0.1 * steps) ** 0.602 * slope / scale
            at = [min(max(v - move * w, a[0]), a[-1]) for v, w, a in zip(at, way, axes, strict=True)]
        return _rounded(at, axes)

    return search


def _rounded(values: Sequence[float], axes: Sequence[range]) -> Point:
    return tuple(min(max(round(value), axis[0]), axis[-1]) for value, axis in zip(values, axes, strict=True))


class Found(NamedTuple):
    """The results of a search: the number of runs that end within one step of the optimum, and the most games and
    points in a run.
    """

    near: int
    games: int
    points: int

    def __str__(self) -> str:
        return f"{self.near} of {RUNS}; {self.games:,} games, {self.points} points"


def found(search: Search, case: Case) -> Found:
    """The results of a search, run with several seeds."""
    bowls = [Bowl(case, seed) for seed in range(RUNS)]
    points = [search(case, bowl) for bowl in bowls]
    near = sum(bowl.near(point) for bowl, point in zip(bowls, points, strict=True))
    return Found(near, max(bowl.played for bowl in bowls), max(len(bowl.points) for bowl in bowls))


def table() -> str:
    """The table of results, in Markdown."""
    lines = ["| settings | that matter | values | halving | screening | SPSA, best of 27 tunings | worst of them |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    tunings = [spsa(*each) for each in product((0.03, 0.1, 0.3), (0.1, 0.2, 0.35), (10, 25, 60))]
    for case in CASES:
        halving = str(found(by_halving, case)) if case.settings <= 4 else ""
        tuned = sorted((found(tuning, case) for tuning in tunings), key=lambda each: (each.near, -each.points))
        cells = [halving, str(found(by_screening, case)), str(tuned[-1]), str(tuned[0])]
        lines.append(f"| {case.settings} | {case.matter} | {case.values} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Writes the table."""
    text = table()
    PAGE.write_text(_TABLE.sub(lambda at: at[1] + text + at[2], PAGE.read_text("utf-8")), "utf-8")
    print(text)


if __name__ == "__main__":
    main()
