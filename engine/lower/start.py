"""Start values, which are the contents of the cells before the first block runs."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.capacities import check_bounds
from rulespec.engine.lower.expressions import ExpressionLowering, capacities_of
from rulespec.engine.lower.places import check_start
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Maybe, may_be_none, none_of


class StartValues:
    """The computation of a program's start state."""

    def __init__(self, declarations: typed.Declarations, x: ExpressionLowering) -> None:
        self.d = declarations
        self.x = x
        self.p = x.p
        self.layout = x.layout

    def fill(self) -> None:
        """Writes the start values of fields, then places the pieces of the set-up."""
        state = self.p.start
        self.p.slots = self.x.most_slots
        fields = [*self.d.fields.values(), *(f for kind in self.d.kinds.values() for f in kind.state.values())]
        for field_ in fields:  # in declaration order, as a start value may read earlier fields
            base = self.layout.field_at[field_]
            if field_.start is not None and field_.at is not None:
                for i in range(self.layout.size(field_.kind)):
                    state[base + i] = self._started(field_, field_.start, {field_.at: i})
                continue
            if field_.start is not None:
                value = self._started(field_, field_.start, {})
            elif isinstance(field_.type, Ent | Maybe):
                value = none_of(field_.type)
            else:
                continue
            for i in range(self.layout.size(field_.kind) if field_.kind else 1):
                state[base + i] = value
        for placement in self.d.placements:
            if placement.players is None:
                self._placement(placement)
        for placement in self.d.placements:
            if placement.players == self.layout.seats:
                self._placement(placement)
        for kind in self.d.kinds.values():
            if kind.places:
                check_start(self.layout, kind, capacities_of(self.x, kind))
        check_bounds(self.x)

    def _started(self, field_: typed.FieldDecl, start: typed.Expr, known: Mapping[typed.Var, int]) -> int:
        """The start value of a field, checked against its range."""
        value = self._value(start, known)
        self._check_start(field_, value, start.span)
        return value

    def _value(self, e: typed.Expr, known: Mapping[typed.Var, int] | None = None) -> int:
        lowered = self.x.expr(e, Scope({var: ir.Const(value) for var, value in (known or {}).items()}))
        self.p.slots = self.x.most_slots
        try:
            return self.x.worked_out(lowered, self.p.start, e.span)
        except ProgramFaultError as fault:
            span, message = self.p.sites[fault.site]
            message = f"the start value cannot be computed: {message}" + (
                f" ({note})" if (note := fault.culprits(self.p)) else ""
            )
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, span),)) from None

    def _check_start(self, field_: typed.FieldDecl, value: int, span: Span) -> None:
        low, high = field_.low, field_.high
        if field_.account and not field_.unlimited:
            low = 0
        if may_be_none(field_.type) and value == none_of(field_.type):
            return
        if (low is not None and value < low) or (high is not None and value > high):
            what = f"must be between {low} and {high}" if high is not None else "must not be below 0"
            message = f"`{field_.name}` {what}, but would start at {value}"
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, span),))

    def _placement(self, placement: typed.Placement) -> None:
        target = placement.target
        if isinstance(target, typed.FieldDecl):
            base = self.layout.field_at[target]
            kinds = [target.kind] if target.kind else []
        else:
            base = self.layout.place_at[target[1]]
            kinds = [*target[0].each, *([target[1].index] if target[1].index else [])]
        members = [
            range(self.layout.size(kind)) if isinstance(key, typed.Var) else [key]
            for kind, key in zip(kinds, placement.keys, strict=True)
        ]
        strides = self.layout.strides(kinds)
        each = [(at, key) for at, key in enumerate(placement.keys) if isinstance(key, typed.Var) and key.reads]
        value = 0 if each else self._start_of(placement, {})
        for ids in product(*members):
            if each:
                value = self._start_of(placement, {var: ids[at] for at, var in each})
            self.p.start[base + sum(i * stride for i, stride in zip(ids, strides, strict=True))] = value

    def _start_of(self, placement: typed.Placement, known: Mapping[typed.Var, int]) -> int:
        value = self._value(placement.value, known)
        if isinstance(placement.target, typed.FieldDecl):
            self._check_start(placement.target, value, placement.value.span)
        elif value < 0:
            message = "a number of pieces cannot be negative"
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, placement.span),))
        return value
