"""Confidence intervals for shares and means of random games, at the 95 % level."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

from msgspec import Struct

LEVEL = 0.95
"""The confidence level of the intervals."""
LEAST = 30
"""The minimum number of games for a mean to be approximately normally distributed."""
_Z = NormalDist().inv_cdf((1 + LEVEL) / 2)


class ConfidenceInterval(Struct, frozen=True):
    """An observed value, with 95 % bounds for the true value."""

    value: float
    low: float
    high: float


class Sample(Struct):
    """A sample of one number per game, in constant memory."""

    games: int = 0
    total: int = 0
    squares: int = 0

    def add(self, value: int, times: int = 1) -> None:
        """Adds one game's value, or the same value for `times` games."""
        self.games += times
        self.total += value * times
        self.squares += value * value * times

    @property
    def mean(self) -> float | None:
        """The mean; None if there are no games."""
        return self.total / self.games if self.games else None

    @property
    def error(self) -> float | None:
        """The standard error of the mean; None if there are fewer than `LEAST` games."""
        n = self.games
        return sqrt((n * self.squares - self.total**2) / (n * n * (n - 1))) if n >= LEAST else None


def share(wins: float, games: int) -> ConfidenceInterval:
    """A share of games, with the score interval of E. B. Wilson, "Probable inference" (1927).

    Args:
        wins: the number of games in the share; shared wins count as fractions.
        games: the number of games, at least one.
    """
    p, z = wins / games, _Z * _Z / games
    middle, half = p + z / 2, _Z * sqrt(p * (1 - p) / games + z / games / 4)
    return ConfidenceInterval(p, max(0.0, (middle - half) / (1 + z)), min(1.0, (middle + half) / (1 + z)))


def share_difference(one: ConfidenceInterval, other: ConfidenceInterval) -> ConfidenceInterval:
    """The difference between the shares of two samples, with bounds.

    After method 10 of R. G. Newcombe, "Interval estimation for the difference between independent proportions" (1998).
    """
    difference = one.value - other.value
    below = sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    above = sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return ConfidenceInterval(difference, difference - below, difference + above)


def mean_difference(one: Sample, other: Sample) -> ConfidenceInterval | None:
    """The difference between the means of two samples, with bounds; None if either sample is too small.

    After B. L. Welch, "The significance of the difference between two means" (1938), with the normal distribution.
    """
    if one.error is None or other.error is None:
        return None
    assert one.mean is not None and other.mean is not None
    difference, half = one.mean - other.mean, _Z * sqrt(one.error**2 + other.error**2)
    return ConfidenceInterval(difference, difference - half, difference + half)
