"""Token places: the set of their tokens, their value, membership tests, and `room`."""

from __future__ import annotations

from msgspec import Struct

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import counted, one
from rulespec.language.builtins import BUILTINS, PLACE
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, BOOL, INT, Ent, SetOf, Type


class _Written(Struct, frozen=True):
    """A place in source notation: `hall`, `hall[a]`, `tile.hall[a]`, `tile[p].hall[a]`; `tile[p]` has no place."""

    kind: typed.Kind
    place: typed.PlaceDecl | None
    span: Span
    name: Span
    qualifier: Span | None = None
    index: ast.Expr | None = None
    owners: tuple[ast.Expr, ...] | None = None


def _written_place(x: ExpressionContext, e: ast.Expr, env: Env, want: Type | None = None) -> _Written | None:
    """The place of tokens denoted by an expression, or None. `want` selects among kinds of tokens."""
    index: ast.Expr | None = None
    named = e
    if isinstance(e, ast.Index) and len(e.keys) == 1:
        index, named = e.keys[0], e.target
    if isinstance(named, ast.Ref):
        kind = _alone(x, named.name, env, want)
        return _Written(kind, kind.places[named.name], e.span, named.span, index=index) if kind is not None else None
    if not isinstance(named, ast.Attribute):
        return None
    owners, of = None, named.target
    if isinstance(of, ast.Index):
        owners, of = of.keys, of.target
    kind = _kind(x, of, env)
    if kind is None or (owners is not None and not kind.number) or named.name.text not in kind.places:
        return None
    return _Written(kind, kind.places[named.name.text], e.span, named.name.span, of.span, index, owners)


def _written_tokens(x: ExpressionContext, e: ast.Expr, env: Env) -> _Written | None:
    """The tokens of an owner, `tile[p]`, if there are several per owner; otherwise None."""
    if isinstance(e, ast.Index):
        kind = _kind(x, e.target, env)
        if kind is not None and kind.number:
            return _Written(kind, None, e.span, e.span, e.target.span, owners=e.keys)
    return None


def _kind(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Kind | None:
    """The kind of tokens with this name, or None."""
    kind = x.decls.kinds.get(e.name) if isinstance(e, ast.Ref) and e.name not in env.vars else None
    return kind if kind is not None and (kind.places or kind.number) else None


def _alone(x: ExpressionContext, name: str, env: Env, want: Type | None) -> typed.Kind | None:
    """The kind of tokens with a place called `name`; the wanted type selects among several."""
    wanted = want.kind if isinstance(want, Ent | SetOf) else ""
    if name not in env.vars:
        of_value = next((k for k in x.decls.places.get(name, []) if f"{k.name}.place" == wanted), None)
        if of_value is not None:
            return of_value
    kinds = _kinds(x, name, env)
    kinds = [k for k in kinds if k.name == wanted] or kinds
    return kinds[0] if len(kinds) == 1 else None


def _kinds(x: ExpressionContext, name: str, env: Env) -> list[typed.Kind]:
    """The kinds of tokens with a place called `name`; none if the name has another meaning."""
    d = x.decls
    if name not in d.places or name in env.vars or name in x.seats:
        return []
    others = (d.fields, d.constants, d.settings, d.kinds, d.entities, d.tables, d.pieces, d.tracks)
    return [] if any(name in of for of in others) else d.places[name]


def infer_tokens(x: ExpressionContext, e: ast.Expr, env: Env, want: Type | None) -> typed.Expr | None:
    """Types the forms specific to tokens (places, membership tests, `room`); None for other forms."""
    if isinstance(e, ast.Ref | ast.Attribute | ast.Index):
        return _infer_place(x, e, env, want)
    if isinstance(e, ast.Binary) and e.op in ("in", "not in"):
        return _infer_membership(x, e, env)
    called = BUILTINS.get(e.name.text) if isinstance(e, ast.CallExpr) else None
    if called is None or all(each.takes != PLACE for each in called.parameters):
        return None
    assert isinstance(e, ast.CallExpr)
    return _infer_room(x, e, env)


def infer_member(x: ExpressionContext, kind: typed.Kind, owner: typed.Expr, name: ast.Name, span: Span) -> typed.Expr:
    """Types `t.number`, and `t.hall`, the entity that indexes the token's place."""
    if name.text == "number" and kind.number:
        count = typed.Op(INT, span, "%", (typed.Op(INT, span, "index", (owner,)), typed.Lit(INT, span, kind.number)))
        return typed.Op(INT, span, "+", (count, typed.Lit(INT, span, 1)))
    place = kind.places[name.text]
    x.decls.refer(name.span, place)
    if place.index:
        return _index_of(x, kind, place, owner, span)
    message, notes = (
        f"`{place.name}` has no index, so `.{place.name}` has no value",
        (Label(place.span, "declared here"),),
    )
    return x.bad(
        "RS225",
        message,
        name.span,
        notes=notes,
        help=f"test whether the token is there: `… in {kind.name}.{place.name}`",
    )


def _infer_place(x: ExpressionContext, e: ast.Expr, env: Env, want: Type | None) -> typed.Expr | None:
    """Types a place, as a value if a place is expected, else as the set of its tokens; None for other expressions."""
    result = _written_place(x, e, env, want) or _written_tokens(x, e, env)
    if result is None:
        return _several(x, e, env)
    if isinstance(want, Ent) and want.kind == f"{result.kind.name}.place" and result.place is not None:
        return _place_value(x, result, env)
    return _tokens(x, result, env)


def _several(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Expr | None:
    """Reports an ambiguous place of several kinds of tokens; None if the expression is not one."""
    if not _is_shared(x, e, env):
        return None
    named = e.target if isinstance(e, ast.Index) else e
    assert isinstance(named, ast.Ref)
    names = " or ".join(f"`{k.name}.{named.name}`" for k in x.decls.places[named.name][:6])
    return x.bad("RS222", f"`{named.name}` is ambiguous", named.span, help=f"write {names}")


def _is_shared(x: ExpressionContext, e: ast.Expr, env: Env) -> bool:
    """Whether a name denotes only places, and of more than one kind of tokens."""
    named = e.target if isinstance(e, ast.Index) else e
    return isinstance(named, ast.Ref) and len(_kinds(x, named.name, env)) > 1


def _place_value(x: ExpressionContext, w: _Written, env: Env) -> typed.Expr:
    """The place as a value."""
    assert w.place is not None
    _refer(x, w)
    if w.owners is not None:
        help_ = f"write `{w.kind.name}.{w.place.name}…`, without an owner: tokens of all owners share the place"
        return x.bad("RS325", "this names tokens, but a place is expected", w.span, help=help_)
    if w.place.index and w.index is None:
        return x.bad("RS226", f"`{w.place.name}` needs {one(w.place.index)} in brackets: `{w.place.name}[…]`", w.span)
    return typed.PlaceValue(Ent(f"{w.kind.name}.place"), w.span, w.kind, w.place, _index(x, w, env))


def _index(x: ExpressionContext, w: _Written, env: Env) -> typed.Expr | None:
    if w.index is None or w.place is None:
        return None
    if not w.place.index:
        return x.bad("RS226", f"`{w.place.name}` is a single place, so it takes no brackets", w.index.span)
    return x.check(w.index, env, Ent(w.place.index), f"the index of `{w.place.name}`", w.place.span)


def _tokens(x: ExpressionContext, w: _Written, env: Env) -> typed.Expr:
    """The set of tokens in a place, of an owner, or both."""
    var = typed.Var(w.kind.name, Ent(w.kind.name), w.span)
    where = _is_there(x, w, typed.Local(var.type, w.span, var), env)
    source = typed.KindSet(SetOf(w.kind.name), w.span, w.kind)
    return typed.Each(SetOf(w.kind.name), w.span, "set", typed.Binder(var, source, "", None, where), None, None)


def _is_there(x: ExpressionContext, w: _Written, token: typed.Expr, env: Env) -> typed.Expr:
    """The condition that a token is in the given place and has the given owners."""
    _refer(x, w)
    tests: list[typed.Expr] = []
    if w.owners is not None:
        parts = w.kind.product[:-1]
        if len(w.owners) != len(parts):
            wanted = ", ".join(parts) or "nothing"
            notes = (Label(w.kind.span, "declared here"),)
            message = f"`{w.kind.name}` takes {wanted} in brackets, not {counted(len(w.owners), 'value')}"
            return x.bad("RS226", message, w.span, notes=notes)
        for part, owner in zip(parts, w.owners, strict=True):
            key = x.check(owner, env, Ent(part), f"a key of `{w.kind.name}`", w.kind.span)
            fact = typed.Fact(Ent(part), w.span, w.kind.facts[part], token)
            tests.append(typed.Op(BOOL, w.span, "==", (fact, key)))
    if w.place is not None:
        if w.place.index and w.index is None:
            tests.append(typed.Op(BOOL, w.span, "some", (_index_of(x, w.kind, w.place, token, w.span),)))
        else:
            value = typed.PlaceValue(Ent(f"{w.kind.name}.place"), w.span, w.kind, w.place, _index(x, w, env))
            tests.append(typed.Op(BOOL, w.span, "==", (_place_of(w.kind, token, w.span), value)))
    result = tests[0]
    for test in tests[1:]:
        result = typed.Op(BOOL, w.span, "and", (result, test))
    return result


def _place_of(kind: typed.Kind, token: typed.Expr, span: Span) -> typed.Expr:
    field = kind.state["place"]
    return typed.Field(field.type, span, field, token)


def _index_of(
    x: ExpressionContext, kind: typed.Kind, place: typed.PlaceDecl, token: typed.Expr, span: Span
) -> typed.Expr:
    """Types `t.hall`: the index entity of a token's place; none if the token is elsewhere."""
    fact = x.decls.kinds[f"{kind.name}.place"].facts[place.name]
    return typed.Fact(fact.type, span, fact, _place_of(kind, token, span))


def _infer_membership(x: ExpressionContext, e: ast.Binary, env: Env) -> typed.Expr | None:
    """Types `t in hall[a]` as a test of a token's place; None if the right side is another set."""
    result = _written_place(x, e.right, env) or _written_tokens(x, e.right, env)
    token = None
    if result is None and _is_shared(x, e.right, env):  # the token determines the kind
        token = x.infer(e.left, env)
        result = _written_place(x, e.right, env, token.type)
    if result is None:
        return None
    want = Ent(result.kind.name)
    token = token or x.infer(e.left, env, want)
    if token.type == BAD:
        return token
    if token.type != want:
        return None
    there = _is_there(x, result, token, env)
    return there if e.op == "in" else typed.Op(BOOL, e.span, "not", (there,))


def _infer_room(x: ExpressionContext, e: ast.CallExpr, env: Env) -> typed.Expr | None:
    """Types `room(hall[a])`; None if the argument is not a place of tokens."""
    result = _written_place(x, e.args[0], env) if len(e.args) == 1 else None
    if result is None or result.place is None:
        return None
    if result.place.at_most is None:
        notes = (Label(result.place.span, "declared here"),)
        message = f"there is room for any number of tokens in `{result.place.name}`"
        shared = [f"`room({capacity.name}…)`" for capacity in x.decls.bounds.get(result.place, ())]
        help_ = "add `at_most: …` to the place, or remove `room`"
        if shared:
            help_ = f"write {shared[0]}, the capacity that this place shares"
        return x.bad("RS326", message, e.span, notes=notes, help=help_)
    value = _place_value(x, result, env)
    return typed.Room(INT, e.span, value) if isinstance(value, typed.PlaceValue) else typed.Lit(BAD, e.span, 0)


def _refer(x: ExpressionContext, w: _Written) -> None:
    x.decls.used.add(w.kind.name)
    if w.qualifier is not None:
        x.decls.refer(w.qualifier, w.kind)
    if w.place is not None:
        x.decls.refer(w.name, w.place)
