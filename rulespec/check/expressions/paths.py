"""Paths: parameters with `path(…)`, searches by steps (`trail`, `longest`), searches by cost (`reach(… within …)`,
`cheapest`), and path properties.
"""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.operators import common_number
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env, known_if
from rulespec.language.paths import MAX_STOPS
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import (
    ANY,
    BAD,
    BOOL,
    INT,
    LITERAL,
    Bad,
    Ent,
    Maybe,
    Num,
    PathOf,
    SetOf,
    Type,
    never_none,
    or_none,
    settled,
)

_FOR_STEPS = frozenset(["all", "any", "count", "set", "sum", "union"])
"""The operators allowed over the steps of a path."""


def path_elsewhere(x: ExpressionContext, e: ast.Path, env: Env) -> typed.Expr:
    """Reports `path(…)` anywhere except in a parameter; types `trail(…)`."""
    if e.form == "trail":
        return _infer_trail(x, e, env)
    help_ = (
        "write `way in path(…)` as a parameter of an option, `trail(…)` for the set of all stops within reach, or "
        "`longest(way in path(…) worth w)` for the greatest worth of a path"
    )
    return x.bad("RS352", "`path(…)` is not a value: only a parameter can be a path", e.span, help=help_)


def _infer_trail(x: ExpressionContext, e: ast.Path, env: Env) -> typed.Expr:
    """Types `trail(x from s to y in t once u counts c within n)`."""
    paths = type_path(x, None, e, env)
    if paths is None:
        return typed.Lit(BAD, e.span, 0)
    assert isinstance(paths.type, PathOf)
    if not e.uses:
        help_ = (
            "add `once y` for stops or `once line[x, y]` for lines, or write `reach(x from s: t)` to allow repetition"
        )
        return x.bad("RS357", "a trail needs `once`", e.span, help=help_)
    return typed.PathQuery(SetOf(paths.type.kind), e.span, "trail", paths)


def infer_longest(x: ExpressionContext, e: ast.Each, env: Env) -> typed.Expr:
    """Types `longest(way in path(…) where c worth w, else d)`."""
    b, walk = e.binder, e.binder.source
    assert e.body is not None
    if not isinstance(walk, ast.Path) or walk.form != "path" or b.then is not None:
        x.infer(walk, env)
        help_ = (
            "write `longest(way in path(x from s to y in t once u within n) worth w)`; for a set, `max(w for x in s)`"
        )
        return x.bad("RS358", "`longest` needs `path(…)`", walk.span, help=help_)
    if b.start is not None:
        x.error("RS229", "`from` and `after` have no effect in `longest`", b.start.span)
    no_shadow(x, b.name, env)
    paths = type_path(x, b.name, walk, env)
    if paths is None:
        return typed.Lit(BAD, e.span, 0)
    inner, where = after_steps(env.bind(paths.so_far), paths), None
    if b.where is not None:
        where = x.condition(b.where, inner)
        inner = inner.learn(known_if(where, True))
    worth = x.number(x.infer(e.body, inner), "`worth` takes a number")
    if worth.type == BAD:
        return worth
    unit = common_number(x, LITERAL, worth, "longest", worth)
    if e.default is None:
        return typed.PathQuery(or_none(settled(unit)), e.span, "longest", paths, where, worth)
    default = x.fitted(x.infer(e.default, env), unit)
    type_ = settled(common_number(x, unit, replace(default, type=never_none(default.type)), "longest", worth))
    if isinstance(default.type, Maybe):
        type_ = or_none(type_)
    return typed.PathQuery(type_, e.span, "longest", paths, where, worth, default)


def after_steps(env: Env, paths: typed.PathDomain) -> Env:
    """The scope of conditions on a whole path, in which the step variables are unavailable."""
    return replace(env, steps=(paths.so_far, paths.var, paths.near.var))


def type_path(x: ExpressionContext, name: ast.Name | None, e: ast.Path, env: Env) -> typed.PathDomain | None:
    """Types `path(x from s to y in t once u counts c within n)`; if it is invalid, reports an error and returns None.

    Args:
        x: the checker.
        name: the name of the path; inside the conditions on steps it denotes the path so far. None for a trail.
        e: the path.
        env: the scope.
    """
    start = x.as_set(x.infer(e.start, env))
    if not isinstance(start.type, SetOf) or start.type.kind == ANY:
        if start.type != BAD:
            one = isinstance(start.type, Ent) and not start.type.optional
            x.wrong(start, f"a {e.form} must start from a set", "put it in braces to make a set: `{…}`" if one else "")
        return None
    so_far = typed.Var(name.text if name else "", PathOf(start.type.kind), name.span if name else e.span, reads=1)
    no_shadow(x, e.name, env)
    var = typed.Var(e.name.text, Ent(start.type.kind), e.name.span, reads=1)
    if name is not None:
        x.decls.refer(so_far.span, so_far)
        env = env.bind(so_far)
    x.decls.refer(var.span, var)
    near, inner = type_binder(x, e.near, env.bind(var))
    near.var.reads += 1
    if near.var.type != BAD:
        x.expect(near.source, start.type, f"the step of a {e.form}")
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
    """Types an expression after `once`: an entity or a set that a path uses at most once, or `any of` a set."""
    if isinstance(use, ast.Unary) and use.op == "any of":
        source = x.as_set(x.infer(use.operand, env))
        if isinstance(source.type, SetOf) and source.type.kind != ANY:
            return typed.Op(source.type, use.span, "any of", (source,))
        if source.type == BAD:
            return source
        message, help_ = f"`any of` takes a set, but this is {source.type}", "for a single entity, omit `any of`"
        return x.bad("RS355", message, use.operand.span, str(source.type), x.declared(source), help_)
    result = x.as_set(x.infer(use, env))
    if isinstance(result.type, SetOf | Ent) and result.type.kind != ANY:
        return result
    if result.type == BAD:
        return result
    help_ = "name the entity that must not repeat: `once y`, `once line[x, y]`; restrict the steps by `where`"
    message = f"`once` takes an entity or a set, but this is {result.type}"
    return x.bad("RS355", message, use.span, str(result.type), x.declared(result), help_)


def _check_bound(x: ExpressionContext, bound: typed.Expr, *, counted: bool) -> None:
    """Reports a bound that excludes every path, and one beyond the length of any path."""
    if not isinstance(bound, typed.Lit) or bound.type == BAD:
        return
    if bound.value < (0 if counted else 1):
        help_ = "write `within 1` for a single step, and another option for choosing nothing"
        x.error("RS353", f"no path has {bound.value} steps", bound.span, help=help_)
    elif not counted and bound.value >= MAX_STOPS:
        help_ = f"write `within {MAX_STOPS - 1}`, or fewer: longer paths are never listed"
        x.error("RS353", f"a path has at most {MAX_STOPS - 1} steps", bound.span, help=help_)


def of_path(x: ExpressionContext, operator: str, e: ast.CallExpr, env: Env) -> typed.Expr | None:
    """Types the length, the first stop or the last stop of a path; None for other calls."""
    named = e.args[0] if len(e.args) == 1 else None
    if isinstance(named, ast.Told):
        named = named.value
    if not isinstance(named, ast.Ref) or named.name not in env.vars:
        return None
    type_ = env.vars[named.name].type
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
        help_ = "write `{e for x to y in way}` for a set of values of the steps, `for x to y in way:` to visit them"
        return x.bad("RS354", f"`{e.op}` cannot be used on steps: a step is not an entity", e.span, help=help_)
    if e.op in ("any", "count"):
        return typed.Along(BOOL if e.op == "any" else INT, e.span, e.op, path, var, then, where, None)
    assert e.body is not None
    body = x.condition(e.body, inner) if e.op == "all" else x.infer(e.body, inner)
    if e.op == "union":
        body = x.as_set(body)
    type_ = _type_along(x, e.op, body)
    return typed.Along(type_, e.span, e.op, path, var, then, where, body) if type_ != BAD else body


def _type_along(x: ExpressionContext, op: str, body: typed.Expr) -> Type:
    """The type of an operator over steps; BAD if it is invalid, which is reported."""
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
    """The path of a binder `x to y in p`, its two variables, and the scope that includes them; None after an error."""
    assert b.then is not None
    path = x.infer(b.source, env)
    if not isinstance(path.type, PathOf):
        if path.type != BAD:
            help_ = "write `x in s` for a set, or `for x in s for y in t` for pairs"
            message = f"only a path has steps, but this is {path.type}"
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
    """The number of stops in a path."""
    return typed.Op(INT, path.span, "length", (path,))


def stop_of(path: typed.Expr, number: typed.Expr) -> typed.Expr:
    """The stop at a position of a path, counted from 0."""
    assert isinstance(path.type, PathOf) and isinstance(number.type, Num)
    return typed.Op(Ent(path.type.kind), path.span, "numbered stop", (path, number))


def infer_ways(x: ExpressionContext, e: ast.Ways, env: Env) -> typed.Expr:
    """Types `reach(x from s to y in t costs c within b)` and `cheapest(x from s to y in t costs c until b, else d)`."""
    start = x.as_set(x.infer(e.start, env))
    if not isinstance(start.type, SetOf):
        return start if start.type == BAD else x.bad("RS301", f"`{e.op}` must start from a set", start.span)
    if start.type.kind == ANY:
        return x.bad("RS301", "the kind of this set is unknown", start.span, str(start.type))
    no_shadow(x, e.name, env)
    var = typed.Var(e.name.text, Ent(start.type.kind), e.name.span)
    x.decls.refer(var.span, var)
    near, inner = type_binder(x, e.near, env.bind(var))
    x.expect(near.source, start.type, f"the step of `{e.op}`")
    if near.start is not None:
        x.error("RS229", f"`from` and `after` have no effect in `{e.op}`", near.start.span)
    cost = x.infer(e.cost, inner)
    unit = common_number(x, LITERAL, cost, "costs", cost)
    if e.op == "reach":
        bound = x.infer(e.bound, env)
        common_number(x, unit, bound, "within", cost)
        return typed.Ways(start.type, e.span, e.op, var, start, near, cost, bound, None)
    bound = x.condition(e.bound, env.bind(near.var))
    if e.default is None:
        return typed.Ways(or_none(settled(unit)), e.span, e.op, var, start, near, cost, bound, None)
    default = x.fitted(x.infer(e.default, env), unit)
    type_ = settled(common_number(x, unit, replace(default, type=never_none(default.type)), e.op, cost))
    if isinstance(default.type, Maybe):
        type_ = or_none(type_)
    return typed.Ways(type_, e.span, e.op, var, start, near, cost, bound, default)
