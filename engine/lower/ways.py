"""Ways with costs, as expressions over cells and slots."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rulespec.engine.program import ir
from rulespec.engine.program.builder import NONE
from rulespec.typed import nodes as typed
from rulespec.types import Ent

if TYPE_CHECKING:  # it lowers the parts, and imports this module
    from rulespec.engine.lower.expressions import ExpressionLowering, Scope


def ways(x: ExpressionLowering, e: typed.Ways, scope: Scope) -> ir.Expr:
    """`reach` with costs, and `cheapest`: both variables are slots."""
    slot = x.slot(scope)
    place = scope.in_slot(e.var, slot)
    to = x.slot(place)
    there, step = scope.in_slot(e.near.var, to), place.in_slot(e.near.var, to)
    start, near = x.expr(e.start, scope), x.expr(e.near.source, place)
    where = x.expr(e.near.where, step) if e.near.where is not None else None
    cost, within = x.expr(e.cost, step), e.op == "reach"
    below = x.site(e.cost.span, "a step costs nothing at least")
    above = x.site(e.span, "these costs together have more than 15 digits")
    assert isinstance(e.var.type, Ent)
    default = x.argument(e.default, e.type, scope) if e.default is not None else None if within else NONE
    return ir.Spread(
        slot,
        to,
        start,
        x.expr(e.bound, scope) if within else None,
        None if within else x.expr(e.bound, there),
        near,
        where,
        cost,
        default,
        below,
        above,
        x.layout.size(e.var.type.kind),
    )
