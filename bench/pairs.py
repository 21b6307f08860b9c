"""Measuring in turn: what is compared runs slice by slice beside one another, so that a busy machine slows both."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """So many of something in so many seconds of processor time."""

    count: float
    seconds: float

    @property
    def each(self) -> float:
        """Seconds for one."""
        return self.seconds / self.count


Slice = Callable[[], Sample]
"""A piece of work of some tenths of a second that says how much it was."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The median of several runs and their quartiles."""

    median: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of some values, at least one."""
        results = list(values)
        if len(results) == 1:
            return cls(results[0], results[0], results[0], 1)
        low, middle, high = statistics.quantiles(results, n=4, method="inclusive")
        return cls(middle, low, high, len(results))


def bounds_of_median(values: Iterable[float], share: float) -> tuple[float, float]:
    """An interval of the median, from the order of some values alone (Hettmansperger and Sheather 1986).

    Between the values number k from below and from above the median lies as often as a coin thrown as many times shows
    heads k times or more and tails k times or more; between two such intervals the bounds are interpolated.

    Args:
        values: at least one.
        share: how often the interval holds the median, from above 0 to below 1. Where there are too few values for
            that, the bounds are the least and the greatest.
    """
    results = sorted(values)
    many, k, covered = len(results), 1, 1 - 2 * 0.5 ** len(results)
    while k < many - k and (less := covered - 2 * math.comb(many, k) * 0.5**many) >= share:
        k, covered = k + 1, less
    if covered <= share or k >= many - k:
        return results[k - 1], results[-k]
    part = (covered - share) / (covered - less)
    inward = (many - k) * part / (k + (many - 2 * k) * part)
    low, high = ((1 - inward) * results[at] + inward * results[to] for at, to in ((k - 1, k), (-k, -k - 1)))
    return low, high


def timed(work: Callable[[], int], seconds: float) -> Slice:
    """A slice that repeats some work until its time is over.

    Args:
        work: takes at least some tenths of a millisecond, and says how many it has done.
        seconds: how long it is repeated, in processor time.
    """

    def run() -> Sample:
        count, begun = 0, time.process_time()
        while True:
            count += work()
            taken = time.process_time() - begun
            if taken >= seconds:
                return Sample(count, taken)

    return run


def once(do: Callable[[], object]) -> Slice:
    """A slice that does something once, however long it takes."""

    def run() -> Sample:
        begun = time.process_time()
        do()
        return Sample(1, time.process_time() - begun)

    return run


def alternate(slices: Sequence[Slice], runs: int, *, turns: int = 1, warm: bool = True) -> list[list[Sample]]:
    """Runs each slice so many times, in turn; every second time in the opposite order.

    A run may consist of several `turns`, which are added up: then a processor whose clock changes from one second to
    the next is as fast, on the whole, for one slice as for the other.

    Before that each runs once and is not counted, if it is to be `warm`: so what is made once and kept is there. The
    garbage collector is on, as it is where nobody has touched it; before each slice, outside its time, it collects what
    the one before has left.
    """
    for one in slices if warm else ():
        one()
    taken: list[list[Sample]] = [[] for _ in slices]
    for number in range(runs * turns):
        order = list(range(len(slices)))
        for at in order if number % 2 == 0 else order[::-1]:
            gc.collect()
            taken[at].append(slices[at]())
    return [[_sum(result[at : at + turns]) for at in range(0, len(result), turns)] for result in taken]


def _sum(samples: Sequence[Sample]) -> Sample:
    return Sample(sum(sample.count for sample in samples), sum(sample.seconds for sample in samples))


def cost(ours: Sequence[Sample], theirs: Sequence[Sample]) -> Spread:
    """The ratio of times, one of ours to one of theirs, from the samples of the same runs."""
    return Spread.of(a.each / b.each for a, b in zip(ours, theirs, strict=True))


def speed(ours: Sequence[Sample], theirs: Sequence[Sample]) -> Spread:
    """The ratio of speeds, ours to theirs."""
    return Spread.of(speed_ratios(ours, theirs))


def speed_ratios(ours: Sequence[Sample], theirs: Sequence[Sample]) -> list[float]:
    """The ratio of speeds of each run, ours to theirs."""
    return [b.each / a.each for a, b in zip(ours, theirs, strict=True)]
