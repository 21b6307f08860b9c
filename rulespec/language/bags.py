"""Bags encoded as integers: an eight-bit count of pieces for each entity of a kind, with the first entity in the low
bits.

An empty bag is 0, and equal bags are equal integers.
"""

from __future__ import annotations

BITS = 8
"""The number of bits for one entity's count."""
MOST = (1 << BITS) - 1
"""The maximum count of one entity in a bag."""


def lot(count: int, member: int, _size: int) -> int:
    """The bag with `count` pieces of one entity, at most `MOST`. `_size` is the size of the kind."""
    return max(0, min(count, MOST)) << BITS * member


def amount(bag: int, member: int) -> int:
    """The number of an entity's pieces in a bag."""
    return bag >> BITS * member & MOST


def total(bag: int) -> int:
    """The number of pieces in a bag."""
    result = 0
    while bag > 0:
        result += bag & MOST
        bag >>= BITS
    return result


def entities(bag: int, _size: int = 0) -> int:
    """The set of entities that have pieces in a bag."""
    result, member = 0, 0
    while bag > 0:
        if bag & MOST:
            result |= 1 << member
        bag >>= BITS
        member += 1
    return result


def counts(bag: int) -> list[tuple[int, int]]:
    """The entities that have pieces in a bag, in order, with their counts."""
    results, member = [], 0
    while bag > 0:
        if bag & MOST:
            results.append((member, bag & MOST))
        bag >>= BITS
        member += 1
    return results
