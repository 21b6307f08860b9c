"""`for x in p:` and `for x to y in p:` over a path, typed as a counter and a `repeat` that advances by stops."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.paths import number_of, steps_of, stop_of
from rulespec.check.scope import Env
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.language.paths import MAX_STOPS
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BOOL, INT, Ent, PathOf


def type_along(c: StatementContext, s: ast.For, env: Env, place: StatementPlace) -> Outcome | None:
    """Types a loop over the stops or steps of a path, in order; None for other loops."""
    x, b = c.x, s.binder
    if b.then is not None:
        if (steps := steps_of(x, b, env)) is None:
            return None, env, True
        path, one, other, inner = steps
        variables = [one, other]
    else:
        named = env.vars.get(b.source.name) if isinstance(b.source, ast.Ref) else None
        if named is None or not isinstance(named.type, PathOf):
            return None
        path = x.infer(b.source, env)
        no_shadow(x, b.name, env)
        variables = [typed.Var(b.name.text, Ent(named.type.kind), b.name.span)]
        x.decls.refer(b.name.span, variables[0])
        inner = env.bind(variables[0])
    if b.start is not None:
        x.error("RS229", "a path has its own order", b.start.span)
    if b.keys:
        x.error("RS229", "a path has its own order, so it cannot be sorted `by` keys", b.span)
    where = x.condition(b.where, inner) if b.where is not None else None
    body, _, _ = c.inner(s.body, inner, replace(place, in_loop=True, asks=False))
    return _loop(s, path, variables, where, body), env, True


def _loop(
    s: ast.For, path: typed.Expr, variables: list[typed.Var], where: typed.Expr | None, body: typed.Block
) -> typed.Block:
    """The statements of the loop: a counter from 0, and a `repeat` whose head advances to the next stop or leaves."""
    at = s.span
    count = typed.Var(f"number of {variables[0].name}", INT, at, reads=1)
    number = typed.Local(INT, at, count)

    def plus(more: int) -> typed.Expr:
        return typed.Op(INT, at, "+", (number, typed.Lit(INT, at, more))) if more else number

    over = typed.Op(BOOL, at, ">=", (plus(len(variables) - 1), number_of(path)))
    head: list[typed.Stmt] = [typed.If(at, ((over, (typed.Jump(at, "leave"),)),))]
    for more, var in enumerate(variables):
        head.append(typed.Let(at, var, stop_of(path, plus(more))))
    head.append(typed.Assign(at, number, plus(1)))
    if where is not None:
        skipped = typed.Op(BOOL, at, "not", (where,))
        head.append(typed.If(at, ((skipped, (typed.Jump(at, "continue"),)),)))
    limit = typed.Lit(INT, at, MAX_STOPS + 1)
    loop = typed.Repeat(s.span, limit, (*head, *body), len(head), word="for")
    return typed.Let(at, count, typed.Lit(INT, at, 0)), loop
