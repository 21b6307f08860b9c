"""Lookups in brackets: table rows, entities of product kinds, pieces in a place, links at or between regions."""

from __future__ import annotations

from rulespec.check.expressions.bags import bag_amount
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import counted, nearest, one
from rulespec.documents.yaml_nodes import bits
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import BAD, INT, Ent, Order, SetOf, Type


def infer_index(x: ExpressionContext, e: ast.Index, env: Env) -> typed.Expr:
    """Types `a[…]`: a table row, an entity of a product kind, or pieces in a place."""
    d = x.decls
    target = e.target
    if isinstance(target, ast.Attribute) and len(e.keys) == 1:  # pile[e].at[r], pile.at[r]
        pile: ast.Expr = target.target
        keys: tuple[ast.Expr, ...] = ()
        if isinstance(pile, ast.Index):
            keys = pile.keys
            pile = pile.target
        if isinstance(pile, ast.Ref) and pile.name in d.pieces and pile.name not in env.vars:
            return pieces_in_place(x, pile, keys, target.name, e.keys[0], e.span, env)
    if isinstance(target, ast.Ref) and target.name in env.vars and env.vars[target.name].table is not None:
        return _entry(x, e, target, env.vars[target.name], env)
    if (amount := bag_amount(x, e, env)) is not None:
        return amount
    if (link := link_of(x, target, env)) is not None:
        return infer_between(x, e, link, env)
    if isinstance(target, ast.Ref) and target.name not in env.vars:
        if target.name in d.tables:
            table = d.tables[target.name]
            d.used.add(target.name)
            d.refer(target.span, table)
            keys_typed = _keys(x, e.keys, list(table.keys), f"`{table.name}`", e.span, env, table.key_span)
            if all(isinstance(k, typed.Lit) for k in keys_typed):
                row = table.rows.get(tuple(k.value for k in keys_typed if isinstance(k, typed.Lit)))
                if row is not None:
                    return typed.Lit(table.value, e.span, row)
            return typed.TableRow(table.value, e.span, table, keys_typed)
        if target.name in d.kinds and d.kinds[target.name].product:
            kind = d.kinds[target.name]
            d.used.add(target.name)
            d.refer(target.span, kind)
            parts = _keys(x, e.keys, [Ent(k) for k in kind.product], f"`{kind.name}`", e.span, env, kind.span)
            return typed.ProductEntity(Ent(kind.name), e.span, kind, parts)
        if target.name in d.broken:
            return typed.Lit(BAD, e.span, 0)
        if target.name in d.pieces:
            return x.bad("RS229", f"`{target.name}` needs a place, as in `{target.name}[…].supply`", e.span)
        if target.name not in d.kinds and target.name not in (d.player_kind, "players"):
            result = x.infer(target, env)
            if result.type == BAD:  # the name is unknown or not in scope
                return result
    if isinstance(target, ast.Attribute) and isinstance(target.target, ast.Ref):  # a misspelt name of pieces
        owner = target.target
        if owner.name not in d.pieces and owner.name not in (d.player_kind, "players"):
            result = x.infer(owner, env)
            if result.type == BAD:
                return result
    if _pile(target) in d.broken:
        return typed.Lit(BAD, e.span, 0)
    return _not_in_brackets(x, e, env)


def _not_in_brackets(x: ExpressionContext, e: ast.Index, env: Env) -> typed.Expr:
    """Reports brackets after something that is neither a table nor a place."""
    target = e.target
    if isinstance(target, ast.Ref) and target.name in env.vars:
        env.vars[target.name].reads += 1
        if env.vars[target.name].type == BAD:
            return typed.Lit(BAD, e.span, 0)
    help_ = _way_out(x, e, env)
    if not help_ and isinstance(target, ast.Attribute | ast.Ref):
        several = x.infer(target, env)
        if several.type == BAD:
            return several
        if isinstance(several.type, SetOf | Order):
            what = "an order" if isinstance(several.type, Order) else "a set"
            help_ = f"write `for x in s:` or `first(s)`: {what} has no indices"
    return x.bad("RS229", "`[…]` must follow a table, a product kind or a place of pieces", target.span, help=help_)


def _way_out(x: ExpressionContext, e: ast.Index, env: Env) -> str:
    """The help for brackets after something that is neither a table nor a place, or ""."""
    d, target, key = x.decls, e.target, e.keys[0]
    if isinstance(target, ast.Ref) and target.name in env.vars:
        if isinstance(env.vars[target.name].type, Order):
            return ""
        return f"declare a table with a value for each member of a kind: `let {target.name}[x in kind] = …`"
    help_ = "put several keys into one pair of brackets: `[a, b]`" if isinstance(target, ast.Index) else ""
    if isinstance(target, ast.Ref) and target.name in d.kinds and target.name not in env.vars:
        word = key.name if isinstance(key, ast.Ref) else "x"
        help_ = f"write only the name of an entity: `{word}`"
        for board in d.boards.values():
            if target.name == board.sides:
                help_ = "write `s.side(d)` for the side of a space in a direction"
                help_ += ", `the(a.sides & b.sides)` for the one between two corners" if board.corners else ""
            elif target.name == board.corners:
                help_ = "write `s.corners` for the corners of a space, or a corner by its name"
    elif isinstance(target, ast.Attribute) and target.name.text == "side":
        help_ = "write the direction in parentheses: `s.side(d)`"
    if isinstance(target, ast.Ref) and target.name in (d.player_kind, "players") and target.name not in env.vars:
        help_ = "refer to a player by a parameter, a `for` or state: players have no numbers in rules"
    return help_


def _entry(x: ExpressionContext, e: ast.Index, name: ast.Ref, var: typed.Var, env: Env) -> typed.Expr:
    """Types an entry of a local table; the entity of a product may be given by its parts."""
    table = var.table
    assert table is not None
    var.reads += 1
    x.decls.refer(name.span, var)
    if table.type == BAD:
        return typed.Lit(BAD, e.span, 0)
    kind, what = x.decls.kinds[table.kind], f"`{var.name}`"
    if kind.product and len(e.keys) > 1:
        parts = _keys(x, e.keys, [Ent(k) for k in kind.product], what, e.span, env, kind.span)
        owner: typed.Expr = typed.ProductEntity(Ent(kind.name), e.span, kind, parts)
    else:
        owner = _keys(x, e.keys, [Ent(kind.name)], what, e.span, env, var.span)[0]
    return typed.Field(table.type, e.span, table, owner)


def pieces_in_place(
    x: ExpressionContext,
    pile: ast.Ref,
    keys: tuple[ast.Expr, ...],
    place: ast.Name,
    index: ast.Expr | None,
    span: Span,
    env: Env,
) -> typed.Expr:
    """Types `pile[keys].place[index]`, the number of pieces there."""
    piece = x.decls.pieces[pile.name]
    x.decls.used.add(pile.name)
    x.decls.refer(pile.span, piece)
    ids = _keys(x, keys, [Ent(k) for k in piece.each], f"`{piece.name}`", span, env, piece.span)
    if place.text not in piece.places:
        hint, notes = nearest(place.text, {p.name: p.span for p in piece.places.values()})
        return x.bad(
            "RS225",
            f"`{piece.name}` has no place `{place.text}`",
            place.span,
            notes=(Label(piece.span, "declared here"), *notes),
            help=hint,
        )
    decl = piece.places[place.text]
    x.decls.refer(place.span, decl)
    where: typed.Expr | None = None
    if decl.index and index is None:
        return x.bad("RS226", f"`{place.text}` needs {one(decl.index)} in brackets: `{place.text}[…]`", span)
    if index is not None:
        if not decl.index:
            return x.bad("RS226", f"`{place.text}` is a single place, so it takes no brackets", index.span)
        where = x.check(index, env, Ent(decl.index), f"the index of `{place.text}`", decl.span)
    return typed.PieceCount(INT, span, piece, ids, decl, where)


def _pile(e: ast.Expr) -> str:
    """The name of the pieces in `pile.at` or `pile[e].at`; "" for other expressions."""
    pile = e.target if isinstance(e, ast.Attribute) else e
    pile = pile.target if isinstance(pile, ast.Index) else pile
    return pile.name if isinstance(pile, ast.Ref) else ""


def _keys(
    x: ExpressionContext,
    keys: tuple[ast.Expr, ...],
    types: list[Type] | list[Ent],
    what: str,
    span: Span,
    env: Env,
    declared: Span,
) -> tuple[typed.Expr, ...]:
    if len(keys) != len(types):
        wanted = ", ".join(str(t) for t in types) or "nothing"
        notes = (Label(declared, "declared here"),)
        pile = what.strip("`") if not keys and len(types) == 1 else ""
        help_ = (
            f"to choose several pieces, omit the brackets and move a bag: `lot in choose … of {pile}.…`; "
            f"write `{pile}[x].…` for the number of pieces of one"
            if pile in x.decls.pieces
            else ""
        )
        x.error(
            "RS226",
            f"{what} takes {wanted} in brackets, not {counted(len(keys), 'value')}",
            span,
            notes=notes,
            help=help_,
        )
        return tuple(typed.Lit(BAD, span, 0) for _ in types)
    asked = f"a key of {what}"
    return tuple(x.check(k, env, t, asked, declared) for k, t in zip(keys, types, strict=True))


def link_of(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.LinkDecl | None:
    """The declaration of the link kind that an expression names; None for other expressions."""
    if not isinstance(e, ast.Ref) or e.name in env.vars or e.name not in x.decls.links:
        return None
    x.decls.used.add(e.name)
    x.decls.refer(e.span, x.decls.kinds[e.name])
    return x.decls.links[e.name]


def infer_links(x: ExpressionContext, e: ast.TrackCall, link: typed.LinkDecl, env: Env) -> typed.Expr:
    """Types `line.at(r)`, the links at a region in either direction, and `line.between(a, b)`."""
    notes = (Label(link.at.span, f"`{link.kind}` is declared here"),)
    if e.name.text == "between":
        if len(e.args) != 2:
            return x.bad("RS226", f"`between` takes 2 arguments, not {len(e.args)}", e.span, notes=notes)
        a, b = (x.check(key, env, Ent(link.region), "an argument of `between`", link.at.span) for key in e.args)
        if isinstance(a, typed.Lit) and isinstance(b, typed.Lit) and a.type == b.type == Ent(link.region):
            return typed.Lit(SetOf(link.kind), e.span, link.between(a.value, b.value))
        return typed.LinkBetween(SetOf(link.kind), e.span, link, (a, b))
    if e.name.text != "at":
        message, help_ = (
            f"a kind of links has no `{e.name.text}`",
            f"write `{link.kind}.at(r)` for the links at a region, `{link.kind}.between(a, b)` for those from a to b",
        )
        return x.bad("RS225", message, e.name.span, notes=notes, help=help_)
    if len(e.args) != 1:
        return x.bad("RS226", f"`at` takes 1 argument, not {len(e.args)}", e.span, notes=notes)
    region = x.check(e.args[0], env, Ent(link.region), "the argument of `at`", link.at.span)
    if isinstance(region, typed.Lit) and region.type == Ent(link.region):
        return typed.Lit(SetOf(link.kind), e.span, link.at.values[region.value])
    return typed.Fact(SetOf(link.kind), e.span, link.at, region)


def infer_between(x: ExpressionContext, e: ast.Index, link: typed.LinkDecl, env: Env) -> typed.Expr:
    """Types `line[a, b]`: the link between two regions, if any."""
    if len(e.keys) != 2:
        notes = (Label(link.at.span, f"`{link.kind}` is declared here"),)
        message = f"`{link.kind}` takes the two ends of a link in brackets, not {counted(len(e.keys), 'value')}"
        return x.bad("RS226", message, e.span, notes=notes, help=f"write `{link.kind}.at(r)` for the links at a region")
    a, b = (x.check(key, env, Ent(link.region), "an end of a link", link.at.span) for key in e.keys)
    if isinstance(a, typed.Lit) and isinstance(b, typed.Lit) and a.type == b.type == Ent(link.region):
        links = link.between(a.value, b.value)
        if links.bit_count() > 1:
            return _several(x, e, link, links)
        return typed.Lit(Ent(link.kind, not links), e.span, links.bit_length() - 1)
    if link.parallel:
        return _several(x, e, link, link.parallel)
    return typed.LinkBetween(Ent(link.kind, True), e.span, link, (a, b))


def _several(x: ExpressionContext, e: ast.Index, link: typed.LinkDecl, links: int) -> typed.Expr:
    """Reports a look-up of one link where several have the same ends."""
    first, second, *_ = (x.decls.kinds[link.kind].entities[number] for number in bits(links))
    message = f"several links of `{link.kind}` may have these ends, such as `{first.name}` and `{second.name}`"
    notes = tuple(Label(each.span, f"`{each.name}` is declared here") for each in (first, second))
    between = f"{link.kind}.between(a, b)"
    help_ = (
        f"write `{between}` for the set of them, and `first({between})` if any will do; after `once`, write "
        f"`any of {link.kind}.between(x, y)`"
    )
    return x.bad("RS377", message, e.span, notes=notes, help=help_)
