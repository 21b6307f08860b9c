"""Definitions, tables by key, and what would be after a procedure."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.native.expressions import ExpressionEmitter
from rulespec.engine.native.widths import WORD
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_ONCE_STEPS

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
        if self.x.costs.procedure(e.block) > MAX_ONCE_STEPS:  # the interpreter counts its steps
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
        self.x.either(e.body, wide)
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
