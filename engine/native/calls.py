"""Definitions, tables by key, and what would be after a procedure."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.native.expressions import ExpressionEmitter
from rulespec.engine.native.wasm_format import I64
from rulespec.engine.native.widths import WORD
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_ONCE_STEPS
from rulespec.engine.program.traversal import Facts

_ROWS_BITS = 8
"""Of the number of rows that are remembered of a definition, as a power of two."""
_MIXING = -7046029254386353131
_PATIENCE = 1 << 40
"""More steps than a procedure has that is supposed to have run."""


class CallEmitter:
    """Writes calls into the function at hand."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        forms: dict[type, Callable[..., None]] = {
            ir.Lookup: self._lookup,
            ir.Call: self._call,
            ir.Suppose: self._suppose,
        }
        x.add_forms(forms)

    def _lookup(self, e: ir.Lookup) -> None:
        table = self.x.p.tables[e.table]
        keys = _unpacked(e.key)
        found = {tuple(_numbers(key)): value for key, value in table.items()}
        width = max([len(keys), *map(len, found)])
        rows = sorted(((*[0] * (width - len(key)), *key), value) for key, value in found.items())
        code = self.x.code
        at = self.x.memory.room(8 * width)
        for number, key in enumerate([*[ir.Const(0)] * (width - len(keys)), *keys]):
            code.const32(0)
            self.x.value(key)
            code.store(at + 8 * number)
        code.const(self.x.memory.numbers([x for key, value in rows for x in (*key, value)]) if rows else 0)
        code.const(len(rows))
        code.const(width)
        code.const(at)
        code.call("find")

    def _call(self, e: ir.Call) -> None:
        code = self.x.code
        slots, wide = self.x.widths.functions[e.function]
        to = self.x.memory.temporary() if wide else 0
        if wide:  # the next call of the definition has its result at the same place
            code.const(to)
        for slot, arg in enumerate(e.args):
            self.x.either(arg, slots.get(slot, False))
        code.call(f"f{e.function}")
        if wide:
            code.call("wide_copy")
            code.const(to)

    def _suppose(self, e: ir.Suppose) -> None:
        code, constants = self.x.code, self.x.memory.constants
        if self.x.costs.whole.procedure(e.block) > MAX_ONCE_STEPS:  # the interpreter counts its steps
            code.do("unreachable")
            code.const(0)
            return
        wide = self.x.wide(e)
        mark, left, found = code.local(), code.local(), code.local()
        args = [code.local() for _ in e.args]
        code.at(constants["JOURNAL"])
        code.set(mark)
        code.at(constants["LEFT"])
        code.set(left)
        for cell, arg, local in zip(e.params, e.args, args, strict=True):
            self.x.either(arg, self.x.widths.cells[cell])
            code.set(local)
        passed = self.x.given[e.block]
        for cell, local in zip(e.params, args, strict=True):
            if cell not in passed:
                code.const(self.x.memory.address(cell))
                code.get(local)
                code.call("wide_put" if self.x.widths.cells[cell] else "put")
        code.const32(0)
        code.const(_PATIENCE)
        code.store(constants["LEFT"])
        code.const(-1)
        for cell in passed:
            code.get(args[e.params.index(cell)])
        code.call(f"p{e.block}")
        code.do("drop")
        if wide:  # it may be a cell of the state that is taken back
            code.const(found_at := self.x.memory.temporary())
        kept, self.x.kept = self.x.kept, {}  # in another state
        self.x.either(e.body, wide)
        self.x.kept = kept
        if wide:
            code.call("wide_copy")
            code.const(found_at)
        code.set(found)
        code.get(mark)
        code.call("undo")
        code.const32(0)
        code.get(left)
        code.store(constants["LEFT"])
        code.get(found)


class Definitions:
    """Writes the functions of definitions.

    What takes longer than a look-up, and depends on the arguments alone, is remembered for the arguments that it was
    asked for last, as generated Python does.
    """

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        self._facts = Facts(x.p)

    def write(self) -> None:
        """Writes all functions."""
        for number, f in enumerate(self.x.p.functions):
            self._write(number, f)

    def _write(self, number: int, f: ir.Function) -> None:
        x = self.x
        code = x.begin(f.params)
        slots, wide = x.widths.functions[number]
        x.slots = {slot: slot for slot in range(f.params)}
        x.wide_slots = dict(slots)
        whole = (*(value for _, value in f.lets), f.body)
        memo = not wide and not any(slots.get(i) for i in range(f.params)) and self._facts.worth_memo(whole, f.params)
        counts = self._facts.counts(ir.Call(number, ()))
        row = self._remembered(f.params, counts=counts) if memo else -1
        before = code.local()
        if memo and counts:
            code.at(x.memory.constants["LEFT"])
            code.set(before)
        for slot, value in f.lets:
            x.either(value, slots.get(slot, False))
            local = x.slots[slot] = code.local()
            code.set(local)
        if f.steps is not None:
            x.value(f.steps)
            code.call("charge")
        x.either(f.body, wide)
        if memo:
            self._remember(f.params, row, before if counts else -1)
        code.module.define(f"f{number}", code, f.params, I64)

    def _remembered(self, params: int, *, counts: bool) -> int:
        """Returns what is remembered; else the local with the address of the row where it would be.

        With `counts`, the steps that it took are remembered with it, and counted again.
        """
        code = self.x.code
        row = code.local()
        size = 8 * (params + 2 + counts)
        for i in range(params):
            code.get(i)
            if i:
                code.do("add")
            code.const(_MIXING)
            code.do("mul")
        code.const(64 - _ROWS_BITS)
        code.do("shr_u")
        code.const(size)
        code.do("mul")
        code.const(self.x.memory.room(size << _ROWS_BITS))
        code.do("add")
        code.tee(row)
        code.do("wrap")
        code.load()
        code.do("wrap")
        for i in range(params):
            code.get(row)
            code.do("wrap")
            code.load(8 * (i + 1))
            code.get(i)
            code.do("eq", "i32.and")
        code.if_()
        if counts:
            code.get(row)
            code.do("wrap")
            code.load(size - 8)
            code.call("charge")
        code.get(row)
        code.do("wrap")
        code.load(8 * (params + 1))
        code.do("return")
        code.end()
        return row

    def _remember(self, params: int, row: int, before: int) -> None:
        """Writes the row of the value on the stack; `before`: the local with the steps that were left before it."""
        code = self.x.code
        value, one = code.local(), code.local()
        code.set(value)
        code.const(1)
        code.set(one)
        if before >= 0:
            code.get(before)
            code.at(self.x.memory.constants["LEFT"])
            code.do("sub")
            code.set(before)
        for i, local in enumerate((one, *range(params), value, *([before] if before >= 0 else []))):
            code.get(row)
            code.do("wrap")
            code.get(local)
            code.store(8 * i)
        code.get(value)


def _unpacked(e: ir.Expr) -> list[ir.Expr]:
    """The keys of a table that are packed into one number, each with so many bits as a word."""
    if isinstance(e, ir.Const):
        return [ir.Const(key) for key in _numbers(e.value)]
    if isinstance(e, ir.Op) and e.op == "+" and isinstance(e.args[0], ir.Const) and e.args[0].value % (1 << WORD) == 0:
        return [*map(ir.Const, _numbers(e.args[0].value >> WORD)), e.args[1]]
    shifted, last = e.args if isinstance(e, ir.Op) and e.op == "+" else (e, ir.Const(0))
    if isinstance(shifted, ir.Op) and shifted.op == "*" and shifted.args[1] == ir.Const(1 << WORD):
        return [*_unpacked(shifted.args[0]), last]
    return [e]


def _numbers(packed: int) -> list[int]:
    """The numbers that are packed into one."""
    last = (packed + (1 << WORD - 1)) % (1 << WORD) - (1 << WORD - 1)
    rest = (packed - last) >> WORD
    return [*_numbers(rest), last] if rest else [last]
