"""Operators: bounded arithmetic, look-ups, single-word sets and orders, and rows of members with sort keys or costs.

An order has a field of fixed width for each member, which holds the member's number + 1; the first member is in the
lowest bits.
"""

from rulespec.engine.program.limits import MAX_NUMBER, MAX_VALUES
from rulespec.engine.wasm.runtime.intrinsics import count, divided, fill, leading, load, lowest, store, trap
from rulespec.engine.wasm.runtime.registers import LEFT


def fit(a: int) -> int:
    """A number, checked against the bounds."""
    if a > MAX_NUMBER or a < -MAX_NUMBER:
        trap()
    return a


def product(a: int, b: int) -> int:
    """A product, checked against the bounds."""
    about = float(a) * float(b)
    if about > 2000000000000000.0 or 0.0 - about > 2000000000000000.0:
        trap()
    return fit(a * b)


def added(a: int, b: int) -> int:
    """A sum; traps if it exceeds 64 bits."""
    c = a + b
    if ((a ^ c) & (b ^ c)) < 0:
        trap()
    return c


def floor_divided(a: int, b: int) -> int:
    """A quotient, rounded down; traps if the divisor is zero."""
    if b == 0:
        trap()
    q = divided(a, b)
    if q * b != a and (a ^ b) < 0:
        q = q - 1
    return q


def remainder(a: int, b: int) -> int:
    """The remainder of `floor_divided`, with the sign of the divisor."""
    return a - floor_divided(a, b) * b


def find(table: int, count: int, width: int, keys: int) -> int:  # noqa: RET503 - `trap` never returns
    """The value of the row with these keys, in a table sorted by keys; traps if there is no such row."""
    low = 0
    high = count
    while low < high:
        middle = (low + high) >> 1
        row = table + 8 * (width + 1) * middle
        k = 0
        while k < width and load(row + 8 * k) == load(keys + 8 * k):
            k = k + 1
        if k == width:
            return load(row + 8 * width)
        if load(row + 8 * k) < load(keys + 8 * k):
            low = middle + 1
        else:
            high = middle
    trap()


def values(low: int, high: int) -> int:
    """The number of integers in a range."""
    if high - low >= MAX_VALUES:
        trap()
    return 0 if high < low else high - low + 1


def charge(steps: int) -> None:
    """Counts steps; traps if the budget is exceeded."""
    left = load(LEFT) - steps
    if left < 0:
        trap()
    store(LEFT, left)


def pick(mask: int, start: int) -> int:
    """The lowest member that is at least `start`, or else the lowest of all; -1 if the set is empty."""
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
    """An order with a member moved to its end, or added there."""
    rest = order_without(order, member, bits)
    at = 0
    while rest >> at != 0 and at < 64:
        at = at + bits
    if at + bits > 64:
        trap()
    return rest | (member + 1) << at


def order_place(order: int, member: int, bits: int) -> int:
    """The index of a member in an order, from 0; -1 if the order does not contain it."""
    at = 0
    while order != 0:
        if (order & ((1 << bits) - 1)) == member + 1:
            return at
        at = at + 1
        order = order >> bits
    return -1


def sort_in(rows: int, row: int, width: int) -> None:
    """Inserts the last row at its sorted position; rows are sorted by all their numbers except the last."""
    while row > rows:
        before = row - 8 * width
        k = 0
        less = 0
        while k < width - 1:
            if load(row + 8 * k) != load(before + 8 * k):
                less = load(row + 8 * k) < load(before + 8 * k)
                break
            k = k + 1
        if less == 0:
            break
        k = 0
        while k < width:
            one = load(row + 8 * k)
            store(row + 8 * k, load(before + 8 * k))
            store(before + 8 * k, one)
            k = k + 1
        row = before


def packed(rows: int, count: int, width: int, bits: int) -> int:
    """The order formed by the last number of each row."""
    order = 0
    at = 0
    while at < count:
        order = order | load(rows + 8 * width * at + 8 * width - 8) + 1 << bits * at
        at = at + 1
    return order


def closed(rows: int, count: int) -> None:
    """Resets all costs. A member has two numbers: its cost, and a state, which is 0 (unknown), 1 (provisional) or 2
    (final).
    """
    fill(rows, 0, 16 * count)


def come_to(rows: int, member: int, cost: int) -> None:
    """Records the cost of a path to a member, unless a lower cost is known."""
    row = rows + 16 * member
    if load(row + 8) == 0 or cost < load(row):
        store(row, cost)
        store(row + 8, 1)


def settled(rows: int, count: int) -> int:
    """Makes the lowest provisional cost final and returns its member; -1 if there is none."""
    best = -1
    row = rows
    member = 0
    while member < count:
        if load(row + 8) == 1:
            if best < 0 or load(row) < load(rows + 16 * best):
                best = member
        member = member + 1
        row = row + 16
    if best >= 0:
        store(rows + 16 * best + 8, 2)
    return best
