"""Whole games: decisions, option lists, invariants after each decision."""

from rulespec.engine.program.limits import MAX_LISTED
from rulespec.engine.wasm.runtime.arithmetic import added
from rulespec.engine.wasm.runtime.draws import drawn, seed, word
from rulespec.engine.wasm.runtime.hashes import trail
from rulespec.engine.wasm.runtime.intrinsics import copy, exported, load, store
from rulespec.engine.wasm.runtime.journal import put
from rulespec.engine.wasm.runtime.program import (
    ALWAYS,
    ASKED,
    ENTRIES,
    EVERY,
    FUNCTIONS,
    INVARIANTS,
    JOURNAL_BASE,
    MAIN,
    MAX_OPTIONS,
    MEMBERS,
    OPTIONS_BASE,
    OPTIONS_END,
    OTHERWISE,
    READERS,
    RESULT,
    RESULTS,
    SAMES,
    START,
    STATE,
    STATE_END,
    STEPS,
    STRIDE,
    TAKES,
    UNBOUNDED,
    WEIGHED,
    go,
    holds,
    list_others,
    list_own,
    ranks,
    weight,
    who,
)
from rulespec.engine.wasm.runtime.registers import (
    BUDGET,
    CODED,
    DECIDING,
    EACH,
    FIRST,
    GAME,
    IDLE_AT,
    IDLE_SIZE,
    JOURNAL,
    KEY,
    LEFT,
    LISTED_END,
    OPTIONS,
    PAUSED,
    PLY,
    RATE,
    REWRITTEN,
    ROW_TAKEN,
    SEED,
    TRAIL,
    TRAIL_END,
)


@exported
def reset() -> None:
    """Resets the game to the state before the first block."""
    copy(STATE, START, STATE_END - STATE)
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE)
    store(PLY, 0)
    store(DECIDING, 0)
    store(IDLE_SIZE, 0)
    store(REWRITTEN, -1)


def decision() -> int:
    """The number of the open decision; -1 if the game is over."""
    return load(ASKED + 8 * load(STATE))


def listing() -> None:
    """Sets the address at which the next listing must end."""
    last = load(OPTIONS) + (MAX_OPTIONS - 1) * STRIDE
    store(LISTED_END, last if last < OPTIONS_END else OPTIONS_END)


@exported
def own(number: int) -> None:
    """Lists the options of the decider."""
    listing()
    store(LEFT, MAX_LISTED)
    list_own(number)
    spent(MAX_LISTED)


@exported
def others(number: int) -> None:
    """Lists the options of other seats."""
    listing()
    store(LEFT, MAX_LISTED)
    list_others(number)
    spent(MAX_LISTED)


def spent(steps: int) -> None:
    """Charges the steps used from the budget of a listing to the budget of the batch."""
    store(BUDGET, load(BUDGET) - steps + load(LEFT))
    store(LEFT, UNBOUNDED)


def idle(number: int) -> int:
    """Whether a decision has no option; if it has any, they stay listed for `own_again`."""
    first = load(OPTIONS)
    listing()
    list_own(number)
    size = load(OPTIONS) - first
    store(OPTIONS, first)
    store(IDLE_AT, first)
    store(IDLE_SIZE, size)
    return size == 0


def own_again(number: int) -> None:
    """Lists the options of the decider, or copies the list made by `idle`."""
    size = load(IDLE_SIZE)
    if size > 0:
        copy(load(OPTIONS), load(IDLE_AT), size)
        store(OPTIONS, load(OPTIONS) + size)
    else:
        own(number)


@exported
def take(one: int) -> None:
    """Applies an option."""
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


@exported
def run(block: int) -> None:
    """Runs blocks until the game waits for a decision or is over."""
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


@exported
def choose() -> int:
    """The address of a random option, where all options of a seat are equally likely; 0 if there is none."""
    return chosen(0)


def chosen(weighing: int) -> int:
    """The address of a random option, with seats' options drawn by weight if `weighing`; 0 if there is none."""
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
            weighing = 0
    size = (last - first) // STRIDE
    if size == 0:
        return 0
    if (by >= 0 and not weighing) or not load(WEIGHED + 8 * number):
        return first + STRIDE * drawn(at + 1, size)
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


def written(one: int, number: int) -> None:
    """Writes an option as a code; interrupts the batch if there is no room for another code."""
    to = load(TRAIL)
    end = 16 + 8 * load(TAKES + STRIDE * load(one) + 8)
    store(to, load(SAMES + 8 * load(one)))
    store(to + 8, load(one + 8) if load(one + 8) >= 0 else who(number))
    at = 16
    while at < STRIDE:
        store(to + at, load(one + at) if at < end else 0)
        at = at + 8
    store(TRAIL, to + STRIDE)
    if to + 2 * STRIDE > load(TRAIL_END):
        store(BUDGET, -1)


@exported
def play(cap: int, check: int) -> int:
    """Continues the game; returns 0 at its end, 1 after `cap` decisions, 2 if nothing is legal, 3 if an invariant is
    broken, and 4 if interrupted.
    """
    return played(cap, check, 0)


def played(cap: int, check: int, weighing: int) -> int:
    """Continues the game like `play`; with `weighing`, seats' options are drawn by weight."""
    while True:
        number = decision()
        if number < 0:
            return 0
        if load(PLY) >= cap:
            return 1
        store(JOURNAL, JOURNAL_BASE)
        store(DECIDING, 1)
        option = chosen(weighing)
        if option == 0:
            return 2
        if load(CODED):
            written(option, number)
        take(option)
        if load(TRAIL) != 0 and load(CODED) == 0:
            trail()
        if check:
            if broken(0):
                return 3
        store(PLY, load(PLY) + 1)
        if load(BUDGET) < 0:
            return 4


@exported
def games(count: int, cap: int, check: int) -> None:
    """Plays a batch of games from the start; after an interruption, another call resumes."""
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


def read_by(entry: int, change: int) -> int:
    """Adds the invariants in a list to the invariants that must be tested, and a cell's change to the linear equations
    in the list; returns how many more equations no longer hold.
    """
    left = load(entry)
    while left > 0:
        at = MEMBERS + 8 * load(entry + 8)
        store(at, load(at) | load(entry + 16))
        entry = entry + 16
        left = left - 1
    left = load(entry + 8)
    unequal = 0
    while left > 0:
        at = load(entry + 16)
        before = load(at)
        after = before + change * load(entry + 24)
        store(at, after)
        unequal = unequal + (after != 0) - (before != 0)
        entry = entry + 16
        left = left - 1
    return unequal


def read(sign: int) -> int:
    """Adds all changes in the journal, multiplied by `sign`, to the linear equations, and the invariants that read a
    changed cell to the invariants that must be tested; returns how many more equations no longer hold.
    """
    unequal = 0
    at = JOURNAL_BASE
    top = load(JOURNAL)
    while at < top:
        entry = load(READERS + load(at) - STATE)
        if entry != 0:
            unequal = unequal + read_by(entry, (load(at + 16) - load(at + 8)) * sign)
        at = at + 24
    return unequal


@exported
def broken(every: int) -> int:
    """Whether an invariant is broken; tests all invariants if `every` is set, or if a linear equation no longer holds,
    otherwise only those that read a cell in the journal.
    """
    copy(MEMBERS, EVERY if every else ALWAYS, 8 * INVARIANTS)
    if every == 0:
        unequal = read(1)
        if unequal != 0:
            unequal = unequal + read(-1)  # between decisions, all changes are 0
            copy(MEMBERS, EVERY, 8 * INVARIANTS)
    number = 0
    while number < INVARIANTS:
        members = load(MEMBERS + 8 * number)
        if members != 0:
            if holds(number, members) == 0:
                return 1
        number = number + 1
    return 0
