"""The `move` statement for tokens."""

from __future__ import annotations

from rulespec.check.scope import Env, known_if
from rulespec.check.statements.context import Outcome, StatementContext
from rulespec.check.statements.several import put_all
from rulespec.diagnostics.suggestions import one
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, BOOL, BagOf, Ent, Num, SetOf


def type_put(c: StatementContext, s: ast.Put, env: Env) -> Outcome:
    """Types `move t to place`."""
    x = c.x
    token = x.infer(s.token, env)
    if isinstance(token.type, SetOf) and token.type.kind in x.decls.kinds and x.decls.kinds[token.type.kind].places:
        return _put_all(c, s, token, env)
    kind = x.decls.kinds.get(token.type.kind) if isinstance(token.type, Ent) else None
    if kind is None or not kind.places:
        if isinstance(token.type, Num):
            help_ = "name the pile and its place: `move 1 of pile from place to place`"
            x.error("RS327", f"only tokens can be moved directly, but this is {token.type}", s.token.span, help=help_)
        elif isinstance(token.type, BagOf):
            help_ = "name the pile and its place: `move b of pile from place to place`"
            x.error("RS327", f"only tokens can be moved directly, but this is {token.type}", s.token.span, help=help_)
        elif token.type != BAD:
            notes, help_ = x.declared(token), "write a token, an entity of a kind with `places`"
            message = f"only tokens can be moved directly, but this is {token.type}"
            x.error("RS327", message, s.token.span, str(token.type), notes, help_)
        return None, env, True
    token = x.expect(token, Ent(kind.name), "the moved token")
    place = x.check(s.place, env, Ent(f"{kind.name}.place"), f"the target of {one(kind.name)}")
    env = env.forget(frozenset(["place", *(kind.state if any(p.fresh for p in kind.places.values()) else ())]))
    if isinstance(place, typed.PlaceValue) and place.place.index:
        field = kind.state["place"]
        fact = x.decls.kinds[f"{kind.name}.place"].facts[place.place.name]
        there = typed.Fact(fact.type, s.span, fact, typed.Field(field.type, s.span, field, token))
        env = env.learn(known_if(typed.Op(BOOL, s.span, "some", (there,)), True))
    return typed.Put(s.span, kind, token, place), env, True


def _put_all(c: StatementContext, s: ast.Put, tokens: typed.Expr, env: Env) -> Outcome:
    """Types `move s to place` for a set of tokens."""
    assert isinstance(tokens.type, SetOf)
    kind = c.x.decls.kinds[tokens.type.kind]
    place = c.x.check(s.place, env, Ent(f"{kind.name}.place"), f"the target of {one(kind.name)}")
    env = env.forget(frozenset(["place", *(kind.state if any(p.fresh for p in kind.places.values()) else ())]))
    return put_all(c, s, tokens, place), env, True
