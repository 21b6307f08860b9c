"""Return values of procedures: `return e`, and the statements that use them."""

from __future__ import annotations

from rulespec.check.scope import Env
from rulespec.check.statements.assignments import type_assign, type_let
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.control import enter
from rulespec.check.statements.effects import callee
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD


def type_taken(
    c: StatementContext, s: ast.Let | ast.Assign | ast.Return, env: Env, place: StatementPlace
) -> Outcome | None:
    """Types a statement that uses a procedure's value; None for others.

    The procedure runs first, and the left side is evaluated after its return.
    """
    name = callee(s, env.original)
    procedure = c.x.rules.procedures.get(name)
    if procedure is None or procedure.result is None:
        return None
    assert isinstance(s.value, ast.CallExpr)
    args = enter(c, s.value, name, procedure, env, place)
    env = env.forget(c.effects.of_procedure(name))
    value = typed.Result(procedure.result, s.value.span, procedure)
    if isinstance(s, ast.Let):
        then, env, alive = type_let(c, s, env, value)
    elif isinstance(s, ast.Assign):
        then, env, alive = type_assign(c, s, env, value)
    else:
        then, env, alive = type_return(c, s, env, place, value)
    if then is None:
        c.understood = False
        return None, env, alive
    assert isinstance(then, typed.Let | typed.Assign | typed.Return)
    return typed.CallProcedure(s.span, procedure, args, then), env, alive


def type_return(
    c: StatementContext, s: ast.Return, env: Env, place: StatementPlace, value: typed.Expr | None = None
) -> Outcome:
    """Types `return e`; `value` is the typed call of a procedure whose value it returns, if any."""
    x, procedure = c.x, c.procedure
    if place.together:
        x.error("RS408", "`return` cannot be used in a simultaneous decision", s.span)
    value = value or x.infer(s.value, env, procedure.result)
    name = procedure.name.partition(" ")[0]
    if procedure.result is None:
        type_ = "…" if value.type == BAD else str(value.type)
        help_ = f"declare its type, `procedure {name}(…) -> {type_}:`, or write `return` alone"
        x.error("RS264", f"`{name}` has no value to return", s.value.span, help=help_)
        return None, env, False
    value = x.expect(value, procedure.result, f"the value of `{name}`", procedure.result_span)
    return typed.Return(s.span, value), env, False
