"""Structuring of control flow: nested loops and branches, derived from the dominator tree.

See Ramsey, "Beyond Relooper" (2022), and Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

ROOT = -1
"""The virtual common predecessor of all entries."""


class Regions:
    """The structure of a block graph with several entries.

    Args:
        entries: the possible start blocks.
        ways: a function that returns the successors of a block.

    Attributes:
        entries: the start blocks, and the heads of loops that can be entered in the middle.
        far: the edges (from, to) back to heads of loops that can be entered in the middle.
        order: the blocks, in topological order except for loops.
        loops: loop head → blocks of the loop.
        below: block → the blocks that it immediately dominates, in order.
        meets: the blocks with several forward predecessors.
    """

    def __init__(self, entries: Iterable[int], ways: Callable[[int], list[int]]) -> None:
        self.entries = list(dict.fromkeys(entries))
        self.ways = ways
        self.far: set[tuple[int, int]] = set()
        while True:
            self._number()
            self._dominate()
            again = [
                (b, t) for b in self.order for t in self.after[b] if self._goes_back(b, t) and not self.rules(t, b)
            ]
            if not again:
                break
            self.far.update(again)
            self.entries = list(dict.fromkeys([*self.entries, *(t for _, t in again)]))
        self._nest()

    def _number(self) -> None:
        """Computes the order of the blocks."""
        after: dict[int, list[int]] = {}
        order: list[int] = []
        todo = [(entry, False) for entry in self.entries]
        while todo:
            block, left = todo.pop()
            if left:
                order.append(block)
            elif block not in after:
                near = [t for t in dict.fromkeys(self.ways(block)) if (block, t) not in self.far]
                after[block] = near
                todo.append((block, True))
                todo += [(t, False) for t in near if t not in after]
        self.order = order[::-1]
        self.after = after
        self.place = {block: number for number, block in enumerate(self.order)}
        self.place[ROOT] = -1

    def _goes_back(self, block: int, target: int) -> bool:
        return self.place[target] <= self.place[block]

    def _dominate(self) -> None:
        """Computes the immediate dominator of each block."""
        self.before: dict[int, list[int]] = {block: [] for block in self.order}
        for entry in self.entries:
            self.before[entry].append(ROOT)
        for block in self.order:
            for target in self.after[block]:
                self.before[target].append(block)
        above = {ROOT: ROOT}
        moved = True
        while moved:
            moved = False
            for block in self.order:
                ways = [b for b in self.before[block] if b in above]
                result = ways[0]
                for other in ways[1:]:
                    while result != other:
                        while self.place[result] < self.place[other]:
                            other = above[other]
                        while self.place[other] < self.place[result]:
                            result = above[result]
                if above.get(block) != result:
                    above[block] = result
                    moved = True
        self.above = above

    def rules(self, one: int, other: int) -> bool:
        """Whether a block dominates another block."""
        while self.place[other] > self.place[one]:
            other = self.above[other]
        return one == other

    def _nest(self) -> None:
        """Computes the blocks of loops, and the nesting of blocks in the output."""
        self.loops: dict[int, set[int]] = {}
        self.below: dict[int, list[int]] = {ROOT: []}
        self.meets: set[int] = set()
        for block in self.order:
            self.below[block] = []
            self.below[self.above[block]].append(block)
            forward = [b for b in self.before[block] if self.place[b] < self.place[block]]
            if len(forward) > 1 or ROOT in forward or self.ways(forward[0]).count(block) > 1:
                self.meets.add(block)
            turns = [b for b in self.before[block] if self.place[b] >= self.place[block]]
            if turns:
                self.loops[block] = self._body(block, turns)

    def _body(self, head: int, turns: list[int]) -> set[int]:
        results = {head}
        todo = list(turns)
        while todo:
            block = todo.pop()
            if block not in results:
                results.add(block)
                todo += self.before[block]
        return results

    def turns(self, block: int, target: int) -> bool:
        """Whether an edge is a back edge to the head of an enclosing loop."""
        return (block, target) not in self.far and self._goes_back(block, target)
