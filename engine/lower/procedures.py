"""The order, blocks and cells of a ruleset's procedures, including the cells of tables."""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.deep_calls import DeepCalls
from rulespec.engine.lower.layout import by_name, type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import cell
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import called, rings, walk
from rulespec.types import Ent, SetOf


class Procedures:
    """The blocks and cells of procedures.

    Attributes:
        order: the procedures run by `once`, then the other procedures, callers first.
        supposed: the procedures run by `once`.
        first: procedure → first block.
        ret: procedure → cell of the return address.
        lent: the parameters that share cells with the caller's variables.
        params: procedure → cells of the parameters, including lent ones.
        usual: procedure → the block to which its first call returns.
        results: procedure → cell of its return value; the cells are adjacent. They are nonzero only between the
            `return` and the statement that uses the value, and therefore never while the game waits.
    """

    def __init__(self, rules: typed.Rules, builder: BlockBuilder) -> None:
        supposed = {e.procedure.name: e.procedure for e in rules.suppositions}
        self.supposed = dict.fromkeys(by_name(supposed))
        self.order, self.lent = _calls(rules, self.supposed)
        self.first: dict[typed.Procedure, int] = {}
        self.ret: dict[typed.Procedure, int] = {}
        self.params: dict[typed.Procedure, dict[typed.Var, int]] = {}
        self.usual: dict[typed.Procedure, int] = {}
        self.deep = DeepCalls(rings(rules), builder)
        builder.owner = ""
        self.results: dict[typed.Procedure, int] = {}
        for procedure in self.order:
            if procedure.result is not None:
                self.results[procedure] = builder.local(f"value of {procedure.name}", type_name(procedure.result))
        for procedure in self.order:
            builder.owner = procedure.name
            self.first[procedure] = builder.block()
            self.ret[procedure] = builder.local("return", "int")
            self.deep.add_depth(procedure)
            own = [v for v in procedure.params if v not in self.lent]
            self.params[procedure] = {v: builder.local(v.name, type_name(v.type)) for v in own}

    def enter(self, procedure: typed.Procedure, after: int) -> ir.Enter:
        """A call that returns to the block `after`."""
        usual = self.usual.setdefault(procedure, after) == after
        return ir.Enter(self.first[procedure], after, self.ret[procedure], usual)


def _calls(
    rules: typed.Rules, supposed: Mapping[typed.Procedure, None]
) -> tuple[list[typed.Procedure], set[typed.Var]]:
    """The procedures in order of calls, callers first; and the parameters that need no cells.

    A parameter needs no cell if its procedure has a single call site, which passes a plain variable: that variable does
    not change before the procedure returns, so its cell serves both. Procedures run by `once` have other call sites,
    and recursive procedures have frames.
    """
    sites: dict[typed.Procedure, list[typed.CallProcedure]] = {p: [] for p in by_name(rules.procedures)}
    results: dict[typed.Procedure, None] = {}
    seen: set[typed.Procedure] = set()

    def visit(p: typed.Procedure) -> None:
        if p in seen:
            return
        seen.add(p)
        calls = [s for s in walk(p.body) if isinstance(s, typed.CallProcedure)]
        for s in calls:
            sites[s.procedure].append(s)
            visit(s.procedure)
        results[p] = None

    for p in sites:
        visit(p)
    lent: set[typed.Var] = set()
    deep = rings(rules)
    for p, calls in sites.items():
        args = calls[0].args if len(calls) == 1 and p not in supposed and p not in deep else ()
        known: set[typed.Var] = set()
        for var, arg in zip(p.params, args, strict=False):
            if isinstance(arg, typed.Local) and arg.var not in known:
                known.add(arg.var)
                lent.add(var)
    first = called(supposed)
    order = list(results)[::-1]
    return [p for p in order if p in first] + [p for p in order if p not in first], lent


def fill_table(b: BlockBuilder, s: typed.LetTable, scope: Scope) -> None:
    """Adds the cells of a table, and code that initialises them each time the `let` runs."""
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
