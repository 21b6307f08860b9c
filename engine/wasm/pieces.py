"""Invariants split into pieces, each of which is tested for the members in one word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from rulespec.engine.program import ir
from rulespec.engine.wasm.widths import WORD


class Piece(NamedTuple):
    """A part of an invariant for the members in one word; an invariant that cannot be split is a single piece."""

    invariant: int
    word: int
    members: int


def pieces(p: ir.Program) -> list[Piece]:
    """The pieces of all invariants, in order."""
    masks = [v.each[1] if v.each is not None else 1 for v in p.invariants]
    return [Piece(number, word, part) for number, mask in enumerate(masks) for word, part in by_word(mask)]


def by_word(mask: int) -> Iterator[tuple[int, int]]:
    """The non-zero words of a set, each with its number."""
    word = 0
    while mask:
        if part := mask & (1 << WORD) - 1:
            yield word, part
        mask >>= WORD
        word += 1
