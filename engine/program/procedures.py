"""Analysis of procedures: variables, blocks, whether a procedure waits, and cells known to be zero."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.traversal import span, targets
from rulespec.records import Brief


class CompiledProcedure(Brief, Struct, frozen=True):
    """The cells and blocks of a procedure.

    Attributes:
        back: the cell of the return address; None if the address is always the same, unless a game starts in this
            procedure.
        params: the cells of the parameters, which may be shared with its caller.
        cells: all cells of the procedure, which are zero unless it is active.
        rows: the cells accessed by index.
        blocks: the blocks of the procedure.
        waits: whether it opens a decision or ends the game; otherwise its cells are zero at every decision.
        deep: whether it is recursive, so that its variables must stay in memory.
    """

    back: int | None
    params: tuple[int, ...]
    cells: tuple[int, ...]
    rows: frozenset[int]
    blocks: frozenset[int]
    waits: bool
    deep: bool = False

    def parameters(self) -> tuple[int, ...]:
        """The cells written by a call."""
        return self.params if self.back is None else (self.back, *self.params)


def procedures(flow: Flow) -> dict[int, CompiledProcedure]:
    """The procedures by first block, callees before callers."""
    p = flow.p
    names = {first: name for name, (first, _) in p.entries.items()}
    calls = {b: block.exit for b, block in enumerate(p.blocks) if isinstance(block.exit, ir.Enter)}
    noted = {call.block for call in calls.values() if not call.usual}
    owned: dict[str, list[int]] = {}
    for at, cell in enumerate(p.cells):
        if cell.group == "rules":
            owned.setdefault(cell.owner, []).append(at)
    results: dict[int, CompiledProcedure] = {}
    seen: set[int] = set()

    def visit(first: int) -> None:
        if first in seen:
            return
        seen.add(first)
        back, *params = p.entries[names[first]][1]
        blocks = _reached(flow, first)
        called = [calls[b].block for b in blocks if b in calls]
        for other in called:
            visit(other)
        stops = any(isinstance(p.blocks[b].exit, ir.Ask | ir.End) for b in blocks)
        waits = stops or any(results[other].waits for other in called if other in results)
        cells = [at for at in owned[names[first]] if at != back or first in noted]
        returns = back if first in noted else None
        results[first] = CompiledProcedure(
            returns, tuple(params), tuple(cells), _rows(p, blocks), frozenset(blocks), waits, first in p.frames
        )

    for first in names:
        visit(first)
    if p.frames:  # in a cycle, some procedures were visited before their callees
        after = {first: {calls[b].block for b in each.blocks if b in calls} for first, each in results.items()}
        waiting = [first for first, each in results.items() if each.waits]
        while waiting:
            known = {*waiting}
            waiting = [f for f, called in after.items() if not results[f].waits and not called.isdisjoint(known)]
            results |= {first: replace(results[first], waits=True) for first in waiting}
    return results


def _rows(p: ir.Program, blocks: set[int]) -> frozenset[int]:
    """The cells of variables that blocks write by index."""
    rows = {row for b in blocks for i in p.blocks[b].body if not isinstance(i, ir.Clear) for row in targets(i)}
    return frozenset([at for row in rows if len(row) > 1 and p.cells[row.start].group == "rules" for at in row])


def _reached(flow: Flow, first: int) -> set[int]:
    """The blocks of a procedure, including the targets of its decisions."""
    results: set[int] = set()
    todo = [first]
    while todo:
        block = todo.pop()
        if block not in results:
            results.add(block)
            todo += flow.successors(block)
            exit_ = flow.p.blocks[block].exit
            if isinstance(exit_, ir.Ask):
                todo += [choice.block for choice in flow.p.decisions[exit_.decision].choices]
                todo += [exit_.otherwise] if exit_.otherwise is not None else []
    return results


def zeros(flow: Flow, first: int, procedure: CompiledProcedure) -> dict[int, frozenset[int]]:
    """For each block of a procedure, the cells of the procedure that are zero at the start of the block.

    The analysis is a fixed-point iteration. Blocks are visited in topological order except for loops, so a few rounds
    suffice.
    """
    own = frozenset(procedure.cells)
    after = {block: _ways(flow, block) for block in procedure.blocks}
    changes = {block: _changes(flow.p.blocks[block], own) for block in procedure.blocks}
    order: list[int] = []
    todo = [(first, False)]
    seen: set[int] = set()
    while todo:
        block, left = todo.pop()
        if left:
            order.append(block)
        elif block not in seen:
            seen.add(block)
            todo.append((block, True))
            todo += [(other, False) for other, _, _ in after[block]]
    result = dict.fromkeys(order, own)
    result[first] = own.difference(procedure.parameters())
    moved = True
    while moved:
        moved = False
        for block in reversed(order):
            zero = set(result[block])
            for cells, cleared in changes[block]:
                zero = zero | cells if cleared else zero - cells
            for other, filled, empty in after[block]:
                still = result[other] & zero.difference(filled).union(empty)
                moved = moved or still != result[other]
                result[other] = still
    return result


def _ways(flow: Flow, block: int) -> list[tuple[int, list[int], list[int]]]:
    """The successors of a block within its procedure, each with the cells written and the cells zero on that edge.

    An option writes its arguments; after a loop, the remaining members are zero.
    """
    exit_ = flow.p.blocks[block].exit
    if isinstance(exit_, ir.Ask):
        choices = flow.p.decisions[exit_.decision].choices
        ways: list[tuple[int, list[int], list[int]]] = []
        ways += [(choice.block, [param.cell for param in choice.params], []) for choice in choices]
        return [*ways, (exit_.otherwise, [], [])] if exit_.otherwise is not None else ways
    if isinstance(exit_, ir.Branch) and isinstance(exit_.condition, ir.Op) and exit_.condition.op == "!=":
        one, other = exit_.condition.args
        if isinstance(one, ir.Cell) and isinstance(one.index, ir.Const) and other == ir.Const(0):
            return [(exit_.yes, [], []), (exit_.no, [], [*span(one)])]
    return [(other, [], []) for other in flow.successors(block)]


def _changes(block: ir.Block, own: frozenset[int]) -> list[tuple[frozenset[int], bool]]:
    """The writes of a block, in order: the cells possibly written, and whether all become zero."""
    changes = []
    for i in block.body:
        for cells in targets(i):
            if written := frozenset([at for at in own if at in cells]):
                one = isinstance(i, ir.Store) and i.value == ir.Const(0) and len(cells) == 1
                changes.append((written, one or isinstance(i, ir.Clear)))
    return changes
