"""Sets of up to four words on the stack, one parameter for each word, the lowest members first."""

from rulespec.engine.wasm.runtime.intrinsics import count, load, lowest, trap
from rulespec.engine.wasm.runtime.program import WORDS


def from_start(start: int, first: int) -> int:
    """The bits from a member on in the word whose first member is `first`."""
    if start <= first:
        return -1
    if start >= first + 64:
        return 0
    return -1 << start - first


def row_fits(a: int, words: int) -> None:
    """Traps if a row has members after so many words."""
    while words < WORDS:
        if load(a + 8 * words) != 0:
            trap()
        words = words + 1


def lowest1(w0: int) -> int:
    """The first member of one word; -1 if there is none."""
    if w0 != 0:
        return 0 + lowest(w0)
    return -1


def pick1(w0: int, start: int) -> int:
    """The first member of one word from a number on, else the first of all; -1 if there is none."""
    member = lowest1(w0 & from_start(start, 0))
    return lowest1(w0) if member < 0 else member


def only1(w0: int) -> int:
    """The only member of one word."""
    if count(w0) != 1:
        trap()
    return lowest1(w0)


def lowest2(w0: int, w1: int) -> int:
    """The first member of two words; -1 if there is none."""
    if w0 != 0:
        return 0 + lowest(w0)
    if w1 != 0:
        return 64 + lowest(w1)
    return -1


def pick2(w0: int, w1: int, start: int) -> int:
    """The first member of two words from a number on, else the first of all; -1 if there is none."""
    member = lowest2(w0 & from_start(start, 0), w1 & from_start(start, 64))
    return lowest2(w0, w1) if member < 0 else member


def only2(w0: int, w1: int) -> int:
    """The only member of two words."""
    if count(w0) + count(w1) != 1:
        trap()
    return lowest2(w0, w1)


def lowest3(w0: int, w1: int, w2: int) -> int:
    """The first member of three words; -1 if there is none."""
    if w0 != 0:
        return 0 + lowest(w0)
    if w1 != 0:
        return 64 + lowest(w1)
    if w2 != 0:
        return 128 + lowest(w2)
    return -1


def pick3(w0: int, w1: int, w2: int, start: int) -> int:
    """The first member of three words from a number on, else the first of all; -1 if there is none."""
    member = lowest3(w0 & from_start(start, 0), w1 & from_start(start, 64), w2 & from_start(start, 128))
    return lowest3(w0, w1, w2) if member < 0 else member


def only3(w0: int, w1: int, w2: int) -> int:
    """The only member of three words."""
    if count(w0) + count(w1) + count(w2) != 1:
        trap()
    return lowest3(w0, w1, w2)


def lowest4(w0: int, w1: int, w2: int, w3: int) -> int:
    """The first member of four words; -1 if there is none."""
    if w0 != 0:
        return 0 + lowest(w0)
    if w1 != 0:
        return 64 + lowest(w1)
    if w2 != 0:
        return 128 + lowest(w2)
    if w3 != 0:
        return 192 + lowest(w3)
    return -1


def pick4(w0: int, w1: int, w2: int, w3: int, start: int) -> int:
    """The first member of four words from a number on, else the first of all; -1 if there is none."""
    member = lowest4(
        w0 & from_start(start, 0), w1 & from_start(start, 64), w2 & from_start(start, 128), w3 & from_start(start, 192)
    )
    return lowest4(w0, w1, w2, w3) if member < 0 else member


def only4(w0: int, w1: int, w2: int, w3: int) -> int:
    """The only member of four words."""
    if count(w0) + count(w1) + count(w2) + count(w3) != 1:
        trap()
    return lowest4(w0, w1, w2, w3)
