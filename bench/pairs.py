"""Paired measurements: the compared slices run alternately, so that a busy machine slows both."""

from __future__ import annotations

import gc
import math
import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """A number of repetitions and the processor time they took, in seconds."""

    count: float
    seconds: float

    @property
    def each(self) -> float:
        """The seconds per repetition."""
        return self.seconds / self.count


Slice = Callable[[], Sample]
"""A function that works for some tenths of a second, and returns the sample."""


@dataclass(frozen=True, slots=True)
class Spread:
    """The median and the quartiles of several runs."""

    median: float
    low: float
    high: float
    runs: int

    @classmethod
    def of(cls, values: Iterable[float]) -> Spread:
        """The spread of one or more values."""
        results = list(values)
        if len(results) == 1:
            return cls(results[0], results[0], results[0], 1)
        low, middle, high = statistics.quantiles(results, n=4, method="inclusive")
        return cls(middle, low, high, len(results))


def bounds_of_median(values: Iterable[float], share: float) -> tuple[float, float]:
    """A distribution-free confidence interval of the median (Hettmansperger and Sheather 1986).

    The interval between the k-th smallest and the k-th largest of n values covers the median with the probability that
    n coin tosses show at least k heads and at least k tails; the bounds are interpolated between two such intervals.

    Args:
        values: one or more values.
        share: the coverage probability, between 0 and 1 exclusively. If there are too few values for it, the bounds are
            the minimum and the maximum.
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
    """A slice that repeats some work for a period of time.

    Args:
        work: the function to repeat; a call takes at least some tenths of a millisecond and returns its number of
            repetitions.
        seconds: the processor time of the slice.
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
    """A slice that calls a function once, however long that takes."""

    def run() -> Sample:
        begun = time.process_time()
        do()
        return Sample(1, time.process_time() - begun)

    return run


def alternate(slices: Sequence[Slice], runs: int, *, turns: int = 1, warm: bool = True) -> list[list[Sample]]:
    """Runs the slices alternately, reversing their order every second time.

    A run may consist of several `turns`, whose times are added up, so that changes in the processor's clock rate affect
    all slices alike.

    With `warm`, each slice first runs once, uncounted, to fill caches. The garbage collector stays enabled; before each
    slice, outside the measured time, it collects what the previous slice left.
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
    """The ratio of times, ours to theirs, over the pairs of samples."""
    return Spread.of(a.each / b.each for a, b in zip(ours, theirs, strict=True))


def speed(ours: Sequence[Sample], theirs: Sequence[Sample]) -> Spread:
    """The ratio of speeds, ours to theirs, over the pairs of samples."""
    return Spread.of(speed_ratios(ours, theirs))


def speed_ratios(ours: Sequence[Sample], theirs: Sequence[Sample]) -> list[float]:
    """The ratio of speeds in each run, ours to theirs."""
    return [b.each / a.each for a, b in zip(ours, theirs, strict=True)]
