"""`room` for places of pieces, including shared capacities."""

from __future__ import annotations

from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import one
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Ent


def infer_room(x: ExpressionContext, e: ast.CallExpr, env: Env) -> typed.Expr:
    """Types `room(pile.place[a])` and `room(houses[a])`; places of tokens are typed by `places.py` before."""
    written = e.args[0] if len(e.args) == 1 else None
    key: ast.Expr | None = None
    if isinstance(written, ast.Index) and len(written.keys) == 1:
        key, written = written.keys[0], written.target
    if isinstance(written, ast.Attribute):
        return _of_pile(x, e, written, key, env)
    if isinstance(written, ast.Ref) and written.name not in env.vars and written.name in x.decls.capacities:
        x.decls.refer(written.span, x.decls.capacities[written.name])
        return _room(x, e, x.decls.capacities[written.name], key, env)
    return _nothing(x, e, env)


def _nothing(x: ExpressionContext, e: ast.CallExpr, env: Env) -> typed.Expr:
    for arg in e.args:
        x.infer(arg, env)
    help_ = "write it as `room(kind.place[…])`"
    return x.bad("RS325", "`room` takes a place of tokens or pieces, or a capacity", e.span, help=help_)


def _of_pile(
    x: ExpressionContext, e: ast.CallExpr, written: ast.Attribute, key: ast.Expr | None, env: Env
) -> typed.Expr:
    owner = written.target
    pile = owner.target if isinstance(owner, ast.Index) else owner
    if not isinstance(pile, ast.Ref) or pile.name in env.vars or pile.name not in x.decls.pieces:
        return _nothing(x, e, env)
    piece = x.decls.pieces[pile.name]
    place = piece.places.get(written.name.text)
    if isinstance(owner, ast.Index) or place is None:
        help_ = f"write `room({pile.name}.place[…])`: the pieces of all owners share the room"
        return x.bad("RS325", "`room` takes a place of pieces", owner.span, help=help_)
    x.decls.refer(pile.span, piece)
    x.decls.refer(written.name.span, place)
    capacity = x.decls.capacities.get(f"{piece.name}.{place.name}")
    if capacity is not None:
        return _room(x, e, capacity, key, env)
    shared = [capacity.name for capacity in x.decls.bounds.get(place, ())]
    help_ = (
        f"use `room({shared[0]}…)`, the capacity that it shares" if shared else "give it `at_most: …`, or remove `room`"
    )
    notes = (Label(place.span, "declared here"),)
    message = f"there is room for any number of pieces in `{piece.name}.{place.name}`"
    return x.bad("RS326", message, e.span, notes=notes, help=help_)


def _room(
    x: ExpressionContext, e: ast.CallExpr, capacity: typed.CapacityDecl, key: ast.Expr | None, env: Env
) -> typed.Expr:
    if (key is None) != (not capacity.index):
        needs = f"needs {one(capacity.index)} in brackets" if key is None else "is one for all, and takes no brackets"
        notes = (Label(capacity.span, "declared here"),)
        return x.bad("RS226", f"the room in `{capacity.name}` {needs}", e.span, notes=notes)
    index = None
    if key is not None:
        index = x.check(key, env, Ent(capacity.index), f"the place in `{capacity.name}`", capacity.span)
        if index.type == BAD:
            return index
    return typed.RoomTogether(INT, e.span, capacity, index)
