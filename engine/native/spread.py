"""Least sums of costs over the ways from a set: `ir.Spread`, by the rows of what has been come to."""

from __future__ import annotations

from rulespec.engine.native.expressions import ExpressionEmitter
from rulespec.engine.native.loops import LoopEmitter
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
