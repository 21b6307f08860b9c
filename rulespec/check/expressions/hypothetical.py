"""The value of an expression after a hypothetical call: `value once f(…)`."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.calls import infer_procedure
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, Type


def infer_once(x: ExpressionContext, e: ast.Once, env: Env, want: Type | None) -> typed.Expr:
    """Types `value once f(…)`. `check/quiet.py` checks later, on the complete rules, that the procedure has no
    decisions.
    """
    result = infer_procedure(x, e, env)
    after = replace(env, known=frozenset(path for path in env.known if isinstance(path[-1], typed.Var)))
    if result is not None and x.assigned is not None:
        after = env.forget(x.assigned(result[0].name))
    value = x.infer(e.value, after, want)
    if result is None:
        return typed.Lit(BAD, e.span, 0)
    procedure, args = result
    return typed.Once(value.type, e.span, value, procedure, args, e.name.span.to(e.span))
