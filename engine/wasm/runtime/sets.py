"""Single-word sets and orders.

An order has a field of fixed width for each member, with its number + 1; the first member has the lowest bits.
"""

from rulespec.engine.wasm.runtime.intrinsics import count, leading, lowest, trap


def pick(mask: int, start: int) -> int:
    """The first member from a number on, or else the lowest member; -1 if empty."""
    if mask == 0:
        return -1
    ahead = mask >> start << start
    return lowest(mask if ahead == 0 else ahead)


def only(mask: int) -> int:
    """The only member; traps unless there is exactly one."""
    if count(mask) != 1:
        trap()
    return lowest(mask)


def until(mask: int, stops: int, rising: int) -> int:
    """The members up to and including the first stop, in rising or falling order."""
    met = mask & stops
    if met == 0:
        return mask
    if rising:
        return mask & (met ^ (met - 1))
    last = 63 - leading(met)
    return mask >> last << last


def order_members(order: int, bits: int) -> int:
    """The set of the members of an order."""
    members = 0
    while order != 0:
        members = members | 1 << (order & ((1 << bits) - 1)) - 1
        order = order >> bits
    return members


def order_without(order: int, member: int, bits: int) -> int:
    """An order without a member."""
    rest = 0
    at = 0
    while order != 0:
        one = order & ((1 << bits) - 1)
        if one != member + 1:
            rest = rest | one << at
            at = at + bits
        order = order >> bits
    return rest


def order_append(order: int, member: int, bits: int) -> int:
    """An order with a member moved or added to its end."""
    rest = order_without(order, member, bits)
    at = 0
    while rest >> at != 0 and at < 64:
        at = at + bits
    if at + bits > 64:
        trap()
    return rest | (member + 1) << at


def order_place(order: int, member: int, bits: int) -> int:
    """The index of a member in an order, from 0; -1 if absent."""
    at = 0
    while order != 0:
        if (order & ((1 << bits) - 1)) == member + 1:
            return at
        at = at + 1
        order = order >> bits
    return -1
