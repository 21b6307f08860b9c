"""Bags: indistinguishable pieces in a place, counted per entity and in total."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import counted, nearest, one
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, BagOf, Ent, PathOf, SetOf


def bag_amount(x: ExpressionContext, e: ast.Index, env: Env) -> typed.Expr | None:
    """Types `b[c]`, the count of one entity in a bag; None for other expressions."""
    if not isinstance(e.target, ast.Ref) or e.target.name not in env.vars:
        return None
    var = env.vars[e.target.name]
    if isinstance(var.type, SetOf):
        help_ = f"iterate with `for x in {var.name}:`, or find one member with `first(x in {var.name} where …)`"
        return x.bad(
            "RS229",
            f"`{var.name}` is a set, so it has no `[…]`",
            e.span,
            notes=x.declared(x.infer(e.target, env)),
            help=help_,
        )
    if isinstance(var.type, PathOf):
        help_ = (
            f"visit the stops with `for x in {var.name}:`, or write `first({var.name})` or `last({var.name})` for one"
        )
        notes = x.declared(x.infer(e.target, env))
        return x.bad("RS229", f"`{var.name}` is a path, so it has no `[…]`", e.span, notes=notes, help=help_)
    if not isinstance(var.type, BagOf):
        return None
    bag = x.infer(e.target, env)
    assert isinstance(bag.type, BagOf)
    if len(e.keys) != 1:
        message = f"`{e.target.name}` takes {one(bag.type.kind)} in brackets, not {counted(len(e.keys), 'value')}"
        return x.bad("RS226", message, e.span, notes=x.declared(bag))
    key = x.check(e.keys[0], env, Ent(bag.type.kind), f"the entity counted in `{e.target.name}`")
    return typed.Op(INT, e.span, "amount", (bag, key))


def of_bag(x: ExpressionContext, operator: str, e: ast.CallExpr, env: Env) -> typed.Expr | None:
    """Types an operator on a bag, such as `count(b)`; None for other calls."""
    if len(e.args) != 1 or not isinstance(e.args[0], ast.Ref) or e.args[0].name not in env.vars:
        return None
    if not isinstance(env.vars[e.args[0].name].type, BagOf):
        return None
    return typed.Op(INT, e.span, operator, (x.infer(e.args[0], env),))


def pile_bag(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Expr | None:
    """Types `share.stock` or `share.held[p]`, where the entity of the pile is omitted, as a bag; None for other
    expressions.
    """
    index: ast.Expr | None = None
    place = e
    if isinstance(e, ast.Index) and len(e.keys) == 1 and isinstance(e.target, ast.Attribute):
        index, place = e.keys[0], e.target
    pile = place.target if isinstance(place, ast.Attribute) else place
    one_pile = isinstance(pile, ast.Index)
    pile = pile.target if isinstance(pile, ast.Index) else pile
    if not isinstance(pile, ast.Ref) or pile.name not in x.decls.pieces or pile.name in env.vars:
        return None
    piece = x.decls.pieces[pile.name]
    if not isinstance(place, ast.Attribute):
        first = next(iter(piece.places))
        return x.bad("RS312", f"`{piece.name}` needs a place", e.span, help=f"write `{piece.name}.{first}`")
    name = place.name
    if one_pile or len(piece.each) != 1:
        help_ = f"choose a number: `n in 0 .. {piece.name}{'[…]' if piece.each else ''}.{name.text}`"
        if one_pile and len(piece.each) == 1:
            help_ += f"; for the pieces of every `{piece.each[0]}`, omit the brackets: `{piece.name}.{name.text}`"
        message = "these pieces are all alike, so they can be chosen only by number, not as a bag"
        if len(piece.each) > 1:
            message = f"pieces that take {len(piece.each)} keys in brackets, such as `{piece.name}`, cannot be a bag"
        return x.bad("RS312", message, e.span, notes=(Label(piece.span, "declared here"),), help=help_)
    decl = piece.places.get(name.text)
    if decl is None:
        hint, notes = nearest(name.text, {p.name: p.span for p in piece.places.values()})
        notes = (Label(piece.span, "declared here"), *notes)
        return x.bad("RS225", f"`{piece.name}` has no place `{name.text}`", name.span, notes=notes, help=hint)
    x.decls.used.add(piece.name)
    x.decls.refer(pile.span, piece)
    x.decls.refer(name.span, decl)
    if bool(decl.index) != (index is not None):
        is_single = f"`{name.text}` is a single place, so it takes no brackets"
        needs = f"`{name.text}` needs {one(decl.index)} in brackets: `{name.text}[…]`"
        return x.bad("RS226", needs if decl.index else is_single, e.span)
    where = None
    if index is not None:
        where = x.check(index, env, Ent(decl.index), f"the index of `{name.text}`", decl.span)
        if where.type == BAD:
            return where
    return _pieces(x.decls.kinds[piece.each[0]], typed.PieceCount(INT, e.span, piece, (), decl, where))


def _pieces(kind: typed.Kind, place: typed.PieceCount) -> typed.Expr:
    """All pieces in a place as a bag, with the counts of every entity."""
    type_, span = BagOf(kind.name), place.span
    var = typed.Var(kind.name, Ent(kind.name), span)
    entity = typed.Local(var.type, span, var)
    binder = typed.Binder(var, typed.KindSet(SetOf(kind.name), span, kind), "", None, None)
    lot = typed.Op(type_, span, "lot", (replace(place, ids=(entity,)), entity))
    return typed.Each(type_, span, "union", binder, lot, None)
