"""Sets and sums over neighbouring cells, which passes have made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulespec.engine.native.expressions import ExpressionEmitter, as_signed
from rulespec.engine.native.wasm_format import I32
from rulespec.engine.program import ir

_FEW = 4_000
"""So many numbers that cells hold have a sum of 64 bits."""


class NeighbourEmitter:
    """Writes loops over neighbouring cells into the function at hand."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        forms: dict[type, Callable[..., None]] = {
            ir.Positive: self._positive,
            ir.Total: self._total,
            ir.Held: self._held,
            ir.Inverse: self._inverse,
        }
        x.add_forms(forms)

    @contextmanager
    def neighbours(self, e: ir.Positive | ir.Total | ir.Held) -> Iterator[tuple[int, int]]:
        """A loop over neighbouring cells: the locals of the number of the cell and of its address, of 32 bits."""
        code = self.x.code
        i, at = code.local(), code.local(I32)
        stride = 1 if isinstance(e, ir.Held) else e.stride
        index = ir.Const(0) if isinstance(e, ir.Held) else e.index
        self.x.place(ir.Cell(e.base, index, self.x.memory.cells))
        code.do("wrap")
        code.set(at)
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
        code = self.x.code
        with self.gathered(e) as add, self.neighbours(e) as (i, at):
            code.get(at)
            code.load()
            code.const(0)
            code.do("gt_s")
            code.if_()
            add(i)
            code.end()

    def _held(self, e: ir.Held) -> None:
        code = self.x.code
        wanted = code.local()
        self.x.value(e.value)
        code.set(wanted)
        array = self.x.memory.numbers(self.x.p.arrays[e.array])
        with self.gathered(e) as add, self.neighbours(e) as (i, at):
            code.get(at)
            code.load()
            code.do("wrap")
            code.const32(3)
            code.do("i32.shl")
            code.const32(array)
            code.do("i32.add")
            code.load()
            code.get(wanted)
            code.do("eq")
            code.if_()
            add(i)
            code.end()

    @contextmanager
    def gathered(self, e: ir.Expr) -> Iterator[Callable[[int], None]]:
        """Gathers members, which are in locals, and pushes the set of them at the end."""
        code, wide = self.x.code, self.x.wide(e)
        to, found = (self.x.memory.temporary(), 0) if wide else (0, code.local())
        code.const(to)
        if wide:
            code.call("wide_zero")
        else:
            code.set(found)

        def add(member: int) -> None:
            if wide:
                bit = self.x.memory.temporary()
                code.const(bit)
                code.get(member)
                code.call("wide_bit")
                code.const(to)
                code.const(to)
                code.const(bit)
                code.call("wide_or")
                return
            code.get(found)
            code.const(1)
            code.get(member)
            code.do("shl", "or")
            code.set(found)

        yield add
        if wide:
            code.const(to)
        else:
            code.get(found)

    def _inverse(self, e: ir.Inverse) -> None:
        """The set of those of whom an array says a value: a table by value."""
        code, array = self.x.code, self.x.p.arrays[e.array]
        low, high = min(array, default=0), max(array, default=-1)
        wide = self.x.wide(e)
        if high - low > 4 * len(array) + 64:
            values = sorted(set(array))
        else:
            values = [*range(low, high + 1)]
        masks = [sum(1 << k for k, v in enumerate(array) if v == value) for value in values]
        at, found = code.local(), code.local()
        self.x.value(e.value)
        code.set(found)
        code.const(0)
        code.set(at)
        if len(values) == high - low + 1:
            code.get(found)
            code.const(low)
            code.do("sub")
            code.const(1)
            code.do("add")
            code.tee(at)
            code.const(0)
            code.get(at)
            code.const(len(values))
            code.do("le_u", "select")
            code.set(at)
        else:
            for number, value in enumerate(values):
                code.const(number + 1)
                code.get(at)
                code.get(found)
                code.const(value)
                code.do("eq", "select")
                code.set(at)
        # The set of what is no value is empty; it stands first.
        code.get(at)
        code.const(8 * self.x.memory.words if wide else 8)
        code.do("mul")
        masks = [0, *masks]
        code.const(self.x.memory.sets(masks) if wide else self.x.memory.numbers([as_signed(mask) for mask in masks]))
        code.do("add")
        if not wide:
            code.do("wrap")
            code.load()
