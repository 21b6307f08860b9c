"""Intervals of numbers, and the interval of an operator's value, given the intervals of its operands.

A function takes one interval per operand. Its result contains all possible values of the operator, except for operands
that cause a fault, which have no value.
"""

from __future__ import annotations

from math import inf

from msgspec import Struct

from rulespec.types import MAX_NUMBER


class Interval(Struct, frozen=True, gc=False):
    """The numbers from `low` to `high`, inclusive; None means unbounded."""

    low: int | None
    high: int | None


TRUTHS = Interval(0, 1)
"""The interval of truth values."""
COUNTS = Interval(0, None)
"""The interval of counts."""
BOUNDED = Interval(-MAX_NUMBER, MAX_NUMBER)
"""The interval of numbers stored by the rules."""


def truth(*_: Interval) -> Interval:
    """The interval of a truth value."""
    return TRUTHS


def count(*_: Interval) -> Interval:
    """The interval of a count."""
    return COUNTS


def bounded(*_: Interval) -> Interval:
    """The interval of a number after a range check."""
    return BOUNDED


def hull(*each: Interval) -> Interval:
    """The smallest interval that contains all given ones."""
    return Interval(_least([i.low for i in each]), _greatest([i.high for i in each]))


def least(*each: Interval) -> Interval:
    """The interval of the minimum of several numbers."""
    highs = [i.high for i in each if i.high is not None]
    return Interval(_least([i.low for i in each]), min(highs, default=None))


def greatest(*each: Interval) -> Interval:
    """The interval of the maximum of several numbers."""
    lows = [i.low for i in each if i.low is not None]
    return Interval(max(lows, default=None), _greatest([i.high for i in each]))


def total(a: Interval, b: Interval) -> Interval:
    """The interval of a sum."""
    low = None if a.low is None or b.low is None else a.low + b.low
    high = None if a.high is None or b.high is None else a.high + b.high
    return Interval(low, high)


def negated(a: Interval) -> Interval:
    """The interval of a negated number."""
    return Interval(None if a.high is None else -a.high, None if a.low is None else -a.low)


def mirrored(a: Interval) -> Interval:
    """The interval of a number or its negation."""
    return hull(a, negated(a))


def absolute(a: Interval) -> Interval:
    """The interval of an absolute value."""
    if a.low is not None and a.low >= 0:
        return a
    return Interval(0, mirrored(a).high) if a.high is None or a.high > 0 else negated(a)


def difference(a: Interval, b: Interval) -> Interval:
    """The interval of a difference."""
    return total(a, negated(b))


def product(a: Interval, b: Interval) -> Interval:
    """The interval of a product."""
    if a.low is not None and a.high is not None and b.low is not None and b.high is not None:
        products = (a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high)
        return Interval(min(products), max(products))
    ends = [_times(x, y) for x in _ends(a) for y in _ends(b)]
    low, high = min(ends), max(ends)
    return Interval(None if low == -inf else int(low), None if high == inf else int(high))


def quotient(a: Interval, b: Interval) -> Interval:
    """The interval of a quotient, rounded down, for a nonzero divisor."""
    above, below = _from(b, 1), _from(negated(b), 1)
    parts = [_by_positive(a, above)] if above is not None else []
    parts += [_by_positive(negated(a), below)] if below is not None else []
    return hull(*parts) if parts else Interval(0, 0)


def remainder(a: Interval, b: Interval) -> Interval:
    """The interval of a remainder, which has the sign of the divisor."""
    above, below = _from(b, 1), _from(negated(b), 1)
    high = 0 if above is None else None if above.high is None else above.high - 1
    low = 0 if below is None else None if below.high is None else 1 - below.high
    if below is None and a.low is not None and a.low >= 0 and a.high is not None:
        high = a.high if high is None else min(high, a.high)
    return Interval(low, high)


def _from(a: Interval, bound: int) -> Interval | None:
    """The part of an interval at or above a bound; None if empty."""
    if a.high is not None and a.high < bound:
        return None
    return Interval(bound if a.low is None else max(bound, a.low), a.high)


def _by_positive(a: Interval, b: Interval) -> Interval:
    """The interval of a quotient, rounded down, for a divisor of at least 1."""
    assert b.low is not None
    low = a.low
    if low is not None:
        low = low // b.low if low < 0 else 0 if b.high is None else low // b.high
    high = a.high
    if high is not None:
        high = high // b.low if high >= 0 else -1 if b.high is None else high // b.high
    return Interval(low, high)


def _ends(a: Interval) -> tuple[float, float]:
    return -inf if a.low is None else a.low, inf if a.high is None else a.high


def _times(x: float, y: float) -> float:
    """The product of two bounds, exact unless one is infinite."""
    if x == 0 or y == 0:
        return 0
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return inf if (x > 0) == (y > 0) else -inf


def _least(ends: list[int | None]) -> int | None:
    """The minimum of several lower bounds, where None is below all numbers."""
    bounds = [end for end in ends if end is not None]
    return min(bounds) if len(bounds) == len(ends) else None


def _greatest(ends: list[int | None]) -> int | None:
    """The maximum of several upper bounds, where None is above all numbers."""
    bounds = [end for end in ends if end is not None]
    return max(bounds) if len(bounds) == len(ends) else None
