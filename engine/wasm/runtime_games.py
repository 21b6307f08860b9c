"""The fixed functions for whole games, and for hashes and perft; see `runtime`."""

GAMES = """
def reset():
    copy(STATE, START, STATE_END - STATE)
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE)
    store(PLY, 0)
    store(DECIDING, 0)
    store(IDLE_SIZE, 0)

def decision() -> int:
    return load(ASKED + 8 * load(STATE))

def listing():
    last = load(OPTIONS) + (MAX_OPTIONS - 1) * STRIDE
    store(LISTED_END, last if last < OPTIONS_END else OPTIONS_END)

def own(number):
    listing()
    store(LEFT, MAX_STEPS_LISTED)
    list_own(number)
    spent(MAX_STEPS_LISTED)

def others(number):
    listing()
    store(LEFT, MAX_STEPS_LISTED)
    list_others(number)
    spent(MAX_STEPS_LISTED)

def spent(steps):
    store(BUDGET, load(BUDGET) - steps + load(LEFT))
    store(LEFT, UNBOUNDED)

def idle(number) -> int:
    first = load(OPTIONS)
    listing()
    list_own(number)
    found = load(OPTIONS) - first
    store(OPTIONS, first)
    store(IDLE_AT, first)
    store(IDLE_SIZE, found)
    return found == 0

def own_again(number):
    size = load(IDLE_SIZE)
    if size > 0:
        copy(load(OPTIONS), load(IDLE_AT), size)
        store(OPTIONS, load(OPTIONS) + size)
    else:
        own(number)

def take(one):
    store(IDLE_SIZE, 0)
    row = TAKES + STRIDE * load(one)
    block = load(row)
    if block < 0:
        store(ROW_TAKEN, one)
        block = -1 - block
    else:
        at = 16
        while at < 16 + 8 * load(row + 8):
            put(load(row + at), load(one + at))
            at = at + 8
    store(LEFT, STEPS)
    run(block)

def run(block):
    while block >= 0:
        block = go(load(FUNCTIONS + 8 * block), load(ENTRIES + 8 * block))
        if block < -1:
            number = -2 - block
            block = -1
            if idle(load(ASKED + 8 * number)):
                block = load(OTHERWISE + 8 * number)
            else:
                put(STATE, number)
    spent(STEPS)

def choose() -> int:
    number = decision()
    store(OPTIONS, OPTIONS_BASE)
    first = OPTIONS_BASE
    own_again(number)
    last = load(OPTIONS)
    by = who(number)
    at = load(PLY) << 1
    if word(load(KEY), at) >> 11 < load(RATE):
        others(number)
        if load(OPTIONS) > last:
            first = last
            last = load(OPTIONS)
            by = 0
    found = (last - first) // STRIDE
    if found == 0:
        return 0
    if by >= 0:
        return first + STRIDE * drawn(at + 1, found)
    total = 0
    one = first
    while one < last:
        total = added(total, weight(0, one))
        one = one + STRIDE
    left = drawn(at + 1, total)
    one = first
    while one < last:
        left = left - weight(0, one)
        if left < 0:
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
        store(JOURNAL, JOURNAL_BASE)
        store(DECIDING, 1)
        taken = choose()
        if taken == 0:
            return 2
        take(taken)
        if load(TRAIL) != 0:
            trail()
        if check:
            if broken(0):
                return 3
        store(PLY, load(PLY) + 1)
        if load(BUDGET) < 0:
            return 4

def games(count, cap, check):
    while load(GAME) < count:
        number = load(GAME)
        row = RESULTS + RESULT * number
        status = 3
        if load(PAUSED):
            status = play(cap, check)
        else:
            seed(load(SEED), load(FIRST) + load(EACH) * number)
            reset()
            store(LEFT, STEPS)
            run(MAIN)
            if check == 0 or broken(1) == 0:
                status = play(cap, check)
        store(PAUSED, status == 4)
        if status == 4:
            return
        store(DECIDING, 0)
        store(row, status)
        store(row + 8, load(PLY))
        store(row + 16, load(STATE + 8))
        store(row + 24, load(STATE + 16))
        if status < 2 and load(STATE + 8) != 0:
            ranks(row + 32)
        store(GAME, number + 1)

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
"""

HASH = """
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
    low = 0
    high = 0
    top = load(JOURNAL)
    while mark < top:
        at = load(mark)
        of = load(WEIGHTS + at - STATE)
        if of != 0:
            before = load(mark + 8)
            after = load(mark + 16)
            change = after - before
            if (before ^ after) >= 0 and below(change + FEW, 2 * FEW):
                low = low + change * (of & 4294967295)
                high = high + change * (of >> 32)
            else:
                s = is_signed(at)
                total = plus(total, times(minus(residue(after, s), residue(before, s)), of))
        mark = mark + 24
    return plus(total, plus(residue(low, 1), times(residue(high, 1), 4294967296)))

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

def descend(one, depth) -> int:
    mark = load(JOURNAL)
    hash = load(HASH)
    leaves = 1
    store(NODES, load(NODES) + 1)
    take(one)
    if load(BUDGET) < 0:
        trap()
    reached = plus(hash, grown(mark))
    if depth == 1:
        leaf(reached)
    else:
        store(HASH, reached)
        leaves = perft(depth - 1)
        store(HASH, hash)
    undo(mark)
    return leaves

def leaf(hash):
    top = load(LEAVES)
    if top >= load(LEAVES_END):
        trap()
    store(top, hash)
    store(LEAVES, top + 8)

def perft(depth) -> int:
    number = decision()
    if number < 0:
        store(ENDED, load(ENDED) + 1)
        return 0
    first = load(OPTIONS)
    own_again(number)
    others(number)
    last = load(OPTIONS)
    leaves = 0
    one = first
    while one < last:
        if load(NODES) >= load(LIMIT):
            store(COMPLETE, 0)
            break
        leaves = leaves + descend(one, depth)
        one = one + STRIDE
    store(OPTIONS, first)
    return leaves
"""
