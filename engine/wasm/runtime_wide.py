"""The fixed functions for sets and orders of several words; see `runtime`."""

WIDE = """
def wide_packed(to, rows, count, width, bits):
    wide_zero(to)
    at = 0
    while at < count:
        wide_note(to, bits * at, bits, load(rows + 8 * width * at + 8 * width - 8) + 1)
        at = at + 1

def wide_zero(to):
    fill(to, 0, 8 * WORDS)

def wide_copy(to, a):
    copy(to, a, 8 * WORDS)

def wide_from(to, a):
    wide_zero(to)
    store(to, a)

def wide_low(a) -> int:
    k = 1
    while k < WORDS:
        if load(a + 8 * k) != 0:
            trap()
        k = k + 1
    return load(a)

def wide_put(at, a):
    k = 0
    while k < WORDS:
        put(at + 8 * k, load(a + 8 * k))
        k = k + 1

def wide_or(to, a, b):
    k = 0
    while k < 8 * WORDS:
        store(to + k, load(a + k) | load(b + k))
        k = k + 8

def wide_and(to, a, b):
    k = 0
    while k < 8 * WORDS:
        store(to + k, load(a + k) & load(b + k))
        k = k + 8

def wide_diff(to, a, b):
    k = 0
    while k < 8 * WORDS:
        store(to + k, load(a + k) & ~load(b + k))
        k = k + 8

def wide_bit(to, member):
    if member < 0 or member >= 64 * WORDS:
        trap()
    wide_zero(to)
    store(to + 8 * (member >> 6), 1 << (member & 63))

def wide_one(to, member):
    if member < 0:
        wide_zero(to)
    else:
        wide_bit(to, member)

def wide_in(member, a) -> int:
    if member < 0 or member >= 64 * WORDS:
        return 0
    return load(a + 8 * (member >> 6)) >> (member & 63) & 1

def wide_count(a) -> int:
    found = 0
    k = 0
    while k < 8 * WORDS:
        found = found + count(load(a + k))
        k = k + 8
    return found

def wide_equal(a, b) -> int:
    k = 0
    while k < 8 * WORDS:
        if load(a + k) != load(b + k):
            return 0
        k = k + 8
    return 1

def wide_any(a) -> int:
    k = 0
    while k < 8 * WORDS:
        if load(a + k) != 0:
            return 1
        k = k + 8
    return 0

def wide_next(a, start) -> int:
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

def wide_pick(a, start) -> int:
    found = wide_next(a, start)
    return wide_next(a, 0) if found < 0 else found

def wide_only(a) -> int:
    if wide_count(a) != 1:
        trap()
    return wide_next(a, 0)

def wide_until(to, a, stops, rising):
    first = -1
    last = 64 * WORDS
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

def wide_field(order, at, bits) -> int:
    if at + bits > 64 * WORDS:
        return 0
    off = at & 63
    found = load(order + 8 * (at >> 6)) >> off
    if off + bits > 64:
        found = found | load(order + 8 * (at >> 6) + 8) << (64 - off)
    return found & ((1 << bits) - 1)

def wide_note(order, at, bits, value):
    if at + bits > 64 * WORDS:
        trap()
    off = at & 63
    word = order + 8 * (at >> 6)
    store(word, load(word) | value << off)
    if off + bits > 64:
        store(word + 8, load(word + 8) | value >> (64 - off))

def wide_members(to, order, bits):
    wide_zero(to)
    at = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        one = one - 1
        store(to + 8 * (one >> 6), load(to + 8 * (one >> 6)) | 1 << (one & 63))
        at = at + bits
        one = wide_field(order, at, bits)

def wide_without(to, order, member, bits) -> int:
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

def wide_append(to, order, member, bits):
    wide_note(to, wide_without(to, order, member, bits), bits, member + 1)

def wide_place(order, member, bits) -> int:
    at = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        if one == member + 1:
            return at
        at = at + 1
        one = wide_field(order, at * bits, bits)
    return -1

def wide_behind(to, order, bits):
    wide_zero(to)
    at = bits
    one = wide_field(order, at, bits)
    while one != 0:
        wide_note(to, at - bits, bits, one)
        at = at + bits
        one = wide_field(order, at, bits)
"""
