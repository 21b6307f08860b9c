"""The fixed functions for decisions that are driven one by one; see `runtime`."""

STEPS = """
def stepped(option, listing) -> int:
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE + STRIDE)
    if option >= 0:
        store(OPTIONS_BASE, option)
        take(OPTIONS_BASE)
    else:
        store(LEFT, STEPS)
        store(IDLE_SIZE, 0)
        run(-1 - option)
    number = decision()
    if number >= 0:
        store(BY, who(number))
        if listing:
            store(OPTIONS, OPTIONS_BASE)
            own_again(number)
            size = cleared()
    return changed()

def changed() -> int:
    stamp = load(MARK) + 1
    store(MARK, stamp)
    to = CHANGED
    at = JOURNAL_BASE
    top = load(JOURNAL)
    while at < top:
        cell = load(at)
        if load(MARKS + cell - STATE) != stamp:
            store(MARKS + cell - STATE, stamp)
            now = load(cell)
            if now != load(at + 8):
                store(to, cell - STATE >> 3)
                store(to + 8, load(at + 8))
                store(to + 16, now)
                to = to + 24
        at = at + 24
    store(JOURNAL, JOURNAL_BASE)
    return to >> 3

def asks(number) -> int:
    store(OPTIONS, OPTIONS_BASE)
    own(number)
    return cleared()

def asks_others(number) -> int:
    store(OPTIONS, OPTIONS_BASE)
    others(number)
    return cleared()

def cleared() -> int:
    one = OPTIONS_BASE
    last = load(OPTIONS)
    while one < last:
        at = one + 16 + 8 * load(TAKES + STRIDE * load(one) + 8)
        one = one + STRIDE
        while at < one:
            store(at, 0)
            at = at + 8
    return last
"""

OF_STEPS = frozenset({"stepped", "asks", "asks_others"})
"""The functions that the host calls."""
