"""Limits and option choice for walks that cover much of a game in few decisions."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import TypeVar

from rulespec.engine.game.option import Option

CAPS = (40, 400, 4_000)
"""The lengths of walks in decisions, used in turn."""
_STEP = 64
"""The number of decisions between looks at the clock."""
_MOST_KNOWN = 1_000_000
"""The maximum number of distinguished items, a bound on memory."""
_WIDE = 1 / 4
"""The share of decisions in which all options are equally likely."""

_T = TypeVar("_T")


class Effort:
    """A limit on decisions and CPU time.

    Args:
        decisions: the total number of decisions.
        seconds: the total CPU time; None means unlimited.
        progress: a function called at intervals with the number of decisions since its last call.
    """

    def __init__(
        self, decisions: int, seconds: float | None = None, progress: Callable[[int], object] | None = None
    ) -> None:
        self.limit, self.spent = decisions, 0
        self.stopped = False
        """Whether the CPU time ran out before the decisions."""
        self._end = None if seconds is None else time.process_time() + seconds
        self._progress = progress or (lambda _: None)

    def spend(self, decisions: int = 1) -> None:
        """Counts decisions against the limit."""
        before = self.spent // _STEP
        self.spent += decisions
        if self.spent // _STEP > before:
            self._progress((self.spent // _STEP - before) * _STEP)

    def is_left(self, until: int | None = None) -> bool:
        """Whether any effort is left and fewer than `until` decisions have been spent."""
        if self._end is not None and time.process_time() > self._end:
            self.stopped = True
        return not self.stopped and self.spent < (self.limit if until is None else min(until, self.limit))


class Distinct:
    """The set of distinct items seen so far, in bounded memory.

    Attributes:
        full: whether there were too many items to distinguish.
    """

    def __init__(self) -> None:
        self.full = False
        self._seen: set[int] = set()

    def is_new(self, *thing: Hashable) -> bool:
        """Whether an item is seen for the first time; False for a new item if there is no room for it."""
        key = hash(thing)
        if key in self._seen:
            return False
        if len(self._seen) >= _MOST_KNOWN:
            self.full = True
            return False
        self._seen.add(key)
        return True


class Curiosity:
    """A chooser that prefers rarely taken options; equal seeds give equal choices.

    Args:
        seed: the seed of the random numbers.
    """

    def __init__(self, seed: int = 0) -> None:
        self._random = random.Random(seed)
        self.taken = Counter[tuple[str, str]]()
        """The number of times that options of each name were taken."""

    def among(self, options: Sequence[_T], option: Callable[[_T], Option]) -> _T:
        """A random option: half of the time one with the name taken least often, otherwise one with a random name or
        any option at all.
        """
        chance = self._random.random()
        if chance >= _WIDE:
            names = dict.fromkeys((option(each).decision, option(each).name) for each in options)
            least = min(self.taken[name] for name in names) if chance >= 1 / 2 else None
            rare = [name for name in names if least is None or self.taken[name] == least]
            name = self._any(rare)
            options = [each for each in options if (option(each).decision, option(each).name) == name]
        result = self._any(options)
        self.taken[option(result).decision, option(result).name] += 1
        return result

    def fresh(self, options: Sequence[_T], option: Callable[[_T], Option], times: int) -> Iterator[_T]:
        """One option for each name that has been taken fewer than `times` times."""
        seen: set[tuple[str, str]] = set()
        for each in options:
            name = option(each).decision, option(each).name
            if name not in seen and self.taken[name] < times:
                seen.add(name)
                self.taken[name] += 1
                yield each

    def _any(self, options: Sequence[_T]) -> _T:
        return options[int(self._random.random() * len(options))]
