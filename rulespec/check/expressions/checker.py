"""The checker of expressions, which dispatches each form to its typing function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rulespec.check.expressions.boards import infer_ray
from rulespec.check.expressions.calls import infer_call, infer_method, infer_once, infer_told
from rulespec.check.expressions.cases import infer_cases
from rulespec.check.expressions.choices import Typed, infer_chain, infer_choice
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.lookups import infer_index
from rulespec.check.expressions.names import infer_attribute, infer_number, infer_ref, narrowed
from rulespec.check.expressions.operators import infer_binary, infer_unary
from rulespec.check.expressions.paths import infer_along, infer_longest, infer_ways, path_elsewhere
from rulespec.check.expressions.sets import infer_each, infer_in_order, infer_reach, infer_set
from rulespec.check.expressions.subsets import infer_subsets, over_subsets
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BOOL, Ent, Type


class ExpressionChecker(ExpressionContext):
    """A converter of syntax trees into typed expressions that reports name and type errors."""

    def infer(self, e: ast.Expr, env: Env, want: Type | None = None) -> typed.Expr:
        """The typed form of an expression; `want` selects among entities that have the same name."""
        if self.decls.places:
            from rulespec.check.expressions.places import infer_tokens  # lazily: most rulesets have no tokens

            if (result := infer_tokens(self, e, env, want)) is not None:
                return result
        return _FORMS[type(e)](self, e, env, want)


def _of_each(e: ast.Each) -> Callable[[ExpressionContext, ast.Each, Env], typed.Expr]:
    """The typing function for an operator: over members, over the steps of a path, or over paths."""
    return infer_longest if e.op == "longest" else infer_each if e.binder.then is None else infer_along


# A table, because `isinstance` is slow to reject classes made in C.
_FORMS: dict[type[ast.Expr], Callable[[ExpressionChecker, Any, Env, Type | None], typed.Expr]] = {
    ast.Number: lambda x, e, env, want: infer_number(x, e),
    ast.Truth: lambda x, e, env, want: typed.Lit(BOOL, e.span, int(e.value)),
    ast.Nothing: lambda x, e, env, want: typed.Lit(Ent(ANY, True), e.span, -1),
    ast.Ref: infer_ref,
    ast.Attribute: lambda x, e, env, want: infer_attribute(x, e, env),
    ast.Index: lambda x, e, env, want: narrowed(infer_index(x, e, env), env),
    ast.CallExpr: lambda x, e, env, want: infer_call(x, e, env),
    ast.TrackCall: lambda x, e, env, want: narrowed(infer_method(x, e, env), env),
    ast.SomeAs: lambda x, e, env, want: x.bad(
        "RS131", "`as` can name a value only in the condition of an `if`", e.span
    ),
    ast.Chain: lambda x, e, env, want: infer_chain(x, e, env),
    Typed: lambda x, e, env, want: e.value,
    ast.Cases: infer_cases,
    ast.Unary: lambda x, e, env, want: infer_unary(x, e, env),
    ast.Binary: infer_binary,
    ast.Choice: infer_choice,
    ast.SetLiteral: infer_set,
    ast.InOrder: infer_in_order,
    ast.Each: lambda x, e, env, want: (infer_subsets if over_subsets(x, e) else _of_each(e))(x, e, env),
    ast.Reach: lambda x, e, env, want: infer_reach(x, e, env),
    ast.Ways: lambda x, e, env, want: infer_ways(x, e, env),
    ast.Path: lambda x, e, env, want: path_elsewhere(x, e, env),
    ast.Once: infer_once,
    ast.Told: infer_told,
    ast.Ray: lambda x, e, env, want: infer_ray(x, e, env),
}
