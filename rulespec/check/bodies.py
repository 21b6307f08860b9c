"""Checks of rule bodies: names, types and resources."""

from __future__ import annotations

from rulespec.check.context import Context
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env
from rulespec.check.statements.context import StatementContext, StatementPlace
from rulespec.check.statements.heads import type_guard
from rulespec.diagnostics.diagnostic import Label
from rulespec.syntax import ast
from rulespec.syntax.shared import members
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import suppositions
from rulespec.types import ANY, BAD, Ent, SetOf, settled


def check_bodies(c: Context) -> None:
    """Types the bodies of all rules, and collects all `once` expressions."""
    x, statements = c.expressions, c.statements
    for key, item in c.source.items.items():
        name = key[1]
        original = c.source.originals.get(key, "")
        if isinstance(item, ast.Def):
            _definition(statements, item, x.rules.definitions[name], original)
        elif isinstance(item, ast.Procedure):
            procedure = x.rules.procedures[name]
            statements.procedure = procedure
            procedure.body, _, falls = statements.inner(item.body, _env(procedure.params, original), StatementPlace())
            if falls and procedure.result is not None:
                message = f"a path through `{item.name.text}` ends without `return`"
                notes = (
                    (Label(item.result.span, f"its value is declared as {procedure.result}"),) if item.result else ()
                )
                x.error("RS263", message, item.name.span, notes=notes, help="end every path with `return e`")
        elif isinstance(item, ast.Guard):
            guard = x.rules.guards[name]
            guard.head = type_guard(statements, item.head, _env(guard.params, ""))
        elif isinstance(item, ast.OptionGroup):
            for included in (m for m in members(item.options) if isinstance(m, ast.Name)):
                x.error(
                    "RS229",
                    "option groups cannot be nested",
                    included.span,
                    help="include both groups in the decision",
                )
        elif isinstance(item, ast.Invariant):
            condition = x.condition(item.condition, Env())
            x.rules.invariants[name] = typed.Invariant(name, item.doc.text, condition, item.name.span)
        elif isinstance(item, ast.Scoring):
            x.rules.scoring = _scoring(x, item)
    x.rules.suppositions = suppositions(x.rules)


def _definition(c: StatementContext, item: ast.Def, definition: typed.Definition, original: str) -> None:
    x = c.x
    env = _env(definition.params, original)
    lets = []
    for let in item.lets:
        no_shadow(x, let.name, env)
        value = x.infer(let.value, env)
        type_ = settled(value.type)
        if isinstance(type_, Ent | SetOf) and type_.kind == ANY:
            x.error("RS301", "the kind of this value is unknown", let.value.span)
            type_ = BAD
        var = typed.Var(let.name.text, type_, let.name.span, 0, value)
        x.decls.refer(var.span, var)
        env = env.bind(var)
        lets.append((var, value))
    definition.lets = tuple(lets)
    what = f"the value of `{item.name.text}`"
    definition.body = x.check(item.body, env, definition.result, what, item.result.span)
    for var, _ in lets:
        if not var.reads:
            c.unused(var)


def _env(params: tuple[typed.Var, ...], original: str) -> Env:
    env = Env(original=original)
    for var in params:
        env = env.bind(var)
    return env


def _scoring(x: ExpressionContext, item: ast.Scoring) -> typed.Scoring:
    if item.name.text != x.decls.player_kind:
        x.error(
            "RS301",
            f"`scoring` must range over the players: `{item.var.text} in {x.decls.player_kind}`",
            item.name.span,
        )
    var = typed.Var(item.var.text, Ent(x.decls.player_kind), item.var.span)
    x.decls.refer(var.span, var)
    x.decls.refer(item.name.span, x.decls.kinds[x.decls.player_kind])
    env = Env().bind(var)
    score = _number(x, item.score, env, "the score")
    tiebreaks = []
    for t in item.tiebreaks:
        if t.name is None or t.source is None or t.key is None:
            tiebreaks.append(typed.Tiebreak(None, None, None, _number(x, t.value, env, "a tie-break")))
            continue
        binder, inner = type_binder(x, ast.Binder(t.name, t.source, "", None, None, t.name.span), env)
        key = _number(x, t.key, inner, "the order")
        tiebreaks.append(typed.Tiebreak(binder.var, binder.source, key, _number(x, t.value, inner, "a tie-break")))
    return typed.Scoring(var, score, tuple(tiebreaks), item.doc.text, item.span)


def _number(x: ExpressionContext, e: ast.Expr, env: Env, what: str) -> typed.Expr:
    value = x.infer(e, env)
    return x.number(value, f"{what} must be a number")
