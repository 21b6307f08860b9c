"""Confidence sequences: bounds on a mean or a share that stay valid even if they are inspected after every game.

A confidence interval is wrong one time in twenty if it is inspected once, but far more often if it is inspected again
and again until it decides. A confidence sequence is wrong in one run of twenty, however often it is inspected.

For a mean, it is asymptotic: the normal mixture (Robbins: "Statistical Methods Related to the Law of the Iterated
Logarithm", 1970), in the form of Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform Central Limit Theory
and Asymptotic Confidence Sequences", Annals of Statistics, 2024).

For a share, it is exact from the first game on, by betting (Waudby-Smith and Ramdas: "Estimating means of bounded
random variables by betting", Journal of the Royal Statistical Society B, 2024). Against each share m, a gambler bets in
every game that the mean is some other value p: when the game's result is x, from 0 to 1, the gambler's wealth is
multiplied by (p / m) ^ x ((1 - p) / (1 - m)) ^ (1 - x). If m is right, the wealth does not grow on average, so in at
most one run of twenty does it ever reach 20 times its initial value (Ville 1939). The wealth is spread over all p,
densest around m; a share is excluded once the wealth against it reaches 20 times its initial value.
"""

from __future__ import annotations

from functools import lru_cache
from math import cos, inf, lgamma, log, pi, sin, sqrt, tan

from rulespec.engine.simulate.confidence import LEVEL, ConfidenceInterval

FIRST_LOOK = 40
"""The number of games from which bounds of a mean apply; with fewer, its distribution is not close enough to normal."""
MOST = 10_000_000
"""The maximum realistic number of games; larger results are not computed."""
TUNED = 200
"""The number of games for which the bounds are tuned to be narrowest."""
SPREAD = 22.0
"""The weight of the prior on bets against a share, in games: a greater weight concentrates bets near the share.

With 22, the bounds are narrowest at about `TUNED` games.
"""
_HALVINGS = 50


def half_width(games: int, deviation: float, level: float = LEVEL) -> float:
    """Half the width of the interval for the mean of N games with this standard deviation."""
    alpha = 1 - level
    rho = (-2 * log(alpha) + log(-2 * log(alpha)) + 1) / TUNED  # its square, by their equation for a chosen time
    spread = games * rho + 1
    return deviation * sqrt(2 * spread / (games * games * rho) * log(sqrt(spread) / alpha))


def early_half_width(games: int, deviation: float, level: float = LEVEL) -> float:
    """Half the width of the interval for the mean of N games, before the normal approximation is good enough.

    This is Student's interval for a single inspection. All inspections before `FIRST_LOOK` share a quarter of the
    permitted error, because distributions may be skewed. Bounds are finite from two games on.

    Args:
        games: the number of games, at least two.
        deviation: the standard deviation of the games, with divisor N rather than N - 1.
        level: the share of runs in which the bounds are correct at all these inspections.
    """
    tail = (1 - level) / 4 / (FIRST_LOOK - 2)
    return deviation * _student(games - 1, tail) / sqrt(games - 1)


@lru_cache(maxsize=1_000)
def _student(freedom: int, tail: float) -> float:
    """The quantile of Student's t with this two-sided tail probability.

    It is found by the angle with tangent t / sqrt(freedom), whose probability is a finite sum (Abramowitz and Stegun:
    "Handbook of Mathematical Functions", 26.7.3 and 26.7.4).
    """
    low, high = 0.0, pi / 2
    for _ in range(_HALVINGS):
        angle = (low + high) / 2
        cosine, term, total = cos(angle), 1.0, 0.0
        odd = freedom % 2
        for at in range(1 + odd, freedom, 2):
            total += term
            term *= cosine**2 * at / (at + 1)
        within = 2 / pi * (angle + sin(angle) * cosine * total) if odd else sin(angle) * total
        low, high = (low, angle) if within >= 1 - tail else (angle, high)
    return sqrt(freedom) * tan(low)


def followed_share(won: float, games: int, level: float = LEVEL) -> ConfidenceInterval | None:
    """The share of games won, with bounds that stay valid however often they are inspected; None if there are no games.

    Args:
        won: the sum of the shares won, each from 0 to 1.
        games: the number of games.
        level: the minimum share of runs in which the bounds are correct at every inspection.
    """
    if not games:
        return None
    share, bound = won / games, -log(1 - level)
    high = 1 - _least(games - won, games, bound)  # a share of losses
    return ConfidenceInterval(share, min(share, _least(won, games, bound)), max(share, high))


def log_stakes(won: float, games: int, share: float) -> float:
    """The log-wealth of a gambler who started with 1 and bet against a mean of `share`; inf if that mean is impossible.

    Args:
        won: the sum of the shares won, each from 0 to 1.
        games: the number of games.
        share: the mean that the gambler bets against, from 0 to 1.
    """
    lost = games - won
    if not 0 < share < 1:
        return inf if (won if share <= 0 else lost) > 0 else 0.0
    a, b = SPREAD * share, SPREAD * (1 - share)
    mixed = lgamma(a + won) - lgamma(a) + lgamma(b + lost) - lgamma(b) + lgamma(SPREAD) - lgamma(SPREAD + games)
    return mixed - won * log(share) - lost * log(1 - share)


def _least(won: float, games: int, bound: float) -> float:
    """The smallest share that the bound does not exclude, found by bisection below the mean."""
    low, high = 0.0, won / games
    for _ in range(_HALVINGS if won > 1 else 0):  # for at most one win, the bound is 0
        middle = (low + high) / 2
        low, high = (low, middle) if log_stakes(won, games, middle) < bound else (middle, high)
    return low


def games_to_tell(won: float, games: int, share: float, level: float = LEVEL) -> int | None:
    """The number of games after which the bounds exclude a share if the mean stays the same; None if it exceeds `MOST`.

    Args:
        won: the sum of the shares won so far.
        games: the number of games so far, at least one.
        share: the share in question.
        level: the share of runs with correct bounds at all looks.
    """
    mean, bound = won / games, -log(1 - level)
    if log_stakes(mean * MOST, MOST, share) < bound:
        return None
    low, high = games, MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if log_stakes(mean * middle, middle, share) < bound else (low, middle)
    return low


def games_needed(games: int, wanted: float, deviation: float, level: float = LEVEL) -> int | None:
    """The number of games after which the bounds are within a distance of the mean; None if it exceeds `MOST`.

    Args:
        games: the number of games played; the result is at least `FIRST_LOOK`.
        wanted: the distance.
        deviation: the standard deviation so far.
        level: the share of runs with correct bounds at all looks.
    """
    if half_width(MOST, deviation, level) >= wanted:
        return None
    low, high = max(games, FIRST_LOOK), MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(middle, deviation, level) < wanted else (middle + 1, high)
    return low


def said_needed(needed: int | None, word: str) -> str:
    """A phrase for the number of games before a verdict.

    Args:
        needed: the result of `games_needed` or `games_to_tell`.
        word: the counted unit, in the plural.
    """
    return f"no realistic number of {word}" if needed is None else f"about {rounded(needed):,} {word}"


def rounded(games: int) -> int:
    """A number rounded up to two significant digits, since more would be false precision."""
    step = int(10 ** max(0, len(str(games)) - 2))
    return -(-games // step) * step
