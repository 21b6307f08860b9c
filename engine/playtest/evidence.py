"""Evidence on one number from paired games: the change due to a rule, with bounds that stay valid however often they
are inspected.
"""

from __future__ import annotations

from math import sqrt
from typing import Literal

from msgspec import Struct

from rulespec.engine.simulate.sequence import (
    FIRST_LOOK,
    early_half_width,
    followed_share,
    games_needed,
    half_width,
)

Verdict = Literal["more", "less", "none", "undecided", "equal", "same"]
"""The verdict on a number: `none` means that no difference matters, `equal` that the number is equal in every pair, and
`same` that everything is equal, because the rule has never acted.
"""
SAME = 500
"""The number of equal pairs after which no further games are needed."""


class QuestionAnswer(Struct, frozen=True):
    """The answer to a question.

    Attributes:
        verdict: the kind of change under the rule.
        pairs: the number of pairs in which the number exists for both games.
        value, other: the means under the rule and without it.
        difference: `value` minus `other`.
        low, high: bounds on the true difference, which stay valid however often they are inspected; None for a single
            pair, unless the number is a share.
        matters: the smallest difference that matters.
        needed: the number of pairs that would decide an open question if these means are true; None if the question is
            decided, or would take too many pairs.
    """

    verdict: Verdict
    pairs: int
    value: float
    other: float
    difference: float
    low: float | None
    high: float | None
    matters: float
    needed: int | None

    @property
    def settled(self) -> bool:
        """Whether no more games are needed."""
        return self.verdict in ("more", "less", "none") or (self.verdict in ("equal", "same") and self.pairs >= SAME)


class Evidence:
    """Running sums of one number over pairs of games, in constant memory.

    Args:
        share: whether the numbers lie between 0 and 1, like shares of a win.
    """

    def __init__(self, share: bool = False) -> None:
        self._share = share
        self.pairs = 0
        self.unequal = 0
        self._value = self._other = self._value_squares = self._other_squares = self._squares = 0.0

    def add(self, value: float, other: float) -> None:
        """Adds a pair of games, given its numbers under the rule and without it."""
        self.pairs += 1
        self.unequal += value != other
        self._value += value
        self._other += other
        self._value_squares += value * value
        self._other_squares += other * other
        self._squares += (value - other) ** 2

    def answer(self, level: float, matters: float, *, acted: bool = True) -> QuestionAnswer:
        """The current answer.

        Args:
            level: the share of runs in which the bounds are correct at every look.
            matters: the smallest difference that matters.
            acted: whether the games of any pair differ.
        """
        n = max(1, self.pairs)
        value, other = self._value / n, self._other / n
        difference = value - other
        deviation = self._deviation(difference)
        low, high = self._bounds(difference, deviation, level)
        verdict: Verdict = "undecided"
        if self.pairs and not self.unequal:
            verdict = "equal" if acted else "same"
        elif self.pairs < FIRST_LOOK or low is None or high is None:
            pass
        elif -matters < low and high < matters:
            verdict = "none"
        elif low > 0 or high < 0:
            verdict = "more" if low > 0 else "less"
        wanted = max(abs(difference), matters - abs(difference))  # the bounds exclude 0, or all that matters
        undecided = verdict == "undecided" and self.pairs > 1
        needed = games_needed(self.pairs, wanted, deviation, level) if undecided else None
        return QuestionAnswer(verdict, self.pairs, value, other, difference, low, high, matters, needed)

    def _bounds(self, difference: float, deviation: float, level: float) -> tuple[float | None, float | None]:
        """The bounds of the true difference.

        For a share, they are exact before the first look, and as long as no pair differs: the mean difference is at
        most the share of differing pairs.
        """
        n = self.pairs
        if self._share and n and not self.unequal:
            differ = followed_share(0, n, level)
            return (-differ.high, differ.high) if differ is not None else (None, None)
        if self._share and 0 < n < FIRST_LOOK:
            half = followed_share(n * (1 + difference) / 2, n, level)
            return (2 * half.low - 1, 2 * half.high - 1) if half is not None else (None, None)
        if n < 2:
            return None, None
        width = (half_width if n >= FIRST_LOOK else early_half_width)(n, deviation, level)
        return difference - width, difference + width

    def _deviation(self, difference: float) -> float:
        """The standard deviation of the difference, with two additional pairs of unrelated games, one above, one below.

        So it is not 0 after a series of equal games, as the next pair may differ. Nor is it 0 after a series of pairs
        with the same difference, as if the next pair had none.
        """
        n = max(1, self.pairs)
        apart = max(self._squares - n * difference**2, difference**2)
        single = max(self._value_squares - self._value**2 / n, self._other_squares - self._other**2 / n) / n
        return sqrt(max(0.0, apart + 4 * single) / (n + 2))
