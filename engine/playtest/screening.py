"""A search among many settings: screening finds the influential ones, which are then searched by halving."""

from __future__ import annotations

import random
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from rulespec.engine.playtest.target import Numbers, Point, Tried, nearest

TOGETHER = 4
"""The number of settings that one halving searches."""
_POINTS = 64
"""The number of points for screening."""
_PART = 10
"""The divisor of the number of games per screening point, relative to the last points."""
_RATIO = 8.0
"""The variance ratio from which a setting matters; it occurs by chance for one setting in a thousand."""
_LEAST = 1e-12
_SEED = 1
Matrix = NDArray[np.float64]


class Screened(Struct, frozen=True):
    """The result of a search among many settings.

    Attributes:
        tried: the points tried; the nearest to the target come first.
        matter: the indices of the influential settings, strongest first.
    """

    tried: list[Tried]
    matter: list[int]


def screened(axes: Sequence[range], own: Point, wanted: float, games: int, numbers: Numbers) -> Screened:
    """Searches a grid of many settings, most of which have no influence, for the point whose mean is nearest to the
    target.

    The points of a Latin hypercube (McKay, Beckman, Conover 1979) play a few games. A response surface of first and
    second order (Box and Wilson 1951) is fitted to their means, and settings are eliminated one by one as long as the
    weakest explains no more than chance would (backward elimination by the variance ratio, Efroymson 1960). Only the
    remaining settings are searched by halving, four at a time and strongest first, until the target is within the
    interval of a point; the eliminated ones keep their values in the game.

    Args:
        axes: the values of each setting.
        own: the values in the game.
        wanted: the target mean.
        games: the number of games at each of the last two points of a halving.
        numbers: a function that plays games and returns their numbers.
    """
    points = _hypercube(axes)
    played = [Tried.of(p, n) for p, n in zip(points, numbers(points, max(2, games // _PART)), strict=True)]
    tried = {each.point: each for each in sorted(played, key=lambda one: abs(one.mean - wanted))}
    known = [each for each in played if each.games]
    matter = _mattering(axes, [each.point for each in known], [each.mean for each in known])
    at = tuple(min(max(value, axis[0]), axis[-1]) for value, axis in zip(own, axes, strict=True))
    for first in range(0, len(matter), TOGETHER):
        searched = sorted(matter[first : first + TOGETHER])
        best = nearest([axes[n] for n in searched], wanted, games, _within(numbers, at, searched))
        last = {(p := _set(at, searched, each.point)): replace(each, point=p) for each in best}
        tried = last | {point: each for point, each in tried.items() if point not in last}
        at, first_of_all = next(iter(last.items()))
        if abs(first_of_all.mean - wanted) <= first_of_all.half:
            break
    return Screened(list(tried.values()), matter)


def _set(at: Point, places: Sequence[int], values: Point) -> Point:
    """A point with the values of some settings replaced."""
    changed = dict(zip(places, values, strict=True))
    return tuple(changed.get(place, value) for place, value in enumerate(at))


def _within(numbers: Numbers, at: Point, places: Sequence[int]) -> Numbers:
    """The numbers of games at points of some settings, with all other settings fixed."""
    return lambda points, games: numbers([_set(at, places, point) for point in points], games)


def _hypercube(axes: Sequence[range]) -> list[Point]:
    """Points that have each value of each setting equally often, in a random order for each setting."""
    draws, columns = random.Random(_SEED), []
    for axis in axes:
        column = [axis[at * len(axis) // _POINTS] for at in range(_POINTS)]
        draws.shuffle(column)
        columns.append(column)
    return list(dict.fromkeys(zip(*columns, strict=True)))


def _mattering(axes: Sequence[range], points: Sequence[Point], means: Sequence[float]) -> list[int]:
    """The indices of the settings that matter, strongest first."""
    terms = []
    for place, axis in enumerate(axes):
        middle, half = (axis[0] + axis[-1]) / 2, max(1, axis[-1] - axis[0]) / 2
        along = np.array([(point[place] - middle) / half for point in points])
        terms.append(np.stack([along, along**2], axis=1) if len(axis) > 2 else along[:, None])
    response, left_in = np.array(means), list(range(len(axes)))
    while left_in:
        left = _unexplained(_model(terms, left_in, len(points)), response)
        free = len(points) - 1 - sum(terms[place].shape[1] for place in left_in)
        ratios = {}
        for place in left_in:
            without = _unexplained(_model(terms, [n for n in left_in if n != place], len(points)), response) - left
            ratios[place] = without / terms[place].shape[1] / max(left / max(1, free), _LEAST)
        weakest = min(left_in, key=lambda place: ratios[place])
        if ratios[weakest] > _RATIO:
            return sorted(left_in, key=lambda place: -ratios[place])
        left_in.remove(weakest)
    return []


def _model(terms: Sequence[Matrix], places: Sequence[int], points: int) -> Matrix:
    """The columns of a model for some settings."""
    return np.hstack([np.ones((points, 1)), *(terms[place] for place in places)])


def _unexplained(model: Matrix, response: Matrix) -> float:
    """The residual sum of squares of a model."""
    fitted = model @ np.linalg.lstsq(model, response, rcond=None)[0]
    return float(((response - fitted) ** 2).sum())
