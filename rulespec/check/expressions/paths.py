"""Paths: what a parameter chooses by `path(…)`, and what can be asked of one."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.operators import common_number
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env, known_if
from rulespec.language.paths import MAX_STOPS
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, BOOL, INT, LITERAL, Bad, Ent, Num, PathOf, SetOf, Type

_FOR_STEPS = frozenset(["all", "any", "count", "set", "sum", "union"])
"""Operators over the steps of a path."""


def path_elsewhere(x: ExpressionContext, e: ast.Path, env: Env) -> typed.Expr:
    """Reports `path(…)` that is not what a parameter chooses."""
    help_ = "`way in path(…)` is a parameter of an option; `reach(x from s: t)` is all that can be reached"
    return x.bad("RS352", "a path is chosen by a parameter, and is no value by itself", e.span, help=help_)


def type_path(x: ExpressionContext, name: ast.Name, e: ast.Path, env: Env) -> typed.PathDomain | None:
    """Typed `path(x from s to y in t once u counts c within n)` of a parameter of this name; None if it is reported."""
    start = x.as_set(x.infer(e.start, env))
    if not isinstance(start.type, SetOf) or start.type.kind == ANY:
        if start.type != BAD:
            one = isinstance(start.type, Ent) and not start.type.optional
            x.wrong(start, "a path begins with a set", "in braces it is a set: `{…}`" if one else "")
        return None
    so_far = typed.Var(name.text, PathOf(start.type.kind), name.span, reads=1)
    no_shadow(x, e.name, env)
    var = typed.Var(e.name.text, Ent(start.type.kind), e.name.span, reads=1)
    x.decls.refer(so_far.span, so_far)
    x.decls.refer(var.span, var)
    near, inner = type_binder(x, e.near, env.bind(so_far).bind(var))
    near.var.reads += 1
    if near.var.type != BAD:
        x.expect(near.source, start.type, "the step of a path")
    uses = [_use(x, use, inner) for use in e.uses]
    cost: typed.Expr = typed.Lit(INT, e.span, 1)
    unit: Type = INT
    if e.counts is not None:
        cost = x.number(x.infer(e.counts, inner), "`counts` takes a number")
        unit = common_number(x, LITERAL, cost, "counts", cost)
    bound = x.number(x.infer(e.bound, env), "`within` takes a number")
    common_number(x, unit, bound, "within", cost)
    _check_bound(x, bound, counted=e.counts is not None)
    return typed.PathDomain(so_far.type, e.span, so_far, var, start, near, tuple(uses), cost, bound, e.whole)


def _use(x: ExpressionContext, use: ast.Expr, env: Env) -> typed.Expr:
    """Typed thing that a path uses once."""
    result = x.as_set(x.infer(use, env))
    if isinstance(result.type, SetOf | Ent) and result.type.kind != ANY:
        return result
    if result.type == BAD:
        return result
    help_ = "name what may not come twice: `once y`, `once line[x, y]`; `where` says which steps there are"
    message = f"`once` takes an entity or a set, and this is {result.type}"
    return x.bad("RS355", message, use.span, str(result.type), x.declared(result), help_)


def _check_bound(x: ExpressionContext, bound: typed.Expr, *, counted: bool) -> None:
    """Reports a bound that no path keeps, and one that is above the stops of the longest."""
    if not isinstance(bound, typed.Lit) or bound.type == BAD:
        return
    if bound.value < (0 if counted else 1):
        help_ = "`within 1` is a single step; that nothing is chosen is an option of its own"
        x.error("RS353", f"no path has {bound.value} steps", bound.span, help=help_)
    elif not counted and bound.value >= MAX_STOPS:
        help_ = f"write `within {MAX_STOPS - 1}`, or fewer: what may be so long is never listed"
        x.error("RS353", f"a path has at most {MAX_STOPS - 1} steps", bound.span, help=help_)


def of_path(x: ExpressionContext, operator: str, e: ast.CallExpr, env: Env) -> typed.Expr | None:
    """Types the number of the stops of a path, the first of them, or the last; None for another call."""
    if len(e.args) != 1 or not isinstance(e.args[0], ast.Ref) or e.args[0].name not in env.vars:
        return None
    type_ = env.vars[e.args[0].name].type
    if not isinstance(type_, PathOf):
        return None
    result = INT if operator == "length" else Ent(type_.kind)
    return typed.Op(result, e.span, operator, (x.infer(e.args[0], env),))


def infer_along(x: ExpressionContext, e: ast.Each, env: Env) -> typed.Expr:
    """Types an operator over the steps of a path: `sum(e for x to y in p)`."""
    b = e.binder
    assert b.then is not None
    steps = steps_of(x, b, env)
    if steps is None:
        return typed.Lit(BAD, e.span, 0)
    path, var, then, inner = steps
    where = None
    if b.where is not None:
        where = x.condition(b.where, inner)
        inner = inner.learn(known_if(where, True))
    if e.op not in _FOR_STEPS or (e.op == "set" and e.body is None) or e.default is not None:
        help_ = "`{e for x to y in way}` is a set of what the steps are, `for x to y in way:` goes through them"
        return x.bad("RS354", f"`{e.op}` takes no steps: a step is no entity", e.span, help=help_)
    if e.op in ("any", "count"):
        return typed.Along(BOOL if e.op == "any" else INT, e.span, e.op, path, var, then, where, None)
    assert e.body is not None
    body = x.condition(e.body, inner) if e.op == "all" else x.infer(e.body, inner)
    if e.op == "union":
        body = x.as_set(body)
    type_ = _type_along(x, e.op, body)
    return typed.Along(type_, e.span, e.op, path, var, then, where, body) if type_ != BAD else body


def _type_along(x: ExpressionContext, op: str, body: typed.Expr) -> Type:
    """The type of an operator over steps; BAD if it is reported."""
    if isinstance(body.type, Bad) or op == "all":
        return body.type
    if op == "sum":
        unit = common_number(x, LITERAL, body, "sum", body)
        return INT if unit == LITERAL else unit
    if op == "union" and isinstance(body.type, SetOf):
        return body.type
    if op == "set" and isinstance(body.type, Ent) and body.type.kind != ANY:
        return SetOf(body.type.kind)
    what = "`union` needs a set" if op == "union" else "a member of a set must be an entity"
    return x.wrong(body, what).type


def steps_of(x: ExpressionContext, b: ast.Binder, env: Env) -> tuple[typed.Expr, typed.Var, typed.Var, Env] | None:
    """The path of a binder `x to y in p`, its two variables, and the scope with them; None if it is reported."""
    assert b.then is not None
    path = x.infer(b.source, env)
    if not isinstance(path.type, PathOf):
        if path.type != BAD:
            help_ = "`x in s` goes through a set; two at once are `for x in s for y in t`"
            message = f"only a path has steps, and this is {path.type}"
            x.bad("RS354", message, path.span, str(path.type), x.declared(path), help_)
        return None
    results = []
    for name in (b.name, b.then):
        no_shadow(x, name, env)
        var = typed.Var(name.text, Ent(path.type.kind), name.span)
        x.decls.refer(var.span, var)
        results.append(var)
        env = env.bind(var)
    return path, results[0], results[1], env


def number_of(path: typed.Expr) -> typed.Expr:
    """The number of the stops of a path."""
    return typed.Op(INT, path.span, "length", (path,))


def stop_of(path: typed.Expr, number: typed.Expr) -> typed.Expr:
    """The stop of a path with a number, from 0."""
    assert isinstance(path.type, PathOf) and isinstance(number.type, Num)
    return typed.Op(Ent(path.type.kind), path.span, "numbered stop", (path, number))
