"""Hashes of positions: the weighted sum of all state words, modulo 2^64 - 59.

A residue is an unsigned 64-bit number below the modulus.
"""

from rulespec.engine.wasm.runtime.intrinsics import below, exported, load, store
from rulespec.engine.wasm.runtime.program import FEW, JOURNAL_BASE, SIGNS, STATE, STATE_END, WEIGHTS
from rulespec.engine.wasm.runtime.registers import BUDGET, HASH, JOURNAL, TRAIL, TRAIL_END


def residue(a: int, signed: int) -> int:
    """The residue of a number, signed or unsigned."""
    if signed and a < 0:
        return a - 59
    return a if below(a, -59) else a + 59


def plus(a: int, b: int) -> int:
    """The sum of two residues."""
    c = a + b
    if below(c, a):
        return c + 59
    return c if below(c, -59) else c + 59


def minus(a: int, b: int) -> int:
    """The difference of two residues."""
    c = a - b
    return c - 59 if below(a, b) else c


def times(a: int, b: int) -> int:
    """The product of two residues."""
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


def is_signed(at: int) -> int:
    """Whether a state word is signed."""
    return load(SIGNS + at - STATE)


@exported
def grown(mark: int) -> int:
    """The change in the hash due to the journal entries after a mark.

    Small changes, which are the most frequent ones, are multiplied by the two halves of their weights; the products are
    summed, and reduced once at the end.
    """
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


@exported
def whole_hash() -> int:
    """The hash of the state."""
    total = 0
    at = STATE
    while at < STATE_END:
        value = load(at)
        if value != 0:
            of = load(WEIGHTS + at - STATE)
            total = plus(total, times(residue(value, is_signed(at)), of))
        at = at + 8
    return total


def trail() -> None:
    """Writes the hash after a decision of a playout; interrupts the batch if there is no room for another hash."""
    total = plus(load(HASH), grown(JOURNAL_BASE))
    to = load(TRAIL)
    store(HASH, total)
    store(to, total)
    store(TRAIL, to + 8)
    if to + 8 >= load(TRAIL_END):
        store(BUDGET, -1)
