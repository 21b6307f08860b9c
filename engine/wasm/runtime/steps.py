"""Single decisions, driven one by one."""

from rulespec.engine.wasm.runtime.games import decision, others, own, own_again, run, take
from rulespec.engine.wasm.runtime.intrinsics import exported, load, store
from rulespec.engine.wasm.runtime.program import (
    CHANGED,
    JOURNAL_BASE,
    MARKS,
    OPTIONS_BASE,
    STATE,
    STEPS,
    STRIDE,
    TAKES,
    who,
)
from rulespec.engine.wasm.runtime.registers import BY, IDLE_SIZE, JOURNAL, LEFT, MARK, OPTIONS


@exported
def stepped(option: int, listing: int) -> int:
    """Applies an option with arguments from the host, or runs a block (-1 - option); returns the end of the changes.

    With `listing`, it also lists the options of the next decision.
    """
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
            _ = cleared()
    return changed()


def changed() -> int:
    """Writes the words changed since the start of the journal, and clears it; returns the end of the changes."""
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


@exported
def asks(number: int) -> int:
    """Lists the options of the decider; returns the end of the list."""
    store(OPTIONS, OPTIONS_BASE)
    own(number)
    return cleared()


@exported
def asks_others(number: int) -> int:
    """Lists the options of other seats; returns the end of the list."""
    store(OPTIONS, OPTIONS_BASE)
    others(number)
    return cleared()


def cleared() -> int:
    """Clears the unused bytes after each option's arguments, so that equal options have equal bytes."""
    one = OPTIONS_BASE
    last = load(OPTIONS)
    while one < last:
        at = one + 16 + 8 * load(TAKES + STRIDE * load(one) + 8)
        one = one + STRIDE
        while at < one:
            store(at, 0)
            at = at + 8
    return last
