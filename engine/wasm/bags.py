"""Operators on bags: a word holds eight entities, with an eight-bit count each."""

from __future__ import annotations

from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.layout import TooLargeError
from rulespec.engine.wasm.values import ValueEmitter
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW, WORD
from rulespec.language.bags import BITS, MOST

OF_BAGS = frozenset({"lot", "amount", "total", "entities"})
_LOTS = WORD // BITS
"""Entities per word of a bag."""


class BagEmitter:
    """An emitter of operators on bags."""

    def __init__(self, x: ValueEmitter) -> None:
        self.x = x

    def value(self, e: ir.Op) -> None:
        """Pushes the result of an operator on bags: a number, a one-word bag or a one-word set.

        Raises:
            TooLargeError: if a bag has too many entities.
        """
        x, code = self.x, self.x.code
        if ROW in (x.words(e), x.words(e.args[0])):
            raise TooLargeError
        if e.op in ("lot", "entities"):
            sets.push(code, self.words(e, 1))
        elif e.op == "total":
            code.const(0)
            for word in self._bag_words(e):
                sets.push(code, [word])
                code.call("lots")
                code.do("add")
        else:
            words = self._bag_words(e)
            member = x.held(e.args[1], 1)
            sets.push(code, words)
            for k in range(len(words) - 1, 0, -1):
                code.get(member)
                code.const(k * _LOTS)
                code.do("lt_s", "select")
            code.get(member)
            code.const(_LOTS - 1)
            code.do("and")
            code.const(BITS)
            code.do("mul", "shr_u")
            code.const(MOST)
            code.do("and")

    def _bag_words(self, e: ir.Op) -> list[Word]:
        """The words of an operator's bag operand, in locals."""
        words = self.x.words(e.args[0])
        return sets.in_locals(self.x.code, self.x.held(e.args[0], words), words)

    def words(self, e: ir.Op, words: int) -> list[Word]:
        """The words of a bag or of a set of entities."""
        return self._lot(e, words) if e.op == "lot" else self._entities(e, words)

    def _lot(self, e: ir.Op, words: int) -> list[Word]:
        """The words of a bag with pieces of a single entity."""
        x, code = self.x, self.x.code
        number, member = x.held(e.args[0], 1), x.held(e.args[1], 1)
        for local in (number, member):
            code.get(local)
        code.const(0)
        code.call("lot")
        code.set(number)

        def word(k: int) -> None:
            code.get(number)
            code.const(0)
            code.get(member)
            code.const(_LOTS.bit_length() - 1)
            code.do("shr_s")
            code.const(k)
            code.do("eq", "select")

        return [partial(word, k) for k in range(words)]

    def _entities(self, e: ir.Op, words: int) -> list[Word]:
        """The words of the set of entities in a bag."""
        code, bag = self.x.code, self._bag_words(e)

        def word(k: int) -> None:
            code.const(0)
            for at, part in enumerate(bag[_LOTS * k : _LOTS * (k + 1)]):
                sets.push(code, [part])
                code.call("lot_entities")
                code.const(_LOTS * at)
                code.do("shl", "or")

        return [partial(word, k) for k in range(words)]
