"""The blocks of a procedure: nested loops and branches, with their instructions."""

from __future__ import annotations

from collections.abc import Collection

from rulespec.engine.passes.occupancy import Occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.columns import value_bits
from rulespec.engine.program.control_flow import Loop
from rulespec.engine.program.limits import NO_NUMBER
from rulespec.engine.program.regions import ROOT, Regions
from rulespec.engine.program.traversal import meet, span
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.closure_memos import ClosureMemos
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.wasm_format import I32
from rulespec.engine.wasm.widths import ROW, words_of

STOPPED = -1
"""The return value of a block function if the game waits or is over."""


class InstructionEmitter:
    """An emitter of instructions.

    Args:
        x: the emitter of expressions.
        occupancy: the maintained sets.
    """

    def __init__(self, x: ExpressionEmitter, occupancy: Occupancy, memos: ClosureMemos) -> None:
        self.x = x
        self._memos = memos
        self._occupied = [f.array for f in occupancy.families.values()]
        self._holders = [range(base, base + count) for base, count, _ in occupancy.holdings]

    def write(self, i: ir.Instruction) -> None:
        """Writes an instruction, and marks the memos that it may invalidate."""
        self._write(i)
        if bits := self._memos.written(i):
            code, register = self.x.code, self.x.memory.constants["REWRITTEN"]
            code.const32(0)
            code.at(register)
            code.const(bits)
            code.do("or")
            code.store(register)

    def _write(self, i: ir.Instruction) -> None:
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
                self._clear(cell)

    def take(self, loop: Loop) -> None:
        """Removes the next member from a loop's non-empty set, and binds it."""
        x, code = self.x, self.x.code
        rest, at, words = x.variables[loop.rest], x.variables[loop.at], x.widths.of_cells[loop.rest]
        if loop.start == ir.Const(0):
            sets.take_lowest(code, rest, words, at)
            return
        code.get_all(rest, words)
        x.value(loop.start)
        code.call(f"pick{words}" if x.widths.words else "pick")
        code.set(at)
        one = sets.single(code, at, words)
        sets.push(code, sets.combined(code, "diff", sets.in_locals(code, rest, words), one))
        code.set_all(rest, words)

    def put(self, cell: int, value: int) -> None:
        """Puts a constant into a cell."""
        code, words = self.x.code, self.x.widths.of_cells[cell]
        with code.scope():
            local = code.locals(words)
            sets.clear(code, local, words)
            code.const(value)
            code.set(local)
            self.put_local(cell, local)

    def put_local(self, cell: int, local: int) -> None:
        """Stores one or several locals into a cell, unless the cell already holds their values."""
        code = self.x.code
        for k in range(self.x.widths.of_cells[cell]):
            address = self.x.memory.address(cell) + 8 * k
            code.at(address)
            code.get(local + k)
            code.do("ne")
            code.if_()
            code.const(address)
            code.get(local + k)
            code.call("put")
            code.end()

    def _clear(self, cell: int) -> None:
        x, code, words = self.x, self.x.code, self.x.widths.of_cells[cell]
        if cell in x.variables:
            sets.clear(code, x.variables[cell], words)
        elif words == ROW:
            code.const(x.memory.address(cell))
            x.address(ir.Const(0))
            code.call("wide_put")
        else:
            self.put(cell, 0)

    def _store(self, i: ir.Store) -> None:
        x, code = self.x, self.x.code
        cell = i.target.base + i.target.index.value if isinstance(i.target.index, ir.Const) else -1
        variable = x.variables.get(cell)
        words = x.widths.of_cells[i.target.base]
        if variable is not None:
            x.push(i.value, words)
            self._bound(i)
            code.set_all(variable, words)
        elif words == ROW:
            x.place(i.target)
            x.address(i.value)
            code.call("wide_put")
        elif any(meet(span(i.target), array) for array in self._holders):
            x.place(i.target)
            x.value(i.value)
            self._bound(i)
            code.const(x.memory.constants["HOUSES"])
            code.call("house")
        elif cell >= 0:
            self.put_local(cell, self._checked(i, words))
        else:  # often the value is already there, such as a removed mark
            place = code.local()
            x.place(i.target)
            code.set(place)
            value = self._checked(i, words)
            for k in range(words):
                code.get(place)
                code.do("wrap")
                code.load(8 * k)
                code.get(value + k)
                code.do("ne")
                code.if_()
                code.get(place)
                if k:
                    code.const(8 * k)
                    code.do("add")
                code.get(value + k)
                code.call("put")
                code.end()

    def _checked(self, i: ir.Store, words: int) -> int:
        """The locals with the value to store."""
        code = self.x.code
        self.x.push(i.value, words)
        self._bound(i)
        value = code.locals(words)
        code.set_all(value, words)
        return value

    def _bound(self, i: ir.Store) -> None:
        """Traps if the top of the stack is outside the bounds of a cell."""
        code = self.x.code
        known = i.value.value if isinstance(i.value, ir.Const) else None
        if i.low is None or i.high is None or (known is not None and i.low <= known <= i.high):
            return
        value = code.local()
        code.tee(value)
        if i.low:
            code.const(i.low)
            code.do("sub")
        code.const(i.high - i.low)
        code.do("gt_u")
        if i.none:
            code.get(value)
            code.const(NO_NUMBER)
            code.do("ne", "i32.and")
        code.if_()
        code.do("unreachable")
        code.end()
        code.get(value)


class BlockEmitter:
    """An emitter of a function for the blocks of one procedure, which can be entered at any of its entries.

    Args:
        instructions: the emitter of instructions.
        regions: the structure of the blocks.
        takers: first block of an iteration over a set → the loop.
        charges: block → the steps counted at its start.
        calls: call → the cells passed as arguments, and whether the procedure may wait.
        args: block → the variables that are arguments of the option that leads to it.
        noted: the cell for the procedure's return target; None if the target is not needed, or is passed as an
            argument.
    """

    def __init__(
        self,
        instructions: InstructionEmitter,
        regions: Regions,
        takers: dict[int, Loop],
        charges: dict[int, int],
        calls: dict[int, tuple[list[int], bool]],
        args: dict[int, tuple[int, ...]],
        noted: int | None,
    ) -> None:
        self.i = instructions
        self.x = instructions.x
        self.p = self.x.p
        self._regions = regions
        self._takers = takers
        self._charges = charges
        self._calls = calls
        self._args = args
        self._noted = noted
        self._labels: dict[int, int] = {}
        self._heads: dict[int, int] = {}
        self._work: list[tuple[str, int, int]] = []

    def write(self, entry: int, stop: int, leave: int, next_: int, begun: int) -> None:
        """Writes all blocks.

        Args:
            entry: the local that holds the number of the entry.
            stop: the label for storing variables in their cells and returning.
            leave: the label for leaving the procedure.
            next_: the local for the function's result.
            begun: the local that holds whether the procedure was entered at an entry other than its start.
        """
        code = self.x.code
        self._stop, self._leave, self._next, self._begun = stop, leave, next_, begun
        tops = self._regions.below[ROOT]
        entries = self._regions.entries
        self._entry = -1
        if len(tops) > 1:
            self._entry = code.local(I32)
            code.get(entry)
            code.do("wrap")
            code.set(self._entry)
            self._again = code.loop()
            self._labels |= {top: code.block() for top in tops[::-1]}
            code.get(self._entry)
            labels = [self._labels[b] for b in entries]
            code.br_table(labels, labels[0])
        for top in tops:
            if len(tops) > 1:
                code.end()
            self._all(top)
        if len(tops) > 1:
            code.end()
        code.do("unreachable")

    def _all(self, block: int) -> None:
        """Writes a block and everything below it, without recursion in Python."""
        code = self.x.code
        self._work = [("tree", block, -1)]
        while self._work:
            what, block, by = self._work.pop()
            if what == "tree":
                self._tree(block)
            elif what == "end":
                code.end()
            elif what == "else":
                code.else_()
            elif what == "go":
                self._go(by, block)
            else:
                self._block(block)

    def _tree(self, block: int) -> None:
        code, regions = self.x.code, self._regions
        if block in regions.loops:
            self._heads[block] = code.loop()
            self._work.append(("end", -1, -1))
        for later in sorted((b for b in regions.below[block] if b in regions.meets), key=regions.place.__getitem__)[
            ::-1
        ]:
            self._labels[later] = code.block()
            self._work += [("tree", later, -1), ("end", -1, -1)]
        self._work.append(("block", block, -1))

    def _go(self, block: int, target: int) -> None:
        """Continues from a block at another one."""
        code, regions = self.x.code, self._regions
        if (block, target) in regions.far:
            code.const32(regions.entries.index(target))
            code.set(self._entry)
            code.br(self._again)
        elif regions.turns(block, target):
            code.br(self._heads[target])
        elif target in regions.meets:
            code.br(self._labels[target])
        else:
            self._work.append(("tree", target, -1))

    def _block(self, number: int) -> None:
        block = self.p.blocks[number]
        body = block.body
        if number in self._charges:
            self.charge(self._charges[number])
        self._read_arguments(self._args.get(number, ()))
        loop = self._takers.get(number)
        if loop is not None:
            with self.x.code.scope():
                self.i.take(loop)
            body = body[2:]
        left = isinstance(block.exit, ir.Return)
        for i in body:
            if left and isinstance(i, ir.Clear) and self._variables(range(i.base, i.base + i.size)):
                continue  # they are never read again
            with self.x.code.scope():
                self.i.write(i)
        with self.x.code.scope():
            self._exit(number, block.exit)

    def _read_arguments(self, cells: Collection[int]) -> None:
        """Reads the arguments of the option taken, one word per column."""
        code, place = self.x.code, 16
        for at in cells:
            columns = words_of(value_bits(self.p.cells[at].type, self.p.sizes))
            for word in range(self.x.widths.of_cells[at]):
                if word < columns:
                    code.at(self.x.memory.constants["ROW_TAKEN"])
                    code.do("wrap")
                    code.load(place + 8 * word)
                else:
                    code.const(0)
                code.set(self.x.variables[at] + word)
            place += 8 * columns

    def _variables(self, cells: Collection[int]) -> bool:
        return all(at in self.x.variables for at in cells)

    def _exit(self, number: int, e: ir.Exit | None) -> None:
        x, code = self.x, self.x.code
        if isinstance(e, ir.Goto):
            self._go(number, e.block)
        elif isinstance(e, ir.Branch):
            x.truth(e.condition)
            code.if_()
            self._work += [("go", e.no, number), ("end", -1, -1), ("go", e.yes, number)]
        elif isinstance(e, ir.Switch):
            self._switch(number, e)
        elif isinstance(e, ir.Enter):
            self._enter(number, e)
        elif isinstance(e, ir.Return):
            self._return(e)
        elif isinstance(e, ir.Ask):
            if e.otherwise is None:
                self.i.put(ir.PC, number)
            self._stopped(STOPPED if e.otherwise is None else STOPPED - 1 - number)
        else:
            assert isinstance(e, ir.End)
            self._end(number, e)

    def _stopped(self, next_: int) -> None:
        code = self.x.code
        code.const(next_)
        code.set(self._next)
        code.br(self._stop)

    def _end(self, number: int, e: ir.End) -> None:
        code = self.x.code
        self.i.put(ir.PC, number)
        self.i.put(ir.ENDING, e.ending + 1)
        code.const(self.x.memory.address(ir.WINNERS))
        if e.winners is None:
            code.const(-1)
        else:
            self.x.value(e.winners)
        code.call("put")
        self._stopped(STOPPED)

    def _switch(self, number: int, e: ir.Switch) -> None:
        code = self.x.code
        cases: dict[int, list[int]] = {}
        for case, block in dict(e.cases).items():
            if block != e.other:
                cases.setdefault(block, []).append(case)
        value = code.local()  # the cases are written in sequence, and each may reuse it
        self.x.value(e.value)
        code.set(value)
        ends = []
        for block, wanted in cases.items():
            ends.append((block, wanted, code.block()))
        for _, wanted, label in ends[::-1]:
            for case in wanted:
                code.get(value)
                code.const(case)
                code.do("eq")
                code.br_if(label)
        self._work += [one for block, _, _ in ends for one in (("go", block, number), ("end", -1, -1))]
        self._work.append(("go", e.other, number))

    def _enter(self, number: int, e: ir.Enter) -> None:
        """Calls a procedure; if it does not return at once, neither does its caller."""
        x, code = self.x, self.x.code
        source, waits = self._calls[e.block]
        code.const(-1)
        for at in source:
            if at == e.back:
                code.const(0 if e.usual else e.after)
            else:
                code.get_all(x.variables[at], x.widths.of_cells[at])
        if waits:
            if not e.usual and e.back not in source:
                self.i.put(e.back, e.after)
            code.call(f"p{e.block}")
            code.tee(self._next)
            code.const(e.after)
            code.do("ne")
            code.br_if(self._stop)
        else:
            code.call(f"p{e.block}")
            code.do("drop")
        self._go(number, e.after)

    def _return(self, e: ir.Return) -> None:
        x, code = self.x, self.x.code
        back = x.variables.get(e.cell)
        if back is not None:
            code.get(back)
            code.const(e.usual)
            code.get(back)
            code.do("wrap", "select")
            code.set(self._next)
        else:
            code.const(e.usual)
            code.set(self._next)
            code.const(1) if e.cell == self._noted else code.get(self._begun)
            code.do("wrap")
            code.if_()
            address = x.memory.address(e.cell)
            code.at(address)
            code.do("eqz", "i32.eqz")
            code.if_()
            code.at(address)
            code.set(self._next)
            self.i.put(e.cell, 0)
            code.end()
            code.end()
        code.br(self._leave)

    def charge(self, steps: int) -> None:
        """Counts steps, and traps if the limit may be exceeded; only the interpreter counts exactly."""
        code, left = self.x.code, self.x.memory.constants["LEFT"]
        with code.scope():
            local = code.local()
            code.const32(0)
            code.at(left)
            code.const(steps)
            code.do("sub")
            code.tee(local)
            code.store(left)
            code.get(local)
            code.const(0)
            code.do("lt_s")
            code.if_()
            code.do("unreachable")
            code.end()
