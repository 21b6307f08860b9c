"""Reachability and shortest paths over a relation.

`ir.Spread` uses a row for each reached entity.
"""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.engine.program.traversal import Facts, free, walk
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.closure_memos import ClosureMemo, ClosureMemos, MemoTable, MemoTimes, rows_of
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.loops import LoopEmitter, wide_call
from rulespec.engine.wasm.neighbours import NeighbourEmitter
from rulespec.engine.wasm.wasm_format import Code
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW as IN_MEMORY
from rulespec.engine.wasm.widths import words_of

ROW = 16
"""Bytes per row: the sum, and its state, which is open (1), settled (2) or neither (0)."""

Others = Callable[[int], list[Word]]
"""A function that pushes whether the set of the member in a local is known; returns the words of this set."""


class SpreadEmitter:
    """An emitter of minimum-cost searches; see `ir.Spread`."""

    def __init__(self, x: ExpressionEmitter, loops: LoopEmitter, neighbours: NeighbourEmitter) -> None:
        self.x = x
        self.loops = loops
        self.neighbours = neighbours
        x.add_forms({ir.Spread: self._spread}, {ir.Spread: self._reached})

    def _spread(self, e: ir.Spread) -> None:
        """Pushes the sum, or the set of all reachable entities."""
        if e.default is None:
            sets.push(self.x.code, self._reached(e))
        else:
            rows = self.x.memory.room(ROW * e.size)
            self.x.code.get(_spread(self.x, self.loops, e, rows))

    def _reached(self, e: ir.Spread) -> list[Word]:
        rows = self.x.memory.room(ROW * e.size)
        _spread(self.x, self.loops, e, rows)
        return _settled_set(self.x, self.neighbours, e, rows)


def _spread(x: ExpressionEmitter, loops: LoopEmitter, e: ir.Spread, rows: int) -> int:
    """Settles reachable members until a requested one is settled; returns the local of its sum."""
    code = x.code
    limit, at, total, value = (code.local() for _ in range(4))
    _begin(x, loops, e, rows, limit)
    whole = code.block()
    outside, again = code.block(), code.loop()
    code.const(rows)
    code.const(e.size)
    code.call("settled")
    code.tee(at)
    code.const(0)
    code.do("lt_s")
    code.br_if(outside)
    code.get(at)
    code.const(ROW)
    code.do("mul", "wrap")
    code.load(rows)
    code.set(total)
    if e.until is not None:
        with loops.slot(e.to, words_of(e.size)) as local:
            code.get(at)
            code.set(local)
            x.truth(e.until)
        code.if_()
        code.get(total)
        code.set(value)
        code.br(whole)
        code.end()
    with loops.slot(e.slot, words_of(e.size)) as local:
        code.get(at)
        code.set(local)
        with loops.members(e.near, None, e.to) as (_, more):
            loops.unless(e.where, more)
            _step(x, e, rows, total, limit)
    code.br(again)
    code.end()
    code.end()
    if e.default is not None:
        x.value(e.default)
        code.set(value)
    code.end()
    return value


def _step(x: ExpressionEmitter, e: ir.Spread, rows: int, total: int, limit: int) -> None:
    """One step: its cost, and whether it reaches a member more cheaply."""
    code: Code = x.code
    sum_ = code.local()
    x.value(e.cost)
    code.tee(sum_)
    code.const(0)
    code.do("lt_s")
    code.if_()
    code.do("unreachable")
    code.end()
    code.get(total)
    code.get(sum_)
    code.call("added")
    code.tee(sum_)
    if e.limit is None:
        code.const(MAX_NUMBER)
    else:
        code.get(limit)
    code.do("gt_s")
    code.if_()
    if e.limit is None:
        code.do("unreachable")
    code.else_()
    code.const(rows)
    code.get(x.slots[e.to])
    code.get(sum_)
    code.call("come_to")
    code.end()


def _settled_set(x: ExpressionEmitter, neighbours: NeighbourEmitter, e: ir.Spread, rows: int) -> list[Word]:
    """The set of all settled entities."""
    code = x.code
    member = code.local()
    with neighbours.gathered(e) as (result, add):
        code.const(0)
        code.set(member)
        outside, again = code.block(), code.loop()
        code.get(member)
        code.const(e.size)
        code.do("ge_s")
        code.br_if(outside)
        code.get(member)
        code.const(ROW)
        code.do("mul", "wrap")
        code.load(rows + 8)
        code.const(2)
        code.do("eq")
        code.if_()
        add(member)
        code.end()
        code.get(member)
        code.const(1)
        code.do("add")
        code.set(member)
        code.br(again)
        code.end()
        code.end()
    return result


def _begin(x: ExpressionEmitter, loops: LoopEmitter, e: ir.Spread, rows: int, limit: int) -> None:
    """Opens the starting members."""
    code = x.code
    code.const(rows)
    code.const(e.size)
    code.call("closed")
    with loops.members(e.start, None, e.slot):
        code.const(rows)
        code.get(x.slots[e.slot])
        code.const(0)
        code.call("come_to")
    if e.limit is not None:
        x.value(e.limit)
        code.tee(limit)
        code.const(0)
        code.do("lt_s")
        code.if_()
        code.const(rows)
        code.const(e.size)
        code.call("closed")
        code.end()


class ClosureEmitter:
    """An emitter of closures."""

    def __init__(self, x: ExpressionEmitter, loops: LoopEmitter, memos: ClosureMemos, times: MemoTimes) -> None:
        self.x = x
        self.loops = loops
        self._memos = memos
        self._times = times
        self._facts = Facts(x.p)
        self._rows: dict[tuple[ir.Closure, int], int] = {}
        x.add_forms({ir.Closure: self._closure}, {ir.Closure: self._closure_words})

    def _closure(self, e: ir.Closure) -> None:
        if self.x.words(e) == IN_MEMORY:
            self._row_closure(e)
        else:
            sets.push(self.x.code, self._closure_words(e))

    def _closure_words(self, e: ir.Closure) -> list[Word]:
        memo = self._memos[e]
        if memo is None or any(self.x.words(key) > 1 for key in memo.keys):
            return self._searched(e)
        return self._remembered(e, memo)

    def _remembered(self, e: ir.Closure, memo: ClosureMemo) -> list[Word]:
        """The set of an earlier look-up with the same variables, if no cell that it reads has been written since.

        A row has the time at which it was written, the variables, the set, and the steps that it took, if they count.
        """
        x, code, words, left = self.x, self.x.code, self.x.words(e), self.x.memory.constants["LEFT"]
        keys, counts = [x.held(key, 1) for key in memo.keys], self._facts.counts(e)
        size = 8 * (1 + len(keys) + words + counts)
        result, steps = code.locals(words), code.local()
        if (e, words) not in self._rows:
            self._rows[e, words] = x.memory.room(size * rows_of(len(keys), size))
        table = MemoTable(code, self._rows[e, words], size, self._times.time(memo))
        row = table.valid_row(keys)
        code.if_()
        if counts:
            code.get(row)
            code.load(size - 8)
            code.call("charge")
        sets.push(code, table.words(row, len(keys), words))
        code.set_all(result, words)
        code.else_()
        if counts:
            code.at(left)
            code.set(steps)
        others = None if counts else self._others(e, memo, keys, table)
        sets.push(code, self._searched(e, others))
        code.set_all(result, words)
        if counts:
            code.get(steps)
            code.at(left)
            code.do("sub")
            code.set(steps)
        for i, local in enumerate((table.time, *keys, *range(result, result + words), *[steps][:counts])):
            code.get(row)
            code.get(local)
            code.store(8 * i)
        code.end()
        return sets.in_locals(code, result, words)

    def _others(self, e: ir.Closure, memo: ClosureMemo, keys: list[int], table: MemoTable) -> Others | None:
        """The sets reached from single members, if a set from one member is searched."""
        start = e.start.args[0] if isinstance(e.start, ir.Op) and e.start.op in ("bit", "one") else None
        if start not in memo.keys or (isinstance(start, ir.Local) and start.slot in free(e.step)):
            return None
        if isinstance(start, ir.Cell) and start in walk(e.step):
            return None
        at, words = memo.keys.index(start), self.x.words(e)

        def others(member: int) -> list[Word]:
            row = table.valid_row([*keys[:at], member, *keys[at + 1 :]])
            return table.words(row, len(keys), words)

        return others

    def _searched(self, e: ir.Closure, others: Others | None = None) -> list[Word]:
        """The set, searched from its start.

        With `others`, a member whose own set is known is not searched further: its set is added as a whole.
        """
        x, code, words = self.x, self.x.code, self.x.words(e)
        result = code.locals(words)
        sets.clear(code, result, words)
        fresh, reached = x.held(e.start, words), code.locals(words)
        outside, again = code.block(), code.loop()
        sets.push_union(code, sets.in_locals(code, fresh, words))
        code.do("eqz")
        code.br_if(outside)
        sets.add(code, result, sets.in_locals(code, fresh, words))
        sets.clear(code, reached, words)
        with self.loops.slot(e.slot, words) as local:
            inner, more = code.block(), code.loop()
            self.loops.taken(fresh, -1, local, inner, words)
            if others is not None:
                whole = others(local)
                code.if_()
                sets.add(code, result, whole)
                sets.push(code, sets.combined(code, "diff", sets.in_locals(code, fresh, words), whole))
                code.set_all(fresh, words)
                code.br(more)
                code.end()
            sets.add(code, reached, x.operand(e.step, words))
            code.br(more)
            code.end()
            code.end()
        one, other = sets.in_locals(code, reached, words), sets.in_locals(code, result, words)
        sets.push(code, sets.combined(code, "diff", one, other))
        code.set_all(fresh, words)
        code.br(again)
        code.end()
        code.end()
        return sets.in_locals(code, result, words)

    def _row_closure(self, e: ir.Closure) -> None:
        x, code = self.x, self.x.code
        result, fresh, reached = (x.memory.temporary() for _ in range(3))
        code.const(result)
        code.call("wide_zero")
        code.const(fresh)
        x.address(e.start)
        code.call("wide_copy")
        outside, again = code.block(), code.loop()
        code.const(fresh)
        code.call("wide_any")
        code.do("eqz")
        code.br_if(outside)
        wide_call(code, "wide_or", result, result, fresh)
        code.const(reached)
        code.call("wide_zero")
        code.const(fresh)
        with self.loops.wide_members(None, e.slot):
            code.const(reached)
            code.const(reached)
            x.address(e.step)
            code.call("wide_or")
        wide_call(code, "wide_diff", fresh, reached, result)
        code.br(again)
        code.end()
        code.end()
        code.const(result)
