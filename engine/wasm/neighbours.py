"""Sets and sums over adjacent cells, for expressions that passes create."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.loops import wide_call
from rulespec.engine.wasm.wasm_format import I32
from rulespec.engine.wasm.wide_sets import Word, as_signed
from rulespec.engine.wasm.widths import ROW

_FEW = 4_000
"""The number of cells whose sum always fits into 64 bits."""
_UNROLLED = 32
"""The maximum number of cells that are read without a loop."""


class NeighbourEmitter:
    """An emitter of loops over adjacent cells."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        forms: dict[type, Callable[..., None]] = {
            ir.Positive: self._positive,
            ir.Total: self._total,
            ir.Held: self._held,
            ir.Inverse: self._inverse,
        }
        x.add_forms(
            forms, {ir.Positive: self._positive_words, ir.Held: self._held_words, ir.Inverse: self._inverse_words}
        )

    @contextmanager
    def neighbours(self, e: ir.Positive | ir.Total | ir.Held) -> Iterator[tuple[int, int]]:
        """A loop over adjacent cells; yields the locals that hold the cell's number and its 32-bit address."""
        code = self.x.code
        i, at = code.local(), self._first(e)
        stride = 1 if isinstance(e, ir.Held) else e.stride
        code.const(0)
        code.set(i)
        outside, again = code.block(), code.loop()
        code.get(i)
        code.const(e.count)
        code.do("ge_s")
        code.br_if(outside)
        yield i, at
        code.get(i)
        code.const(1)
        code.do("add")
        code.set(i)
        code.get(at)
        code.const32(8 * stride)
        code.do("i32.add")
        code.set(at)
        code.br(again)
        code.end()
        code.end()

    def _first(self, e: ir.Positive | ir.Total | ir.Held) -> int:
        """The local with the 32-bit address of the first cell."""
        code = self.x.code
        at = code.local(I32)
        index = ir.Const(0) if isinstance(e, ir.Held) else e.index
        self.x.place(ir.Cell(e.base, index, self.x.memory.cells))
        code.do("wrap")
        code.set(at)
        return at

    def _total(self, e: ir.Total) -> None:
        code = self.x.code
        total = code.local()
        code.const(0)
        code.set(total)
        with self.neighbours(e) as (_, at):
            code.get(total)
            code.get(at)
            code.load()
            code.do("add") if e.count < _FEW else code.call("added")
            code.set(total)
        code.get(total)

    def _positive(self, e: ir.Positive) -> None:
        sets.push(self.x.code, self._positive_words(e))

    def _positive_words(self, e: ir.Positive) -> list[Word]:
        code = self.x.code
        if e.count <= _UNROLLED and self.x.words(e) == 1:
            return self._unrolled(e)
        with self.gathered(e) as (result, add), self.neighbours(e) as (i, at):
            code.get(at)
            code.load()
            code.const(0)
            code.do("gt_s")
            code.if_()
            add(i)
            code.end()
        return result

    def _unrolled(self, e: ir.Positive) -> list[Word]:
        """The set of a few positive cells, without a loop and without branches."""
        code, at, result = self.x.code, self._first(e), self.x.code.local()
        is_truth = self.x.p.cells[e.base].type == "bool"
        for i in range(e.count):
            code.get(at)
            code.load(8 * e.stride * i)
            if not is_truth:
                code.const(0)
                code.do("gt_s", "extend")
            if i:
                code.const(i)
                code.do("shl", "or")
        code.set(result)
        return sets.in_locals(code, result, 1)

    def _held(self, e: ir.Held) -> None:
        sets.push(self.x.code, self._held_words(e))

    def _held_words(self, e: ir.Held) -> list[Word]:
        x, code = self.x, self.x.code
        array = x.p.arrays[e.array]
        words = max(x.widths.of_array(e.array), x.words(e.value))
        wanted = x.held(e.value, words)
        size = x.memory.words if words == ROW else words
        first = x.memory.sets(array, size) if words > 1 else x.memory.numbers([as_signed(value) for value in array])
        place = code.local()
        with self.gathered(e) as (result, add), self.neighbours(e) as (i, at):
            code.get(at)
            code.load()
            code.const(8 * size)
            code.do("mul")
            code.const(first)
            code.do("add")
            code.set(place)
            self._same(place, wanted, words)
            code.if_()
            add(i)
            code.end()
        return result

    def _same(self, place: int, wanted: int, words: int) -> None:
        """Pushes whether the value at an address equals a value in locals or in a row."""
        code = self.x.code
        if words == ROW:
            code.get(place)
            code.get(wanted)
            code.call("wide_equal")
            code.do("wrap")
            return
        at = code.local(I32)
        code.get(place)
        code.do("wrap")
        code.set(at)
        sets.push_differences(code, sets.loaded(code, at, words), sets.in_locals(code, wanted, words))
        code.do("eqz")

    @contextmanager
    def gathered(self, e: ir.Expr) -> Iterator[tuple[list[Word], Callable[[int], None]]]:
        """Starts an empty set; yields its words (or the address of its row), and a function that adds the member in a
        local.
        """
        code, words = self.x.code, self.x.words(e)
        if words == ROW:
            to, bit = self.x.memory.temporary(), self.x.memory.temporary()
            code.const(to)
            code.call("wide_zero")

            def add(member: int) -> None:
                code.const(bit)
                code.get(member)
                code.call("wide_bit")
                wide_call(code, "wide_or", to, to, bit)

            yield [partial(code.const, to)], add
        else:
            result = code.locals(words)
            sets.clear(code, result, words)
            yield sets.in_locals(code, result, words), partial(sets.add_member, code, result, words)

    def _inverse(self, e: ir.Inverse) -> None:
        """The members for which an array has a value, from a table by value."""
        code, words = self.x.code, self.x.words(e)
        self._inverse_place(e, self.x.memory.words if words == ROW else words)
        if words == 1:
            code.do("wrap")
            code.load()

    def _inverse_words(self, e: ir.Inverse) -> list[Word]:
        words = self.x.words(e)
        if isinstance(e.value, ir.Const):
            return sets.of_number(self.x.code, _mask(self.x.p.arrays[e.array], e.value.value), words)
        self._inverse_place(e, words)
        return self.x.loaded(words)

    def _inverse_place(self, e: ir.Inverse, words: int) -> None:
        """Pushes the address of the set from `_inverse`."""
        code, array = self.x.code, self.x.p.arrays[e.array]
        of_value = max(self.x.widths.of_array(e.array), self.x.words(e.value))
        low, high = min(array, default=0), max(array, default=-1)
        if of_value == 1 and high - low <= 4 * len(array) + 64:
            values = [*range(low, high + 1)]
            self._from_low(e.value, low, len(values))
        else:
            values = sorted(set(array))
            self._one_of(e.value, values, of_value)
        # The first set, for numbers that are not values, is empty.
        code.const(8 * words)
        code.do("mul")
        code.const(self.x.memory.sets([0, *(_mask(array, value) for value in values)], words))
        code.do("add")

    def _from_low(self, e: ir.Expr, low: int, count: int) -> None:
        """Pushes the position of a value in a run from `low`, counted from 1; 0 if it is outside."""
        code, at = self.x.code, self.x.code.local()
        self.x.value(e)
        code.const(as_signed(low))
        code.do("sub")
        code.const(1)
        code.do("add")
        code.tee(at)
        code.const(0)
        code.get(at)
        code.const(count)
        code.do("le_u", "select")

    def _one_of(self, e: ir.Expr, values: Sequence[int], words: int) -> None:
        """`_from_low` for values of `words` words in any order."""
        x, code = self.x, self.x.code
        result, at = x.held(e, words), code.local()
        code.const(0)
        for number, value in enumerate(values, 1):
            code.set(at)
            code.const(number)
            code.get(at)
            if words == ROW:
                code.get(result)
                code.const(x.memory.sets([value], x.memory.words))
                code.call("wide_equal")
                code.do("wrap")
            else:
                one, other = sets.in_locals(code, result, words), sets.of_number(code, value, words)
                sets.push_differences(code, one, other)
                code.do("eqz")
            code.do("select")


def _mask(array: Sequence[int], value: int) -> int:
    """The members for which an array has a value, as a set."""
    return sum(1 << k for k, v in enumerate(array) if v == value)
