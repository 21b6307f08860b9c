"""The fixed functions for decisions that have been recorded; see `runtime`.

A recorded decision stands as an option does in the buffer of options: its number, the seat that took it (-1: whoever
may) and its arguments. `FOUND` has two addresses for each game: that of its next decision, and where they end.
"""

REPLAY = """
def named(one, first, last) -> int:
    number = load(one)
    while first < last:
        if load(SAMES + 8 * load(first)) == number:
            size = 16 + 8 * load(TAKES + STRIDE * load(first) + 8)
            at = 16
            while at < size and load(first + at) == load(one + at):
                at = at + 8
            if at >= size:
                return first
        first = first + STRIDE
    return 0

def legal(one) -> int:
    number = decision()
    if number < 0 or load(one) < 0:
        return 0
    store(OPTIONS, OPTIONS_BASE)
    own_again(number)
    found = named(one, OPTIONS_BASE, load(OPTIONS))
    if found == 0:
        last = load(OPTIONS)
        others(number)
        found = named(one, last, load(OPTIONS))
        if found == 0:
            return 0
    actor = load(found + 8)
    if actor < 0:
        actor = who(number)
    by = load(one + 8)
    if by >= 0 and by != actor:
        return 0
    return found

def replay(count, hashed):
    while load(GAME) < count:
        number = load(GAME)
        next = load(FOUND) + 16 * number
        if load(PAUSED) == 0:
            restored(load(ROWS) + ROW * number)
            if hashed:
                store(HASH, whole_hash())
            store(PAUSED, 1)
        one = load(next)
        end = load(next + 8)
        while one < end:
            store(JOURNAL, JOURNAL_BASE)
            found = legal(one)
            if found == 0:
                break
            take(found)
            if hashed:
                store(HASH, plus(load(HASH), grown(JOURNAL_BASE)))
                store(one + 8, load(HASH))
            one = one + STRIDE
            store(next, one)
            if load(BUDGET) < 0 and one < end:
                return
        saved(load(ROWS) + ROW * number)
        store(PAUSED, 0)
        store(GAME, number + 1)
"""

OF_REPLAY = frozenset({"replay"})
"""The functions that the host calls."""
