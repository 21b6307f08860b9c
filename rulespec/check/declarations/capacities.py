"""Limits on the pieces in a place, or on the pieces and tokens in a group of places; the built-in function `room`."""

from __future__ import annotations

from rulespec.check.declarations.places import bound
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import nearest, one
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text, words
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import size
from rulespec.types import BAD, INT, Ent

MAX_SHARED = 20_000
"""Maximum number of places in shared capacities; each place counts once per entity of the capacity's index."""

Member = tuple[typed.PieceDecl | typed.Kind, typed.PlaceDecl]


def read_bounds(r: DeclarationReader) -> None:
    """Reads the capacities of piece places, then the shared capacities."""
    for name, _, node in entries(get(r.root, "pieces")):
        piece = r.d.pieces.get(name)
        for place_name, _, spec in entries(get(node, "places")) if piece is not None else ():
            at_most = get(spec, "at_most")
            if piece is not None and at_most is not None:
                place = piece.places[place_name]
                own = typed.CapacityDecl(f"{name}.{place_name}", place.index, place.span, ((piece, place),))
                bound(r, own, at_most)
                r.d.capacities[own.name] = own
    places = 0
    for name, where, node in entries(get(r.root, "capacities")):
        at_most, index = get(node, "at_most"), text(get(node, "index"))
        members = max(1, len(words(get(node, "of"))))
        places += members * (size(r.d.kinds, index, r.d.max_players) if index in r.d.kinds else 1)
        if places > MAX_SHARED:
            message = f"with `{name}`, capacities cover more than {MAX_SHARED:,} places in total"
            r.report.error(
                "RS108", message, where.span, help="share room between fewer places, or places of smaller kinds"
            )
            r.report.raise_if_errors()
        if r.claim(name, where.span) and at_most is not None:
            _shared(r, name, where, node, at_most)
    for capacity in r.d.capacities.values():
        for _, place in capacity.of:
            r.d.bounds.setdefault(place, []).append(capacity)


def _shared(r: DeclarationReader, name: str, where: Scalar, node: Node, at_most: Node) -> None:
    index = get(node, "index")
    if isinstance(index, Scalar):
        if index.text not in r.d.kinds:
            hint, notes = r.hint(index)
            r.report.error("RS224", f"`{index.text}` is not a kind", index.span, notes=notes, help=hint)
            r.d.broken.add(name)
            return
        r.refer(index, r.d.kinds[index.text])
    of: list[Member] = []
    for word in words(get(node, "of")):
        member = _member(r, word)
        if member is None:
            continue
        place = member[1]
        if any(place is other for _, other in of):
            r.report.error("RS223", f"`{word.text}` is listed twice", word.span)
        elif place.index != text(index):
            have = f"has the index `{place.index}`" if place.index else "has no index"
            help_ = "share room only between places with the same index"
            if place.index:
                help_ += f": here, `index: {place.index}`"
            notes = (Label(place.span, "declared here"),)
            r.report.error(
                "RS295",
                f"`{word.text}` {have}, but `{name}` has {f'`{index.text}`' if isinstance(index, Scalar) else 'none'}",
                word.span,
                notes=notes,
                help=help_,
            )
        else:
            of.append(member)
    capacity = typed.CapacityDecl(name, text(index), where.span, tuple(of))
    bound(r, capacity, at_most)
    r.d.capacities[name] = capacity


def _member(r: DeclarationReader, word: Scalar) -> Member | None:
    """The place of pieces or tokens with a name; reports unknown names."""
    owner, _, name = word.text.partition(".")
    of = r.d.pieces.get(owner) or r.d.kinds.get(owner)
    if of is not None and name in of.places:
        r.refer(word, of, of.places[name])
        if isinstance(of, typed.PieceDecl):
            r.d.used.add(owner)
        return of, of.places[name]
    if owner not in r.d.broken:
        owners: list[typed.PieceDecl | typed.Kind] = [*r.d.pieces.values(), *r.d.kinds.values()]
        hint, notes = nearest(word.text, {f"{o.name}.{p.name}": p.span for o in owners for p in o.places.values()})
        notes += tuple(Label(o.span, f"`{o.name}` is declared here") for o in owners if f"`{o.name}." in hint)
        message = f"`{word.text}` is not a place of pieces or tokens"
        r.report.error("RS221", message, word.span, notes=notes, help=hint)
    return None


def infer_room(x: ExpressionContext, e: ast.CallExpr, env: Env) -> typed.Expr:
    """Types `room(pile.place[a])` and `room(houses[a])`; `places.py` has already typed `room` of token places."""
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
    help_ = "write `room(kind.place[…])`, or `room(…)` with the name of a capacity"
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
        f"write `room({shared[0]}…)`, the capacity that this place shares"
        if shared
        else "add `at_most: …` to the place, or remove `room`"
    )
    notes = (Label(place.span, "declared here"),)
    message = f"there is room for any number of pieces in `{piece.name}.{place.name}`"
    return x.bad("RS326", message, e.span, notes=notes, help=help_)


def _room(
    x: ExpressionContext, e: ast.CallExpr, capacity: typed.CapacityDecl, key: ast.Expr | None, env: Env
) -> typed.Expr:
    if (key is None) != (not capacity.index):
        needs = f"needs {one(capacity.index)} in brackets" if key is None else "has no index, so it takes no brackets"
        notes = (Label(capacity.span, "declared here"),)
        return x.bad("RS226", f"the capacity `{capacity.name}` {needs}", e.span, notes=notes)
    index = None
    if key is not None:
        index = x.check(key, env, Ent(capacity.index), f"the index of `{capacity.name}`", capacity.span)
        if index.type == BAD:
            return index
    return typed.RoomTogether(INT, e.span, capacity, index)
