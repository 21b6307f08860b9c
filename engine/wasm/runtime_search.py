"""The fixed functions for search: positions that the host hands over as rows of numbers; see `runtime`.

A row has the cells of the rules, and after them the further words of wide ones, which `MOVED` lists: pairs of an
offset in the row and an address. `FOUND` has a number for each row.
"""

SEARCH = """
def moved(row):
    at = STATE
    while at < RULES_END:
        value = load(row)
        before = load(at)
        if value != before:
            if load(HOUSES + at - STATE) != 0:
                house(at, value, HOUSES)
            else:
                put(at, value)
            list = load(PLACES + at - STATE)
            if list != 0:
                occupied(list, before, value)
        at = at + 8
        row = row + 8
    row = row - RULES_END + STATE
    pair = MOVED
    while pair < MOVED_END:
        put(load(pair + 8), load(row + load(pair)))
        pair = pair + 16

def restored(row):
    undo(JOURNAL_BASE)
    moved(row)
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE)
    store(PLY, 0)

def saved(row):
    copy(row, STATE, RULES_END - STATE)
    pair = MOVED
    while pair < MOVED_END:
        store(row + load(pair), load(load(pair + 8)))
        pair = pair + 16

def listed(out_of_turn) -> int:
    store(OPTIONS, OPTIONS_BASE)
    number = decision()
    if number < 0:
        return 0
    own(number)
    if out_of_turn:
        others(number)
    return (load(OPTIONS) - OPTIONS_BASE) // STRIDE

def decider() -> int:
    number = decision()
    if number < 0:
        return -2
    return who(number)

def weigh(out_of_turn):
    found = listed(out_of_turn)
    to = load(FOUND)
    one = OPTIONS_BASE
    while found > 0:
        store(to, weight(0, one))
        to = to + 8
        one = one + STRIDE
        found = found - 1

def look(count, what, out_of_turn):
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        found = 0
        if what == 0:
            found = listed(out_of_turn)
        if what == 1:
            found = decider()
        if what == 2:
            found = whole_hash()
        store(load(FOUND) + 8 * number, found)
        store(GAME, number + 1)

def advance(count, out_of_turn):
    while load(GAME) < count:
        number = load(GAME)
        row = load(ROWS) + ROW * number
        restored(row)
        k = load(load(FOUND) + 8 * number)
        if k < 0 or k >= listed(out_of_turn):
            trap()
        take(OPTIONS_BASE + STRIDE * k)
        saved(row)
        store(GAME, number + 1)

def expand(count, out_of_turn):
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        found = listed(out_of_turn)
        hash = 0
        if found > 0:
            hash = whole_hash()
        k = load(NEXT)
        while k < found:
            to = load(OUT)
            if to + ROW + 16 > load(OUT_END):
                return
            take(OPTIONS_BASE + STRIDE * k)
            saved(to)
            store(to + ROW, number)
            store(to + ROW + 8, plus(hash, grown(JOURNAL_BASE)))
            undo(JOURNAL_BASE)
            store(OUT, to + ROW + 16)
            k = k + 1
            store(NEXT, k)
        store(NEXT, 0)
        store(GAME, number + 1)

def trail():
    hash = plus(load(HASH), grown(JOURNAL_BASE))
    to = load(TRAIL)
    store(HASH, hash)
    store(to, hash)
    store(TRAIL, to + 8)
    if to + 8 >= load(TRAIL_END):
        store(BUDGET, -1)

def playouts(count, cap):
    while load(GAME) < count:
        number = load(GAME)
        row = RESULTS + RESULT * number
        if load(PAUSED) == 0:
            restored(load(ROWS) + ROW * number)
            seed(load(SEED), load(FIRST) + load(EACH) * number)
            if load(TRAIL) != 0:
                store(HASH, whole_hash())
        status = play(cap, 0)
        store(PAUSED, status == 4)
        if status == 4:
            return
        store(row, status)
        store(row + 8, load(PLY))
        store(row + 16, load(STATE + 8))
        store(row + 24, load(STATE + 16))
        ranks(row + 32)
        store(GAME, number + 1)
"""

OF_SEARCH = frozenset({"moved", "restored", "saved", "listed", "decider", "weigh"}) | frozenset(
    {"look", "advance", "expand", "playouts"}
)
"""The functions that the host calls."""
