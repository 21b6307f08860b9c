"""Declassification, a value that the rules disclose although it follows from private state: `told(value, "reason")`."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import Type


def infer_told(x: ExpressionContext, e: ast.Told, env: Env, want: Type | None) -> typed.Expr:
    """Types `told(value, "reason")` as the value itself; the disclosure concerns the warnings of leaks alone."""
    if not e.reason.text.strip():
        x.error("RS349", "`told` says why: this reason is empty", e.reason.span, help="say which rule tells it")
    value = x.infer(e.value, env, want)
    x.rules.told.add(value.span)
    return value
