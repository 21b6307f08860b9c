"""Orders encoded as integers: each member as its index + 1 in a fixed number of bits, with the first member in the low
bits.

An empty order is 0, and there are no gaps: equal orders are equal integers.
"""

from __future__ import annotations

from collections.abc import Iterable


def packed(members: Iterable[int], bits: int) -> int:
    """Encodes an order, given its members."""
    result, at = 0, 0
    for member in members:
        result |= member + 1 << at
        at += bits
    return result


def in_order(order: int, bits: int) -> list[int]:
    """The members of an order, as a list."""
    results = []
    while order:
        results.append((order & (1 << bits) - 1) - 1)
        order >>= bits
    return results


def members_of(order: int, bits: int) -> int:
    """The members of an order, as a set."""
    return sum(1 << member for member in in_order(order, bits))


def append(order: int, member: int, bits: int) -> int:
    """The order after a member is added, or moved, to its end."""
    return packed([*(other for other in in_order(order, bits) if other != member), member], bits)


def without(order: int, member: int, bits: int) -> int:
    """The order without a member."""
    return packed([other for other in in_order(order, bits) if other != member], bits)


def place(order: int, member: int, bits: int) -> int:
    """The index of a member in an order, from 0; -1 if absent."""
    result = in_order(order, bits)
    return result.index(member) if member in result else -1


def front(order: int, bits: int) -> int:
    """The first member of an order; -1 if it is empty."""
    return (order & (1 << bits) - 1) - 1
