"""Liveness analysis: variables of the rules that may still be read while a game waits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.program.cells import State
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.procedures import procedures
from rulespec.engine.program.taint import choice_expressions
from rulespec.engine.program.traversal import span, walk

Cells = frozenset[int]


def live_cells(p: ir.Program, cells: Cells) -> dict[int, Cells]:
    """The variables among `cells` that are live at the start of each block.

    Only reads by the block's procedure and its callees count; reads by callers follow from the return targets
    (`Frames`).
    """
    return _Liveness(p, cells).live


class Frames:
    """The call stack of a state.

    Attributes:
        returns: block → return of its procedure, if it returns.
        saved: return target of a recursive call → rows of the variables saved during the call.
    """

    def __init__(self, p: ir.Program) -> None:
        self.returns: dict[int, ir.Return] = {}
        self.saved = {after: frame for frame in p.frames.values() for after in frame.afters}
        for procedure in procedures(Flow(p)).values():
            exits = [p.blocks[block].exit for block in procedure.blocks]
            back = next((exit_ for exit_ in exits if isinstance(exit_, ir.Return)), None)
            if back is not None:
                self.returns |= dict.fromkeys(procedure.blocks, back)

    def of(self, state: State, block: int) -> Iterator[tuple[int, Callable[[int], int]]]:
        """The stack of a block: the block itself, its return target, and so on, each with a function from variables to
        cells.
        """
        left: dict[int, int] = {}
        while True:
            place = _itself
            if (frame := self.saved.get(block)) is not None:
                left[frame.depth] = left.get(frame.depth, state[frame.depth]) - 1
                place = partial(_in_frame, frame.rows, left[frame.depth])
            yield block, place
            if (back := self.returns.get(block)) is None:
                return
            block = state[place(back.cell)] or back.usual


def _itself(cell: int) -> int:
    return cell


def _in_frame(rows: Mapping[int, int], number: int, cell: int) -> int:
    return rows[cell] + number if cell in rows else cell


class _Liveness:
    def __init__(self, p: ir.Program, cells: Cells) -> None:
        self.p = p
        self._cells = cells
        self._flow = Flow(p)
        self._functions: dict[int, Cells] = {}
        self._rows = {row for frame in p.frames.values() for row in frame.rows.values()}
        self.live: dict[int, Cells] = {}
        for procedure in procedures(self._flow).values():  # callees first, except in cycles
            self._follow(procedure.blocks)
        moved = bool(p.frames)
        while moved:
            before = dict(self.live)
            for procedure in procedures(self._flow).values():
                self._follow(procedure.blocks)
            moved = before != self.live

    def _follow(self, blocks: Cells) -> None:
        """Computes the live variables of a procedure's blocks up to a fixed point."""
        self.live = {**dict.fromkeys(blocks, frozenset()), **self.live}
        moved = True
        while moved:
            moved = False
            for block in sorted(blocks, reverse=True):
                live = self._before(block)
                moved = moved or live != self.live[block]
                self.live[block] = live

    def _before(self, block: int) -> Cells:
        live = self._after(block)
        for i in reversed(self.p.blocks[block].body):
            if isinstance(i, ir.Store):
                if isinstance(i.value, ir.Cell) and i.value.base in self._rows:
                    continue  # a variable restored from its frame was live in it
                if i.target.base in self._rows:
                    live |= self._saved(block, i.value)
                    continue
                if isinstance(i.target.index, ir.Const):
                    live = live.difference(span(i.target))
                live |= self._read(i.target.index) | self._read(i.value)
            elif isinstance(i, ir.Transfer):
                live |= self._read(i.source.index) | self._read(i.target.index) | self._read(i.amount)
            elif isinstance(i, ir.Check):
                live |= self._read(i.condition)
            elif isinstance(i, ir.Clear):
                live = live.difference(range(i.base, i.base + i.size))
        return live

    def _saved(self, block: int, value: ir.Expr) -> Cells:
        """The variable saved before a recursive call, if it is live after the call."""
        exit_ = self.p.blocks[block].exit
        return (
            self._read(value) & self.live.get(exit_.after, frozenset()) if isinstance(exit_, ir.Enter) else frozenset()
        )

    def _after(self, block: int) -> Cells:
        """The variables live at the end of a block."""
        exit_ = self.p.blocks[block].exit
        live = frozenset[int]().union(*(self.live.get(b, frozenset()) for b in self._flow.successors(block)))
        if isinstance(exit_, ir.Branch):
            live |= self._read(exit_.condition)
        elif isinstance(exit_, ir.Switch):
            live |= self._read(exit_.value)
        elif isinstance(exit_, ir.Enter):
            live |= self.live.get(exit_.block, frozenset())
        elif isinstance(exit_, ir.End) and exit_.winners is not None:
            live |= self._read(exit_.winners)
        elif isinstance(exit_, ir.Ask):
            live |= self._asked(exit_)
        return live

    def _asked(self, ask: ir.Ask) -> Cells:
        """The variables live at a decision: read by it, or by its continuations."""
        d = self.p.decisions[ask.decision]
        live = frozenset[int]().union(*(self._read(e) for e in (d.by, d.among, d.all) if e is not None))
        for c in d.choices:
            live |= self.live[c.block].difference(param.cell for param in c.params)
            live = live.union(*map(self._read, choice_expressions(c)))
        return live if ask.otherwise is None else live | self.live[ask.otherwise]

    def _read(self, e: ir.Expr) -> Cells:
        """The variables that an expression reads, apart from those of procedures under `once`."""
        if not self._cells:
            return frozenset()
        live = frozenset([at for x in walk(e) if isinstance(x, ir.Cell) for at in span(x) if at in self._cells])
        return live.union(*(self._read_by(x.function) for x in walk(e) if isinstance(x, ir.Call)))

    def _read_by(self, number: int) -> Cells:
        """The variables that a function reads, as helpers for conditionals may read tables of procedures."""
        if number not in self._functions:
            f = self.p.functions[number]
            inside = [*(value for _, value in f.lets), f.body]
            self._functions[number] = frozenset().union(*map(self._read, inside))
        return self._functions[number]
