"""Calls to built-in functions."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.check.expressions.bags import of_bag
from rulespec.check.expressions.context import ENTITY, ExpressionContext
from rulespec.check.expressions.operators import common_number
from rulespec.check.expressions.paths import of_path
from rulespec.check.scope import Env
from rulespec.check.set_sizes import has_members
from rulespec.diagnostics.suggestions import counted
from rulespec.language import builtins
from rulespec.language.builtins import Builtin
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, LITERAL, Bad, Ent, Order, SetOf, Type, may_be_none, never_none


def infer_builtin(x: ExpressionContext, f: Builtin, e: ast.CallExpr, env: Env) -> typed.Expr:
    """Types a call to a built-in function."""
    if any(each.takes == builtins.PLACE for each in f.parameters):
        from rulespec.check.declarations.capacities import infer_room  # lazily: most rulesets have no capacities

        return infer_room(x, e, env)
    if not f.takes(len(e.args)):
        wanted = counted(len(f.parameters), "argument")
        wanted = f"at least {wanted}" if f.any_number else wanted
        x.error("RS226", f"`{f.name}` takes {wanted}, not {len(e.args)}", e.span)
        for arg in e.args:
            x.infer(arg, env)
        return typed.Lit(BAD, e.span, 0)
    if f.of_bag and (held := of_bag(x, f.of_bag, e, env)) is not None:
        return held
    if f.of_path and (asked := of_path(x, f.of_path, e, env)) is not None:
        return asked
    taken = [f.parameter(number).takes for number in range(len(e.args))]
    args = [_ARGUMENTS[takes](x, f, x.infer(arg, env)) for takes, arg in zip(taken, e.args, strict=True)]
    numbers = [arg for takes, arg in zip(taken, args, strict=True) if takes == builtins.NUMBER]
    common: Type = LITERAL
    for number in numbers:
        common = common_number(x, common, number, f.name, numbers[0])
    if any(type_ == BAD for type_ in (common, *(arg.type for arg in args))):
        return typed.Lit(BAD, e.span, 0)
    result = f.result(*(arg.type for arg in args))
    if may_be_none(result) and has_members(args[0]):
        result = never_none(result)
    op = f.of_order if f.of_order and isinstance(args[0].type, Order) else f.operator
    return typed.Op(result, e.span, op, tuple(args))


def _number(x: ExpressionContext, f: Builtin, arg: typed.Expr) -> typed.Expr:
    return x.number(arg, f"`{f.name}` takes numbers")


def _set(x: ExpressionContext, f: Builtin, arg: typed.Expr) -> typed.Expr:
    arg = x.as_set(arg)
    return arg if isinstance(arg.type, SetOf | Bad) else x.wrong(arg, f"`{f.name}` {f.help}")


def _members(x: ExpressionContext, f: Builtin, arg: typed.Expr) -> typed.Expr:
    if f.of_order and isinstance(arg.type, Order):
        return arg
    arg = _set(x, f, arg)
    if isinstance(arg.type, SetOf) and arg.type.kind == ANY:
        return x.wrong(arg, f"`{f.name}` {f.help}", "write a set of a known kind: `{}` has no members")
    return arg


def _entity(x: ExpressionContext, f: Builtin, arg: typed.Expr) -> typed.Expr:
    if arg.type == BAD or (isinstance(arg.type, Ent) and not arg.type.optional):
        return arg
    return x.expect(arg, ENTITY, f"the argument of `{f.name}`")


_ARGUMENTS: dict[str, Callable[[ExpressionContext, Builtin, typed.Expr], typed.Expr]] = {
    builtins.NUMBER: _number,
    builtins.SET: _set,
    builtins.MEMBERS: _members,
    builtins.ENTITY: _entity,
}
"""The check of an argument, for each form of parameter."""
