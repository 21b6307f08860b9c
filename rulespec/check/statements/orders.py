"""Statements that change an order: `add`, `take` and `shuffle`."""

from __future__ import annotations

from rulespec.check.scope import Env
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.check.statements.tables import note_held
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Ent, Num, Order, SetOf

_INSTEAD = {
    "add": "a member is added to a set by `set s to s | {x}`",
    "take": "a member is removed from a set by `set s to s - {x}`",
    "shuffle": "only an order is shuffled",
}
_OF_NUMBERS = {"add": "write `set x to x + e`", "take": "write `set x to x - e`"}


def type_rearrange(c: StatementContext, s: ast.Rearrange, env: Env, place: StatementPlace) -> Outcome:
    """Types `add`, `take` and `shuffle`."""
    x = c.x
    target = x.infer(s.target, env)
    type_ = target.type
    if c.tried is not None and s.member is not None and isinstance(of := x.infer(s.member, env).type, Ent):
        note_held(c, target, Order(of.kind))
    if not isinstance(target, typed.Local | typed.Field) or not isinstance(type_, Order):
        if s.member is not None:
            x.infer(s.member, env)
        if type_ != BAD:
            help_ = (_OF_NUMBERS if isinstance(type_, Num) else _INSTEAD).get(s.word, _INSTEAD[s.word])
            x.error("RS301", f"`{s.word}` takes an order, but this is {type_}", s.target.span, str(type_), help=help_)
        return None, env, True
    if s.member is None:
        return _shuffled(c, s, target, type_, place), env, True
    member = x.check(s.member, env, Ent(type_.kind), "a member of an order")
    op = "append" if s.word == "add" else "without"
    return typed.Assign(s.span, target, typed.Op(type_, s.span, op, (target, member))), env, True


def _shuffled(
    c: StatementContext, s: ast.Rearrange, target: typed.Local | typed.Field, type_: Order, place: StatementPlace
) -> typed.Block:
    """The statements for a shuffle: empty the order, and let chance pick each next member until one is left."""
    if place.together:
        c.x.error("RS408", "a simultaneous decision cannot lead to another decision", s.span)
    name = target.var.name if isinstance(target, typed.Local) else target.decl.name
    of = SetOf(type_.kind)
    rest, drawn, last = (
        typed.Var(text, kind, s.span, reads=1)
        for text, kind in ((f"rest of {name}", of), (type_.kind, Ent(type_.kind)), (f"last of {name}", Ent(type_.kind)))
    )

    def value(var: typed.Var) -> typed.Local:
        return typed.Local(var.type, s.span, var)

    def put(var: typed.Var) -> typed.Stmt:
        return typed.Assign(s.span, target, typed.Op(type_, s.span, "append", (target, value(var))))

    one = typed.Op(of, s.span, "set", (value(drawn),))
    fewer = typed.Assign(s.span, value(rest), typed.Op(of, s.span, "diff", (value(rest), one)))
    hidden = typed.Privacy(None, s.span, target) if isinstance(target, typed.Field) else None
    param = typed.OptionParam(drawn, value(rest), None, None, "", s.span, hidden)
    option = typed.OptionDef("next", (param,), None, None, (), (put(drawn), fewer), "", s.span)
    chance = typed.Decide(s.span, "chance", name, None, None, "", (option,))
    count = typed.Op(INT, s.span, "count", (value(rest),))
    times = typed.Op(INT, s.span, "-", (count, typed.Lit(INT, s.span, 1)))
    return (
        typed.Let(s.span, rest, typed.Op(of, s.span, "members", (target,))),
        typed.Assign(s.span, target, typed.Lit(type_, s.span, 0)),
        typed.Repeat(s.span, times, (chance,)),
        typed.For(s.span, typed.Binder(last, value(rest), "", None, None), (put(last),)),
    )
