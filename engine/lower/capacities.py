"""Capacity checks after moves into a place, and for the set-up."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.expressions import ExpressionLowering, limits_of
from rulespec.engine.lower.places import first_place, how_many
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, op
from rulespec.typed import nodes as typed


def checks(x: ExpressionLowering, e: typed.Expr, at: ir.Cell, span: Span, scope: Scope) -> Iterator[ir.Check]:
    """The capacity checks to run after pieces arrive in a cell; the cell's index must not depend on these pieces."""
    if isinstance(e, typed.PieceCount):
        pile = op("+", at.index, ir.Const(at.base - x.layout.place_at[e.place]))  # a constant index is part of the base
        index = _within(x, pile, e.place.index) if e.piece.each else pile
        for capacity in x.layout.d.bounds.get(e.place, ()):
            yield check(x, capacity, index if capacity.index else FALSE, span, scope)


def _within(x: ExpressionLowering, pile: ir.Expr, kind: str) -> ir.Expr:
    """The index entity of a place, given the pile's number, in which owners are multiples of the number of places."""
    size = x.layout.size(kind) if kind else 1
    rest = [e for e in _summands(pile) if not _is_multiple(e, size)]
    if len(rest) == 1 and isinstance(rest[0], ir.Cell) and x.p.cells[rest[0].base].type == kind:
        return rest[0]
    return op("%", pile, ir.Const(size))


def _summands(e: ir.Expr) -> list[ir.Expr]:
    return [x for part in e.args for x in _summands(part)] if isinstance(e, ir.Op) and e.op == "+" else [e]


def _is_multiple(e: ir.Expr, size: int) -> bool:
    factors = e.args if isinstance(e, ir.Op) and e.op == "*" else (e,)
    return any(isinstance(factor, ir.Const) and factor.value % size == 0 for factor in factors)


def check(x: ExpressionLowering, capacity: typed.CapacityDecl, index: ir.Expr, span: Span, scope: Scope) -> ir.Check:
    """An instruction that faults if a capacity is exceeded."""
    fits = op("<=", how_many(x.layout, capacity, index, x.slot(scope)), x.row(limits_of(x, capacity), index))
    return ir.Check(fits, x.site(span, f"there is no more room in `{capacity.name}`"))


def _start(x: ExpressionLowering, capacity: typed.CapacityDecl) -> list[int]:
    """The counts in the set-up, one per entity of the index."""
    layout, state = x.layout, x.p.start
    size = layout.size(capacity.index) if capacity.index else 1
    counts = [0] * size
    for owner, place in capacity.of:
        if isinstance(owner, typed.PieceDecl):
            base = layout.place_at[place]
            for at in range(size * prod(layout.size(kind) for kind in owner.each)):
                counts[at % size] += state[base + at]
        else:
            first, base = first_place(layout, owner, place), layout.field_at[owner.state["place"]]
            for value in state[base : base + layout.size(owner.name)]:
                if first <= value < first + size:
                    counts[value - first] += 1
    return counts


def check_bounds(x: ExpressionLowering) -> None:
    """Checks that the set-up exceeds no capacity.

    Raises:
        DiagnosticsError: RS702 if the set-up exceeds a capacity.
    """
    for capacity in x.layout.d.capacities.values():
        for number, (count, limit) in enumerate(zip(_start(x, capacity), limits_of(x, capacity), strict=True)):
            if count > limit:
                where = f"`{capacity.name}[{x.layout.titles(capacity.index)[number]}]`" if capacity.index else ""
                message = f"the set-up puts {count} into {where or f'`{capacity.name}`'}, which has room for {limit}"
                raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, capacity.span),))
