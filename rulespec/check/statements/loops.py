"""Loops with a cursor, typed as variables and a `repeat` whose first statements advance the cursor.

The cursor advances to the next member in `turns … until all pass`, and to the next stop of a path in `for x in p` and
`for x to y in p`. Backends do not know these forms: `pass turn` sets a variable, leaves all inner loops, and continues
with the next turn.
"""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.names import no_shadow
from rulespec.check.expressions.paths import number_of, steps_of, stop_of
from rulespec.check.expressions.sets import type_binder
from rulespec.check.scope import Env
from rulespec.check.set_sizes import finds
from rulespec.check.statements.context import Outcome, StatementContext, StatementPlace
from rulespec.diagnostics.diagnostic import Span
from rulespec.language.paths import MAX_STOPS
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BOOL, INT, Ent, Order, PathOf, SetOf, Type


def type_turns(c: StatementContext, s: ast.Turns, env: Env, place: StatementPlace) -> Outcome:
    """Types `turns`: its limits first, then the loop."""
    x = c.x
    limit = x.check(s.limit, env, INT, "the number of turns") if s.limit is not None else None
    rest = x.check(s.rest, env, INT, "the number of members that need not pass") if s.rest is not None else None
    env = c.forget(env, s.body)
    binder, inner = type_binder(x, s.binder, env, in_order=True, want=_order_of(c, s.binder.source, env))
    round_ = _Round(s, binder, rest)
    body, _, _ = c.inner(s.body, inner, StatementPlace(in_loop=True, passes=round_.passes))
    if not c.effects.passes_turn(s.body) and binder.where is None:
        help_ = "write `pass turn` in an option, or in the `otherwise` of a decision"
        x.error("RS441", "nobody can pass in these turns, so they would never end", s.binder.span, help=help_)
    if not isinstance(binder.var.type, Ent):
        return None, env, True
    head = round_.head()
    asks = s.rest is None and finds(replace(binder, where=None)) and binder.where is None
    loop = typed.Repeat(s.span, limit, (*head, *body), len(head), asks, "turns")
    return (*round_.before(_has_entities(c, binder.var.type)), loop), env, True


def type_pass_turn(c: StatementContext, s: ast.Jump, place: StatementPlace) -> typed.Block:
    """Types `pass turn`."""
    if place.passes is not None:
        return _assign(s.span, place.passes, typed.Lit(BOOL, s.span, 1)), typed.Jump(s.span, "pass turn")
    if place.together:
        help_ = "write it after the decision, in an `if`"
        c.x.error("RS408", "`pass turn` cannot be used in a simultaneous decision", s.span, help=help_)
    else:
        help_ = "move it into such a loop of this procedure; write `continue` in another loop, `pass` to do nothing"
        c.x.error("RS440", "`pass turn` is outside any `turns … until all pass:`", s.span, help=help_)
    return ()


def _order_of(c: StatementContext, source: ast.Expr, env: Env) -> Type | None:
    """The type of an order given as `[a, b]`; None for other sources."""
    if not isinstance(source, ast.InOrder) or not source.items:
        return None
    type_ = c.x.infer(source.items[0], env).type
    return Order(type_.kind) if isinstance(type_, Ent) else None


def _has_entities(c: StatementContext, type_: Ent) -> bool:
    """Whether a kind has a first entity."""
    kind = c.x.decls.kinds[type_.kind]
    return bool(kind.entities) or kind.by_seat


class _Round:
    """The variables of one `turns`, and the generated statements around its block.

    `members` are the members who take turns, `passed` those who have passed, and `needed` is the number that must pass.
    """

    def __init__(self, s: ast.Turns, binder: typed.Binder, rest: typed.Expr | None) -> None:
        self.s, self.binder, self.rest, self.at = s, binder, rest, s.binder.span
        kind = binder.var.type.kind if isinstance(binder.var.type, Ent) else ""
        self.one, self.of = Ent(kind), SetOf(kind)
        self.in_order = isinstance(binder.source.type, Order)
        name = binder.var.name
        self.members = self._var(f"members of {name}", Order(kind) if self.in_order else self.of)
        self.passed = self._var(f"passed of {name}", self.of)
        self.needed = self._var(f"needed of {name}", INT)
        self.passes = self._var(f"passes of {name}", BOOL)

    def _var(self, name: str, type_: Type) -> typed.Var:
        return typed.Var(name, type_, self.at, reads=1)

    def _op(self, type_: Type, op: str, *args: typed.Expr) -> typed.Expr:
        return typed.Op(type_, self.at, op, args)

    def _of(self, var: typed.Var) -> typed.Local:
        return _value(self.at, var)

    def _lit(self, type_: Type, value: int) -> typed.Expr:
        return typed.Lit(type_, self.at, value)

    def before(self, has_entities: bool) -> typed.Block:
        """The statements before the loop, which initialise its variables; the cursor starts before the first member."""
        b, members = self.binder, self._of(self.members)
        size = self._op(INT, "count", self._op(self.of, "members", members) if self.in_order else members)
        if self.rest is not None:
            size = self._op(INT, "-", size, self._op(INT, "max", self._lit(INT, 0), self.rest))
        begin = b.start or self._lit(self.one, 0)
        if not self.in_order and b.order != "after" and has_entities:
            begin = self._op(self.one, "previous", begin)
        values = (
            (self.members, b.source),
            (self.passed, self._lit(self.of, 0)),
            (self.needed, size),
            (b.var, begin),
            (self.passes, self._lit(BOOL, 0)),
        )
        return tuple([typed.Let(self.at, var, value) for var, value in values])

    def head(self) -> typed.Block:
        """The statements before the block: skip members who have passed, stop if all have, advance the turn."""
        b, passed, passes = self.binder, self._of(self.passed), self._of(self.passes)
        one = self._of(b.var)
        more = self._op(self.of, "|", passed, self._op(self.of, "set", one))
        others = passed if self.s.drops else self._lit(self.of, 0)
        over = self._op(BOOL, ">=", self._op(INT, "count", passed), self._of(self.needed))
        result: list[typed.Stmt] = [
            _assign(self.at, self.passed, typed.Choice(self.of, self.at, passes, more, others)),
            typed.If(self.at, ((over, (typed.Jump(self.at, "leave"),)),)),
            *(self._next_in_order() if self.in_order else self._next()),
            _assign(self.at, self.passes, self._lit(BOOL, 0)),
        ]
        if b.where is not None:
            out = _assign(self.at, self.passes, self._lit(BOOL, 1)), typed.Jump(self.at, "pass turn")
            result.append(typed.If(self.at, ((self._op(BOOL, "not", b.where), out),)))
        return tuple(result)

    def _next(self) -> typed.Block:
        one = self._of(self.binder.var)
        members: typed.Expr = self._of(self.members)
        if self.s.drops:
            members = self._op(self.of, "diff", members, self._of(self.passed))
        each = typed.Binder(typed.Var(f"next of {one.var.name}", self.one, self.at), members, "after", one, None)
        first = typed.Each(Ent(self.one.kind, True), self.at, "first", each, None, None)
        return (_assign(self.at, one.var, self._op(self.one, "??", first, one)),)

    def _next_in_order(self) -> typed.Block:
        order, one = self._of(self.members), self._of(self.binder.var)
        type_ = self.members.type
        shorter = typed.Choice(type_, self.at, self._of(self.passes), self._op(type_, "without", order, one), order)
        front = self._op(Ent(self.one.kind, True), "front", order)
        return (
            *((_assign(self.at, self.members, shorter),) if self.s.drops else ()),
            _assign(self.at, one.var, self._op(self.one, "??", front, one)),
            _assign(self.at, self.members, self._op(type_, "append", order, one)),
        )


def _value(at: Span, var: typed.Var) -> typed.Local:
    return typed.Local(var.type, at, var)


def _assign(at: Span, var: typed.Var, value: typed.Expr) -> typed.Stmt:
    return typed.Assign(at, _value(at, var), value)


def type_along(c: StatementContext, s: ast.For, env: Env, place: StatementPlace) -> Outcome | None:
    """Types a loop over the stops or steps of a path, in order; None for other loops."""
    x, b = c.x, s.binder
    if b.then is not None:
        if (steps := steps_of(x, b, env)) is None:
            return None, env, True
        path, one, other, inner = steps
        variables = [one, other]
    else:
        source = b.source.value if isinstance(b.source, ast.Told) else b.source
        named = env.vars.get(source.name) if isinstance(source, ast.Ref) else None
        if named is None or not isinstance(named.type, PathOf):
            return None
        path = x.infer(b.source, env)
        no_shadow(x, b.name, env)
        variables = [typed.Var(b.name.text, Ent(named.type.kind), b.name.span)]
        x.decls.refer(b.name.span, variables[0])
        inner = env.bind(variables[0])
    if b.start is not None:
        x.error("RS229", f"a path has its own sequence, so `{b.order}` cannot be used", b.start.span)
    if b.keys:
        x.error("RS229", "a path has its own sequence, so it cannot be sorted `by` keys", b.span)
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

    over = typed.Op(BOOL, path.span, ">=", (plus(len(variables) - 1), number_of(path)))
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
