"""Changes to the state: the journal for undo, transfers of amounts, and updates of sets derived from cells."""

from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.engine.wasm.runtime.intrinsics import exported, load, store, trap
from rulespec.engine.wasm.runtime.program import JOURNAL_END, STATE
from rulespec.engine.wasm.runtime.registers import IDLE_SIZE, JOURNAL, REWRITTEN


@exported
def put(at: int, value: int) -> None:
    """Writes a number into the state."""
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


@exported
def undo(mark: int) -> None:
    """Undoes all changes after a mark."""
    top = load(JOURNAL)
    if top > mark:
        store(REWRITTEN, -1)
    while top > mark:
        top = top - 24
        store(load(top), load(top + 8))
    store(JOURNAL, mark)
    store(IDLE_SIZE, 0)


def transfer(source: int, target: int, amount: int, unlimited: int) -> None:
    """Moves an amount between cells; traps if the amount is negative, or if a limited source holds less."""
    there = load(source)
    if amount < 0:
        trap()
    if amount > (MAX_NUMBER if unlimited else there):
        trap()
    if amount != 0:
        put(source, there - amount)
        more = load(target) + amount
        put(target, more)
        if more > MAX_NUMBER or load(source) < -MAX_NUMBER:
            trap()


def occupied(entry: int, before: int, after: int) -> None:
    """Updates the sets in a list after a cell becomes or ceases to be positive."""
    if (before > 0) != (after > 0):
        left = load(entry)
        while left > 0:
            at = load(entry + 8)
            put(at, load(at) ^ load(entry + 16))
            entry = entry + 16
            left = left - 1


def transfer_counted(source: int, target: int, amount: int, unlimited: int, places: int) -> None:
    """Moves an amount between cells with derived sets; `places` has a list of these sets for each cell."""
    one = load(source)
    other = load(target)
    transfer(source, target, amount, unlimited)
    if source != target and amount != 0:
        entry = load(places + source - STATE)
        if entry != 0:
            occupied(entry, one, load(source))
        entry = load(places + target - STATE)
        if entry != 0:
            occupied(entry, other, load(target))


def house(at: int, value: int, houses: int) -> None:
    """Writes a place into a cell, and moves the cell's owner from the sets of the old place to the sets of the new one.

    Each entry of a list in `houses` has the address of the first set, the owner's bit, the array that maps places to
    set numbers, and the size of a set in bytes.
    """
    before = load(at)
    if before != value:
        entry = load(houses + at - STATE)
        put(at, value)
        left = load(entry)
        while left > 0:
            first = load(entry + 8)
            bit = load(entry + 16)
            array = load(entry + 24)
            stride = load(entry + 32)
            members = first + stride * load(array + 8 * before)
            put(members, load(members) ^ bit)
            members = first + stride * load(array + 8 * value)
            put(members, load(members) ^ bit)
            entry = entry + 32
            left = left - 1
