"""Control flow analysis: successors of blocks, loops over sets, and joins of branches."""

from __future__ import annotations

from msgspec import Struct

from rulespec.engine.program import ir


class Loop(Struct, frozen=True):
    """A loop over a set.

    Attributes:
        over: the set.
        rest: the cell of the remaining members.
        at: the cell of the current member.
        start: the entity at which a cyclic order starts.
        body: the block that takes the next member.
        after: the block that follows the loop.
    """

    over: ir.Expr
    rest: int
    at: int
    start: ir.Expr
    body: int
    after: int


class Flow:
    """The control flow graph of each procedure."""

    def __init__(self, p: ir.Program) -> None:
        self.p = p
        self.firsts = dict(p.entries.values())
        """First block of a procedure → cells of its return address and parameters."""

    def successors(self, block: int) -> list[int]:
        """The successors of a block within its procedure; the successor of a call is its return target."""
        exit_ = self.p.blocks[block].exit
        if isinstance(exit_, ir.Goto):
            return [exit_.block]
        if isinstance(exit_, ir.Enter):
            return [exit_.after]
        if isinstance(exit_, ir.Branch):
            return [exit_.yes, exit_.no]
        if isinstance(exit_, ir.Switch):
            return list(dict.fromkeys([*(b for _, b in exit_.cases), exit_.other]))
        return []


def loops(p: ir.Program) -> dict[int, Loop]:
    """The loops over sets, by loop head."""
    stored: dict[int, list[ir.Expr]] = {}
    for block in p.blocks:
        for i in block.body:
            if isinstance(i, ir.Store) and isinstance(i.target.index, ir.Const):
                at = i.target.base + i.target.index.value
                stored.setdefault(at, []).append(i.value)
    results: dict[int, Loop] = {}
    for head, block in enumerate(p.blocks):
        e = block.exit
        if block.body or not isinstance(e, ir.Branch) or not isinstance(e.condition, ir.Op) or e.condition.op != "!=":
            continue
        rest = e.condition.args[0]
        taken = p.blocks[e.yes].body[:2]
        if not isinstance(rest, ir.Cell) or len(taken) < 2 or e.condition.args[1] != ir.Const(0):
            continue
        first, second = taken
        if (
            isinstance(first, ir.Store)
            and isinstance(second, ir.Store)
            and isinstance(first.value, ir.Op)
            and first.value.op == "pick"
            and first.value.args[0] == rest
            and second.target == rest
            and second.value == ir.Op("diff", (rest, ir.Op("bit", (first.target,))))
            and len(stored[first.target.base]) == 1  # nothing else assigns the member …
            and len(stored[rest.base]) == 2  # … or the rest, once the loop has begun
        ):
            (over,) = (value for value in stored[rest.base] if value is not second.value)
            results[head] = Loop(over, rest.base, first.target.base, first.value.args[1], e.yes, e.no)
    return results


def begun(body: list[ir.Instruction], loop: Loop) -> tuple[list[ir.Instruction], ir.Expr | None]:
    """Splits the instructions before a loop into those that do not store the loop's set, and the stored set.

    The set is None if no instruction stores it.
    """
    for at in (len(body) - 1, len(body) - 2):
        i = body[at] if at >= 0 else None
        if isinstance(i, ir.Store) and i.target == ir.Cell(loop.rest, ir.Const(0), 1):
            return [*body[:at], *body[at + 1 :]], i.value
    return body, None


def meets(flow: Flow) -> dict[int, int]:
    """The immediate post-dominator of each block within its procedure.

    The algorithm is by Cooper, Harvey and Kennedy, "A Simple, Fast Dominance Algorithm" (2001).
    """
    count = len(flow.p.blocks)
    after = [flow.successors(b) for b in range(count)]
    before: list[list[int]] = [[] for _ in range(count + 1)]
    for b, targets in enumerate(after):
        for target in targets or [count]:
            before[target].append(b)
    order: dict[int, int] = {}
    todo: list[tuple[int, int]] = [(count, 0)]
    seen = {count}
    while todo:  # postorder of the reversed graph
        b, i = todo.pop()
        if i < len(before[b]):
            todo.append((b, i + 1))
            if before[b][i] not in seen:
                seen.add(before[b][i])
                todo.append((before[b][i], 0))
        else:
            order[b] = len(order)
    meet = {count: count}
    moved = True
    while moved:
        moved = False
        for b in sorted(order, key=lambda b: -order[b]):
            if b == count:
                continue
            ways = [t for t in (after[b] or [count]) if t in meet]
            result = ways[0] if ways else count
            for other in ways[1:]:
                while result != other:
                    while order[result] < order[other]:
                        result = meet[result]
                    while order[other] < order[result]:
                        other = meet[other]
            if meet.get(b) != result:
                meet[b] = result
                moved = True
    return {b: m for b, m in meet.items() if m != count and b != count}
