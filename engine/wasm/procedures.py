"""Procedures as functions; their variables are locals, which are stored in cells when the game waits.

A function takes the number of an entry, and the values of the parameters. It starts at the procedure's first block
(entry -1), or in the middle, with the variables loaded from cells. It returns the next block, or `STOPPED` if the game
waits or is over. Unless the result is the return target of the call, the caller returns the same result.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import chain

from msgspec import Struct

from rulespec.engine.passes.occupancy import Occupancy
from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow, loops
from rulespec.engine.program.procedures import CompiledProcedure, procedures, zeros
from rulespec.engine.program.regions import ROOT, Regions
from rulespec.engine.program.traversal import span, targets, walk
from rulespec.engine.wasm.blocks import BlockEmitter, InstructionEmitter
from rulespec.engine.wasm.closure_memos import ClosureMemos
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.options import cases
from rulespec.engine.wasm.roots import roots
from rulespec.engine.wasm.wasm_format import I64
from rulespec.engine.wasm.widths import ROW

_MAX_VARIABLES = 100
"""The number of variables of a procedure beyond which all stay in their cells."""
_FEW_STEPS = 100_000
"""The maximum steps of a loop or a procedure that are charged at once, at their upper bound."""
_ROOM = 1 << 40
_OF_CELLS = frozenset({ir.Cell, ir.Positive, ir.Held, ir.Total})
_NONE = CompiledProcedure(None, (), (), frozenset(), frozenset(), waits=True)
"""The procedure of blocks outside all others: those where a game begins and ends."""


class _Function(Struct):
    """A procedure being compiled.

    Attributes:
        name: the function's name.
        procedure: the procedure.
        regions: the structure of its blocks.
        parameters: the cells whose values are passed to it.
        locals: the cells kept in locals.
        saved: the locals written to their cells when the game waits.
    """

    name: str
    procedure: CompiledProcedure
    regions: Regions
    parameters: list[int]
    locals: list[int]
    saved: list[int]


class ProcedureEmitter:
    """An emitter of one function per procedure, and of the dispatcher from entries to these functions.

    Args:
        x: the emitter of expressions.
        occupancy: the maintained sets.
        memos: the memos of reached sets.
        listing: for each decision, the maximum number of steps needed to test whether an option is legal.

    Attributes:
        by_row: the blocks of options that read their arguments from the row of the option taken; the other blocks read
            them from cells.
    """

    def __init__(self, x: ExpressionEmitter, occupancy: Occupancy, memos: ClosureMemos, listing: list[int]) -> None:
        self.x = x
        self.p = x.p
        self._instructions = InstructionEmitter(x, occupancy, memos)
        self._listing = listing
        self._flow = Flow(x.p)
        self._procedures = procedures(self._flow)
        self._in_cells = self._found_in_cells()
        self._loops = loops(x.p)
        self._parameters = x.parameters = {first: self._passed(each) for first, each in self._procedures.items()}
        self._arguments = x.p.arguments()
        self.by_row: set[int] = set()
        self._charged: dict[int, int] = x.charged
        """The procedures whose steps are counted by their callers, with these steps."""
        for first, each in self._procedures.items():
            steps = x.costs.procedure(first) if not each.waits else _FEW_STEPS
            if steps < _FEW_STEPS:
                self._charged[first] = steps

        self._functions = [self._of(f"p{first}", first, each) for first, each in self._procedures.items()]

    def write(self) -> None:
        """Writes all functions, and the tables of their entries."""
        functions = self._functions
        owned = frozenset(b for each in self._procedures.values() for b in each.blocks)
        ends = [e.usual for e in (b.exit for b in self.p.blocks) if isinstance(e, ir.Return)]
        rest = [b for b in dict.fromkeys([self.p.main, ir.END, *ends]) if b not in owned]
        regions = Regions([*rest, *self._afters(rest)], self._ways)
        functions.append(_Function("begin", _NONE, regions, [], self._called(regions.order), []))
        of = [-1] * len(self.p.blocks)
        entry = [0] * len(self.p.blocks)
        otherwise = [0] * len(self.p.blocks)
        for number, f in enumerate(functions):
            self._write(f)
            for index, block in enumerate(f.regions.entries):
                of[block], entry[block] = number, index
        for number, e in enumerate(b.exit for b in self.p.blocks):
            if isinstance(e, ir.Ask) and e.otherwise is not None:
                otherwise[number] = e.otherwise
        constants, memory = self.x.memory.constants, self.x.memory
        constants["FUNCTIONS"], constants["ENTRIES"] = memory.numbers(of), memory.numbers(entry)
        constants["OTHERWISE"] = memory.numbers(otherwise)
        code = self.x.begin(2)
        for f in cases(code, functions):
            code.get(1)
            for _ in range(self._span(f.parameters)):
                code.const(0)
            code.call(f.name)
            code.do("return")
        code.do("unreachable")
        code.module.define("go", code, 2, I64)

    # --- what is where ---------------------------------------------------------------------

    def _ways(self, block: int) -> list[int]:
        """The blocks that may follow within a function, without a decision in between."""
        e = self.p.blocks[block].exit
        if isinstance(e, ir.Switch):
            return list(dict.fromkeys([*dict(e.cases).values(), e.other]))
        if isinstance(e, ir.Branch):
            return [e.yes, e.no]
        return self._flow.successors(block)

    def _afters(self, blocks: Iterable[int]) -> Iterator[int]:
        """The blocks where procedures that may wait return."""
        for block in blocks:
            e = self.p.blocks[block].exit
            if isinstance(e, ir.Enter) and self._procedures[e.block].waits:
                yield e.after

    def _entered(self, first: int, procedure: CompiledProcedure) -> Iterator[int]:
        """The entry blocks of a procedure."""
        yield first
        yield from self._afters(sorted(procedure.blocks))
        for block in sorted(procedure.blocks):
            e = self.p.blocks[block].exit
            if isinstance(e, ir.Ask):
                yield from (c.block for c in self.p.decisions[e.decision].choices)
                if e.otherwise is not None:
                    yield block
                    yield e.otherwise

    def _of(self, name: str, first: int, procedure: CompiledProcedure) -> _Function:
        regions = Regions(self._entered(first, procedure), self._ways)
        own = [at for at in (*procedure.cells, *procedure.params) if at not in self._in_cells]
        local = list(dict.fromkeys([*self._parameters[first], *own, *self._called(regions.order)]))
        for block, cells in self._arguments.items():
            if regions.before.get(block) == [ROOT] and all(at in own for at in cells):
                self.by_row.add(block)
        return _Function(
            name, procedure, regions, self._parameters[first], local, self._saved(first, procedure, regions)
        )

    def _passed(self, procedure: CompiledProcedure) -> list[int]:
        """The cells passed to a procedure."""
        cells = procedure.parameters() if procedure.waits else procedure.params
        return [at for at in cells if at not in self._in_cells]

    def _called(self, blocks: list[int]) -> list[int]:
        """The cells passed to the procedures that blocks call."""
        exits = (self.p.blocks[b].exit for b in blocks)
        return [at for e in exits if isinstance(e, ir.Enter) for at in self._parameters[e.block] if at != e.back]

    def _saved(self, first: int, procedure: CompiledProcedure, regions: Regions) -> list[int]:
        """The cells that may be non-zero where a procedure waits or is entered."""
        zero = zeros(self._flow, first, procedure)
        results = set(procedure.parameters())
        for block in regions.order:
            if isinstance(self.p.blocks[block].exit, ir.End):
                results.update(set(procedure.cells).difference(zero.get(block, ())))
                results.update(at for i in self.p.blocks[block].body for cells in targets(i) for at in cells)
        for block in regions.entries[1:]:
            args = self._arguments[block] if block in self.by_row else ()
            results.update(set(procedure.cells).difference(zero.get(block, ()), args))
        return [at for at in procedure.cells if at in results and at not in self._in_cells]

    def _found_in_cells(self) -> set[int]:
        """The variables kept in cells: indexed ones, rows, those of deep procedures, and those without a free local."""
        p = self.p
        rules = {at for at, cell in enumerate(p.cells) if cell.group == "rules"}
        results = {at for at in rules if at in p.rows or self.x.widths.of_cells[at] == ROW}
        asked: set[tuple[int, int]] = set()
        for x in chain.from_iterable(map(walk, roots(p))):
            if type(x) not in _OF_CELLS:  # the usual case
                continue
            if isinstance(x, ir.Positive) or (isinstance(x, ir.Cell) and not isinstance(x.index, ir.Const)):
                asked.add((x.base, x.base + x.size))
            elif isinstance(x, ir.Held):
                asked.add((x.base, x.base + x.count))
            elif isinstance(x, ir.Total) and x.base in rules:
                asked.add((x.base, len(p.cells)))
        least, most = min(rules, default=0), max(rules, default=-1)
        for begin, end in asked:
            results.update(rules.intersection(range(max(begin, least), min(end, most + 1))))
        for f in p.functions:
            for e in (*(value for _, value in f.lets), f.body):
                results |= {at for x in walk(e) if isinstance(x, ir.Cell) for at in span(x) if at in rules}
        owned = {at for each in self._procedures.values() for at in each.cells}
        results |= rules - owned
        for block in p.blocks:
            for i in block.body:
                if isinstance(i, ir.Transfer) or any(len(cells) > 1 for cells in targets(i) if isinstance(i, ir.Store)):
                    results |= {at for cells in targets(i) for at in cells if at in rules}
        for each in self._procedures.values():
            if each.deep or len({*each.cells} - p.rows) > _MAX_VARIABLES:
                results.update(each.cells)
        return results

    # --- steps -------------------------------------------------------------------------------

    def _charges(self, f: _Function) -> dict[int, int]:
        """The steps charged at the start of a block: an upper bound for the run up to the next charging block."""
        regions = f.regions
        starts = [*regions.entries]
        if regions.entries[0] in self._charged:
            return {}
        few: dict[int, int] = {}
        for head in sorted(regions.loops, key=regions.place.__getitem__, reverse=True):
            loop = self._loops.get(head)
            rounds = self.x.costs.members(loop.over) if loop is not None else 0
            steps = rounds * self._longest(f, head, regions.loops[head], few)
            entered = any(block in regions.loops[head] for block in regions.entries)
            if loop is not None and steps <= _FEW_STEPS and not entered:  # entries inside are charged per iteration
                few[head] = steps
            else:
                inside = regions.loops[head]
                starts += [head, *(t for b in inside for t in regions.after[b] if t not in inside)]
        return {b: min(_ROOM, self._longest(f, b, None, few, set(starts))) for b in dict.fromkeys(starts)}

    def _longest(
        self, f: _Function, begin: int, within: set[int] | None, few: dict[int, int], stops: Collection[int] = ()
    ) -> int:
        """The maximum steps from a block on, for one iteration of a loop or up to blocks that start a new count."""
        results: dict[int, int] = {}
        regions = f.regions
        for block in reversed(regions.order):
            if within is not None and block not in within:
                continue
            steps = self._steps(block)
            if block in few and block != begin:
                steps += few[block]
            most = 0
            for target in regions.after[block]:
                if target not in stops and (within is None or target in within) and not regions.turns(block, target):
                    most = max(most, results.get(target, 0))
            results[block] = steps + most
            if block in few and block != begin:
                # Control may leave a loop from any of its blocks.
                inside = regions.loops[block]
                out = [
                    results.get(t, 0) for b in inside for t in regions.after[b] if t not in inside and t not in stops
                ]
                results[block] = max(results[block], steps + max(out, default=0))
            if block == begin:
                break
        return results[begin]

    def _steps(self, block: int) -> int:
        e = self.p.blocks[block].exit
        steps = self.x.costs.block(block)
        if isinstance(e, ir.Enter):
            steps += self._charged.get(e.block, 0)
        if isinstance(e, ir.Ask) and e.otherwise is not None:
            steps += self._listing[e.decision]
        return steps

    # --- functions ---------------------------------------------------------------------------

    def _write(self, f: _Function) -> None:
        x = self.x
        params = 1 + self._span(f.parameters)
        code = x.begin(params)
        x.variables = {at: 1 + self._span(f.parameters[:i]) for i, at in enumerate(f.parameters)}
        for at in f.locals:
            if at not in x.variables:
                x.variables[at] = code.locals(x.widths.of_cells[at])
        next_, begun = code.local(), code.local()
        takers = {
            loop.body: loop
            for head, loop in self._loops.items()
            if loop.rest in x.variables and loop.at in x.variables and f.regions.before.get(loop.body) == [head]
        }
        calls = {first: (self._parameters[first], each.waits) for first, each in self._procedures.items()}
        args = {b: self._arguments[b] for b in f.regions.entries if b in self.by_row}
        noted = f.procedure.back if f.procedure.back not in x.variables else None
        blocks = BlockEmitter(self._instructions, f.regions, takers, self._charges(f), calls, args, noted)
        self._load(f, begun, blocks)
        leave, stop = code.block(), code.block()
        blocks.write(0, stop, leave, next_, begun)
        code.end()
        for at in f.saved:
            self._instructions.put_local(at, x.variables[at])
        code.get(next_)
        code.do("return")
        code.end()
        if f.saved:
            code.get(begun)
            code.do("wrap")
            code.if_()
            for at in f.saved:
                self._instructions.put(at, 0)
            code.end()
        code.get(next_)
        code.module.define(f.name, code, params, I64)

    def _span(self, cells: Iterable[int]) -> int:
        """The number of locals for the values of cells."""
        return sum(self.x.widths.of_cells[at] for at in cells)

    def _load(self, f: _Function, begun: int, blocks: BlockEmitter) -> None:
        """Enters a procedure in the middle: loads its variables from their cells."""
        x, code = self.x, self.x.code
        first = f.regions.entries[0]
        code.get(0)
        code.const(0)
        code.do("ge_s")
        code.if_()
        code.const(1)
        code.set(begun)
        lent = [at for at in f.procedure.params if at in x.variables and at not in f.saved]
        for at in (*f.saved, *lent):
            for k in range(x.widths.of_cells[at]):
                code.at(x.memory.address(at) + 8 * k)
                code.set(x.variables[at] + k)
        if first in self._charged:
            blocks.charge(self._charged[first])
        code.end()
