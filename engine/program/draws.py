"""Seeded random numbers, a pure function of the seed, the game and the decision's number.

The generator is SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014; the
constants are from Vigna's `splitmix64.c`). Word i is a function of the key and i, so there is no state between draws.
The module `wasm.runtime.draws` does the same in wasm; docs/explanation/random.md defines both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import ceil
from operator import index
from typing import TypeVar

GENERATOR = "splitmix64-1"
"""The name of the generator and of the way games use it; any change that alters games needs a new name."""
STEPS = 2**53
"""Resolution of probabilities: the number of equally likely outcomes of a draw."""
GAMMA = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1
_T = TypeVar("_T")


def word(key: int, at: int) -> int:
    """The 64-bit word that SplitMix64 yields for a key at index `at`, from 0."""
    z = (key + (at + 1) * GAMMA) & _MASK
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & _MASK
    return z ^ z >> 31


def threshold(rate: float) -> int:
    """The number of 53-bit words for which an event with a given probability happens."""
    return ceil(rate * STEPS)


class Draws:
    """The random numbers of one game. Decision n uses word 2n to decide whether to act out of turn, and word 2n + 1 to
    choose an option.

    Args:
        seed: the seed of chance, modulo 2**64.
        game: the number of the game.
    """

    __slots__ = ("key",)

    def __init__(self, seed: int, game: int = 0) -> None:
        self.key = word(word(index(seed), 0), index(game))

    def happens(self, at: int, rate: float) -> bool:
        """Whether an event with a given probability happens, as decided by word number `at`."""
        return word(self.key, at) >> 11 < rate * STEPS  # equivalent to a comparison with `threshold`

    def below(self, at: int, bound: int) -> int:
        """A uniform number from 0 to `bound` - 1 from word `at`; 0 if the bound is 1 or less.

        The algorithm is by Lemire, "Fast Random Integer Generation in an Interval" (2019). A word that would bias the
        result is rejected, and serves as the key of its replacement. Bounds above 2**64 take more words.
        """
        if bound < 2:
            return 0
        product = word(self.key, at) * bound
        if bound <= product & _MASK:  # accepts most words
            return product >> 64
        result, bits = word(self.key, at), 64
        while bound >> bits:
            result = result << 64 | word(result & _MASK, 0)
            bits += 64
        mask = (1 << bits) - 1
        least = (1 << bits) % bound
        while result * bound & mask < least:
            result = result << 64 & mask | word(result & _MASK, 0)
        return result * bound >> bits

    def tries(self, at: int) -> Callable[[int, int], int]:
        """A function that takes an attempt number and a bound, and returns a uniform number derived from word `at`."""
        return Draws(word(self.key, at)).below

    def weighted(self, at: int, weights: Sequence[int]) -> int:
        """A random index from word `at`, in proportion to the weights; the last index if all weights are 0."""
        left = self.below(at, sum(weights))
        for number, weight in enumerate(weights):
            left -= weight
            if left < 0:
                return number
        return len(weights) - 1


class Stream(Draws):
    """A stream of random numbers that do not belong to numbered decisions."""

    __slots__ = ("at",)

    def __init__(self, seed: int, game: int = 0) -> None:
        super().__init__(seed, game)
        self.at = -1

    def next(self) -> int:
        """The next unused word."""
        self.at += 1
        return self.at

    def likely(self, rate: float) -> bool:
        """Whether an event with a given probability happens."""
        return self.happens(2 * self.next(), rate)

    def one_of(self, values: Sequence[_T]) -> _T:
        """A uniformly chosen value."""
        return values[self.below(2 * self.next(), len(values))]
