"""Operators over the subsets of a set, such as `any(s in subsets(t): c)`. Their results do not depend on the order."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.operators import common_number
from rulespec.check.scope import Env, known_if
from rulespec.diagnostics.suggestions import counted
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, BOOL, INT, LITERAL, Bad, Maybe, Num, SetOf, Type, or_none, settled

_OPERATORS = frozenset(["all", "any", "count", "max", "min", "sum", "union"])
SUBSETS = "subsets"


def over_subsets(x: ExpressionContext, e: ast.Each) -> bool:
    """Whether an operator iterates over `subsets(…)`, unless a definition with the same name hides it."""
    source = e.binder.source
    named = isinstance(source, ast.CallExpr) and source.name.text == SUBSETS
    return named and e.op in _OPERATORS and SUBSETS not in x.rules.definitions


def infer_subsets(x: ExpressionContext, e: ast.Each, env: Env) -> typed.Expr:
    """Types an operator over subsets."""
    b = e.binder
    assert isinstance(b.source, ast.CallExpr)
    if len(b.source.args) != 1:
        help_ = "write `any(s in subsets(t): c)`, or for a size `s in subsets(t) where count(s) == 2`"
        return x.bad(
            "RS226", f"`{SUBSETS}` takes a set, not {counted(len(b.source.args), 'value')}", b.source.span, help=help_
        )
    source = x.as_set(x.infer(b.source.args[0], env))
    if not isinstance(source.type, SetOf) or source.type.kind == ANY:
        return source if source.type == BAD else x.wrong(source, f"`{SUBSETS}` takes a set of entities of one kind")
    if b.start is not None:
        return x.bad("RS229", f"`from` and `after` have no effect in `{e.op}`", b.start.span, help="remove it")
    no_shadow(x, b.name, env)
    var = typed.Var(b.name.text, source.type, b.name.span)
    x.decls.refer(var.span, var)
    inner, where = env.bind(var), None
    if b.where is not None:
        where = x.condition(b.where, inner)
        inner = inner.learn(known_if(where, True))
    default = x.infer(e.default, env) if e.default is not None else None
    body = None
    if e.body is not None:
        body = x.condition(e.body, inner) if e.op == "all" else x.infer(e.body, inner)
    type_, body, default = _fitting(x, e, body, default)
    if type_ == BAD or (body is not None and body.type == BAD):
        return typed.Lit(BAD, e.span, 0)
    return typed.OverSubsets(type_, e.span, e.op, source, var, where, body, default)


def _fitting(
    x: ExpressionContext, e: ast.Each, body: typed.Expr | None, default: typed.Expr | None
) -> tuple[Type, typed.Expr | None, typed.Expr | None]:
    """The type of an operator, with its converted body and default; BAD if an error is reported."""
    if e.op in ("any", "all"):
        return BOOL, body, default
    if body is None:
        return INT, body, default
    if e.op == "union":
        body = x.as_set(body)
        return (
            (body.type if isinstance(body.type, SetOf | Bad) else x.wrong(body, "`union` needs a set").type),
            body,
            None,
        )
    if e.op in ("min", "max"):
        body = x.fitted(body, LITERAL)
    if isinstance(body.type, Bad):
        return BAD, body, default
    solid = replace(body, type=Num(body.type.unit)) if e.op != "sum" and isinstance(body.type, Maybe) else body
    type_ = common_number(x, LITERAL, solid, e.op, body)
    if default is not None:
        default = x.fitted(default, type_)
        type_ = common_number(x, type_, default, e.op, body)
    elif e.op in ("min", "max"):
        return or_none(settled(type_)), body, None
    return settled(type_), body, default
