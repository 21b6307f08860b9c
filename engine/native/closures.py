"""What can be reached from a set by steps."""

from __future__ import annotations

from rulespec.engine.native.expressions import ExpressionEmitter
from rulespec.engine.native.loops import LoopEmitter, wide_call
from rulespec.engine.program import ir


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
