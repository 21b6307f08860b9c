"""Paths as numbers: consecutive stops, each as its number + 1, first stop lowest.

A stop takes 8 bits, or 16 for a kind of more than 255 entities. Stops may repeat, so a path is not an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

MAX_STOPS = 64
"""The stops of a path."""
MAX_PATHS = 10_000
"""The beginnings of paths that are looked at where the paths of one parameter are listed."""
_ENDLESS = 10**15
"""A count that no path uses up."""
_FEW = 255
"""The entities of a kind whose stops take 8 bits."""


def bits_of(size: int) -> int:
    """The bits of a stop, from the size of its kind."""
    return 8 if size <= _FEW else 16


def stop(path: int, number: int, size: int) -> int:
    """The stop with an index, from 0; -1 if there is none."""
    bits = bits_of(size)
    return (path >> bits * number & (1 << bits) - 1) - 1 if 0 <= number < MAX_STOPS else -1


def length(path: int, size: int) -> int:
    """The number of stops."""
    return -(-path.bit_length() // bits_of(size))


def places(path: int, size: int) -> int:
    """The indices of the stops, as a set."""
    return (1 << length(path, size)) - 1


def stops(path: int, size: int) -> list[int]:
    """The stops, in order; -1 for gaps in an invalid number."""
    return [stop(path, number, size) for number in range(length(path, size))]


def path_of(members: Sequence[int], size: int) -> int:
    """The path with these stops."""
    return sum(member + 1 << bits_of(size) * number for number, member in enumerate(members))


class Way(NamedTuple):
    """A partial path: its stops, their number, the last one, the remaining cost, and the used sets."""

    path: int
    number: int
    at: int
    left: int
    used: tuple[int, ...]


class PathForm(NamedTuple):
    """The possible paths of a parameter.

    Attributes:
        size: the size of the kind of their stops.
        starts: the set of their first stops.
        within: the maximum total cost of their steps.
        uses: for each kind of use, whether stops use it, including the first, or steps do.
        whole: whether only maximal paths count.
        onward: the set of possible next stops, given a path, its last stop, the remaining cost, and the uses.
        step: the cost of a step to such a stop, given the same, followed by the set of its uses, for each kind; for a
            first stop, which has no path before it, only the uses by stops.
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
        """The empty path."""
        return Way(0, 0, -1, self.within, (0,) * len(self.uses))

    def gone(self, way: Way, to: int) -> Way:
        """The path extended by a stop."""
        path, number, at, left, used = way
        if number or any(self.uses):
            cost, *marks = self.step(to, path, at, left, *used)
            left -= cost
            used = tuple([before | mark for before, mark in zip(used, marks, strict=True)])
        return Way(path | to + 1 << bits_of(self.size) * number, number + 1, to, left, used)

    def ahead(self, way: Way) -> int:
        """The set of possible next stops."""
        if not way.number:
            return self.starts
        return self.onward(way.path, way.at, way.left, *way.used) if way.number < MAX_STOPS else 0

    def is_one(self, way: Way, ahead: int) -> bool:
        """Whether a path with the next stops `ahead` counts."""
        return way.number > 1 and not (self.whole and ahead)


class TooManyPathsError(Exception):
    """More path prefixes than the limit."""


def beginnings(ways: PathForm, most: int = MAX_PATHS) -> Iterator[tuple[Way, int]]:
    """The path prefixes, each before its extensions, with the set of its next stops.

    Raises:
        TooManyPathsError: if there are more than `most`.
    """
    onward, plain = ways.onward, not any(ways.uses)
    todo = [(ways.begun, ways.starts)] if ways.starts else []
    while todo:
        way, rest = todo.pop()
        if not most:
            raise TooManyPathsError
        most -= 1
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
        yield way, ahead
        if ahead:
            todo.append((way, ahead))


def listed(ways: PathForm, most: int = MAX_PATHS) -> tuple[list[int], int]:
    """All paths, each before its extensions, and the number of visited prefixes: `most` + 1 if there are more."""
    results: list[int] = []
    looked, whole = 0, ways.whole
    try:
        for way, ahead in beginnings(ways, most):
            looked += 1
            if way.number > 1 and not (whole and ahead):
                results.append(way.path)
    except TooManyPathsError:
        return results, most + 1
    return results, looked


def trail(ways: PathForm, reachable: int) -> int:
    """The set of the stops on all paths, including their starts.

    Args:
        ways: the paths.
        reachable: a superset; the search ends when all its members are found.

    Raises:
        TooManyPathsError: if the search visits more than `MAX_PATHS` prefixes.
    """
    result = ways.starts
    for way, _ in beginnings(ways) if result != reachable else ():
        result |= 1 << way.at
        if result == reachable:
            break
    return result


def longest(ways: PathForm, worth: Callable[[int], int | None]) -> int | None:
    """The maximum worth of a path; None if no path has any.

    Args:
        ways: the paths.
        worth: the worth of a path; None to skip it.

    Raises:
        TooManyPathsError: if there are more than `MAX_PATHS` prefixes.
    """
    result = None
    for way, ahead in beginnings(ways):
        value = worth(way.path) if ways.is_one(way, ahead) else None
        if value is not None and (result is None or value > result):
            result = value
    return result


def is_path(ways: PathForm, path: int) -> bool:
    """Whether a number is one of the paths; takes one step per stop."""
    members = stops(path, ways.size) if path > 0 else []
    if not 0 < len(members) <= MAX_STOPS:
        return False
    way = ways.begun
    for member in members:
        if member < 0 or not ways.ahead(way) >> member & 1:
            return False
        way = ways.gone(way, member)
    return ways.is_one(way, ways.ahead(way))


class Break(NamedTuple):
    """The place where stops cease to be a path of a parameter.

    Attributes:
        part: the part of the form that refuses: `from`, `to`, `once`, `within` the next stop, `until` the end of a path
            that has further steps; `steps`, where there are no steps, or too many.
        way: the beginning before the refused stop; the whole path for `until`.
        to: the refused stop; -1 where there is none.
        amount: for `once` the entities used a second time, as a set; for `within` the length of the step; for `until`
            the set of the stops of further steps.
        use: for `once` the number of the use.
    """

    part: str
    way: Way
    to: int = -1
    amount: int = 0
    use: int = 0


def broken(ways: PathForm, path: int) -> Break | None:
    """The first place where a number ceases to be one of the paths; None if it is one."""
    members = stops(path, ways.size) if path > 0 else []
    way = ways.begun
    if not 1 < len(members) <= MAX_STOPS:
        return Break("steps", way)
    for to in members:
        if to < 0 or not ways.ahead(way) >> to & 1:
            return _break(ways, way, to)
        way = ways.gone(way, to)
    ahead = ways.ahead(way)
    return None if ways.is_one(way, ahead) else Break("until", way, -1, ahead)


def _break(ways: PathForm, way: Way, to: int) -> Break:
    """The part of the form that refuses a stop after a beginning."""
    path, number, at, left, used = way
    if not number:
        return Break("from", way, to)
    if to < 0 or not ways.onward(path, at, _ENDLESS, *(0,) * len(used)) >> to & 1:
        return Break("to", way, to)
    cost, *marks = ways.step(to, path, at, left, *used)
    again = [(use, mark & before) for use, (mark, before) in enumerate(zip(marks, used, strict=True)) if mark & before]
    if again:
        return Break("once", way, to, again[0][1], again[0][0])
    return Break("within", way, to, cost)


def wandered(ways: PathForm, choices: Iterator[int]) -> int | None:
    """A path drawn stop by stop with the numbers in `choices`; None if these lead to no path."""
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
