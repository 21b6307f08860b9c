"""Orders as numbers: each member as its number + 1 in a fixed number of bits, first member lowest.

An empty order is 0, and there are no gaps: equal orders are equal numbers.
"""

from __future__ import annotations

from collections.abc import Iterable


def packed(members: Iterable[int], bits: int) -> int:
    """The order of members as a number."""
    result, at = 0, 0
    for member in members:
        result |= member + 1 << at
        at += bits
    return result


def in_order(order: int, bits: int) -> list[int]:
    """The members of an order."""
    results = []
    while order:
        results.append((order & (1 << bits) - 1) - 1)
        order >>= bits
    return results


def members_of(order: int, bits: int) -> int:
    """The set of the members of an order."""
    return sum(1 << member for member in in_order(order, bits))


def append(order: int, member: int, bits: int) -> int:
    """The order with a member moved or added to its end."""
    return packed([*(other for other in in_order(order, bits) if other != member), member], bits)


def without(order: int, member: int, bits: int) -> int:
    """The order without a member."""
    return packed([other for other in in_order(order, bits) if other != member], bits)


def place(order: int, member: int, bits: int) -> int:
    """The index of a member in the order, from 0; -1 if absent."""
    result = in_order(order, bits)
    return result.index(member) if member in result else -1


def front(order: int, bits: int) -> int:
    """The first member of an order; -1 if it is empty."""
    return (order & (1 << bits) - 1) - 1
