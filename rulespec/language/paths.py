"""Paths encoded as integers: consecutive stops, each as its index + 1, with the first stop in the low bits.

A stop takes 8 bits, or 16 for a kind of more than 255 entities. Stops may repeat, so a path is not an order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

MAX_STOPS = 64
"""Maximum number of stops of a path."""
MAX_PATHS = 10_000
"""Maximum number of path prefixes visited when the paths of one parameter are listed."""
_ENDLESS = 10**15
"""A cost limit that no path reaches."""
_FEW = 255
"""Maximum size of a kind whose stops take 8 bits."""


def bits_of(size: int) -> int:
    """The number of bits per stop, given the size of the stops' kind."""
    return 8 if size <= _FEW else 16


def stop(path: int, number: int, size: int) -> int:
    """The stop at an index, from 0; -1 if there is none."""
    bits = bits_of(size)
    return (path >> bits * number & (1 << bits) - 1) - 1 if 0 <= number < MAX_STOPS else -1


def length(path: int, size: int) -> int:
    """The number of stops in a path."""
    return -(-path.bit_length() // bits_of(size))


def places(path: int, size: int) -> int:
    """The set of the indices of a path's stops."""
    return (1 << length(path, size)) - 1


def stops(path: int, size: int) -> list[int]:
    """The stops of a path, in order; -1 for gaps in an invalid integer."""
    return [stop(path, number, size) for number in range(length(path, size))]


def path_of(members: Sequence[int], size: int) -> int:
    """Encodes a path, given its stops."""
    return sum(member + 1 << bits_of(size) * number for number, member in enumerate(members))


class Way(NamedTuple):
    """A partial path: its stops, the number of stops, the last stop, the remaining cost, and the sets already used."""

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
        uses: for each `once`, whether it applies to stops (including the first one) rather than to steps.
        whole: whether only maximal paths count.
        onward: the function from a path, its last stop, the remaining cost and the used sets to the set of possible
            next stops.
        step: the function from a stop and the arguments of `onward` to the cost of the step to that stop, followed by
            the set used for each `once`. For a first stop, the set of a `once` that applies to steps is ignored.
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
        """Whether a path belongs to this form; `ahead` contains the stops with which it could continue."""
        return way.number > 1 and not (self.whole and ahead)


class TooManyPathsError(Exception):
    """The number of path prefixes exceeds the limit."""


def beginnings(ways: PathForm, most: int = MAX_PATHS) -> Iterator[tuple[Way, int]]:
    """All path prefixes, each listed before its extensions, with the set of possible next stops.

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
    """All paths, each listed before its extensions, and the number of prefixes visited (`most` + 1 if the search is cut
    off).
    """
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
    """The set of all stops on the paths, including their starts.

    Args:
        ways: the paths.
        reachable: a superset of the result; the search ends when it is reached.

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
    """The maximum worth of a path; None if no path has a worth.

    Args:
        ways: the paths.
        worth: the function from a path to its worth, or to None to skip the path.

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
    """Whether an integer encodes one of the paths; checks it stop by stop, without enumerating the paths."""
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
    """The first violation of a parameter's path form by a sequence of stops.

    Attributes:
        part: the violated clause: `from`, `to`, `once` or `within` if the next stop violates it, `until` if the path
            ends although further steps are possible, `steps` if it has no steps or too many.
        way: the prefix before the refused stop; the whole path for `until`.
        to: the refused stop, or -1.
        amount: for `once`, the set of entities used a second time; for `within`, the cost of the step; for `until`, the
            set of possible further stops.
        use: for `once`, the index of the violated `once`.
    """

    part: str
    way: Way
    to: int = -1
    amount: int = 0
    use: int = 0


def broken(ways: PathForm, path: int) -> Break | None:
    """The first violation of the path form by an encoded path; None if the path is valid."""
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
    """The violation by a stop refused after a prefix."""
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
    """A path drawn stop by stop with the random numbers in `choices`, or None if it reaches a dead end."""
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
