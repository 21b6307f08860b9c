"""Bounds that hold at every look: a mean may be followed, and looked at after any game.

A confidence interval is wrong one time in twenty at one look, and far more often if one looks until it decides.
An asymptotic confidence sequence is wrong in one run of twenty, however often one looks: the boundary is the normal
mixture (Robbins: "Statistical Methods Related to the Law of the Iterated Logarithm", 1970), in the form of
Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas ("Time-uniform Central Limit Theory and Asymptotic Confidence
Sequences", Annals of Statistics, 2024).
"""

from __future__ import annotations

from math import log, sqrt

from rulespec.engine.simulate.confidence import LEVEL, ConfidenceInterval

FIRST_LOOK = 40
"""Games from which on a mean is followed: before, it is not as good as normally distributed."""
MOST = 10_000_000
"""Games beyond which nobody plays; more are not counted."""
TUNED = 200
"""Games at which the bounds are narrowest for their level."""


def half_width(games: int, deviation: float, level: float = LEVEL) -> float:
    """Half the confidence interval for the mean of N games with this standard deviation."""
    alpha = 1 - level
    rho = (-2 * log(alpha) + log(-2 * log(alpha)) + 1) / TUNED  # its square, after their equation for a chosen time
    spread = games * rho + 1
    return deviation * sqrt(2 * spread / (games * games * rho) * log(sqrt(spread) / alpha))


def followed_share(won: float, games: int, level: float = LEVEL) -> ConfidenceInterval | None:
    """The share of games that were won, with bounds for every look; None before the first one.

    The deviation is that of a share with one more game won and one more lost: after a row of wins it is not 0.
    """
    if games < FIRST_LOOK:
        return None
    smooth = (won + 1) / (games + 2)
    half = half_width(games, sqrt(smooth * (1 - smooth)), level)
    share = won / games
    return ConfidenceInterval(share, max(0.0, share - half), min(1.0, share + half))


def games_needed(games: int, wanted: float, deviation: float, level: float = LEVEL) -> int | None:
    """The games after which the bounds are as near to the mean as wanted; None if nobody plays that many.

    Args:
        games: those that were played; the first look is not before `FIRST_LOOK`.
        wanted: the distance.
        deviation: the standard deviation so far.
        level: the share of runs in which the bounds are right at all looks.
    """
    if half_width(MOST, deviation, level) >= wanted:
        return None
    low, high = max(games, FIRST_LOOK), MOST
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(middle, deviation, level) < wanted else (middle + 1, high)
    return low


def said_needed(needed: int | None, games: int, word: str) -> str:
    """The number of games for a verdict, in words.

    Args:
        needed: as `games_needed` gives it.
        games: those that were played.
        word: what is counted, in the plural.
    """
    if games < FIRST_LOOK:
        return f"at least {FIRST_LOOK} {word}"
    return f"no number of {word} that anybody plays" if needed is None else f"about {rounded(needed):,} {word}"


def rounded(games: int) -> int:
    """A number with two digits that count: nobody knows more."""
    step = int(10 ** max(0, len(str(games)) - 2))
    return -(-games // step) * step
