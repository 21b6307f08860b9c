"""Token places: the kind of all possible places, and their capacities."""

from __future__ import annotations

from rulespec.check.declarations.reader import DeclarationReader
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import nearest, one
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text, truth
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.typed.seat_kinds import entity_names
from rulespec.types import INT, Ent

PLACE = "place"
"""The name of a token's state that contains its place."""


def read_places(r: DeclarationReader) -> None:
    """Declares the token places, and the state that contains the place of each token."""
    for name, _, node in entries(get(r.root, "kinds")):
        places = get(node, "places")
        kind = r.d.kinds.get(name)
        if kind is None or places is None or name in r.d.broken:
            continue
        if kind.is_player:
            help_ = "store the place of a player in state, or declare tokens with `each: [{name}]`"
            r.report.error("RS322", "players are not tokens", places.span, help=help_.format(name=name))
            continue
        for place_name, where, spec in entries(places):
            if _may_be_called(r, kind, where) and (place := _place(r, where, spec)) is not None:
                kind.places[place_name] = place
        _add_kind(r, kind)


def _may_be_called(r: DeclarationReader, kind: typed.Kind, name: Scalar) -> bool:
    before = r.report.errors
    taken = kind.facts.get(name.text)
    if taken is not None or name.text in ("index", "number", PLACE):
        notes = [] if taken is None else [Label(taken.span, "declared here")]
        message = f"`.{name.text}` of {one(kind.name)} already has another meaning"
        r.report.error("RS223", message, name.span, notes=notes)
    elif name.text in kind.index:
        notes = [Label(kind.entities[kind.index[name.text]].span, "the token")]
        r.report.error("RS223", f"`{kind.name}.{name.text}` would be both a place and a token", name.span, notes=notes)
    r.writable(name.text, name.span)
    return r.report.errors == before


def _place(r: DeclarationReader, where: Scalar, spec: Node) -> typed.PlaceDecl | None:
    index = get(spec, "index")
    if index is not None and text(index) not in r.d.kinds:
        hint, notes = nearest(text(index), {k.name: k.span for k in r.d.kinds.values()})
        r.report.error("RS224", f"`{text(index)}` is not a kind", index.span, notes=notes, help=hint)
        return None
    if index is not None:
        r.refer(index, r.d.kinds[text(index)])
    return typed.PlaceDecl(where.text, text(index), where.span, fresh=truth(get(spec, "fresh")))


def _add_kind(r: DeclarationReader, kind: typed.Kind) -> None:
    """Adds the kind of the places of tokens, with an entity for each place and each entity of its index."""
    first = next(iter(kind.places.values()), None)
    if first is None:
        r.d.broken.add(kind.name)
        return
    if first.index:
        message = f"`{first.name}` is the first place of `{kind.name}`, where tokens start, so it cannot have an index"
        help_ = "put a place without an index first, and let the set-up move tokens that start elsewhere"
        r.report.error("RS322", message, first.span, help=help_)
    places = tuple(kind.places.values())
    by_seat = any(place.index and r.d.kinds[place.index].by_seat for place in places)
    sum_ = typed.Kind(f"{kind.name}.{PLACE}", kind.span, by_seat=by_seat, implicit=True, sum_of=places)
    r.d.kinds[sum_.name] = sum_
    for place in places:
        r.d.places.setdefault(place.name, []).append(kind)
        if place.index:
            sum_.facts[place.name] = typed.FactDecl(place.name, Ent(place.index, True), place.span)
    if not by_seat:
        for name in entity_names(r.d.kinds, sum_.name, ()):
            sum_.index[name] = len(sum_.entities)
            sum_.entities.append(typed.Entity(name, name, kind.span))
    start = typed.Lit(Ent(sum_.name), kind.span, 0)
    kind.state[PLACE] = typed.FieldDecl(PLACE, kind.name, Ent(sum_.name), kind.span, start=start)
    r.d.used.add(f"{kind.name}.{PLACE}")


def read_capacities(r: DeclarationReader) -> None:
    """Reads the capacity of each token place."""
    for name, _, node in entries(get(r.root, "kinds")):
        kind = r.d.kinds.get(name)
        for place_name, _, spec in entries(get(node, "places")) if kind is not None else ():
            at_most, place = get(spec, "at_most"), kind.places.get(place_name) if kind is not None else None
            if at_most is not None and place is not None:
                bound(r, place, at_most)
        if kind is not None:
            _refuse_lost_money(r, kind)


def bound(r: DeclarationReader, place: typed.PlaceDecl | typed.CapacityDecl, node: Node) -> None:
    """Reads the capacity of a place, or of a group of places."""
    env = Env()
    if place.index:
        place.var = typed.Var(place.index, Ent(place.index), node.span)
        env = env.bind(place.var)
    errors = r.report.errors
    place.at_most = r.expr(node, INT, f"the capacity of `{place.name}`", env)
    wrong = [part for part in expressions(place.at_most) if isinstance(part, _OF_POSITIONS)]
    if r.report.errors == errors and wrong:
        message = "a capacity must not change during a game, but this may change"
        help_ = "use only facts, constants, tables and settings; other limits of a place need a `require`"
        r.report.error("RS323", message, wrong[-1].span, help=help_)
        place.at_most = typed.Lit(INT, node.span, 0)


_OF_POSITIONS = (typed.Field, typed.PieceCount, typed.Room, typed.RoomTogether, typed.Call, typed.Once)


def _refuse_lost_money(r: DeclarationReader, kind: typed.Kind) -> None:
    """Reports kinds with an account and a fresh place: the place would clear the account, but money is never lost."""
    account = next((field for field in kind.state.values() if field.account), None)
    fresh = next((place for place in kind.places.values() if place.fresh), None)
    if account is not None and fresh is not None:
        message = f"`{fresh.name}` would clear the account `{account.name}`, but money is never lost"
        notes = [Label(account.span, "the account")]
        help_ = "remove `fresh`, and pay the money out before the token moves"
        r.report.error("RS324", message, fresh.span, notes=notes, help=help_)
