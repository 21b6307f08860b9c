"""Lowering of a typed ruleset to a program, for a number of seats and the values of its settings.

Every field, account, pile and variable gets a cell; procedures become basic blocks; settings become constants, and
disabled code is removed.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import Layout, by_name, type_name
from rulespec.engine.lower.options import OptionLowering
from rulespec.engine.lower.procedures import Procedures
from rulespec.engine.lower.scope import Marks, Scope
from rulespec.engine.lower.secrecy import add_secrets
from rulespec.engine.lower.start import StartValues
from rulespec.engine.lower.statements import StatementLowering
from rulespec.engine.program import ir
from rulespec.engine.program.liveness import live_cells
from rulespec.engine.program.taint import Taint
from rulespec.typed import nodes as typed
from rulespec.types import RETURNED


def lower(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], marks: Marks | None = None) -> ir.Program:
    """The program of a ruleset; see `lowering`."""
    return lowering(ruleset, seats, settings, marks).p


def lowering(
    ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str], marks: Marks | None = None
) -> ExpressionLowering:
    """The lowering of a ruleset, which contains the program and accepts further expressions.

    Args:
        ruleset: the checked ruleset.
        seats: the number of players, within the ruleset's range.
        settings: all settings of the ruleset, with their values as text.
        marks: a hook that is notified of everything lowered.

    Raises:
        DiagnosticsError: RS701 if there are too many cells, RS702 if a start value is unsuitable.
    """
    p = ir.Program(seats)
    x = ExpressionLowering(Layout(ruleset.declarations, seats, p), settings, p, marks)
    lower_rules(ruleset, x)
    StartValues(ruleset.declarations, x).fill()
    add_secrets(ruleset.declarations, x)
    add_alike(ruleset.declarations, x.layout)
    p.slots = x.most_slots
    return x


def lower_rules(ruleset: typed.Ruleset, x: ExpressionLowering) -> None:
    """Adds all rules of a ruleset to the program of the given expression lowering."""
    _Lowering(ruleset, x).run()


class _Lowering:
    """The lowering of a ruleset's rules."""

    def __init__(self, ruleset: typed.Ruleset, x: ExpressionLowering) -> None:
        self.ruleset = ruleset
        self.rules = ruleset.rules
        self.x = x
        self.p = x.p
        self.b = BlockBuilder(x)
        self.options = OptionLowering(self.b, ruleset.sources)

    def run(self) -> None:
        """Adds definitions, procedures, invariants, scoring and values to the program."""
        self.p.main, end = self.b.block(), self.b.block()
        assert end == ir.END
        self.p.blocks[end].exit = ir.End(self.b.ending(RETURNED), None)
        procedures = Procedures(self.rules, self.b)
        for procedure in procedures.supposed:  # visible to all expressions; parameters have separate cells
            self._entry(procedure, procedures)
        self.x.functions(self.rules.definitions)
        self._procedures(procedures, end)
        for invariant in self.rules.invariants.values():
            reason = invariant.doc or invariant.name
            condition = self.options.conditions.of(invariant.condition, reason, invariant.span, Scope())
            self.p.invariants.append(ir.Invariant(invariant.name, condition))
        if self.rules.scoring is not None:
            self.p.scoring = self._scoring(self.rules.scoring)
        declarations = self.ruleset.declarations
        self.p.values = tuple([self._position_value(value) for value in declarations.values.values()])
        self.p.stakes = declarations.stakes
        self.p.decisions = [_with_policy(d, declarations.playouts.get(d.name, {})) for d in self.p.decisions]

    def _entry(self, procedure: typed.Procedure, procedures: Procedures) -> None:
        params = [procedures.params[procedure][v] for v in procedure.params]
        self.p.entries[procedure.name] = (procedures.first[procedure], (procedures.ret[procedure], *params))

    def _procedures(self, procedures: Procedures, end: int) -> None:
        rules = self.rules
        self.x.results = procedures.results
        if procedures.results:  # the value of a procedure with which a game was started
            self.p.blocks[end].body.append(ir.Clear(min(procedures.results.values()), len(procedures.results)))
        self.p.blocks[self.p.main].exit = procedures.enter(rules.procedures[self.ruleset.start], end)
        player_kind = self.ruleset.declarations.player_kind
        statements = StatementLowering(self.b, self.options, procedures, player_kind)
        exits = {procedure: self._procedure(procedure, procedures, statements) for procedure in procedures.order}
        for procedure, block in exits.items():
            self.p.blocks[block].exit = ir.Return(procedures.ret[procedure], procedures.usual.get(procedure, end))
        for procedure in by_name(rules.procedures):
            self._entry(procedure, procedures)
        statements.drafts.add_copies()
        procedures.deep.add_frames()

    def _procedure(self, procedure: typed.Procedure, procedures: Procedures, statements: StatementLowering) -> int:
        """Lowers a procedure; returns its exit block."""
        self.b.owner = procedure.name
        scope = Scope()
        statements.exit = self.b.block()
        statements.procedure = procedure
        first_local = len(self.p.cells)
        params = procedures.params[procedure]
        own = [at for v, at in params.items() if v not in procedures.lent]
        for var in procedure.params:
            if var not in params:  # its calls are disabled
                params[var] = self.b.local(var.name, type_name(var.type))
            scope = scope.in_cell(var, params[var])
        self.b.open_block = procedures.first[procedure]
        statements.block(procedure.body, scope)
        self.b.goto(statements.exit)
        leaving = self.p.blocks[statements.exit]
        if own:
            leaving.body.append(ir.Clear(own[0], len(own)))
        if len(self.p.cells) > first_local:
            leaving.body.append(ir.Clear(first_local, len(self.p.cells) - first_local))
        return statements.exit

    def _position_value(self, value: typed.PositionValue) -> ir.PositionValue:
        self.x.ranges.slots.clear()
        scope = Scope(slots=1) if value.var is None else Scope().in_slot(value.var, 0)
        expr = self.x.expr(value.value, scope)
        size = self.p.sizes[value.kind] if value.kind else self.p.seats
        return ir.PositionValue(value.name, expr, value.var is None, value.decides, value.horizon, size)

    def _scoring(self, scoring: typed.Scoring) -> ir.Scoring:
        scope = Scope().in_slot(scoring.var, 0)
        self.x.ranges.slots.clear()
        breaks = []
        for t in scoring.tiebreaks:
            if t.var is None or t.source is None or t.key is None:
                breaks.append(ir.Tiebreak(1, None, None, self.x.expr(t.value, scope)))
                continue
            inner = scope.in_slot(t.var, 1)
            source, key, value = self.x.expr(t.source, scope), self.x.expr(t.key, inner), self.x.expr(t.value, inner)
            breaks.append(ir.Tiebreak(1, source, key, value))
        return ir.Scoring(self.x.expr(scoring.score, scope), tuple(breaks))


def _with_policy(d: ir.Decision, weights: Mapping[str, int]) -> ir.Decision:
    """A decision with the playout weights of its options."""
    if not weights or d.by is None:
        return d
    return replace(d, choices=tuple([replace(c, policy=weights.get(c.name, 1)) for c in d.choices]))


def add_alike(declarations: typed.Declarations, layout: Layout) -> None:
    """Records in the program which tokens may be alike, and which cells distinguish them. Must be called last."""
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
