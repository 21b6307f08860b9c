"""Loops inside expressions: over the members of a set, or over the members of a closure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.engine.program.traversal import alternatives
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.wasm_format import I64, Code
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW, WORD
from rulespec.language.intervals import Interval
from rulespec.language.operators import OPERATORS

_SUM = 1 << 62
"""The bound below which sums need no overflow test."""
_FOUND_NONE = {"any": 0, "all": 1, "first": -1, "count": 0, "sum": 0}


class LoopEmitter:
    """An emitter of loops."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        forms: dict[type, Callable[..., None]] = {
            ir.Fold: self._fold,
        }
        x.add_forms(forms, {ir.Fold: self._set_fold})

    @contextmanager
    def slot(self, number: int, words: int) -> Iterator[int]:
        """Binds a slot to a new local for the members of a set of `words` words."""
        x = self.x
        slots, known = x.slots.copy(), x.known.copy()
        local = x.slots[number] = x.code.local()
        x.known[number] = -words
        yield local
        x.slots, x.known = slots, known

    @contextmanager
    def members(self, source: ir.Expr, start: ir.Expr | None, slot: int) -> Iterator[tuple[int, int]]:
        """A loop over the members of a set in cyclic order; yields the labels for leaving it and for continuing."""
        words = self.x.words(source)
        if words == ROW:
            self.x.address(source)
            with self.wide_members(start, slot) as labels:
                yield labels
            return
        code = self.x.code
        rest, later = self.x.held(source, words), code.locals(words) if start is not None else -1
        if start is not None:
            first = self.x.held(start, 1)
            sets.split(code, rest, later, words, first, far=bool(self.x.widths.words))
        with self.slot(slot, words) as local:
            outside, again = code.block(), code.loop()
            self.taken(rest, later, local, outside, words)
            yield outside, again
            code.br(again)
            code.end()
            code.end()

    def taken(self, rest: int, later: int, local: int, outside: int, words: int) -> None:
        """Moves the lowest remaining member into a local; when none remains, continues with the members before the
        start.
        """
        code = self.x.code
        if later >= 0:
            sets.push_union(code, sets.in_locals(code, rest, words))
            code.do("eqz")
            code.if_()
            code.get_all(later, words)
            code.set_all(rest, words)
            sets.clear(code, later, words)
            code.end()
        sets.take_lowest(code, rest, words, local, outside)

    @contextmanager
    def wide_members(self, start: ir.Expr | None, slot: int) -> Iterator[tuple[int, int]]:
        """Like `members`, but for a set in a row of memory, whose address is on the stack."""
        code = self.x.code
        source, first, at, round_ = code.local(), code.local(), code.local(), code.local()
        code.set(source)
        if start is not None:
            self.x.value(start)
        else:
            code.const(0)
        code.tee(first)
        code.set(at)
        code.const(0)
        code.set(round_)
        with self.slot(slot, ROW) as local:
            outside, again = code.block(), code.loop()
            code.get(source)
            code.get(at)
            code.call("wide_next")
            code.set(local)
            code.get(local)
            code.const(0)
            code.do("lt_s")
            code.if_()
            code.get(round_)
            code.do("wrap")
            code.br_if(outside)
            code.const(1)
            code.set(round_)
            code.const(0)
            code.set(at)
            code.br(again)
            code.end()
            code.get(round_)
            code.do("wrap")
            code.if_()
            code.get(local)
            code.get(first)
            code.do("ge_s")
            code.br_if(outside)
            code.end()
            code.get(local)
            code.const(1)
            code.do("add")
            code.set(at)
            yield outside, again
            code.br(again)
            code.end()
            code.end()

    def unless(self, where: ir.Expr | None, again: int) -> None:
        """Skips to the next member unless a condition holds."""
        if where is not None:
            self.x.truth(where)
            self.x.code.do("i32.eqz")
            self.x.code.br_if(again)

    def _fold(self, e: ir.Fold) -> None:
        if self.x.words(e) == ROW:
            self._row_fold(e)
        elif e.op in ("set", "union"):
            sets.push(self.x.code, self._set_fold(e))
        elif e.op in ("min", "max"):
            self._extreme(e)
        else:
            self._plain_fold(e)

    def _plain_fold(self, e: ir.Fold) -> None:
        x, code = self.x, self.x.code
        result = code.local()
        code.const(_FOUND_NONE[e.op])
        code.set(result)
        with self.members(e.source, e.start, e.slot) as (outside, again):
            self.unless(e.where, again)
            if e.op in ("any", "first"):
                code.const(1) if e.op == "any" else code.get(x.slots[e.slot])
                code.set(result)
                code.br(outside)
            elif e.op == "all":
                if e.body is not None:
                    x.truth(e.body)
                else:
                    code.get(x.slots[e.slot])
                    code.do("eqz", "i32.eqz")
                code.br_if(again)
                code.const(0)
                code.set(result)
                code.br(outside)
            else:
                self._add(e, result)
        code.get(result)

    def _add(self, e: ir.Fold, total: int) -> None:
        """Adds a member's value to the running result."""
        x, code = self.x, self.x.code
        code.get(total)
        if e.op == "count":
            code.const(1)
        elif e.body is not None:
            x.value(e.body)
        else:
            code.get(x.slots[e.slot])
        if e.op == "sum":
            small = e.body is None or WORD * max(1, x.widths.words) * most(x.p, e.body) < _SUM
            code.do("add") if small else code.call("added")
        else:
            code.do("add")
        code.set(total)

    def _set_fold(self, e: ir.Fold) -> list[Word]:
        """A set, or a union of sets, in locals."""
        x, code, words = self.x, self.x.code, self.x.words(e)
        result = code.locals(words)
        sets.clear(code, result, words)
        with self.members(e.source, e.start, e.slot) as (_, again):
            self.unless(e.where, again)
            value = e.body if e.body is not None else ir.Local(e.slot)
            if e.op == "set":
                sets.add_member(code, result, words, x.slots[e.slot] if e.body is None else x.held(value, 1))
            else:
                sets.add(code, result, x.operand(value, words))
        return sets.in_locals(code, result, words)

    def _row_fold(self, e: ir.Fold) -> None:
        """A set as a row in memory, or a union of such rows."""
        x, code = self.x, self.x.code
        to, one = x.memory.temporary(), x.memory.temporary()
        code.const(to)
        code.call("wide_zero")
        with self.members(e.source, e.start, e.slot) as (_, again):
            self.unless(e.where, again)
            value = e.body if e.body is not None else ir.Local(e.slot)
            if e.op == "set":
                code.const(one)
                x.value(value)
                code.call("wide_bit")
            code.const(to)
            code.const(to)
            if e.op == "set":
                code.const(one)
            else:
                x.address(value)
            code.call("wide_or")
        code.const(to)

    def _extreme(self, e: ir.Fold) -> None:
        x, code = self.x, self.x.code
        result, value, some = code.local(), code.local(), code.local()
        code.const(0)
        code.set(some)
        with self.members(e.source, e.start, e.slot) as (_, again):
            self.unless(e.where, again)
            x.value(e.body if e.body is not None else ir.Local(e.slot))
            code.set(value)
            self.better([value], [result], some, "lt_s" if e.op == "min" else "gt_s")
            code.if_()
            code.get(value)
            code.set(result)
            code.const(1)
            code.set(some)
            code.end()
        code.get(some)
        code.do("wrap")
        code.if_(I64)
        code.get(result)
        code.else_()
        assert e.default is not None
        x.value(e.default)
        code.end()

    def better(self, keys: list[int], best: list[int], some: int, than: str) -> None:
        """Pushes whether keys precede the best keys so far, or are the first ones."""
        code = self.x.code
        code.get(some)
        code.do("eqz")
        for key, other in zip(keys[::-1], best[::-1], strict=True):  # the first key is most significant: compared last
            code.get(key)
            code.get(other)
            code.do("eq", "i32.and")
            code.get(key)
            code.get(other)
            code.do(than, "i32.or")
        code.get(some)
        code.do("eqz", "i32.or")


def most(p: ir.Program, e: ir.Expr) -> int:
    """An upper bound on a number's absolute value; `_SUM` if the form of the expression implies no bound."""
    if isinstance(e, ir.Const):
        return abs(e.value)
    if isinstance(e, ir.Cell) and e.base < len(p.cells):
        return _SUM if p.cells[e.base].type.endswith("?") else MAX_NUMBER
    if isinstance(e, ir.Row):
        return max(map(abs, p.arrays[e.array]))
    if isinstance(e, ir.Total):
        return min(_SUM, e.count * MAX_NUMBER)
    if each := alternatives(e):
        return max(most(p, part) for part in each)
    if isinstance(e, ir.Op):
        interval = OPERATORS[e.op].interval
        if interval is None:
            return _SUM
        bounds = [most(p, arg) for arg in e.args]
        value = interval(*(Interval(-bound, bound) for bound in bounds))
        low, high = (MAX_NUMBER if end is None else abs(end) for end in (value.low, value.high))
        return min(_SUM, max(low, high))
    return _SUM


def wide_call(code: Code, name: str, *addresses: int) -> None:
    """Calls a function on rows with constant addresses."""
    for address in addresses:
        code.const(address)
    code.call(name)
