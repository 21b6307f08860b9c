"""Evidence of paired games on one number: by how much a rule changes it, with bounds for every look."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from msgspec import Struct

from rulespec.engine.simulate.sequence import FIRST_LOOK, games_needed, half_width

Verdict = Literal["more", "less", "none", "undecided", "equal", "same"]
"""`none`: no difference that matters; `equal`: the number is equal in every pair; `same`: all else is, too, as the rule
has never acted."""
SAME = 500
"""Pairs of equal games after which nothing else is waited for."""


class QuestionAnswer(Struct, frozen=True):
    """The answer to a question.

    Attributes:
        verdict: what holds under the rule.
        pairs: the pairs of games in which both have the number.
        value, other: the mean under the rule, and without it.
        difference: by how much the first is more.
        low, high: the bounds of the true difference, right at every look; None before the first.
        matters: a difference that is smaller does not matter.
        needed: the pairs after which an undecided question would be decided, should these means be right; None if it
            is decided, or that would be too many.
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
        """Whether further games are not needed."""
        return self.verdict in ("more", "less", "none") or (self.verdict in ("equal", "same") and self.pairs >= SAME)


class Evidence:
    """The numbers of pairs of games, in constant memory."""

    def __init__(self) -> None:
        self.pairs = 0
        self.unequal = 0
        self._value = self._other = self._value_squares = self._other_squares = self._squares = 0.0

    def add(self, value: float, other: float) -> None:
        """Counts a pair: the number under the rule, and without it."""
        self.pairs += 1
        self.unequal += value != other
        self._value += value
        self._other += other
        self._value_squares += value * value
        self._other_squares += other * other
        self._squares += (value - other) ** 2

    def answer(self, level: float, matters: float, *, acted: bool = True) -> QuestionAnswer:
        """The present answer.

        Args:
            level: the share of runs in which the bounds are right at all looks.
            matters: a difference that is smaller does not matter.
            acted: whether some games differ in whatever way.
        """
        n = max(1, self.pairs)
        value, other = self._value / n, self._other / n
        difference = value - other
        if self.pairs < FIRST_LOOK:
            return QuestionAnswer("undecided", self.pairs, value, other, difference, None, None, matters, None)
        deviation = self._deviation(difference)
        half = half_width(self.pairs, deviation, level)
        low, high = difference - half, difference + half
        verdict: Verdict = "undecided"
        if not self.unequal:
            verdict = "equal" if acted else "same"
        elif -matters < low and high < matters:
            verdict = "none"
        elif low > 0 or high < 0:
            verdict = "more" if low > 0 else "less"
        wanted = max(abs(difference), matters - abs(difference))  # the bounds leave out 0, or all that matters
        needed = games_needed(self.pairs, wanted, deviation, level) if verdict == "undecided" else None
        return QuestionAnswer(verdict, self.pairs, value, other, difference, low, high, matters, needed)

    def _deviation(self, difference: float) -> float:
        """The standard deviation of the difference, with two pairs more of unrelated games, one above, one below.

        So after a row of equal games it is not 0: what has not happened in them may happen in the next.
        """
        n = self.pairs
        apart = self._squares - n * difference**2
        single = max(self._value_squares - self._value**2 / n, self._other_squares - self._other**2 / n) / n
        return sqrt(max(0.0, apart + 4 * single) / (n + 2))
