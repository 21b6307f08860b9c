"""What can be reached from a set by steps, and least sums of costs over the ways from it.

`ir.Spread` has a row for each entity that has been come to.
"""

from __future__ import annotations

from rulespec.engine.native.expressions import ExpressionEmitter
from rulespec.engine.native.loops import LoopEmitter, wide_call
from rulespec.engine.native.neighbours import NeighbourEmitter
from rulespec.engine.native.wasm_format import Code
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_NUMBER

ROW = 16
"""Bytes of a row: the sum, and whether it is open (1), settled (2), or neither."""


def emit_spread(x: ExpressionEmitter, loops: LoopEmitter, neighbours: NeighbourEmitter, e: ir.Spread) -> None:
    """Pushes the value; see `ir.Spread`."""
    code = x.code
    rows = x.memory.room(ROW * e.size)
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
        with loops.slot(e.to) as local:
            code.get(at)
            code.set(local)
            x.truth(e.until)
        code.if_()
        code.get(total)
        code.set(value)
        code.br(whole)
        code.end()
    with loops.slot(e.slot) as local:
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
    if e.default is not None:
        code.get(value)
    else:
        _settled_set(x, neighbours, e, rows)


def _step(x: ExpressionEmitter, e: ir.Spread, rows: int, total: int, limit: int) -> None:
    """One step: what it costs, and whether somebody is come to for less."""
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


def _settled_set(x: ExpressionEmitter, neighbours: NeighbourEmitter, e: ir.Spread, rows: int) -> None:
    """Pushes the set of all that are settled."""
    code = x.code
    member = code.local()
    with neighbours.gathered(e) as add:
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


def _begin(x: ExpressionEmitter, loops: LoopEmitter, e: ir.Spread, rows: int, limit: int) -> None:
    """Opens the members that the ways begin at."""
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
    """Writes closures into the function at hand."""

    def __init__(self, x: ExpressionEmitter, loops: LoopEmitter) -> None:
        self.x = x
        self.loops = loops
        x.add_forms({ir.Closure: self._closure})

    def _closure(self, e: ir.Closure) -> None:
        if self.x.wide(e):
            self._wide_closure(e)
            return
        x, code = self.x, self.x.code
        found, fresh, reached = code.local(), code.local(), code.local()
        code.const(0)
        code.set(found)
        x.value(e.start)
        code.set(fresh)
        outside, again = code.block(), code.loop()
        code.get(fresh)
        code.do("eqz")
        code.br_if(outside)
        code.get(found)
        code.get(fresh)
        code.do("or")
        code.set(found)
        code.const(0)
        code.set(reached)
        with self.loops.slot(e.slot) as local:
            inner, more = code.block(), code.loop()
            self.loops.taken(fresh, -1, local, inner)
            code.get(reached)
            x.value(e.step)
            code.do("or")
            code.set(reached)
            code.br(more)
            code.end()
            code.end()
        code.get(reached)
        code.get(found)
        code.const(-1)
        code.do("xor", "and")
        code.set(fresh)
        code.br(again)
        code.end()
        code.end()
        code.get(found)

    def _wide_closure(self, e: ir.Closure) -> None:
        x, code = self.x, self.x.code
        found, fresh, reached = (x.memory.temporary() for _ in range(3))
        code.const(found)
        code.call("wide_zero")
        code.const(fresh)
        x.address(e.start)
        code.call("wide_copy")
        outside, again = code.block(), code.loop()
        code.const(fresh)
        code.call("wide_any")
        code.do("eqz")
        code.br_if(outside)
        wide_call(code, "wide_or", found, found, fresh)
        code.const(reached)
        code.call("wide_zero")
        code.const(fresh)
        with self.loops.wide_members(None, e.slot):
            code.const(reached)
            code.const(reached)
            x.address(e.step)
            code.call("wide_or")
        wide_call(code, "wide_diff", fresh, reached, found)
        code.br(again)
        code.end()
        code.end()
        code.const(found)
