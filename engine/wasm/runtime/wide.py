"""Multi-word sets and orders as rows in memory; `to` is the address of the result.

`to` may be the address of an operand only for copy, union, intersection and difference.
"""

from rulespec.engine.wasm.runtime.intrinsics import copy, count, fill, load, lowest, store, trap
from rulespec.engine.wasm.runtime.journal import put
from rulespec.engine.wasm.runtime.program import WORDS


def wide_packed(to: int, rows: int, count: int, width: int, bits: int) -> None:
    """Writes the order formed by the last number of each row."""
    wide_zero(to)
    at = 0
    while at < count:
        wide_note(to, bits * at, bits, load(rows + 8 * width * at + 8 * width - 8) + 1)
        at = at + 1


def wide_zero(to: int) -> None:
    """Writes the empty set."""
    fill(to, 0, 8 * WORDS)


def wide_copy(to: int, a: int) -> None:
    """Copies a set."""
    copy(to, a, 8 * WORDS)


def wide_from(to: int, a: int) -> None:
    """Writes a single-word set as a row."""
    wide_zero(to)
    store(to, a)


def wide_low(a: int) -> int:
    """The first word of a set; traps if other words have members."""
    k = 1
    while k < WORDS:
        if load(a + 8 * k) != 0:
            trap()
        k = k + 1
    return load(a)


def wide_put(at: int, a: int) -> None:
    """Writes a set into the state."""
    k = 0
    while k < WORDS:
        put(at + 8 * k, load(a + 8 * k))
        k = k + 1


def wide_or(to: int, a: int, b: int) -> None:
    """Writes the union of two sets."""
    k = 0
    while k < 8 * WORDS:
        store(to + k, load(a + k) | load(b + k))
        k = k + 8


def wide_and(to: int, a: int, b: int) -> None:
    """Writes the intersection of two sets."""
    k = 0
    while k < 8 * WORDS:
        store(to + k, load(a + k) & load(b + k))
        k = k + 8


def wide_diff(to: int, a: int, b: int) -> None:
    """Writes the difference of two sets."""
    k = 0
    while k < 8 * WORDS:
        store(to + k, load(a + k) & ~load(b + k))
        k = k + 8


def wide_bit(to: int, member: int) -> None:
    """Writes the set of one member."""
    if member < 0 or member >= 64 * WORDS:
        trap()
    wide_zero(to)
    store(to + 8 * (member >> 6), 1 << (member & 63))


def wide_one(to: int, member: int) -> None:
    """Writes the set of one member, or the empty set if the member is negative."""
    if member < 0:
        wide_zero(to)
    else:
        wide_bit(to, member)


def wide_in(member: int, a: int) -> int:
    """Whether a set has a member."""
    if member < 0 or member >= 64 * WORDS:
        return 0
    return load(a + 8 * (member >> 6)) >> (member & 63) & 1


def wide_count(a: int) -> int:
    """The number of members."""
    total = 0
    k = 0
    while k < 8 * WORDS:
        total = total + count(load(a + k))
        k = k + 8
    return total


def wide_equal(a: int, b: int) -> int:
    """Whether two sets are equal."""
    k = 0
    while k < 8 * WORDS:
        if load(a + k) != load(b + k):
            return 0
        k = k + 8
    return 1


def wide_any(a: int) -> int:
    """Whether a set has members."""
    k = 0
    while k < 8 * WORDS:
        if load(a + k) != 0:
            return 1
        k = k + 8
    return 0


def wide_next(a: int, start: int) -> int:
    """The lowest member that is at least `start`; -1 if there is none."""
    k = start >> 6
    if k >= WORDS:
        return -1
    bits = load(a + 8 * k) >> (start & 63) << (start & 63)
    while bits == 0:
        k = k + 1
        if k >= WORDS:
            return -1
        bits = load(a + 8 * k)
    return 64 * k + lowest(bits)


def wide_pick(a: int, start: int) -> int:
    """The lowest member that is at least `start`, or else the lowest of all; -1 if the set is empty."""
    member = wide_next(a, start)
    return wide_next(a, 0) if member < 0 else member


def wide_only(a: int) -> int:
    """The only member; traps unless there is exactly one."""
    if wide_count(a) != 1:
        trap()
    return wide_next(a, 0)


def wide_until(to: int, a: int, stops: int, rising: int) -> None:
    """Writes the members up to and including the first stop, in rising or falling order."""
    first = -1
    at = wide_next(a, 0)
    met = 0
    while at >= 0:
        if wide_in(at, stops):
            met = 1
            first = at
            if rising:
                break
        at = wide_next(a, at + 1)
    wide_zero(to)
    at = wide_next(a, 0)
    while at >= 0:
        if met == 0 or (at <= first if rising else at >= first):
            store(to + 8 * (at >> 6), load(to + 8 * (at >> 6)) | 1 << (at & 63))
        at = wide_next(a, at + 1)


def wide_field(order: int, at: int, bits: int) -> int:
    """The field of an order at a bit offset; 0 after the last field."""
    if at + bits > 64 * WORDS:
        return 0
    off = at & 63
    field = load(order + 8 * (at >> 6)) >> off
    if off + bits > 64:
        field = field | load(order + 8 * (at >> 6) + 8) << (64 - off)
    return field & ((1 << bits) - 1)


def wide_note(order: int, at: int, bits: int, value: int) -> None:
    """Writes a field of an order; the field must have been 0."""
    if at + bits > 64 * WORDS:
        trap()
    off = at & 63
    word = order + 8 * (at >> 6)
    store(word, load(word) | value << off)
    if off + bits > 64:
        store(word + 8, load(word + 8) | value >> (64 - off))


def wide_members(to: int, order: int, bits: int) -> None:
    """Writes the set of the members of an order."""
    wide_zero(to)
    at = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        one = one - 1
        store(to + 8 * (one >> 6), load(to + 8 * (one >> 6)) | 1 << (one & 63))
        at = at + bits
        one = wide_field(order, at, bits)


def wide_without(to: int, order: int, member: int, bits: int) -> int:
    """Writes an order without one of its members; returns its length in bits."""
    wide_zero(to)
    at = 0
    end = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        if one != member + 1:
            wide_note(to, end, bits, one)
            end = end + bits
        at = at + bits
        one = wide_field(order, at, bits)
    return end


def wide_append(to: int, order: int, member: int, bits: int) -> None:
    """Writes an order with a member moved to its end, or added there."""
    wide_note(to, wide_without(to, order, member, bits), bits, member + 1)


def wide_place(order: int, member: int, bits: int) -> int:
    """The index of a member in an order, from 0; -1 if the order does not contain it."""
    at = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        if one == member + 1:
            return at
        at = at + 1
        one = wide_field(order, at * bits, bits)
    return -1


def wide_behind(to: int, order: int, bits: int) -> None:
    """Writes an order without its first member."""
    wide_zero(to)
    at = bits
    one = wide_field(order, at, bits)
    while one != 0:
        wide_note(to, at - bits, bits, one)
        at = at + bits
        one = wide_field(order, at, bits)
