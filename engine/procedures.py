"""What belongs to each procedure of a program: its variables and blocks, and whether it may have to wait."""

from __future__ import annotations

from dataclasses import dataclass

from engine import program as ir
from engine.flow import Flow


@dataclass(frozen=True, slots=True)
class Procedure:
    """A procedure by its cells and blocks.

    `back` is the cell that says where it returns to, `params` are those of its parameters and `cells` all of its own:
    they are zero unless it is under way. One that does not `wait` neither asks for a decision nor ends the game:
    nothing of it is left in the state when a decision is asked for.
    """

    back: int
    params: tuple[int, ...]
    cells: tuple[int, ...]
    blocks: frozenset[int]
    waits: bool


def procedures(flow: Flow) -> dict[int, Procedure]:
    """The procedures of a program by their first blocks, each behind those that it calls."""
    p = flow.p
    names = {first: name for name, (first, _) in p.entries.items()}
    owned: dict[str, list[int]] = {}
    for at, cell in enumerate(p.cells):
        if cell.group == "rules":
            owned.setdefault(cell.owner, []).append(at)
    found: dict[int, Procedure] = {}

    def visit(first: int) -> None:
        if first in found:
            return
        back, *params = p.entries[names[first]][1]
        blocks = _reached(flow, first)
        called = [e.block for b in blocks if flow.call(b) is not None and isinstance(e := p.blocks[b].exit, ir.Goto)]
        for other in called:  # procedures do not call one another in a circle
            visit(other)
        stops = any(isinstance(p.blocks[b].exit, ir.Ask | ir.End) for b in blocks)
        waits = stops or any(found[other].waits for other in called)
        cells = sorted({back, *params, *owned.get(names[first], ())})
        found[first] = Procedure(back, tuple(params), tuple(cells), frozenset(blocks), waits)

    for first in names:
        visit(first)
    return found


def _reached(flow: Flow, first: int) -> set[int]:
    """The blocks of a procedure, those that its decisions lead to among them."""
    found: set[int] = set()
    todo = [first]
    while todo:
        block = todo.pop()
        if block not in found:
            found.add(block)
            todo += flow.successors(block)
            exit_ = flow.p.blocks[block].exit
            if isinstance(exit_, ir.Ask):
                todo += [choice.block for choice in flow.p.decisions[exit_.decision].choices]
    return found
