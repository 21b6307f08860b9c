"""Game steps: single decisions on request, and perft, which counts and hashes all sequences of decisions."""

from rulespec.engine.wasm.runtime.games import decision, others, own, own_again, run, take
from rulespec.engine.wasm.runtime.hashes import grown, plus
from rulespec.engine.wasm.runtime.intrinsics import exported, load, store, trap
from rulespec.engine.wasm.runtime.journal import undo
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
from rulespec.engine.wasm.runtime.registers import (
    BUDGET,
    BY,
    COMPLETE,
    ENDED,
    HASH,
    IDLE_SIZE,
    JOURNAL,
    LEAVES,
    LEAVES_END,
    LEFT,
    LIMIT,
    MARK,
    NODES,
    OPTIONS,
)


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
    """Writes the words changed since the start of the journal and clears it; returns the end of the changes."""
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
    """Clears the unused bytes after each option's arguments, so that equal options have equal bytes; returns the end of
    the list.
    """
    one = OPTIONS_BASE
    last = load(OPTIONS)
    while one < last:
        at = one + 16 + 8 * load(TAKES + STRIDE * load(one) + 8)
        one = one + STRIDE
        while at < one:
            store(at, 0)
            at = at + 8
    return last


@exported
def descend(one: int, depth: int) -> int:
    """The number of leaves after an option."""
    mark = load(JOURNAL)
    before = load(HASH)
    leaves = 1
    store(NODES, load(NODES) + 1)
    take(one)
    if load(BUDGET) < 0:
        trap()
    reached = plus(before, grown(mark))
    if depth == 1:
        leaf(reached)
    else:
        store(HASH, reached)
        leaves = perft(depth - 1)
        store(HASH, before)
    undo(mark)
    return leaves


def leaf(total: int) -> None:
    """Writes the hash of a leaf."""
    top = load(LEAVES)
    if top >= load(LEAVES_END):
        trap()
    store(top, total)
    store(LEAVES, top + 8)


@exported
def perft(depth: int) -> int:
    """The number of leaves below the position, within the node limit."""
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
