"""Rows of numbers: sorted rows, and minimum costs from a set to its members."""

from rulespec.engine.wasm.runtime.intrinsics import fill, load, store


def sort_in(rows: int, row: int, width: int) -> None:
    """Moves the last row into place; rows are sorted by all their numbers except the last."""
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
    """The last numbers of rows, as an order."""
    order = 0
    at = 0
    while at < count:
        order = order | load(rows + 8 * width * at + 8 * width - 8) + 1 << bits * at
        at = at + 1
    return order


def closed(rows: int, count: int) -> None:
    """Resets all costs. A member has two numbers: its cost, and a state: 0 (unknown), 1 (provisional) or 2 (final)."""
    fill(rows, 0, 16 * count)


def come_to(rows: int, member: int, cost: int) -> None:
    """Records a path to a member, unless a cheaper one is known."""
    row = rows + 16 * member
    if load(row + 8) == 0 or cost < load(row):
        store(row, cost)
        store(row + 8, 1)


def settled(rows: int, count: int) -> int:
    """The cheapest member without a final cost, now made final; -1 if there is none."""
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
