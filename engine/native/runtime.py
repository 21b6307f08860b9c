"""The fixed functions of every module: journal, numbers, sets, orders, random numbers, playouts, perft.

They are written in a small part of Python (`small_python`); names in capitals are addresses and numbers of `layout`.
"""

NUMBERS = '''
def put(at, value):
    old = load(at)
    if old != value:
        top = load(JOURNAL)
        if top >= JOURNAL_END:
            trap()
        store(top, at)
        store(top + 8, old)
        store(top + 16, value)
        store(JOURNAL, top + 24)
        store(at, value)

def undo(mark):
    top = load(JOURNAL)
    while top > mark:
        top = top - 24
        store(load(top), load(top + 8))
    store(JOURNAL, mark)

def fit(a) -> int:
    if a > MOST or a < -MOST:
        trap()
    return a

def product(a, b) -> int:
    about = float(a) * float(b)
    if about > 2000000000000000.0 or 0.0 - about > 2000000000000000.0:
        trap()
    return fit(a * b)

def added(a, b) -> int:
    c = a + b
    if ((a ^ c) & (b ^ c)) < 0:
        trap()
    return c

def flip(a) -> int:
    if a > MOST or a < -MOST:
        return -a
    return a

def floor_divided(a, b) -> int:
    if b == 0:
        trap()
    q = divided(a, b)
    if q * b != a and (a ^ b) < 0:
        q = q - 1
    return q

def remainder(a, b) -> int:
    return a - floor_divided(a, b) * b

def find(table, count, width, keys) -> int:
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

def values(low, high) -> int:
    if high - low >= MAX_VALUES:
        trap()
    return 0 if high < low else high - low + 1

def charge(steps):
    left = load(VALUES) - steps
    if left < 0:
        trap()
    store(VALUES, left)

def room() -> int:
    top = load(OPTIONS)
    if top > OPTIONS_END:
        trap()
    if top - load(LISTED) >= MAX_OPTIONS * STRIDE:
        trap()
    store(OPTIONS, top + STRIDE)
    return top

def transfer(source, target, amount, unlimited):
    there = load(source)
    if amount < 0:
        trap()
    if amount > (MOST if unlimited else there):
        trap()
    if amount != 0:
        put(source, there - amount)
        more = load(target) + amount
        put(target, more)
        if more > MOST or load(source) < -MOST:
            trap()

def occupied(list, before, after):
    if (before > 0) != (after > 0):
        left = load(list)
        while left > 0:
            at = load(list + 8)
            put(at, load(at) ^ load(list + 16))
            list = list + 16
            left = left - 1

def transfer_counted(source, target, amount, unlimited, places):
    one = load(source)
    other = load(target)
    transfer(source, target, amount, unlimited)
    if source != target and amount != 0:
        list = load(places + source - STATE)
        if list != 0:
            occupied(list, one, load(source))
        list = load(places + target - STATE)
        if list != 0:
            occupied(list, other, load(target))

def house(at, value, houses):
    before = load(at)
    if before != value:
        list = load(houses + at - STATE)
        put(at, value)
        left = load(list)
        while left > 0:
            first = load(list + 8)
            bit = load(list + 16)
            array = load(list + 24)
            stride = load(list + 32)
            set = first + stride * load(array + 8 * before)
            put(set, load(set) ^ bit)
            set = first + stride * load(array + 8 * value)
            put(set, load(set) ^ bit)
            list = list + 32
            left = left - 1
'''

SETS = '''
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
'''

ROWS = '''
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
'''

WIDE = '''
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
'''

GAMES = '''
def reset():
    copy(STATE, START, STATE_END - STATE)
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE)
    store(PLY, 0)
    store(DRAWN, 0)

def decision() -> int:
    return load(ASKED + 8 * load(STATE))

def own(number):
    store(LISTED, load(OPTIONS))
    store(VALUES, MAX_STEPS_LISTED)
    list_own(number)

def others(number):
    store(LISTED, load(OPTIONS))
    store(VALUES, MAX_STEPS_LISTED)
    list_others(number)

def idle(number) -> int:
    first = load(OPTIONS)
    own(number)
    found = load(OPTIONS) - first
    store(OPTIONS, first)
    return found == 0

def take(one):
    row = TAKES + STRIDE * load(one)
    at = 16
    while at < 16 + 8 * load(row + 8):
        put(load(row + at), load(one + at))
        at = at + 8
    store(LEFT, STEPS)
    run(load(row))

def supposed(block):
    store(LEFT, 1000000000000)
    run(block)

def seed(words):
    before = 19650218
    store(TWISTER, before)
    i = 1
    while i < 624:
        before = (1812433253 * (before ^ before >> 30) + i) & 4294967295
        store(TWISTER + 8 * i, before)
        i = i + 1
    i = 1
    j = 0
    k = 624 if words < 624 else words
    while k > 0:
        before = load(TWISTER + 8 * i - 8)
        mixed = (load(TWISTER + 8 * i) ^ (before ^ before >> 30) * 1664525) + load(KEY + 8 * j) + j
        store(TWISTER + 8 * i, mixed & 4294967295)
        i = i + 1
        j = j + 1
        if i >= 624:
            store(TWISTER, load(TWISTER + 8 * 623))
            i = 1
        if j >= words:
            j = 0
        k = k - 1
    k = 623
    while k > 0:
        before = load(TWISTER + 8 * i - 8)
        mixed = (load(TWISTER + 8 * i) ^ (before ^ before >> 30) * 1566083941) - i
        store(TWISTER + 8 * i, mixed & 4294967295)
        i = i + 1
        if i >= 624:
            store(TWISTER, load(TWISTER + 8 * 623))
            i = 1
        k = k - 1
    store(TWISTER, 2147483648)
    store(TWISTER_AT, 624)

def twist():
    i = 0
    one = load(TWISTER)
    while i < 624:
        j = i + 1 if i < 623 else 0
        m = i + 397 if i < 227 else i - 227
        other = load(TWISTER + 8 * j)
        y = (one & 2147483648) | (other & 2147483647)
        store(TWISTER + 8 * i, load(TWISTER + 8 * m) ^ y >> 1 ^ (2567483615 if y & 1 else 0))
        one = other
        i = i + 1
    store(TWISTER_AT, 0)

def next_word() -> int:
    if load(TWISTER_AT) >= 624:
        twist()
    at = load(TWISTER_AT)
    store(TWISTER_AT, at + 1)
    y = load(TWISTER + 8 * at)
    y = y ^ y >> 11
    y = y ^ y << 7 & 2636928640
    y = y ^ y << 15 & 4022730752
    return y ^ y >> 18

def random() -> int:
    store(DRAWN, load(DRAWN) + 1)
    high = next_word() >> 5
    return high * 67108864 + (next_word() >> 6)

def choose() -> int:
    number = decision()
    store(OPTIONS, OPTIONS_BASE)
    first = OPTIONS_BASE
    own(number)
    last = load(OPTIONS)
    by = who(number)
    out_of_turn = 0
    if random() < load(RATE):
        others(number)
        if load(OPTIONS) > last:
            first = last
            last = load(OPTIONS)
            out_of_turn = 1
    found = (last - first) // STRIDE
    if found == 0:
        return 0
    share = float(random()) * 1.1102230246251565e-16
    taken = first + STRIDE * int(share * float(found))
    if out_of_turn:
        by = load(taken + 8)
    if by >= 0:
        return taken
    total = 0
    one = first
    while one < last:
        total = added(total, weight(0, one))
        one = one + STRIDE
    at = share * float(total)
    one = first
    while one < last:
        at = at - float(weight(0, one))
        if at < 0.0:
            return one
        one = one + STRIDE
    return last - STRIDE

def play(cap, check) -> int:
    while 1:
        number = decision()
        if number < 0:
            return 0
        if load(PLY) >= cap:
            return 1
        taken = choose()
        if taken == 0:
            return 2
        store(JOURNAL, JOURNAL_BASE)
        take(taken)
        store(PLY, load(PLY) + 1)
        if check:
            if broken(0):
                return 3

def read_by(list):
    left = load(list)
    while left > 0:
        at = MEMBERS + 8 * load(list + 8)
        store(at, load(at) | load(list + 16))
        list = list + 16
        left = left - 1

def broken(all) -> int:
    copy(MEMBERS, EVERY if all else ALWAYS, 8 * INVARIANTS)
    if all == 0:
        at = JOURNAL_BASE
        top = load(JOURNAL)
        while at < top:
            list = load(READERS + load(at) - STATE)
            if list != 0:
                read_by(list)
            at = at + 24
    number = 0
    while number < INVARIANTS:
        members = load(MEMBERS + 8 * number)
        if members != 0:
            if holds(number, members) == 0:
                return 1
        number = number + 1
    return 0
'''

HASH = '''
def residue(a, signed) -> int:
    if signed and a < 0:
        return a - 59
    return a if below(a, -59) else a + 59

def plus(a, b) -> int:
    c = a + b
    if below(c, a):
        return c + 59
    return c if below(c, -59) else c + 59

def minus(a, b) -> int:
    c = a - b
    return c - 59 if below(a, b) else c

def times(a, b) -> int:
    low = (a & 4294967295) * (b & 4294967295)
    one = (a & 4294967295) * (b >> 32)
    other = (a >> 32) * (b & 4294967295)
    middle = (low >> 32) + (one & 4294967295) + (other & 4294967295)
    high = (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32) + (middle >> 32)
    low = middle << 32 | low & 4294967295
    part = (high & 4294967295) * 59
    rest = (high >> 32) * 59 + (part >> 32)
    high = rest << 32 | part & 4294967295
    return plus(plus(residue(low, 0), residue(high, 0)), (rest >> 32) * 59)

def is_signed(at) -> int:
    return load(SIGNS + at - STATE)

def grown(mark) -> int:
    total = 0
    top = load(JOURNAL)
    while mark < top:
        at = load(mark)
        of = load(WEIGHTS + at - STATE)
        if of != 0:
            s = is_signed(at)
            total = plus(total, times(minus(residue(load(mark + 16), s), residue(load(mark + 8), s)), of))
        mark = mark + 24
    return total

def whole_hash() -> int:
    total = 0
    at = STATE
    while at < STATE_END:
        value = load(at)
        if value != 0:
            of = load(WEIGHTS + at - STATE)
            total = plus(total, times(residue(value, is_signed(at)), of))
        at = at + 8
    return total

def perft(depth) -> int:
    if depth == 0:
        top = load(LEAVES)
        if top >= load(LEAVES_END):
            trap()
        store(top, load(HASH))
        store(LEAVES, top + 8)
        return 1
    number = decision()
    if number < 0:
        store(ENDED, load(ENDED) + 1)
        return 0
    first = load(OPTIONS)
    own(number)
    others(number)
    last = load(OPTIONS)
    mark = load(JOURNAL)
    hash = load(HASH)
    leaves = 0
    one = first
    while one < last:
        if load(NODES) >= load(LIMIT):
            store(COMPLETE, 0)
            break
        store(NODES, load(NODES) + 1)
        take(one)
        store(HASH, plus(hash, grown(mark)))
        leaves = leaves + perft(depth - 1)
        undo(mark)
        store(HASH, hash)
        one = one + STRIDE
    store(OPTIONS, first)
    return leaves
'''

SOURCES = (NUMBERS, SETS, ROWS, WIDE, GAMES, HASH)
EXPORTS = frozenset({"undo", "reset", "own", "others", "seed", "play", "broken", "whole_hash", "grown", "perft", "random", "take", "choose", "put"})
