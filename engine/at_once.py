"""Procedures that run at once: they neither wait for a decision nor end the game.

Nothing of their variables is left when a decision is asked for, so a backend need not keep them in the state.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from engine import program as ir


@dataclass(frozen=True, slots=True)
class AtOnce:
    """Such a procedure: the cells of its parameters, those of all its variables, and its blocks."""

    params: tuple[int, ...]
    cells: frozenset[int]
    blocks: frozenset[int]


def at_once(
    p: ir.Program, successors: Callable[[int], list[int]], call: Callable[[int], int | None]
) -> dict[int, AtOnce]:
    """The procedures that run at once by their first blocks, each behind those that it calls.

    Args:
        p: the program.
        successors: where a block leads within its procedure.
        call: the block to which a procedure that a block calls returns; None if it calls none.
    """
    bodies = {first: _reached(first, successors) for first, _ in p.entries.values()}
    found: dict[int, AtOnce] = {}
    waits: set[int] = set()
    of = dict(p.entries.values())
    owned = variables(p)

    def visit(first: int) -> None:
        if first in found or first in waits:
            return
        blocks = bodies[first]
        called = [e.block for b in blocks if call(b) is not None and isinstance(e := p.blocks[b].exit, ir.Goto)]
        for other in called:  # procedures do not call one another in a circle
            visit(other)
        stops = any(isinstance(p.blocks[b].exit, ir.Ask | ir.End) for b in blocks)
        if stops or any(other in waits for other in called):
            waits.add(first)
            return
        found[first] = AtOnce(tuple(of[first][1:]), owned[first], frozenset(blocks))

    for first in bodies:
        visit(first)
    return found


def variables(p: ir.Program) -> dict[int, frozenset[int]]:
    """The cells of a procedure's own, by its first block: where it returns to, its parameters, and other variables.

    They are zero unless it is under way.
    """
    of: dict[str, list[int]] = {}
    for at, cell in enumerate(p.cells):
        if cell.group == "rules":
            of.setdefault(cell.owner, []).append(at)
    return {first: frozenset([*cells, *of.get(name, ())]) for name, (first, cells) in p.entries.items()}


def _reached(first: int, successors: Callable[[int], list[int]]) -> set[int]:
    found: set[int] = set()
    todo = [first]
    while todo:
        block = todo.pop()
        if block not in found:
            found.add(block)
            todo += successors(block)
    return found
