"""Records of moves: the procedures that ran and the cells that were written, in order.

An instrumented program runs as generated Python, and the record is read from its journal. A mark is a write to an
additional cell; it shows where a procedure starts, where it is resumed, and where a decision had no legal option. The
addresses of displayed cells are computed at run time, so that the journal has every write to these cells, not only the
first one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Literal, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.game.machines import MachineMemo, lowered
from rulespec.engine.program import ir
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.program.machine import Machine
from rulespec.engine.program.procedures import procedures
from rulespec.typed import nodes as typed

_MORE = 4
"""The maximum factor by which marks multiply the steps of a move, which the original program bounds."""
Kind = Literal["enters", "returns", "skips"]
"""The kind of an event: a procedure starts at a block, its caller resumes at a block, or a decision is skipped."""


class Mark(NamedTuple):
    """An event in a move.

    Attributes:
        kind: the kind of event.
        block: the next block.
        writes: the number of writes before the event.
        arguments: the arguments of a starting procedure.
    """

    kind: Kind
    block: int
    writes: int
    arguments: tuple[int, ...] = ()


class Record(Struct, frozen=True):
    """The record of a move.

    Attributes:
        cells: the cells of the program before the move.
        marks: the events.
        writes: each write to a displayed cell, as the cell, the old value and the new value.
    """

    cells: Sequence[int]
    marks: list[Mark]
    writes: list[tuple[int, int, int]]


class Records:
    """A recorder of moves in games of a program.

    Args:
        program: the program.
        ref: the reference of its ruleset.
    """

    def __init__(self, program: ir.Program, ref: str) -> None:
        self.program = program
        self._marked = _Marked(program)
        self._machine = _machine(self._marked.program, ref)

    @cached_property
    def owners(self) -> dict[int, str]:
        """The name of the procedure to which each block belongs."""
        names = {first: name for name, (first, _) in self.program.entries.items()}
        of = procedures(Flow(self.program))
        return {block: names[first] for first, procedure in of.items() for block in procedure.blocks}

    def of(self, cells: Sequence[int], block: int, args: tuple[int, ...]) -> Record:
        """The record of a move.

        Args:
            cells: the cells of the program before the move.
            block: the first block of the option.
            args: the arguments of the option.

        Raises:
            ProgramFaultError: if the rules fault.
        """
        state = [*cells, *self._marked.start]
        return self._marked.read(cells, state, self._machine.run(state, block, args))


class _Marked:
    """A program with marks, and their meanings.

    The cells for marks come last: a zero, a source of ones, one cell per mark, one per parameter.
    """

    def __init__(self, program: ir.Program) -> None:
        self._size = len(program.cells)
        self._declared = frozenset(program.declared)
        kinds: dict[int, Kind] = {first: "enters" for first, _ in program.entries.values()}
        params: dict[int, tuple[int, ...]] = {first: cells[1:] for first, cells in program.entries.values()}
        for exit_ in (block.exit for block in program.blocks):
            if isinstance(exit_, ir.Enter):
                kinds.setdefault(exit_.after, "returns")
            elif isinstance(exit_, ir.Ask) and exit_.otherwise is not None:
                kinds.setdefault(exit_.otherwise, "skips")
        self._first = self._size + 2
        self._marks = [(kind, block) for block, kind in kinds.items()]
        self._arguments: dict[int, range] = {}
        end = self._first + len(self._marks)
        for first, cells in params.items():
            self._arguments[first] = range(end, end + len(cells))
            end += len(cells)
        self.start = [0] * (end - self._size)
        names = [ir.CellName("rules", "", "mark", "int") for _ in self.start]
        blocks = [ir.Block([self._visible(i) for i in each.body], each.exit) for each in program.blocks]
        for number, (_, at) in enumerate(self._marks):
            blocks[at].body[:0] = [self._mark(number), *self._copied(at, params.get(at, ()))]
        start = [*program.start, *self.start]
        self.program = replace(program, blocks=blocks, cells=[*program.cells, *names], start=start)

    def _at(self, cell: int) -> ir.Cell:
        """A cell with an address computed at run time, as the sum of its number and the zero."""
        zero = ir.Cell(self._size, ir.Const(0), 1)
        return ir.Cell(0, ir.Op("+", (ir.Const(cell), zero)), self._size + len(self.start))

    def _visible(self, i: ir.Instruction) -> ir.Instruction:
        """An instruction with all its writes in the journal."""
        if isinstance(i, ir.Store):
            return replace(i, target=self._far(i.target))
        if isinstance(i, ir.Transfer):
            return replace(i, source=self._far(i.source), target=self._far(i.target))
        return i

    def _far(self, cell: ir.Cell) -> ir.Cell:
        if not isinstance(cell.index, ir.Const) or cell.base + cell.index.value not in self._declared:
            return cell
        return self._at(cell.base + cell.index.value)

    def _mark(self, number: int) -> ir.Transfer:
        return ir.Transfer(self._at(self._size + 1), self._at(self._first + number), ir.Const(1), True, 0)

    def _copied(self, block: int, cells: tuple[int, ...]) -> list[ir.Store]:
        """The instructions that copy the parameters of a starting procedure."""
        return [
            ir.Store(self._at(to), ir.Cell(at, ir.Const(0), 1), None, None, 0)
            for to, at in zip(self._arguments.get(block, ()), cells, strict=False)
        ]

    def read(self, cells: Sequence[int], state: State, journal: Journal) -> Record:
        """The record of a run, read from its journal, given the cells before it and the state after it."""
        after: dict[int, int] = {}
        entries: list[tuple[int, int, int]] = []
        for i in range(len(journal) - 2, -1, -2):
            cell, before = journal[i], journal[i + 1]
            entries.append((cell, before, after[cell] if cell in after else state[cell]))
            after[cell] = before
        return self._read(cells, entries[::-1])

    def _read(self, cells: Sequence[int], entries: list[tuple[int, int, int]]) -> Record:
        marks: list[Mark] = []
        writes: list[tuple[int, int, int]] = []
        copies = dict.fromkeys(range(self._first + len(self._marks), self._size + len(self.start)), 0)
        begun: list[tuple[int, range]] = []
        for entry in entries:
            cell, _, new = entry
            if cell in self._declared:
                writes.append(entry)
            elif cell in copies:
                copies[cell] = new
            elif cell >= self._first:
                self._fill(marks, begun, copies)
                kind, block = self._marks[cell - self._first]
                begun = [(len(marks), self._arguments[block])] if kind == "enters" else []
                marks.append(Mark(kind, block, len(writes)))
        self._fill(marks, begun, copies)
        return Record(cells, marks, writes)

    @staticmethod
    def _fill(marks: list[Mark], begun: list[tuple[int, range]], copies: Mapping[int, int]) -> None:
        """Fills in the arguments of a starting procedure, which are copied right after its mark."""
        for number, cells in begun:
            marks[number] = marks[number]._replace(arguments=tuple([copies[cell] for cell in cells]))


def _machine(program: ir.Program, ref: str) -> Machine:
    """A machine that performs all writes, in order."""
    from rulespec.engine.python.code_memo import code_memo
    from rulespec.engine.python.features import ALL_FEATURES  # lazily: listing moves needs no generated code
    from rulespec.engine.python.on_demand import OnDemandBackend

    features = replace(ALL_FEATURES, slices=False, occupancy=False, variables=False)
    return OnDemandBackend(program, features, MAX_STEPS * _MORE, codes=code_memo(ref))


def _of_table(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Records:
    return Records(lowered(ruleset, seats, settings), ruleset.ref)


records = MachineMemo(_of_table)
"""The recorders of rulesets, by number of seats and values of all settings."""
