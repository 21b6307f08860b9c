"""Multi-word sets on the stack and in locals, handled word by word.

Such a set is a list of words, lowest members first. Each word is a function that pushes it, or `None` for zero; the
function is called at most once, before anything else writes the cells it reads.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from rulespec.engine.wasm.wasm_format import Code
from rulespec.engine.wasm.widths import WORD

Word = Callable[[], None] | None
_MASK = (1 << WORD) - 1


def as_signed(value: int) -> int:
    """A 64-bit number in WebAssembly notation, in which the highest bit of a set is the sign."""
    return value - (1 << WORD) if value >> WORD - 1 == 1 else value


def push(code: Code, words: Sequence[Word]) -> None:
    """Pushes words, lowest first."""
    for word in words:
        if word is None:
            code.const(0)
        else:
            word()


def in_locals(code: Code, first: int, count: int) -> list[Word]:
    """The words of a set in consecutive locals."""
    return [partial(code.get, first + k) for k in range(count)]


def of_number(code: Code, value: int, count: int) -> list[Word]:
    """The words of a constant set."""
    parts = [value >> WORD * k & _MASK for k in range(count)]
    return [partial(code.const, as_signed(part)) if part else None for part in parts]


def loaded(code: Code, address: int, count: int) -> list[Word]:
    """The words of a set in memory, at the 32-bit address in a local."""

    def word(k: int) -> None:
        code.get(address)
        code.load(8 * k)

    return [partial(word, k) for k in range(count)]


def combined(code: Code, op: str, one: Sequence[Word], other: Sequence[Word]) -> list[Word]:
    """The words of the union (`|`), intersection (`&`) or difference (`diff`) of two equally wide sets."""

    def word(a: Callable[[], None], b: Callable[[], None]) -> None:
        a()
        b()
        if op == "diff":
            code.const(-1)
            code.do("xor")
        code.do("or" if op == "|" else "and")

    results: list[Word] = []
    for a, b in zip(one, other, strict=True):
        if a is None or b is None:
            results.append({"|": b if a is None else a, "diff": a}.get(op))
        else:
            results.append(partial(word, a, b))
    return results


def push_union(code: Code, words: Sequence[Word]) -> None:
    """Pushes the bitwise or of the words: zero if the set is empty."""
    push(code, words[:1])
    for word in words[1:]:
        if word is not None:
            word()
            code.do("or")


def push_differences(code: Code, one: Sequence[Word], other: Sequence[Word]) -> None:
    """Pushes a number that is zero if and only if two sets are equal."""
    for k, (a, b) in enumerate(zip(one, other, strict=True)):
        push(code, (a, b))
        code.do("xor")
        if k:
            code.do("or")


def push_count(code: Code, words: Sequence[Word]) -> None:
    """Pushes the number of members of a set."""
    code.const(0)
    for word in words:
        if word is not None:
            word()
            code.do("popcnt", "add")


def push_holds(code: Code, words: Sequence[Word], member: int) -> None:
    """Pushes whether a set holds the member in a local; false for -1 (none) and for numbers beyond the set."""
    _push_chosen(code, words, member)
    code.get(member)
    code.do("shr_u")
    code.const(1)
    code.do("and")
    code.const(0)
    code.get(member)
    code.const(WORD * len(words))
    code.do("lt_u", "select")


def _push_chosen(code: Code, words: Sequence[Word], member: int) -> None:
    """Pushes the word with a member's bit."""
    push(code, words)
    for k in range(len(words) - 1, 0, -1):
        code.get(member)
        code.const(WORD * k)
        code.do("lt_s", "select")


def single(code: Code, member: int, count: int) -> list[Word]:
    """The words of a set whose only member is in a local."""
    bit = code.local()
    code.const(1)
    code.get(member)
    code.do("shl")
    code.set(bit)
    if count == 1:
        return in_locals(code, bit, 1)

    def word(k: int) -> None:
        code.get(bit)
        code.const(0)
        code.get(member)
        code.const(WORD.bit_length() - 1)
        code.do("shr_s")
        code.const(k)
        code.do("eq", "select")

    return [partial(word, k) for k in range(count)]


def add_member(code: Code, first: int, count: int, member: int) -> None:
    """Adds the member in a local to the set in locals."""
    add(code, first, single(code, member, count))


def add(code: Code, first: int, words: Sequence[Word]) -> None:
    """Adds all members of a set to a set in locals."""
    for k, word in enumerate(words):
        if word is not None:
            code.get(first + k)
            word()
            code.do("or")
            code.set(first + k)


def clear(code: Code, first: int, count: int) -> None:
    """Empties the set in locals."""
    for k in range(count):
        code.const(0)
        code.set(first + k)


def take_lowest(code: Code, first: int, count: int, member: int, outside: int | None = None) -> None:
    """Moves the lowest member of a set in locals into a local; if the set is empty, branches out of the block
    `outside`.
    """
    taken = code.block() if count > 1 else None
    for k in range(count):
        further = code.block() if k < count - 1 else outside
        if further is not None:
            code.get(first + k)
            code.do("eqz")
            code.br_if(further)
        code.get(first + k)
        code.do("ctz")
        if k:
            code.const(WORD * k)
            code.do("add")
        code.set(member)
        code.get(first + k)
        code.get(first + k)
        code.const(1)
        code.do("sub", "and")
        code.set(first + k)
        if taken is not None and k < count - 1:
            code.br(taken)
            code.end()
    if taken is not None:
        code.end()


def split(code: Code, first: int, later: int, count: int, start: int, *, far: bool) -> None:
    """Moves the members before a given member from one set in locals to another; with `far`, the given member may lie
    beyond the set.
    """
    for k in range(count):
        code.get(first + k)
        code.get(first + k)
        if not far:
            code.get(start)
            code.do("shr_u")
            code.get(start)
            code.do("shl")
        else:
            code.get(start)
            code.const(WORD * k)
            code.call("from_start")
            code.do("and")
        code.set(later + k)
        code.get(later + k)
        code.do("xor")
        code.get(later + k)
        code.set(first + k)
        code.set(later + k)
