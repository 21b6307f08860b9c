"""Paths as numbers: stops one after the other, each as its number + 1, the first in the lowest bits.

A stop takes 8 bits, or 16 in a kind of more than 255 entities. A path may come to a stop again, so it is no order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

MAX_STOPS = 64
"""The stops of a path."""
MAX_PATHS = 10_000
"""The beginnings of paths that are looked at where the paths of one parameter are listed."""
_FEW = 255
"""The entities of a kind whose stops take 8 bits."""


def bits_of(size: int) -> int:
    """The bits of a stop, by the entities of its kind."""
    return 8 if size <= _FEW else 16


def stop(path: int, number: int, size: int) -> int:
    """The stop of a number, the first being 0; -1 where there is none."""
    bits = bits_of(size)
    return (path >> bits * number & (1 << bits) - 1) - 1 if 0 <= number < MAX_STOPS else -1


def length(path: int, size: int) -> int:
    """The number of stops."""
    return -(-path.bit_length() // bits_of(size))


def places(path: int, size: int) -> int:
    """The numbers of the stops, as a set."""
    return (1 << length(path, size)) - 1


def stops(path: int, size: int) -> list[int]:
    """The stops, in order; -1 where a number that is no path has none."""
    return [stop(path, number, size) for number in range(length(path, size))]


def path_of(members: Sequence[int], size: int) -> int:
    """The path with these stops."""
    return sum(member + 1 << bits_of(size) * number for number, member in enumerate(members))


class Way(NamedTuple):
    """A path that is under way: its stops so far, their number, the last one, what is left, and what it has used."""

    path: int
    number: int
    at: int
    left: int
    used: tuple[int, ...]


class PathForm(NamedTuple):
    """The paths that a parameter may be.

    Attributes:
        size: the entities of the kind of their stops.
        starts: the set of their first stops.
        within: the most that their steps count together.
        uses: for each thing that a path uses once whether it is one of its stops, the first too, or of its steps.
        whole: whether only those are meant that cannot go on.
        onward: of a path, its last stop, what is left, and what is used: the set of the stops that it may go on to.
        step: of such a stop, and of the same: what the step there counts, then the set of what it uses, for each use;
            of a first stop, which has no path before it, nothing but what is of stops.
    """

    size: int
    starts: int
    within: int
    uses: tuple[bool, ...]
    whole: bool
    onward: Callable[..., int]
    step: Callable[..., Sequence[int]]

    @property
    def begun(self) -> Way:
        """The path without a stop."""
        return Way(0, 0, -1, self.within, (0,) * len(self.uses))

    def gone(self, way: Way, to: int) -> Way:
        """A path that has gone on to a stop."""
        path, number, at, left, used = way
        if number or any(self.uses):
            cost, *marks = self.step(to, path, at, left, *used)
            left -= cost
            used = tuple([before | mark for before, mark in zip(used, marks, strict=True)])
        return Way(path | to + 1 << bits_of(self.size) * number, number + 1, to, left, used)

    def ahead(self, way: Way) -> int:
        """The set of the stops that a path may go on to."""
        if not way.number:
            return self.starts
        return self.onward(way.path, way.at, way.left, *way.used) if way.number < MAX_STOPS else 0

    def is_one(self, way: Way, ahead: int) -> bool:
        """Whether a path that may go on to `ahead` is one of those that are meant."""
        return way.number > 1 and not (self.whole and ahead)


def listed(ways: PathForm, most: int = MAX_PATHS) -> tuple[list[int], int]:
    """All paths, each before those that go on from it, and how many beginnings were looked at: `most` + 1 if more."""
    results: list[int] = []
    looked = 0
    onward, whole, plain = ways.onward, ways.whole, not any(ways.uses)
    todo = [(ways.begun, ways.starts)] if ways.starts else []
    while todo:
        way, rest = todo.pop()
        if looked == most:
            return results, most + 1
        looked += 1
        lowest = rest & -rest
        if rest != lowest:
            todo.append((way, rest ^ lowest))
        to = lowest.bit_length() - 1
        if plain and not way.number:  # most beginnings are first stops
            way = Way(to + 1, 1, to, way.left, way.used)
        else:
            way = ways.gone(way, to)
        path, number, at, left, used = way
        ahead = onward(path, at, left, *used) if number < MAX_STOPS else 0
        if number > 1 and not (whole and ahead):
            results.append(path)
        if ahead:
            todo.append((way, ahead))
    return results, looked


def is_path(ways: PathForm, path: int) -> bool:
    """Whether a number is one of the paths: it takes as many steps as the path has."""
    members = stops(path, ways.size) if path > 0 else []
    if not 0 < len(members) <= MAX_STOPS:
        return False
    way = ways.begun
    for member in members:
        if member < 0 or not ways.ahead(way) >> member & 1:
            return False
        way = ways.gone(way, member)
    return ways.is_one(way, ways.ahead(way))


def wandered(ways: PathForm, choices: Iterator[int]) -> int | None:
    """A path stop by stop, each drawn by the next number of `choices`; None where that leads to no path."""
    way = ways.begun
    while True:
        ahead = ways.ahead(way)
        may_end = ways.is_one(way, ahead)
        count = ahead.bit_count() + may_end
        if not count:
            return None
        chosen = next(choices) % count
        if chosen == ahead.bit_count():
            return way.path
        for _ in range(chosen):
            ahead &= ahead - 1
        way = ways.gone(way, (ahead & -ahead).bit_length() - 1)
