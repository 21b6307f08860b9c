"""Search: positions passed by the host as rows of numbers.

A row has the first words of the rules' cells, followed by the further words of wide cells, for which `MOVED` lists
pairs of an offset in the row and an address. `ANSWERS` has a number for each row.
"""

from rulespec.engine.wasm.runtime.games import decision, others, own, take
from rulespec.engine.wasm.runtime.hashes import grown, plus, whole_hash
from rulespec.engine.wasm.runtime.intrinsics import copy, exported, load, store, trap
from rulespec.engine.wasm.runtime.journal import house, occupied, put, undo
from rulespec.engine.wasm.runtime.program import (
    CHANGED,
    HOUSES,
    JOURNAL_BASE,
    MOVED,
    MOVED_END,
    OPTIONS_BASE,
    PLACES,
    ROW,
    RULES_END,
    STATE,
    STATE_END,
    STRIDE,
    weight,
    who,
)
from rulespec.engine.wasm.runtime.registers import (
    ANSWERS,
    GAME,
    IDLE_SIZE,
    JOURNAL,
    NEXT,
    OPTIONS,
    OUT,
    OUT_END,
    PLY,
    REWRITTEN,
    ROWS,
)


def moved_part(row: int, at: int, end: int) -> None:
    """Writes the differing words of a row into the part of the state between two addresses, and updates the derived
    sets.

    It first lists the differences without branching on them, since such branches are unpredictable.
    """
    store(REWRITTEN, -1)
    further = row - STATE
    top = CHANGED
    while at + 32 <= end:
        one = load(at) ^ load(at + further)
        two = load(at + 8) ^ load(at + further + 8)
        three = load(at + 16) ^ load(at + further + 16)
        four = load(at + 24) ^ load(at + further + 24)
        if one | two | three | four:
            store(top, at)
            top = top + 8 * (one != 0)
            store(top, at + 8)
            top = top + 8 * (two != 0)
            store(top, at + 16)
            top = top + 8 * (three != 0)
            store(top, at + 24)
            top = top + 8 * (four != 0)
        at = at + 32
    while at < end:
        store(top, at)
        top = top + 8 * (load(at) != load(at + further))
        at = at + 8
    one = CHANGED
    while one < top:
        at = load(one)
        value = load(at + further)
        before = load(at)
        if load(HOUSES + at - STATE) != 0:
            house(at, value, HOUSES)
        else:
            put(at, value)
        entry = load(PLACES + at - STATE)
        if entry != 0:
            occupied(entry, before, value)
        one = one + 8


def moved_wide(row: int) -> None:
    """Writes the words of wide cells in a row into the state."""
    pair = MOVED
    while pair < MOVED_END:
        put(load(pair + 8), load(row + load(pair)))
        pair = pair + 16


@exported
def moved(row: int) -> None:
    """Writes the differing words of a row into the state."""
    moved_part(row, STATE, RULES_END)
    moved_wide(row)


@exported
def restored(row: int) -> None:
    """Loads the position of a row, with an empty journal."""
    undo(JOURNAL_BASE)
    moved(row)
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE)
    store(PLY, 0)


@exported
def saved(row: int) -> None:
    """Writes the position into a row."""
    copy(row, STATE, RULES_END - STATE)
    pair = MOVED
    while pair < MOVED_END:
        store(row + load(pair), load(load(pair + 8)))
        pair = pair + 16


def snapshot(to: int) -> None:
    """Copies the whole state to an address."""
    copy(to, STATE, STATE_END - STATE)


def returned(snapshot: int) -> None:
    """Restores a snapshot, with an empty journal; a snapshot is faster to restore than a row, but larger."""
    copy(STATE, snapshot, STATE_END - STATE)
    store(REWRITTEN, -1)
    store(JOURNAL, JOURNAL_BASE)
    store(OPTIONS, OPTIONS_BASE)
    store(IDLE_SIZE, 0)
    store(PLY, 0)


@exported
def listed(out_of_turn: int) -> int:
    """Lists the options of the decider and, if requested, of other seats; returns their number."""
    store(OPTIONS, OPTIONS_BASE)
    number = decision()
    if number < 0:
        return 0
    own(number)
    if out_of_turn:
        others(number)
    return (load(OPTIONS) - OPTIONS_BASE) // STRIDE


@exported
def decider() -> int:
    """The deciding seat; -1 if chance decides, -2 if the game is over."""
    number = decision()
    if number < 0:
        return -2
    return who(number)


@exported
def weigh(out_of_turn: int) -> None:
    """Writes the weight of each option."""
    size = listed(out_of_turn)
    to = load(ANSWERS)
    one = OPTIONS_BASE
    while size > 0:
        store(to, weight(0, one))
        to = to + 8
        one = one + STRIDE
        size = size - 1


@exported
def look(count: int, what: int, out_of_turn: int) -> None:
    """Writes for each row its number of options (`what` is 0), its decider (1) or its hash (2)."""
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        answer = 0
        if what == 0:
            answer = listed(out_of_turn)
        if what == 1:
            answer = decider()
        if what == 2:
            answer = whole_hash()
        store(load(ANSWERS) + 8 * number, answer)
        store(GAME, number + 1)


@exported
def advance(count: int, out_of_turn: int) -> None:
    """Replaces each row with the position after an option, whose number is in `ANSWERS`."""
    while load(GAME) < count:
        number = load(GAME)
        row = load(ROWS) + ROW * number
        restored(row)
        k = load(load(ANSWERS) + 8 * number)
        if k < 0 or k >= listed(out_of_turn):
            trap()
        take(OPTIONS_BASE + STRIDE * k)
        saved(row)
        store(GAME, number + 1)


@exported
def expand(count: int, out_of_turn: int) -> None:
    """For each option of each row, writes the next position as a row, the index of the old row, and the new hash.

    Returns early if the buffer is full; another call resumes at that point.
    """
    while load(GAME) < count:
        number = load(GAME)
        restored(load(ROWS) + ROW * number)
        size = listed(out_of_turn)
        total = 0
        if size > 0:
            total = whole_hash()
        k = load(NEXT)
        while k < size:
            to = load(OUT)
            if to + ROW + 16 > load(OUT_END):
                return
            take(OPTIONS_BASE + STRIDE * k)
            saved(to)
            store(to + ROW, number)
            store(to + ROW + 8, plus(total, grown(JOURNAL_BASE)))
            undo(JOURNAL_BASE)
            store(OUT, to + ROW + 16)
            k = k + 1
            store(NEXT, k)
        store(NEXT, 0)
        store(GAME, number + 1)
