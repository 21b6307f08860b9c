"""Lowering of drafts: the cells that a plan may change are copied at its start, and `withdraw` restores them.

The copies are cells of the position, which are cleared at the end of the plan, so machines need no support for drafts.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.layout import MAX_CELLS
from rulespec.engine.program import ir
from rulespec.engine.program.builder import cell
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.traversal import targets


class LoweredDraft(Struct):
    """A lowered draft.

    Attributes:
        span: the source span.
        start: the first block.
        head: the block that waits for a decision.
        back: the block for `withdraw`.
        over: the block for `leave`.
        begun: the cell that says whether a plan is open.
        inner: the cells of variables in the draft.
        blocks: the blocks of the draft.
        owner: the enclosing procedure.
    """

    span: Span
    start: int
    head: int
    back: int
    over: int
    begun: int
    owner: str
    inner: range = range(0)
    blocks: range = range(0)


class Drafts:
    """The lowering of drafts: the blocks around each decision, and the copies of cells that its plan may change.

    Args:
        builder: the builder of blocks and cells.
    """

    def __init__(self, builder: BlockBuilder) -> None:
        self._b = builder
        self._all: list[LoweredDraft] = []

    def begin(self, span: Span) -> LoweredDraft:
        """Adds the blocks around a draft's decision, and opens the block that waits for it."""
        b = self._b
        begun = b.local("begun", "bool")
        start, head, back, over = b.block(), b.block(), b.block(), b.block()
        b.goto(start)
        b.p.blocks[start].exit = ir.Goto(head)
        b.p.blocks[back].exit = ir.Goto(head)
        b.open_block = head
        draft = LoweredDraft(span, start, head, back, over, begun, b.owner)
        self._all.append(draft)
        return draft

    def end(self, draft: LoweredDraft) -> None:
        """Ends a draft after its decision is lowered, and opens the block after the draft."""
        b = self._b
        draft.blocks = range(draft.start, len(b.p.blocks))
        draft.inner = range(draft.begun, len(b.p.cells))
        after = b.block()
        b.p.blocks[draft.over].exit = ir.Goto(after)
        b.open_block = after

    def add_copies(self) -> None:
        """Adds the copies of all drafts. Must be called last.

        Raises:
            DiagnosticsError: RS701 if the program would have more than `MAX_CELLS` cells.
        """
        for draft in self._all:
            self._add(draft)

    def _add(self, draft: LoweredDraft) -> None:
        b, p = self._b, self._b.p
        changed = self._changed(draft)
        if len(p.cells) + len(changed) > MAX_CELLS:
            message = f"this game needs more than {MAX_CELLS:,} cells"
            help_ = (
                f"change less in the draft: it stores a copy of everything that it may change, {len(changed):,} numbers"
            )
            raise DiagnosticsError((Diagnostic("RS701", Severity.ERROR, message, draft.span, help=help_),))
        first = len(p.cells)
        for at in changed:
            b.layout.add(ir.CellName("rules", draft.owner, f"{p.cells[at].name} before", p.cells[at].type))
        p.rows.update(range(first, len(p.cells)))  # not variables of a procedure: they must stay in memory
        copies = dict(zip(changed, range(first, len(p.cells)), strict=True))
        inner = ir.Clear(draft.inner.start, len(draft.inner))
        empty: list[ir.Instruction] = [inner, *([ir.Clear(first, len(copies))] if copies else [])]
        p.blocks[draft.start].body += [inner, *(_store(copy, at) for at, copy in copies.items())]
        p.blocks[draft.back].body += [inner, *(_store(at, copy) for at, copy in copies.items())]
        p.drafts[draft.begun] = copies
        for block in draft.blocks:
            self._leave(block, draft, empty)

    def _leave(self, block: int, draft: LoweredDraft, empty: list[ir.Instruction]) -> None:
        """Clears the copies on each exit of a block that leaves the draft."""
        p = self._b.p
        exit_ = p.blocks[block].exit
        if isinstance(exit_, ir.End) or (isinstance(exit_, ir.Goto) and exit_.block not in draft.blocks):
            p.blocks[block].body += empty
        elif isinstance(exit_, ir.Branch):
            p.blocks[block].exit = ir.Branch(
                exit_.condition, self._through(exit_.yes, draft, empty), self._through(exit_.no, draft, empty)
            )
        elif isinstance(exit_, ir.Switch):
            cases = tuple((value, self._through(to, draft, empty)) for value, to in exit_.cases)
            p.blocks[block].exit = ir.Switch(exit_.value, cases, self._through(exit_.other, draft, empty))

    def _through(self, to: int, draft: LoweredDraft, empty: list[ir.Instruction]) -> int:
        """The block itself if it is in the draft; otherwise a new block that clears the copies and jumps to it."""
        if to in draft.blocks:
            return to
        between = self._b.block()
        self._b.p.blocks[between].body += empty
        self._b.p.blocks[between].exit = ir.Goto(to)
        return between

    def _changed(self, draft: LoweredDraft) -> list[int]:
        """The cells that a draft may change, except variables of the draft and of called procedures."""
        p = self._b.p
        names = {first: name for name, (first, _) in p.entries.items()}
        called = {names.get(each, "") for each in self._called(draft)}
        written = {at for block in self._reached(draft) for i in p.blocks[block].body for of in targets(i) for at in of}
        return sorted(
            at
            for at in written
            if at not in draft.inner and not (p.cells[at].group == "rules" and p.cells[at].owner in called)
        )

    def _called(self, draft: LoweredDraft) -> Iterator[int]:
        """The first blocks of the procedures called within a draft."""
        for block in self._reached(draft):
            exit_ = self._b.p.blocks[block].exit
            if isinstance(exit_, ir.Enter):
                yield exit_.block

    def _reached(self, draft: LoweredDraft) -> set[int]:
        """The blocks of a draft and of the procedures that it calls."""
        p = self._b.p
        flow, results = Flow(p), set(draft.blocks)
        todo = [exit_.block for b in draft.blocks if isinstance(exit_ := p.blocks[b].exit, ir.Enter)]
        while todo:
            block = todo.pop()
            if block not in results:
                results.add(block)
                todo += flow.successors(block)
                exit_ = p.blocks[block].exit
                todo += [exit_.block] if isinstance(exit_, ir.Enter) else []
        return results


def _store(target: int, source: int) -> ir.Store:
    return ir.Store(cell(target), cell(source), None, None, 0)
