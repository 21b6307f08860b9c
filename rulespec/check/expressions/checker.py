"""Checker of expressions: hands each form to the function that types it."""

from __future__ import annotations

from rulespec.check.expressions.calls import infer_call, infer_track_call
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.lookups import infer_index
from rulespec.check.expressions.names import infer_attribute, infer_number, infer_ref
from rulespec.check.expressions.operators import infer_binary, infer_choice, infer_unary
from rulespec.check.expressions.sets import infer_each, infer_reach, infer_set
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BOOL, Ent, Type


class ExpressionChecker(ExpressionContext):
    """Turns syntax trees into typed expressions, and reports errors of names and types."""

    def infer(self, e: ast.Expr, env: Env, want: Type | None = None) -> typed.Expr:
        """Typed form of an expression; `want` tells entities of the same name apart."""
        if isinstance(e, ast.Number):
            return infer_number(self, e)
        if isinstance(e, ast.Truth):
            return typed.Lit(BOOL, e.span, int(e.value))
        if isinstance(e, ast.Nothing):
            return typed.Lit(Ent(ANY, True), e.span, -1)
        if isinstance(e, ast.Ref):
            return infer_ref(self, e, env, want)
        if isinstance(e, ast.Attribute):
            return infer_attribute(self, e, env)
        if isinstance(e, ast.Index):
            return infer_index(self, e, env)
        if isinstance(e, ast.CallExpr):
            return infer_call(self, e, env)
        if isinstance(e, ast.TrackCall):
            return infer_track_call(self, e, env)
        if isinstance(e, ast.Unary):
            return infer_unary(self, e, env)
        if isinstance(e, ast.Binary):
            return infer_binary(self, e, env, want)
        if isinstance(e, ast.Choice):
            return infer_choice(self, e, env, want)
        if isinstance(e, ast.SetLiteral):
            return infer_set(self, e, env, want)
        if isinstance(e, ast.Each):
            return infer_each(self, e, env)
        assert isinstance(e, ast.Reach)
        return infer_reach(self, e, env)
