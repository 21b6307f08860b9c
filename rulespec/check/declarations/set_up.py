"""The set-up: initial pieces, state and accounts, for all player counts or for a specific one."""

from __future__ import annotations

from rulespec.check.declarations.reader import DeclarationReader
from rulespec.check.declarations.state import check_range
from rulespec.check.origins import constants_at
from rulespec.check.scope import Env
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, entries, get
from rulespec.typed import nodes as typed
from rulespec.types import INT, Ent, Type


def read_set_up(r: DeclarationReader) -> None:
    """Reads the placements: first the common ones, then the placements for each player count."""
    setup = get(r.root, "setup")
    _placements(r, setup, None)
    for number, place, node in entries(get(setup, "players")):
        if not number.isdigit() or not r.d.min_players <= int(number) <= r.d.max_players:
            help_ = (
                f"remove the entry, or change `players` in game.yaml: it allows {r.d.min_players} to {r.d.max_players}"
            )
            r.report.error(
                "RS227", f"a game never has {number} player{'' if number == '1' else 's'}", place.span, help=help_
            )
            continue
        _placements(r, node, int(number))


def _placements(r: DeclarationReader, node: Node | None, players: int | None) -> None:
    for path, where, value in entries(get(node, "pieces")):
        piece_name, _, place_name = path.partition(".")
        piece = r.d.pieces.get(piece_name)
        place = piece.places.get(place_name) if piece else None
        if piece_name in r.d.broken:
            continue
        if piece is None or place is None:
            known = {f"{p.name}.{q.name}": q.span for p in r.d.pieces.values() for q in p.places.values()}
            hint, notes = nearest(path, known)
            r.report.error("RS221", f"`{path}` is not a place of pieces", where.span, notes=notes, help=hint)
            continue
        r.refer(where, piece, place)
        kinds = [*piece.each, *([place.index] if place.index else [])]
        _place(r, (piece, place), kinds, value, INT, players, ())
    for section in ("state", "accounts"):
        for path, where, value in entries(get(node, section)):
            _set_field(r, section, path, where, value, players)


def _set_field(r: DeclarationReader, section: str, path: str, where: Scalar, value: Node, players: int | None) -> None:
    parts = path.split(".")
    kind = r.d.kinds.get(parts[0]) if len(parts) > 1 else None
    field = r.d.fields.get(path) if len(parts) == 1 else kind.state.get(parts[-1]) if kind else None
    if field is None or field.account != (section == "accounts"):
        known = {f.name: f.span for f in r.d.fields.values()}
        known |= {f"{k.name}.{f.name}": f.span for k in r.d.kinds.values() for f in k.state.values()}
        hint, notes = nearest(path, known)
        what = "account" if section == "accounts" else "state"
        r.report.error("RS221", f"there is no {what} `{path}`", where.span, notes=notes, help=hint)
        return
    prefix: tuple[int, ...] = ()
    _refer_to_field(r, where, parts, kind, field)
    kinds = [field.kind] if field.kind else []
    if len(parts) == 3 and kind is not None:
        prefix = (r.entity(Scalar(parts[1], parts[1], where.span), kind.name) or 0,)
        kinds = []
    _place(r, field, kinds, value, field.type, players, prefix)


def _refer_to_field(
    r: DeclarationReader, where: Scalar, parts: list[str], kind: typed.Kind | None, field: typed.FieldDecl
) -> None:
    if kind is None:
        r.refer(where, field)
    elif len(parts) == 2:
        r.refer(where, kind, field)
    elif parts[1] in kind.index:
        r.refer(where, kind, kind.entities[kind.index[parts[1]]], field)


def _place(
    r: DeclarationReader,
    target: typed.FieldDecl | tuple[typed.PieceDecl, typed.PlaceDecl],
    kinds: list[str],
    value: Node,
    type_: Type,
    players: int | None,
    keys: tuple[int | typed.Var, ...],
) -> None:
    if kinds and isinstance(value, Mapping):
        kind = r.d.kinds[kinds[0]]
        if kind.by_seat and not any(name in kind.index for name, _, _ in entries(value)):
            _by_next(r, target, kinds, value, type_, players, keys)
            return
        for _, place, inner in entries(value):
            _place(r, target, kinds[1:], inner, type_, players, (*keys, r.entity(place, kinds[0]) or 0))
        return
    # One value for all entities: the name of a kind denotes the entity that receives the value.
    all_keys = (*keys, *(typed.Var(kind, Ent(kind), value.span) for kind in kinds))
    env = Env()
    for key in all_keys:
        env = env.bind(key) if isinstance(key, typed.Var) else env
    expr = r.expr(value, type_, "the start value", env)
    if isinstance(target, typed.FieldDecl):
        check_range(r, target, expr)
    elif isinstance(expr, typed.Lit) and expr.value < 0:
        message = f"there cannot be {expr.value} pieces in `{target[0].name}.{target[1].name}`"
        r.report.error("RS307", message, value.span, notes=constants_at(value.span, r.d))
    r.d.placements.append(typed.Placement(target, all_keys, expr, players, value.span))


def _by_next(
    r: DeclarationReader,
    target: typed.FieldDecl | tuple[typed.PieceDecl, typed.PlaceDecl],
    kinds: list[str],
    value: Mapping,
    type_: Type,
    players: int | None,
    keys: tuple[int | typed.Var, ...],
) -> None:
    """Reads a mapping for a first kind without names before a game: its keys belong to the next kind, for all seats."""
    name = kinds[0]
    if len(kinds) > 1:
        _place(r, target, kinds[1:], value, type_, players, (*keys, typed.Var(name, Ent(name), value.span)))
        return
    message = f"the names of `{name}` are known only in a game, so they cannot be keys"
    help_ = f"give one value, in which `{name}` stands for each of them; facts or `{name}.index` distinguish them"
    r.report.error("RS227", message, value.span, help=help_)
