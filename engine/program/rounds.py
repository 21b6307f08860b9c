"""Upper bounds on how often blocks run, computed from the iteration counts of enclosing loops."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow, loops
from rulespec.engine.program.limits import MAX_ONCE_STEPS
from rulespec.engine.program.procedures import procedures


def times(flow: Flow) -> dict[int, int]:
    """The estimated number of executions of each block between two decisions, based on loops over whole kinds.

    A loop with an unknown number of iterations is taken to run once.
    """
    result = procedures(flow)
    waits = {first for first, each in result.items() if each.waits}
    after = partial(_at_once, flow, waits)
    of = {block: 1 for each in result.values() for block in each.blocks}
    for head, loop in loops(flow.p).items():
        if not isinstance(loop.over, ir.Const):
            continue
        before: dict[int, list[int]] = {loop.body: []}
        todo = [loop.body]
        while todo:
            block = todo.pop()
            for target in after(block):
                if target not in before and target != head:
                    todo.append(target)
                before.setdefault(target, []).append(block)
        for block in _inside(head, before.get(head, []), before):
            of[block] = of.get(block, 1) * loop.over.value.bit_count()
    for each in reversed(result.values()):  # callers before callees
        for block in each.blocks:
            exit_ = flow.p.blocks[block].exit
            if isinstance(exit_, ir.Enter) and exit_.block not in waits:
                for inner in result[exit_.block].blocks:
                    of[inner] = max(of[inner], of[block])
    return of


def repeated(flow: Flow, waits: Collection[int]) -> frozenset[int]:
    """The blocks on a cycle without a decision, and the blocks between two such cycles.

    Args:
        flow: the control flow of the program.
        waits: the first blocks of procedures in which the game may wait.
    """
    after = {block: _at_once(flow, waits, block) for block in range(len(flow.p.blocks))}
    before: dict[int, list[int]] = {block: [] for block in after}
    for block, targets in after.items():
        for target in targets:
            before[target].append(block)
    remaining = set(after)
    for ways, back in ((after, before), (before, after)):
        left = {block: sum(target in remaining for target in ways[block]) for block in remaining}
        todo = [block for block, count in left.items() if not count]
        while todo:
            block = todo.pop()
            remaining.discard(block)
            for other in back[block]:
                if other in remaining:
                    left[other] -= 1
                    if not left[other]:
                        todo.append(other)
    return frozenset(remaining)


def _at_once(flow: Flow, waits: Collection[int], block: int) -> list[int]:
    """The successors of a block reached without a wait."""
    exit_ = flow.p.blocks[block].exit
    return [] if isinstance(exit_, ir.Enter) and exit_.block in waits else flow.successors(block)


class Rounds:
    """Upper bounds on the executions of each block of a procedure that does not wait.

    Args:
        flow: the control flow of the program.
        first: the procedure's first block.
        size: a function that returns the maximum size of a set type.

    Attributes:
        of: block → maximum number of executions per call of the procedure; for unbounded loops, a number beyond the
            limit of any procedure.
    """

    def __init__(self, flow: Flow, first: int, size: Callable[[str], int]) -> None:
        self.p = flow.p
        self._size = size
        before: dict[int, list[int]] = {first: []}
        turns: dict[int, list[int]] = {}
        """Loop head → sources of its back edges."""
        open_ = {first}
        todo = [(first, iter(flow.successors(first)))]
        while todo:
            block, rest = todo[-1]
            after = next(rest, None)
            if after is None:
                open_.discard(block)
                todo.pop()
                continue
            if after in open_:
                turns.setdefault(after, []).append(block)
            if after not in before:
                before[after] = []
                open_.add(after)
                todo.append((after, iter(flow.successors(after))))
            before[after].append(block)
        self.of = dict.fromkeys(before, 1)
        self._stored: dict[ir.Cell, list[ir.Expr]] = {}
        for i in (i for block in before for i in self.p.blocks[block].body if isinstance(i, ir.Store)):
            self._stored.setdefault(i.target, []).append(i.value)
        for head, last in turns.items():
            times = 1 + self._rounds(head)
            for block in _inside(head, last, before):
                self.of[block] *= times

    def _rounds(self, head: int) -> int:
        """An upper bound on the iterations of a loop over a set, or of a loop that counts down."""
        exit_ = self.p.blocks[head].exit
        test = exit_.condition if isinstance(exit_, ir.Branch) else None
        if not isinstance(test, ir.Op) or not isinstance(test.args[0], ir.Cell) or test.args[1:] != (ir.Const(0),):
            return MAX_ONCE_STEPS
        left = test.args[0]
        if test.op == "!=":
            return self._size(self.p.cells[left.base].type)
        begun = [value for value in self._stored.get(left, ()) if value != ir.Op("-", (left, ir.Const(1)))]
        known = [value.value for value in begun if isinstance(value, ir.Const)]
        return max(0, *known) if test.op == ">" and known and len(known) == len(begun) else MAX_ONCE_STEPS


def _inside(head: int, last: list[int], before: dict[int, list[int]]) -> set[int]:
    """The blocks of a loop, given its head and the sources of its back edges."""
    results = {head}
    todo = list(last)
    while todo:
        block = todo.pop()
        if block not in results:
            results.add(block)
            todo += before[block]
    return results
