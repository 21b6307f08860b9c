"""Bags as numbers: an eight-bit count of alike pieces for each entity of a kind, first entity lowest.

An empty bag is 0, and equal bags are equal numbers.
"""

from __future__ import annotations

BITS = 8
"""The bits of one entity's pieces."""
MOST = (1 << BITS) - 1
"""The most alike pieces that a bag holds."""


def lot(count: int, member: int, _size: int) -> int:
    """The bag with some pieces of one entity, at most `MOST`. `_size` is the size of the kind."""
    return max(0, min(count, MOST)) << BITS * member


def amount(bag: int, member: int) -> int:
    """The number of pieces of an entity in a bag."""
    return bag >> BITS * member & MOST


def total(bag: int) -> int:
    """The number of pieces in a bag."""
    result = 0
    while bag > 0:
        result += bag & MOST
        bag >>= BITS
    return result


def entities(bag: int, _size: int = 0) -> int:
    """The set of the entities with pieces in a bag."""
    result, member = 0, 0
    while bag > 0:
        if bag & MOST:
            result |= 1 << member
        bag >>= BITS
        member += 1
    return result


def counts(bag: int) -> list[tuple[int, int]]:
    """The entities with pieces in a bag, in order, each with its count."""
    results, member = [], 0
    while bag > 0:
        if bag & MOST:
            results.append((member, bag & MOST))
        bag >>= BITS
        member += 1
    return results
