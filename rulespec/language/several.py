"""Multiple choices: sets and bags as values of a parameter, counted and enumerated in a fixed order.

Smaller sets come first; sets of equal size are in lexicographic order of their members: `{a, b}`, `{a, c}`, `{b, c}`.
Bags are ordered in the same way, with a member repeated for each piece: `{2 a}`, `{a, b}`, `{2 b}`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb, prod

from rulespec.language.bags import BITS, amount, counts, total

MAX_SEVERAL = 10_000
"""Maximum number of sets or bags listed for one parameter."""

MOST_MEMBERS = 13
"""Maximum size of a set in `subsets(…)`: 13 members have 8,192 subsets."""


def ways(most_of_each: Sequence[int], least: int, most: int) -> int:
    """The number of bags with `least` to `most` pieces, and at most `most_of_each` pieces of each entity."""
    least, most = max(least, 0), min(most, sum(most_of_each))
    if least > most:
        return 0
    if least == 0 and most == sum(most_of_each):
        return prod(room + 1 for room in most_of_each)
    if set(most_of_each) <= {1}:
        return sum(comb(len(most_of_each), size) for size in range(least, most + 1))
    of_size = [1] + [0] * most
    for room in most_of_each:
        total, sums = 0, [0]
        for number in of_size:
            total += number
            sums.append(total)
        of_size = [sums[size + 1] - sums[max(0, size - room)] for size in range(most + 1)]
    return sum(of_size[least:])


def subsets(source: int, least: int, most: int) -> Iterator[int]:
    """The subsets of a set that have `least` to `most` members."""
    members = [1 << at for at in range(source.bit_length()) if source >> at & 1]
    for size in range(max(least, 0), min(most, len(members)) + 1):
        for chosen in combinations(members, size):
            yield sum(chosen)


def bags(source: int, least: int, most: int) -> Iterator[int]:
    """The sub-bags of a bag that have `least` to `most` pieces."""
    piles = counts(source)
    for size in range(max(least, 0), min(most, sum(number for _, number in piles)) + 1):
        yield from _of_size(piles, size)


def _of_size(piles: Sequence[tuple[int, int]], size: int) -> Iterator[int]:
    """The bags of one size; those with more pieces of the first entities come first."""
    rooms = [number for _, number in piles]
    units = [1 << BITS * member for member, _ in piles]
    chosen = _filled([0] * len(rooms), rooms, 0, size)
    while True:
        yield sum(number * unit for number, unit in zip(chosen, units, strict=True))
        after, room = 0, 0
        for at in range(len(rooms) - 1, -1, -1):
            if chosen[at] and room > after:
                chosen[at] -= 1
                _filled(chosen, rooms, at + 1, after + 1)
                break
            after, room = after + chosen[at], room + rooms[at]
        else:
            return


def _filled(chosen: list[int], rooms: Sequence[int], at: int, size: int) -> list[int]:
    """Redistributes the counts from an index on, so that they total `size`, with as many as possible first."""
    for place in range(at, len(rooms)):
        chosen[place] = min(size, rooms[place])
        size -= chosen[place]
    return chosen


def picked(most_of_each: Sequence[int], least: int, most: int, number: int) -> list[int]:
    """The counts of the bag at an index in the enumeration order of `bags`, computed without enumerating."""
    size = max(least, 0)
    while number >= (count := ways(most_of_each, size, size)):
        number -= count
        size += 1
    results = []
    for at, room in enumerate(most_of_each):
        rest = most_of_each[at + 1 :]
        chosen = min(room, size)
        while number >= (count := ways(rest, size - chosen, size - chosen)):
            number -= count
            chosen -= 1
        results.append(chosen)
        size -= chosen
    return results


def is_subset(chosen: int, source: int, least: int, most: int) -> bool:
    """Whether a set is one of those that `subsets` enumerates."""
    return chosen >= 0 and not chosen & ~source and least <= chosen.bit_count() <= most


def is_bag(chosen: int, source: int, least: int, most: int) -> bool:
    """Whether a bag is one of those that `bags` enumerates."""
    if chosen < 0 or chosen.bit_length() > source.bit_length() + BITS:
        return False
    within = all(number <= amount(source, member) for member, number in counts(chosen))
    return within and least <= total(chosen) <= most
