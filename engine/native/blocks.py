"""Blocks of a program as one function: a loop around cases, each a block with those that only it leads to.

A case that comes later is branched to; to one before, the loop goes round.
"""

from __future__ import annotations

from rulespec.engine.native.expressions import ExpressionEmitter
from rulespec.engine.native.wasm_format import I32
from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.program.traversal import meet, span
from rulespec.engine.python.occupancy import Occupancy

_DEEPEST = 40
"""Blocks inside of blocks: what lies deeper is a case of its own."""
_ROOM = 1 << 40


class BlockEmitter:
    """Writes the function `run`, which goes from a block to the next decision or the end.

    Args:
        x: writes expressions.
        occupancy: the sets that are maintained.
        listing: for each decision the most steps of finding out whether something is legal.
    """

    def __init__(self, x: ExpressionEmitter, occupancy: Occupancy, listing: list[int]) -> None:
        self.x = x
        self.p = x.p
        self._listing = listing
        self._occupied = [f.array for f in occupancy.families.values()]
        self._holders = [range(base, base + count) for base, count, _ in occupancy.holdings]
        self._flow = Flow(x.p)
        self._cases: list[int] = []
        self._places: dict[int, int] = {}
        self._depths: dict[int, int] = {}
        self._labels: dict[int, int] = {}
        self._loop = 0
        self._at = 0

    def write(self) -> None:
        """Writes the function."""
        x = self.x
        self._plan()
        code = x.begin(1)
        state = x.memory.address(ir.PC)
        block = code.local(I32)
        code.get(0)
        code.do("wrap")
        code.set(block)
        self._block_local = block
        self._state = state
        end = code.block()
        self._loop = code.loop()
        found = [code.block() for _ in self._cases]
        self._labels = dict(zip(self._cases[::-1], found, strict=True))
        code.get(block)
        code.br_table([self._labels.get(b, end) for b in range(len(self.p.blocks))], end)
        for number, case in enumerate(self._cases):
            code.end()
            self._at = number
            self._charge(case)
            self._block(case, 0)
        code.end()
        code.end()
        code.module.define("run", code, 1, export=True)

    def _ways(self, block: int) -> list[int]:
        """The blocks that may follow at once."""
        exit_ = self.p.blocks[block].exit
        if isinstance(exit_, ir.Enter):
            return [exit_.block]
        if isinstance(exit_, ir.Return):
            return [exit_.usual] if exit_.usual else []
        if isinstance(exit_, ir.Ask):
            return [] if exit_.otherwise is None else [exit_.otherwise]
        return self._flow.successors(block)

    def _plan(self) -> None:
        """Finds the blocks that are cases, each after those that lead to it, but for loops."""
        p = self.p
        begins = {p.main, *self._flow.firsts, *(c.block for d in p.decisions for c in d.choices)}
        for number, exit_ in enumerate(block.exit for block in p.blocks):
            if isinstance(exit_, ir.Enter) and not exit_.usual:
                begins.add(exit_.after)
            elif isinstance(exit_, ir.Ask) and exit_.otherwise is not None:
                begins.add(number)  # asked again when cells have been written
        before = [0] * len(p.blocks)
        order: list[int] = []
        seen: set[int] = set()
        for begin in sorted(begins):
            todo = [(begin, False)]
            while todo:
                block, left = todo.pop()
                if left:
                    order.append(block)
                elif block not in seen:
                    seen.add(block)
                    todo.append((block, True))
                    for other in self._ways(block):
                        before[other] += 1
                        todo.append((other, False))
        for block in reversed(order):
            depth = self._depths.get(block, 0)
            if block in begins or before[block] != 1 or depth >= _DEEPEST:
                self._cases.append(block)
                depth = 0
            for other in self._ways(block):
                self._depths[other] = depth + 1
        self._places = {case: number for number, case in enumerate(self._cases)}

    def _most(self, block: int) -> int:
        """The most steps from a block to the next case."""
        rest = [self._most(other) for other in self._ways(block) if other not in self._places]
        exit_ = self.p.blocks[block].exit
        asked = self._listing[exit_.decision] if isinstance(exit_, ir.Ask) and exit_.otherwise is not None else 0
        return self.x.costs.block(block) + asked + max(rest, default=0)

    def _charge(self, case: int) -> None:
        """Counts the most steps of a case; there may be too many: only the interpreter knows."""
        code, left = self.x.code, self.x.memory.constants["LEFT"]
        found = self._most(case)
        with code.scope():
            local = code.local()
            code.const32(0)
            code.at(left)
            code.const(min(found, _ROOM))
            code.do("sub")
            code.tee(local)
            code.store(left)
            code.get(local)
            code.const(0)
            code.do("lt_s")
            code.if_()
            code.do("unreachable")
            code.end()

    def _go(self, block: int, depth: int) -> None:
        """Goes on at a block."""
        code = self.x.code
        if block not in self._places:
            self._block(block, depth)
        elif self._places[block] > self._at:
            code.br(self._labels[block])
        else:
            code.const32(block)
            code.set(self._block_local)
            code.br(self._loop)

    def _block(self, number: int, depth: int) -> None:
        block = self.p.blocks[number]
        for i in block.body:
            with self.x.code.scope():
                self._instruction(i)
        self._exit(number, block.exit, depth + 1)

    def _exit(self, number: int, e: ir.Exit | None, depth: int) -> None:
        x, code = self.x, self.x.code
        if isinstance(e, ir.Goto):
            self._go(e.block, depth)
        elif isinstance(e, ir.Branch):
            with code.scope():
                x.truth(e.condition)
            code.if_()
            self._go(e.yes, depth)
            code.else_()
            self._go(e.no, depth)
            code.end()
            code.do("unreachable")
        elif isinstance(e, ir.Switch):
            self._switch(e, depth)
        elif isinstance(e, ir.Enter):
            if not e.usual:
                self._put(e.back, e.after)
            self._go(e.block, depth)
        elif isinstance(e, ir.Return):
            self._return(e, depth)
        elif isinstance(e, ir.Ask):
            if e.otherwise is not None:
                code.const(e.decision)
                code.call("idle")
                code.do("wrap")
                code.if_()
                self._go(e.otherwise, depth)
                code.end()
            self._put(ir.PC, number)
            code.do("return")
        else:
            assert isinstance(e, ir.End)
            self._end(number, e)

    def _put(self, cell: int, value: int) -> None:
        """Puts a number into a cell, if it is not there already."""
        code = self.x.code
        address = self.x.memory.address(cell)
        code.at(address)
        if value:
            code.const(value)
            code.do("ne")
        else:
            code.do("eqz", "i32.eqz")
        code.if_()
        code.const(address)
        code.const(value)
        code.call("put")
        code.end()

    def _end(self, number: int, e: ir.End) -> None:
        x, code = self.x, self.x.code
        self._put(ir.PC, number)
        self._put(ir.ENDING, e.ending + 1)
        code.const(x.memory.address(ir.WINNERS))
        if e.winners is None:
            code.const(-1)
        else:
            with code.scope():
                x.value(e.winners)
        code.call("put")
        code.do("return")

    def _switch(self, e: ir.Switch, depth: int) -> None:
        x, code = self.x, self.x.code
        with code.scope():
            value = code.local()
            x.value(e.value)
            code.set(value)
        for case, block in dict(e.cases).items():
            code.get(value)
            code.const(case)
            code.do("eq")
            code.if_()
            self._go(block, depth)
            code.end()
        self._go(e.other, depth)

    def _return(self, e: ir.Return, depth: int) -> None:
        x, code = self.x, self.x.code
        back = x.memory.address(e.cell)
        code.at(back)
        code.do("eqz", "i32.eqz")
        code.if_()
        code.at(back)
        code.do("wrap")
        code.set(self._block_local)
        self._put(e.cell, 0)
        code.br(self._loop)
        code.end()
        if e.usual:
            self._go(e.usual, depth)
        else:
            code.do("unreachable")

    # --- instructions ------------------------------------------------------------------------

    def _instruction(self, i: ir.Instruction) -> None:
        x, code = self.x, self.x.code
        if isinstance(i, ir.Store):
            self._store(i)
        elif isinstance(i, ir.Transfer):
            x.place(i.source)
            x.place(i.target)
            x.value(i.amount)
            code.const(1 if i.unlimited else 0)
            if any(meet(span(c), array) for c in (i.source, i.target) for array in self._occupied):
                code.const(x.memory.constants["PLACES"])
                code.call("transfer_counted")
            else:
                code.call("transfer")
        elif isinstance(i, ir.Check):
            x.truth(i.condition)
            code.do("i32.eqz")
            code.if_()
            code.do("unreachable")
            code.end()
        else:
            assert isinstance(i, ir.Clear)
            for cell in range(i.base, i.base + i.size):
                if x.widths.cells[cell]:
                    code.const(x.memory.address(cell))
                    x.address(ir.Const(0))
                    code.call("wide_put")
                else:
                    self._put(cell, 0)

    def _store(self, i: ir.Store) -> None:
        x, code = self.x, self.x.code
        x.place(i.target)
        if x.widths.cells[i.target.base]:
            x.address(i.value)
            code.call("wide_put")
            return
        x.value(i.value)
        known = i.value.value if isinstance(i.value, ir.Const) else None
        if i.low is not None and i.high is not None and not (known is not None and i.low <= known <= i.high):
            value = code.local()
            code.tee(value)
            code.get(value)
            code.const(i.low)
            code.do("lt_s")
            code.get(value)
            code.const(i.high)
            code.do("gt_s", "i32.or")
            if i.none:
                code.get(value)
                code.const(NO_NUMBER)
                code.do("ne", "i32.and")
            code.if_()
            code.do("unreachable")
            code.end()
        if any(meet(span(i.target), array) for array in self._holders):
            code.const(x.memory.constants["HOUSES"])
            code.call("house")
        else:
            code.call("put")
