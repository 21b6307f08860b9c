"""The viewers of a private value: a player, or a set of players."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import Ent, SetOf


def seers(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Expr:
    """Types an expression that denotes viewers; converts a single player to a set."""
    player = x.decls.player_kind
    result = x.infer(e, env, SetOf(player))
    if isinstance(result.type, Ent) and result.type.kind == player:
        return typed.Op(SetOf(player), result.span, "set", (result,))
    return x.expect(result, SetOf(player), "the set of viewers")
