"""Comparisons of a set's members by keys."""

from __future__ import annotations

from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.loops import LoopEmitter, wide_call
from rulespec.engine.wasm.operators import fits
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW


class RankEmitter:
    """An emitter of loops that compare members."""

    def __init__(self, x: ExpressionEmitter, loops: LoopEmitter) -> None:
        self.x = x
        self.loops = loops
        x.add_forms({ir.Ranked: self._ranked}, {ir.Ranked: self._ranked_words})

    def _ranked(self, e: ir.Ranked) -> None:
        if e.op == "order":
            self._order(e)
        else:
            sets.push(self.x.code, self._ranked_words(e))

    def _ranked_words(self, e: ir.Ranked) -> list[Word]:
        """The first member, or the set of the best ones: its words, or its row's address."""
        x, code, words = self.x, self.x.code, self.x.words(e)
        keys, best = ([code.local() for _ in e.keys] for _ in range(2))
        some = code.local()
        result = x.memory.temporary() if words == ROW else code.locals(words)
        code.const(0)
        code.set(some)
        if words == ROW:
            code.const(result)
            code.call("wide_zero")
        elif e.op == "first":
            code.const(-1)
            code.set(result)
        else:
            sets.clear(code, result, words)
        with self.loops.members(e.source, e.start, e.slot) as (_, again):
            self.loops.unless(e.where, again)
            for key, local in zip(e.keys, keys, strict=True):
                x.value(key)
                code.set(local)
            self.loops.better(keys, best, some, "lt_s" if e.op == "first" else "gt_s")
            code.if_()
            for new, local in zip(keys, best, strict=True):
                code.get(new)
                code.set(local)
            code.const(1)
            code.set(some)
            self._rank(e, result, words)
            code.else_()
            if e.op == "best":
                code.const32(1)
                for new, local in zip(keys, best, strict=True):
                    code.get(new)
                    code.get(local)
                    code.do("eq", "i32.and")
                code.if_()
                self._rank_equal(e, result, words)
                code.end()
            code.end()
        return [partial(code.const, result)] if words == ROW else sets.in_locals(code, result, words)

    def _rank(self, e: ir.Ranked, best: int, words: int) -> None:
        """Records the best member so far."""
        code, local = self.x.code, self.x.slots[e.slot]
        if words == ROW:
            code.const(best)
            code.get(local)
            code.call("wide_bit")
        elif e.op == "first":
            code.get(local)
            code.set(best)
        else:
            sets.clear(code, best, words)
            sets.add_member(code, best, words, local)

    def _rank_equal(self, e: ir.Ranked, best: int, words: int) -> None:
        """Adds a member to the best ones."""
        code, local = self.x.code, self.x.slots[e.slot]
        if words == ROW:
            bit = self.x.memory.temporary()
            code.const(bit)
            code.get(local)
            code.call("wide_bit")
            wide_call(code, "wide_or", best, best, bit)
        else:
            sets.add_member(code, best, words, local)

    def _order(self, e: ir.Ranked) -> None:
        """The order of all members by their keys: rows of keys and member, sorted on insertion."""
        x, code = self.x, self.x.code
        fits(x, e.bits)
        width = len(e.keys) + 1
        rows = x.memory.room(8 * width * ((1 << e.bits) + 1))
        count = code.local()
        code.const(0)
        code.set(count)
        with self.loops.members(e.source, e.start, e.slot) as (_, again):
            self.loops.unless(e.where, again)
            row = code.local()
            code.get(count)
            code.const(8 * width)
            code.do("mul")
            code.const(rows)
            code.do("add")
            code.set(row)
            for number, key in enumerate((*e.keys, ir.Local(e.slot))):
                code.get(row)
                code.do("wrap")
                x.value(key)
                code.store(8 * number)
            code.const(rows)
            code.get(row)
            code.const(width)
            code.call("sort_in")
            code.get(count)
            code.const(1)
            code.do("add")
            code.set(count)
        wide = x.words(e) == ROW
        if wide:
            to = x.memory.temporary()
            code.const(to)
        code.const(rows)
        code.get(count)
        code.const(width)
        code.const(e.bits)
        code.call("wide_packed" if wide else "packed")
        if wide:
            code.const(to)
