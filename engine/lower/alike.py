"""Interchangeable tokens: the part of a program that records which tokens may be alike."""

from __future__ import annotations

from rulespec.engine.lower.layout import Layout
from rulespec.engine.program import ir
from rulespec.engine.program.liveness import live_cells
from rulespec.engine.program.taint import Taint
from rulespec.typed import nodes as typed


def add_alike(declarations: typed.Declarations, layout: Layout) -> None:
    """Records in the program which tokens may be alike and which cells tell them apart; call it last."""
    p = layout.p
    for kind in declarations.kinds.values():
        if kind.alike is None:
            continue
        forms = (kind.name, f"set {kind.name}", f"order {kind.name}")
        of_kind = [at for at, cell in enumerate(p.cells) if cell.type in forms]
        variables = frozenset([at for at in of_kind if p.cells[at].group == "rules"])
        p.alike[kind.name] = ir.Alike(
            kind.number,
            tuple([layout.field_at[field] for field in kind.state.values()]),
            tuple([at for at in of_kind if at not in variables]),
            {block: tuple(sorted(cells)) for block, cells in live_cells(p, variables).items()},
            variables & Taint(p).cells,
        )
