"""Tables of procedures: cells in the procedure's frame, one per entity of a kind, initialised by `let`."""

from __future__ import annotations

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import cell
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf


def fill_table(b: BlockBuilder, s: typed.LetTable, scope: Scope) -> None:
    """Adds the cells of a table, and the code that initialises them each time the `let` runs."""
    x, table = b.x, s.table
    first, size = _cells(b, table)
    if table.private is not None:
        x.layout.frames[table] = scope
    value = x.argument(s.value, table.type, scope.in_slot(s.key, x.slot(scope)))
    if value == ir.Const(0):
        b.emit(ir.Clear(first, size))
        return
    span = s.key.span
    kind = b.layout.d.kinds[table.kind]
    members = typed.KindSet(SetOf(kind.name), span, kind)
    head, after, inner = b.loop_over(typed.Binder(s.key, members, "", None, None), scope)
    at = cell(first, x.expr(typed.Local(Ent(kind.name), span, s.key), inner), size)
    b.store_checked(at, x.argument(s.value, table.type, inner), table.type, s.span)
    b.goto(head)
    b.open_block = after


def _cells(b: BlockBuilder, table: typed.FieldDecl) -> tuple[int, int]:
    """The first of a table's new cells, and their number."""
    type_, size = type_name(table.type), b.layout.size(table.kind)
    cells = [
        b.layout.add(ir.CellName("rules", b.owner, table.name, type_, index_kind=table.kind, index=i))
        for i in range(size)
    ]
    b.p.rows.update(cells)
    b.layout.field_at[table] = cells[0] if cells else len(b.p.cells)
    return b.layout.field_at[table], size
