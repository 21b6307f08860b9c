"""The fixed functions for sets, orders and sorted rows; see `runtime`."""

SETS = """
def pick(mask, start) -> int:
    if mask == 0:
        return -1
    ahead = mask >> start << start
    return lowest(mask if ahead == 0 else ahead)

def only(mask) -> int:
    if count(mask) != 1:
        trap()
    return lowest(mask)

def until(mask, stops, rising) -> int:
    met = mask & stops
    if met == 0:
        return mask
    if rising:
        return mask & (met ^ (met - 1))
    last = 63 - leading(met)
    return mask >> last << last

def order_members(order, bits) -> int:
    found = 0
    while order != 0:
        found = found | 1 << (order & ((1 << bits) - 1)) - 1
        order = order >> bits
    return found

def order_without(order, member, bits) -> int:
    found = 0
    at = 0
    while order != 0:
        one = order & ((1 << bits) - 1)
        if one != member + 1:
            found = found | one << at
            at = at + bits
        order = order >> bits
    return found

def order_append(order, member, bits) -> int:
    rest = order_without(order, member, bits)
    at = 0
    while rest >> at != 0 and at < 64:
        at = at + bits
    if at + bits > 64:
        trap()
    return rest | (member + 1) << at

def order_place(order, member, bits) -> int:
    at = 0
    while order != 0:
        if (order & ((1 << bits) - 1)) == member + 1:
            return at
        at = at + 1
        order = order >> bits
    return -1
"""

ROWS = """
def sort_in(rows, row, width):
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

def packed(rows, count, width, bits) -> int:
    found = 0
    at = 0
    while at < count:
        found = found | load(rows + 8 * width * at + 8 * width - 8) + 1 << bits * at
        at = at + 1
    return found

def closed(rows, count):
    fill(rows, 0, 16 * count)

def come_to(rows, member, sum):
    row = rows + 16 * member
    if load(row + 8) == 0 or sum < load(row):
        store(row, sum)
        store(row + 8, 1)

def settled(rows, count) -> int:
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
"""
