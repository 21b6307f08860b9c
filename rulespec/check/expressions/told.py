"""Declassification by `told(value, "reason")`: the rules disclose a value derived from private state."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import Type


def infer_told(x: ExpressionContext, e: ast.Told, env: Env, want: Type | None) -> typed.Expr:
    """Types `told(value, "reason")` as the value itself; only leak warnings depend on the disclosure."""
    if not e.reason.text.strip():
        x.error(
            "RS349", "`told` needs a reason: this one is empty", e.reason.span, help="name the rule that discloses it"
        )
    value = x.infer(e.value, env, want)
    x.rules.told.add(value.span)
    return value
