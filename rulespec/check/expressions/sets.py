"""Sets, and operators over their members: `any`, `all`, `count`, `first`, `best`, `sum`, `min`, …, `reach`."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.operators import common_number
from rulespec.check.scope import Env, known_if
from rulespec.check.set_sizes import finds
from rulespec.diagnostics.diagnostic import Label
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import (
    ANY,
    BAD,
    BOOL,
    INT,
    LITERAL,
    Bad,
    Bool,
    Ent,
    Maybe,
    Num,
    Order,
    SetOf,
    Type,
    never_none,
    or_none,
    settled,
    unify,
)

_STEPS_HELP = "use a single variable for a member: `x in …`"


def infer_set(x: ExpressionContext, e: ast.SetLiteral, env: Env, want: Type | None) -> typed.Expr:
    """Types `{a, b}`."""
    member = Ent(want.kind) if isinstance(want, SetOf) else None
    items = [x.infer(i, env, member) for i in e.items]
    type_: Type = SetOf(ANY)
    for item in items:
        if isinstance(item.type, Bad):
            continue
        if not isinstance(item.type, Ent) or item.type.kind == ANY:
            _no_member(x, item)
            continue
        common = unify(type_, SetOf(item.type.kind))
        if common is None:
            return x.bad("RS301", f"a value of type {type_} cannot contain one of type {item.type}", item.span)
        type_ = common
    if type_ == SetOf(ANY) and items:
        return typed.Lit(BAD, e.span, 0)
    if all(isinstance(i, typed.Lit) for i in items):
        mask = 0
        for item in items:
            if isinstance(item, typed.Lit) and item.value >= 0:
                mask |= 1 << item.value
        return typed.Lit(type_, e.span, mask)
    return typed.Op(type_, e.span, "set", tuple(items))


def _no_member(x: ExpressionContext, item: typed.Expr) -> typed.Expr:
    """Reports an expression that cannot be a member of a set."""
    help_ = "compare numbers with `==`, `or` and `<=`: sets contain entities only" if isinstance(item.type, Num) else ""
    if isinstance(item.type, Ent):
        help_ = "remove it: no set contains none"
    return x.wrong(item, "a member of a set must be an entity", help_)


def infer_in_order(x: ExpressionContext, e: ast.InOrder, env: Env, want: Type | None) -> typed.Expr:
    """Types `[a, b]` where an order is expected."""
    if not isinstance(want, Order):
        for item in e.items:
            x.infer(item, env)
        help_ = "write a set in braces: `{a, b}`"
        return x.bad("RS301", "square brackets make an order, but no order is expected here", e.span, help=help_)
    result: typed.Expr = typed.Lit(want, e.span, 0)
    seen: dict[int, typed.Expr] = {}
    for item in e.items:
        member = x.check(item, env, Ent(want.kind), "a member of an order")
        if isinstance(member, typed.Lit) and seen.setdefault(member.value, member) is not member:
            notes = (Label(seen[member.value].span, "first listed here"),)
            x.error("RS281", "an order contains each member at most once", item.span, notes=notes)
        result = typed.Op(want, e.span, "append", (result, member))
    return result


def type_binder(
    x: ExpressionContext, b: ast.Binder, env: Env, *, in_order: bool = False, want: Type | None = None
) -> tuple[typed.Binder, Env]:
    """The typed binder, and the scope with its variable.

    `in_order`: whether to iterate over an order in sequence rather than as a set. `want`: the type of the set, if
    known.
    """
    input_ = x.infer(b.source, env, want)
    if b.then is not None:
        x.error("RS354", "only `for` and operators such as `sum` can use steps", b.then.span, help=_STEPS_HELP)
    source = x.as_set(input_)
    kind = ANY
    if isinstance(source.type, SetOf):
        kind = source.type.kind
        if kind == ANY:
            x.error("RS301", "the kind of this set is unknown", source.span, str(source.type))
    elif not isinstance(source.type, Bad):
        help_ = "write `repeat at most n:` to count" if isinstance(source.type, Num) else ""
        if isinstance(source.type, Bool):
            help_ = "write a condition on the members after `where`: `x in s where c`"
        if isinstance(source, typed.Local) and source.var.name in x.decls.kinds:  # as an index names it
            of = source.var.name
            help_ = (
                f"call a definition for others, `def others(p: {of}) -> set {of}: …`: here `{of}` is the current one"
            )
        x.wrong(source, "`in` takes a set", help_)
    no_shadow(x, b.name, env)
    var = typed.Var(b.name.text, Ent(kind) if kind != ANY else BAD, b.name.span)
    x.decls.refer(var.span, var)
    start = None
    if b.start is not None and in_order and isinstance(input_.type, Order):
        x.error("RS229", f"an order has its own sequence, so `{b.order}` cannot be used", b.start.span)
    elif b.start is not None:
        start = x.check(b.start, env, Ent(kind) if kind != ANY else BAD, f"the entity after `{b.order}`")
    inner = env.bind(var)
    where = None
    if b.where is not None:
        where = x.condition(b.where, inner)
        inner = inner.learn(known_if(where, True))
    keys = tuple(_key(x, key, inner) for key in b.keys)
    if in_order and isinstance(input_.type, Order):
        if not keys:
            source = input_
        keys = (*keys, typed.Op(INT, input_.span, "place", (input_, typed.Local(var.type, input_.span, var))))
    return typed.Binder(var, source, b.order, start, where, keys), inner


def _key(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Expr:
    """Types a key: a number, or the ordinal of a truth value or an entity. `-` reverses its order."""
    turned = e.operand if isinstance(e, ast.Unary) and e.op == "-" else None
    value = x.infer(turned or e, env)
    known = isinstance(value.type, Num | Maybe | Bool) or (isinstance(value.type, Ent) and value.type.kind != ANY)
    if not known:
        return value if isinstance(value.type, Bad) else x.wrong(value, "a key must be a number, a bool or an entity")
    if turned is None:
        return value
    type_ = value.type if isinstance(value.type, Num) else INT
    if isinstance(value, typed.Lit):
        return typed.Lit(type_, e.span, -value.value)
    return typed.Op(type_, e.span, "neg", (value,))


def infer_each(x: ExpressionContext, e: ast.Each, env: Env) -> typed.Expr:
    """Types an operator over the members of a set."""
    binder, inner = type_binder(x, e.binder, env, in_order=e.op in ("first", "order"))
    binder = replace(binder, source=x.as_set(binder.source))
    member = binder.var.type
    default = x.infer(e.default, env) if e.default is not None else None
    if e.op in ("any", "count"):
        return typed.Each(BOOL if e.op == "any" else INT, e.span, e.op, binder, None, None)
    if e.op == "first":
        result: Type = Ent(member.kind, not finds(binder)) if isinstance(member, Ent) else BAD
        return typed.Each(result, e.span, e.op, binder, None, None)
    if e.op == "order":
        return typed.Each(Order(member.kind) if isinstance(member, Ent) else BAD, e.span, e.op, binder, None, None)
    if binder.start is not None:
        x.error("RS229", f"`from` and `after` have no effect in `{e.op}`", binder.start.span)
    if e.op == "the":
        return typed.Each(Ent(member.kind) if isinstance(member, Ent) else BAD, e.span, e.op, binder, None, None)
    if e.op == "best":
        return typed.Each(SetOf(member.kind if isinstance(member, Ent) else ANY), e.span, e.op, binder, None, None)
    if e.op == "all":
        assert e.body is not None
        return typed.Each(BOOL, e.span, e.op, binder, x.condition(e.body, inner), None)
    if e.op == "set":
        if e.body is None:
            kind = member.kind if isinstance(member, Ent) else ANY
            return typed.Each(SetOf(kind), e.span, e.op, binder, None, None)
        body = x.infer(e.body, inner)
        if isinstance(body.type, Ent) and body.type.kind != ANY:
            return typed.Each(SetOf(body.type.kind), e.span, e.op, binder, body, None)
        return body if body.type == BAD else _no_member(x, body)
    assert e.body is not None
    body = x.infer(e.body, inner)
    if e.op == "union":
        body = x.as_set(body)
        if not isinstance(body.type, SetOf | Bad):
            return x.wrong(body, "`union` needs a set")
        return typed.Each(body.type, e.span, e.op, binder, body, None)
    if e.op in ("min", "max"):
        return _extreme(x, e, binder, body, default)
    type_ = common_number(x, LITERAL, body, e.op, body)
    return typed.Each(INT if type_ == LITERAL else type_, e.span, e.op, binder, body, default)


def _extreme(
    x: ExpressionContext, e: ast.Each, binder: typed.Binder, body: typed.Expr, default: typed.Expr | None
) -> typed.Expr:
    """Types `min` and `max` over the members of a set, ignoring members whose value is none."""
    body = x.fitted(body, LITERAL)
    solid = Num(body.type.unit) if isinstance(body.type, Maybe) else body.type
    if isinstance(solid, Bad):
        return body
    type_ = common_number(x, LITERAL, replace(body, type=solid), e.op, body)
    if default is None:
        result = finds(binder) and body.type == solid
        return typed.Each(type_ if result else or_none(settled(type_)), e.span, e.op, binder, body, None)
    default = x.fitted(default, type_)
    if isinstance(default.type, Maybe):
        type_ = common_number(x, type_, replace(default, type=never_none(default.type)), e.op, body)
        return typed.Each(or_none(type_), e.span, e.op, binder, body, default)
    return typed.Each(common_number(x, type_, default, e.op, body), e.span, e.op, binder, body, default)


def infer_reach(x: ExpressionContext, e: ast.Reach, env: Env) -> typed.Expr:
    """Types `reach(x from s: t)`."""
    start = x.as_set(x.infer(e.start, env))
    if not isinstance(start.type, SetOf):
        return start if start.type == BAD else x.bad("RS301", "`reach` must start from a set", start.span)
    if start.type.kind == ANY:
        return x.bad("RS301", "the kind of this set is unknown", start.span, str(start.type))
    no_shadow(x, e.name, env)
    var = typed.Var(e.name.text, Ent(start.type.kind), e.name.span)
    x.decls.refer(var.span, var)
    step = x.check(e.step, env.bind(var), start.type, "the step of `reach`")
    return typed.Reach(start.type, e.span, var, start, step)
