"""Recursive procedure calls: the caller saves its variables in rows of cells, one frame per call.

A procedure's variables have the same cells at every depth, so machines need no support for recursion. Before a call
that may lead back to it, a procedure saves the variables that may be nonzero in rows indexed by depth, and clears them.
After the call, it restores them.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.layout import MAX_CELLS, type_name
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, cell, op
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.procedures import procedures, zeros
from rulespec.typed import nodes as typed


class _Site(Struct):
    """A call site: its block, the instruction index at which variables are saved, and the return target."""

    block: int
    at: int
    after: int


class DeepCalls:
    """The lowering of calls within cycles of the call graph.

    Args:
        rings: each recursive procedure, with all the procedures on its cycles.
        builder: the builder of blocks and cells.
    """

    def __init__(self, rings: Mapping[typed.Procedure, Collection[typed.Procedure]], builder: BlockBuilder) -> None:
        self._rings = rings
        self._b = builder
        self._sites: dict[typed.Procedure, list[_Site]] = {p: [] for p in rings}
        self._depth: dict[typed.Procedure, int] = {}
        self._next: dict[typed.Procedure, dict[typed.Var, int]] = {}

    def add_depth(self, procedure: typed.Procedure) -> None:
        """For a recursive procedure, adds a cell for the number of saved frames, and cells for the arguments of its
        next call.
        """
        if procedure in self._rings:
            self._depth[procedure] = self._b.local("depth", "int")
            self._next[procedure] = {v: self._b.local(f"next {v.name}", type_name(v.type)) for v in procedure.params}

    def within(self, caller: typed.Procedure, callee: typed.Procedure) -> bool:
        """Whether a call may lead back to the calling procedure."""
        return callee in self._rings.get(caller, ())

    def check(self, caller: typed.Procedure, callee: typed.Procedure, span: Span) -> None:
        """Adds the check that a call does not exceed the depth limit."""
        if callee.deep is not None:
            under_way: ir.Expr = cell(self._depth[callee])
            if caller is callee:
                under_way = op("+", under_way, TRUE)
            name = callee.name.partition(" ")[0]
            site = self._b.x.site(span, f"`{name}` may call itself at most {callee.deep} deep")
            self._b.emit(ir.Check(op("<", under_way, ir.Const(callee.deep)), site))

    def targets(
        self, caller: typed.Procedure, callee: typed.Procedure, params: dict[typed.Var, int]
    ) -> dict[typed.Var, int]:
        """The cells for the arguments of a call. If a procedure calls itself, these are not its parameters, which are
        still in use.
        """
        return self._next[callee] if caller is callee else params

    def begin(
        self, caller: typed.Procedure, callee: typed.Procedure, params: Mapping[typed.Var, int], after: int
    ) -> None:
        """Records a call site and adds the code that passes the arguments, which must all have been computed."""
        block = self._b.open_block
        self._sites[caller].append(_Site(block, len(self._b.p.blocks[block].body), after))
        if caller is callee:
            for var, at in self._next[callee].items():
                self._b.store(params[var], cell(at))
                self._b.store(at, FALSE)

    def add_frames(self) -> None:
        """Adds the rows of all procedures and the code that saves and restores variables. Must be called last."""
        p = self._b.p
        flow = Flow(p)
        compiled = procedures(flow) if self._rings else {}
        work: list[tuple[typed.Procedure, int, list[list[int]]]] = []
        for procedure, sites in self._sites.items():
            first, (back, *_) = p.entries[procedure.name]
            apart = {self._depth[procedure], *self._next[procedure].values()}
            own = [at for at in sorted({back, *compiled[first].cells}) if at not in apart]
            zero = zeros(flow, first, compiled[first])
            saved = [[at for at in own if at == back or at not in zero.get(s.after, ())] for s in sites]
            work.append((procedure, first, saved))
        for procedure, first, saved in work:  # only now: rows change which cells belong to a procedure
            rows = self._rows(procedure, sorted({at for cells in saved for at in cells}))
            depth = self._depth[procedure]
            afters = frozenset([s.after for s in self._sites[procedure]])
            p.frames[first] = ir.CallRows(depth, self._size(procedure), rows, afters)
            pairs = list(zip(self._sites[procedure], saved, strict=True))
            for site, cells in pairs:  # before restores are inserted into blocks that contain another call
                self._put_away(site, p.frames[first], cells)
            for site, cells in pairs:
                self._take_out(site, p.frames[first], cells)

    def _size(self, procedure: typed.Procedure) -> int:
        """The maximum number of saved frames: one less than the depth limit for mere self-recursion."""
        ring = self._rings[procedure]
        if procedure.deep is not None:
            return procedure.deep - (len(ring) == 1)
        return 1 + sum(p.deep or 0 for p in ring)

    def _rows(self, procedure: typed.Procedure, cells: list[int]) -> dict[int, int]:
        """Adds a row for each variable, with a cell per frame; returns variable → row.

        Raises:
            DiagnosticsError: RS701 if the program would have more than `MAX_CELLS`.
        """
        p, size = self._b.p, self._size(procedure)
        if len(p.cells) + len(cells) * size > MAX_CELLS:
            message = f"this game needs more than {MAX_CELLS:,} cells"
            help_ = f"store less, or lower the depth: {len(cells):,} numbers are stored for each of {size:,} calls"
            raise DiagnosticsError((Diagnostic("RS701", Severity.ERROR, message, procedure.deep_span, help=help_),))
        rows = {}
        for at in cells:
            rows[at] = len(p.cells)
            for number in range(1, size + 1):
                self._b.layout.add(replace(p.cells[at], name=f"{p.cells[at].name} at depth {number}"))
            p.rows.update(range(rows[at], len(p.cells)))
        return rows

    def _put_away(self, site: _Site, frame: ir.CallRows, saved: list[int]) -> None:
        p, depth = self._b.p, cell(frame.depth)
        away: list[ir.Instruction] = [_store(_place(frame, at), cell(at)) for at in saved]
        away.append(_store(depth, op("+", depth, TRUE)))
        away += [ir.Clear(at, 1) for at in saved]
        p.blocks[site.block].body[site.at : site.at] = away

    def _take_out(self, site: _Site, frame: ir.CallRows, saved: list[int]) -> None:
        depth = cell(frame.depth)
        again: list[ir.Instruction] = [_store(depth, op("-", depth, TRUE))]
        for at in saved:
            again += [_store(cell(at), _place(frame, at)), _store(_place(frame, at), FALSE)]
        self._b.p.blocks[site.after].body[:0] = again


def _place(frame: ir.CallRows, at: int) -> ir.Cell:
    """The cell of a variable in the frame at its procedure's current depth."""
    return ir.Cell(frame.rows[at], cell(frame.depth), frame.size)


def _store(target: ir.Cell, value: ir.Expr) -> ir.Store:
    return ir.Store(target, value, None, None, 0)
