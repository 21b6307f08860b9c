"""Choices between values: `a if c else b`, `a if e is some as x else b`, `a?.b`."""

from __future__ import annotations

from rulespec.check.expressions.calls import infer_method
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import infer_attribute, no_shadow
from rulespec.check.scope import Env, known_if, path_of
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import (
    ANY,
    BAD,
    NO_NUMBER,
    Bad,
    Ent,
    Maybe,
    Num,
    SetOf,
    Type,
    may_be_none,
    never_none,
    or_none,
    unify,
)


class Typed(ast.Expr, frozen=True):
    """An already typed expression within a syntax tree."""

    value: typed.Expr


def infer_choice(x: ExpressionContext, e: ast.Choice, env: Env, want: Type | None) -> typed.Expr:
    """Types `a if c else b`."""
    if isinstance(e.condition, ast.SomeAs):
        return _some(x, e, e.condition, env, want)
    condition = x.condition(e.condition, env)
    then = x.infer(e.then, env.learn(known_if(condition, True)), want)
    other = x.infer(e.other, env.learn(known_if(condition, False)), want or then.type)
    common = one_type(x, then, other)
    if common is None:
        return typed.Lit(BAD, other.span, 0)
    return typed.Choice(common, e.span, condition, x.fitted(then, common), x.fitted(other, common))


def one_type(x: ExpressionContext, then: typed.Expr, other: typed.Expr) -> Type | None:
    """The common type of both branches of `if … else`; if there is none, reports an error and returns None."""
    common = unify(then.type, other.type)
    if common is None:
        message = f"both sides of `if … else` must have the same type, but these are {then.type} and {other.type}"
        notes = (Label(then.span, str(then.type)), *x.declared(then), *x.declared(other))
        x.error("RS301", message, other.span, str(other.type), notes)
    return common


def infer_chain(x: ExpressionContext, e: ast.Chain, env: Env) -> typed.Expr:
    """Types `a?.b` and `a?.to(d)`: the member of an entity, or none."""
    owner = x.infer(e.target, env)
    if isinstance(owner.type, Bad):
        return owner
    if not isinstance(owner.type, Ent) or owner.type.kind == ANY:
        return x.wrong(owner, f"only an entity has `?.{e.name.text}`")
    sure = not owner.type.optional
    if sure and path_of(owner) not in env.known:
        x.report.warning(
            "RS309", "this is never none", owner.span, str(owner.type), x.declared(owner), "write `.` instead"
        )
    var = typed.Var("", owner.type, owner.span, value=owner)
    there = Typed(owner.span, owner if sure else typed.Local(Ent(owner.type.kind), owner.span, var))
    if e.args is None:
        member = infer_attribute(x, ast.Attribute(e.span, there, e.name), env)
    else:
        member = infer_method(x, ast.TrackCall(e.span, there, e.name, e.args), env)
    if sure or isinstance(member.type, Bad):
        return member
    if not isinstance(member.type, Ent | Num | Maybe):
        return _never_none(x, e, member)
    type_ = or_none(never_none(member.type))
    return typed.IfSome(type_, e.span, var, owner, member, _none(type_, e.span))


def _never_none(x: ExpressionContext, e: ast.Chain, member: typed.Expr) -> typed.Expr:
    """Reports `a?.b` for a member without an optional form."""
    other = "{}" if isinstance(member.type, SetOf) else "[]" if "order" in str(member.type) else "false"
    message = f"`?.{e.name.text}` may give none, but a value of type {member.type} cannot be none"
    help_ = f"give a value for that case: `(x.{e.name.text} if … is some as x else {other})`"
    return x.bad("RS328", message, e.name.span, str(member.type), x.declared(member), help_)


def _none(type_: Type, span: Span) -> typed.Expr:
    return typed.Lit(type_, span, NO_NUMBER if isinstance(type_, Maybe) else -1)


def _some(x: ExpressionContext, e: ast.Choice, c: ast.SomeAs, env: Env, want: Type | None) -> typed.Expr:
    """Types `a if e is some as x else b`."""
    value = x.infer(c.operand, env)
    if not isinstance(value.type, Ent | Num | Maybe | Bad) or value.type == Ent(ANY, True):
        value = x.wrong(value, "only an entity or a number may be none")
    elif not may_be_none(value.type) and value.type != BAD and path_of(value) not in env.known:
        help_ = "remove the test, and write the value in place of the name"
        x.report.warning("RS309", "this is never none", value.span, str(value.type), x.declared(value), help_)
    no_shadow(x, c.name, env)
    var = typed.Var(c.name.text, value.type, c.name.span, value=value)
    x.decls.refer(var.span, var)
    known = frozenset(path for path in ((var,), path_of(value)) if path is not None)
    then = x.infer(e.then, env.bind(var).learn(known), want)
    if not var.reads:
        x.report.warning("RS405", f"`{var.name}` is never used", var.span, help="omit the name: `… is some`")
    other = x.infer(e.other, env, want or then.type)
    common = one_type(x, then, other)
    if common is None:
        return typed.Lit(BAD, other.span, 0)
    return typed.IfSome(common, e.span, var, value, x.fitted(then, common), x.fitted(other, common))
