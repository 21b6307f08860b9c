"""Searches by cost: `reach(… within …)` and `cheapest`."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.operators import common_number
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, LITERAL, Ent, Maybe, SetOf, never_none, or_none, settled


def infer_ways(x: ExpressionContext, e: ast.Ways, env: Env) -> typed.Expr:
    """Types `reach(x from s to y in t costs c within b)` and `cheapest(x from s to y in t costs c until b, else d)`."""
    start = x.as_set(x.infer(e.start, env))
    if not isinstance(start.type, SetOf):
        return start if start.type == BAD else x.bad("RS301", f"`{e.op}` must start with a set", start.span)
    if start.type.kind == ANY:
        return x.bad("RS301", "the kind of this set is unknown", start.span, str(start.type))
    no_shadow(x, e.name, env)
    var = typed.Var(e.name.text, Ent(start.type.kind), e.name.span)
    x.decls.refer(var.span, var)
    near, inner = type_binder(x, e.near, env.bind(var))
    x.expect(near.source, start.type, f"the step of `{e.op}`")
    if near.start is not None:
        x.error("RS229", f"an order has no effect on `{e.op}`", near.start.span)
    cost = x.infer(e.cost, inner)
    unit = common_number(x, LITERAL, cost, "costs", cost)
    if e.op == "reach":
        bound = x.infer(e.bound, env)
        common_number(x, unit, bound, "within", cost)
        return typed.Ways(start.type, e.span, e.op, var, start, near, cost, bound, None)
    bound = x.condition(e.bound, env.bind(near.var))
    if e.default is None:
        return typed.Ways(or_none(settled(unit)), e.span, e.op, var, start, near, cost, bound, None)
    default = x.fitted(x.infer(e.default, env), unit)
    type_ = settled(common_number(x, unit, replace(default, type=never_none(default.type)), e.op, cost))
    if isinstance(default.type, Maybe):
        type_ = or_none(type_)
    return typed.Ways(type_, e.span, e.op, var, start, near, cost, bound, default)
