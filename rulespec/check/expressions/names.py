"""Names: variables, declarations, entities, and members of an entity."""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.check.expressions import foreign
from rulespec.check.expressions.boards import of_boards
from rulespec.check.expressions.context import ExpressionContext, bag_help
from rulespec.check.expressions.lookups import pieces_in_place
from rulespec.check.origins import elsewhere
from rulespec.check.scope import Env, path_of
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.suggestions import either, nearest, one
from rulespec.syntax import ast
from rulespec.syntax.keywords import NO_VALUES
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import entity_names
from rulespec.types import (
    ANY,
    BAD,
    INT,
    LITERAL,
    Bad,
    BagOf,
    Ent,
    Num,
    PathOf,
    SetOf,
    Type,
    may_be_none,
    never_none,
    none_of,
)

_FEW = 8
"""Maximum number of a kind's entities that a message lists."""


def infer_ref(x: ExpressionContext, e: ast.Ref, env: Env, want: Type | None) -> typed.Expr:
    """Types a bare name."""
    return narrowed(_named(x, e, env, want), env)


def infer_attribute(x: ExpressionContext, e: ast.Attribute, env: Env) -> typed.Expr:
    """Types `a.b`: an entity of a kind, a single place of pieces, or a member of an entity."""
    return narrowed(_attribute(x, e, env), env)


def _named(x: ExpressionContext, e: ast.Ref, env: Env, want: Type | None) -> typed.Expr:
    name, d = e.name, x.decls
    if name in env.vars:
        result = env.vars[name]
        result.reads += 1
        d.refer(e.span, result)
        if result.table is not None:
            key = result.table.kind
            help_ = f"read one value, `{name}[…]`, or set all in a loop: `for x in {key}: set {name}[x] to …`"
            return x.bad("RS330", f"`{name}` is a table, not a value by itself", e.span, help=help_)
        return typed.Local(result.type, e.span, result)
    if name == "players":
        return typed.Seats(INT, e.span)
    for table in (d.fields, d.constants, d.settings, d.kinds):
        if name in table:
            d.used.add(name)
            d.refer(e.span, table[name])
    if name in d.fields:
        decl = d.fields[name]
        return typed.Field(decl.type, e.span, decl, None)
    if name in d.constants:
        constant = d.constants[name]
        return typed.Lit(constant.type, e.span, constant.value)
    if name in d.settings:
        setting = d.settings[name]
        return typed.SettingValue(setting.type, e.span, setting)
    if name in d.kinds:
        return typed.KindSet(SetOf(name), e.span, d.kinds[name])
    return _entity(x, e, env, want)


def _entity(x: ExpressionContext, e: ast.Ref, env: Env, want: Type | None) -> typed.Expr:
    d = x.decls
    places = d.entities.get(e.name, [])
    if e.name in x.seats and (not places or not isinstance(want, Ent | SetOf) or want.kind == d.player_kind):
        return typed.Lit(Ent(d.player_kind), e.span, x.seats.index(e.name))
    if isinstance(want, Ent | SetOf):
        fitting = [p for p in places if p[0] == want.kind]
        places = fitting or places
    if len(places) > 1:
        explicit = [p for p in places if not d.kinds[p[0]].implicit]
        places = explicit if len(explicit) == 1 else places
    if len(places) == 1:
        kind, index = places[0]
        d.refer(e.span, d.kinds[kind].entities[index])
        return typed.Lit(Ent(kind), e.span, index)
    if places:
        kinds = " or ".join(f"`{k}.{e.name}`" for k, _ in places[:6])
        return x.bad("RS222", f"`{e.name}` is ambiguous", e.span, help=f"write {kinds}")
    for names, what in (
        (d.pieces, f"a type of pieces: count them in a place, as in `{e.name}.supply`"),
        (d.tables, f"a table: look a row up, as in `{e.name}[…]`"),
        (d.capacities, f"a capacity: write `room({e.name})` for the room left in it"),
        (d.tracks, f"a track: write `{e.name}.{_asked_of(d.tracks.get(e.name))}`"),
        (x.rules.definitions, f"a definition: call it, as in `{e.name}(…)`"),
        (x.rules.procedures, f"a procedure: call it in a statement, as in `{e.name}(…)`"),
    ):
        if e.name in names:
            return x.bad("RS229", f"`{e.name}` is {what}", e.span)
    if e.name in d.broken:
        return typed.Lit(BAD, e.span, 0)
    if (result := _of_seats(x, e.name)) is not None:
        return typed.Lit(Ent(result[0]), e.span, result[1])
    if e.name in [var.name for var in env.steps[1:]]:
        return _of_steps(x, e, env)
    hint, notes = nearest(e.name, _visible_names(x, env))
    pile = next((p.name for p in d.pieces.values() if e.name in p.places), "")
    if pile:
        hint, notes = (
            f"write `{pile}[…].{e.name}` to count pieces there, `move n of {pile} from … to …` to move them",
            (),
        )
    elif side := _side(d, e.name):
        hint, notes = f"write `{side}`: a side is named after the first of its two spaces", ()
    elif e.name in foreign.NAMES:
        hint, notes = foreign.NAMES[e.name], ()
    elif isinstance(want, Ent) and _is_nameless(d, want.kind) and (not hint or f"`{want.kind}`" in hint):
        hint, notes = "refer to a player by a parameter, a `for` or state: players have no names in rules", ()
    listed = d.kinds[want.kind].entities if isinstance(want, Ent) and want.kind in d.kinds else ()
    if isinstance(want, Ent) and 0 < len(listed) <= _FEW and (not hint or _names_a_set(x, hint)):
        notes = ()
        hint = f"write {either([entity.name for entity in listed])}"
    for var in env.vars.values():
        var.reads += f"`{var.name}`" in hint  # a misspelt variable is not also reported as unused
    return x.bad("RS221", f"nothing is called `{e.name}` here", e.span, notes=notes, help=hint)


def _side(d: typed.Declarations, name: str) -> str:
    """The side of a board that an author named after the second of its spaces; "" if there is none."""
    for board in d.boards.values():
        spaces = [space.name for space in d.kinds[board.kind].entities]
        for number, direction in enumerate(d.kinds[board.direction].entities if board.sides else ()):
            space = name.removesuffix(f"_{direction.name}")
            if space != name and space in spaces:
                return d.kinds[board.sides].entities[board.side_of[spaces.index(space)][number]].name
    return ""


def _of_steps(x: ExpressionContext, e: ast.Ref, env: Env) -> typed.Expr:
    """Reports a step variable of a path outside `path(…)`, where only the whole path is in scope."""
    way, one, other = env.steps
    steps = f"`sum(… for {one.name} to {other.name} in {way.name})` for a sum over the steps"
    help_ = f"write {steps}, or `last({way.name})` for the last stop"
    notes = (Label(one.span if e.name == one.name else other.span, "a stop of a step, declared here"),)
    return x.bad("RS359", f"`{e.name}` is known only within `path(…)`", e.span, notes=notes, help=help_)


def _names_a_set(x: ExpressionContext, hint: str) -> bool:
    """Whether a hint suggests a kind, which is no entity."""
    return any(f"did you mean `{kind}`?" == hint for kind in x.decls.kinds)


def _is_nameless(d: typed.Declarations, kind: str) -> bool:
    """Whether a kind is that of the players, and seats have no names in the rules."""
    return kind == d.player_kind and not d.kinds[kind].entities


def _of_seats(x: ExpressionContext, name: str) -> tuple[str, int] | None:
    """The kind and index of an entity composed of a seat, in a running game; None for other names."""
    kinds = x.decls.kinds
    for kind in kinds.values() if x.seats else ():
        if kind.product and kind.by_seat and name in (called := entity_names(kinds, kind.name, x.seats)):
            return kind.name, called.index(name)
    return None


def _asked_of(track: typed.TrackDecl | None) -> str:
    return "steps(a, b)" if track is not None and track.ring else "space(v)"


def _visible_names(x: ExpressionContext, env: Env) -> dict[str, Span]:
    """All names in scope, with the places of their declarations."""
    d = x.decls
    places = {name: d.kinds[result[0][0]].entities[result[0][1]].span for name, result in d.entities.items()}
    tables: list[Mapping[str, typed.Named]] = [x.rules.definitions, d.tracks, d.tables, d.pieces, d.kinds]
    for table in [*tables, d.settings, d.constants, d.fields, env.vars]:
        places = {name: declared.span for name, declared in table.items()} | places
    return places


def _attribute(x: ExpressionContext, e: ast.Attribute, env: Env) -> typed.Expr:
    d, name = x.decls, e.name.text
    if isinstance(e.target, ast.Ref) and e.target.name not in env.vars:
        qualifier = e.target.name
        if qualifier in d.pieces:
            return pieces_in_place(x, e.target, (), e.name, None, e.span, env)
        if qualifier in d.kinds:
            kind = d.kinds[qualifier]
            if name in kind.index:
                d.used.add(qualifier)
                d.refer(e.target.span, kind)
                d.refer(e.name.span, kind.entities[kind.index[name]])
                return typed.Lit(Ent(qualifier), e.span, kind.index[name])
            if qualifier not in d.settings:
                hint, notes = nearest(name, {e.name: e.span for e in kind.entities})
                if name in kind.state or name in kind.facts:
                    hint = (
                        f"name the entity, `x.{name}`: it is implied only in the `start` of a field of `{qualifier}` "
                        "and in setup.yaml"
                    )
                return x.bad(
                    "RS225",
                    f"`{qualifier}` has no entity `{name}`",
                    e.name.span,
                    help=hint,
                    notes=(Label(kind.span, "the kind is declared here"), *notes),
                )
    if isinstance(e.target, ast.Index) and isinstance(e.target.target, ast.Ref):
        pile = e.target.target
        if pile.name in d.pieces and pile.name not in env.vars:
            return pieces_in_place(x, pile, e.target.keys, e.name, None, e.span, env)
    owner = x.infer(e.target, env)
    return _member(x, owner, e.name, e.span)


def _member(x: ExpressionContext, owner: typed.Expr, name: ast.Name, span: Span) -> typed.Expr:
    if isinstance(owner.type, Bad):
        return typed.Lit(BAD, span, 0)
    if not isinstance(owner.type, Ent) or owner.type.kind == ANY:
        help_ = foreign.MEMBERS.get(name.text, "") if isinstance(owner.type, SetOf) else ""
        if isinstance(owner, typed.Local) and isinstance(owner.type, SetOf):
            help_ = (
                help_
                or f"test each member: `all(x in {owner.var.name}: x.{name.text} …)`, `for x in {owner.var.name}:`"
            )
        elif isinstance(owner, typed.Local) and isinstance(owner.type, BagOf | PathOf):
            help_ = bag_help(owner.var)
        return x.wrong(owner, f"only an entity has `.{name.text}`", help_)
    kind = x.decls.kinds[owner.type.kind]
    if owner.type.optional:
        return x.expect(owner, Ent(kind.name), f"the owner of `.{name.text}`")
    if name.text == "index":
        return typed.Op(INT, span, "index", (owner,))
    if name.text in kind.places or (kind.number and name.text == "number"):
        from rulespec.check.expressions.places import infer_member  # lazily: most rulesets have no tokens

        return infer_member(x, kind, owner, name, span)
    if name.text in kind.state:
        field = kind.state[name.text]
        x.decls.used.add(f"{kind.name}.{name.text}")
        x.decls.refer(name.span, field)
        return typed.Field(field.type, span, field, owner)
    if name.text in kind.facts:
        fact = kind.facts[name.text]
        x.decls.refer(name.span, fact)
        by_seat = isinstance(fact.type, SetOf) and x.decls.kinds[fact.type.kind].is_player
        if not by_seat and isinstance(owner, typed.Lit) and owner.value < len(fact.values):
            value = fact.values[owner.value]
            solid = fact.type
            if value != none_of(solid):
                solid = never_none(solid)
            return typed.Lit(solid, span, value)
        return typed.Fact(fact.type, span, fact, owner)
    if kind.name in x.decls.broken:  # a product with unknown parts, and so with unknown facts
        return typed.Lit(BAD, span, 0)
    places = {f.name: f.span for f in kind.facts.values()} | {f.name: f.span for f in kind.state.values()}
    hint, notes = nearest(name.text, places)
    if help_ := of_boards(x.decls, kind.name, name.text):
        hint, notes = help_, ()
    if not hint and 0 < len(places) <= _FEW:
        hint = f"write {either(list(places))}, or declare `{name.text}`"
    return x.bad(
        "RS225",
        f"{one(kind.name)} has no `{name.text}`",
        name.span,
        notes=(Label(kind.span, f"`{kind.name}` is declared here"), *notes, *elsewhere(name.text, x.decls)),
        help=hint,
    )


def narrowed(expr: typed.Expr, env: Env) -> typed.Expr:
    """The expression with its optional type narrowed, if its value is known not to be none."""
    if may_be_none(expr.type) and path_of(expr) in env.known:
        solid = never_none(expr.type)
        if isinstance(expr, typed.Local):
            return typed.Local(solid, expr.span, expr.var)
        if isinstance(expr, typed.Field):
            return typed.Field(solid, expr.span, expr.decl, expr.owner)
        if isinstance(expr, typed.Fact):
            return typed.Fact(solid, expr.span, expr.decl, expr.owner)
        if isinstance(expr, typed.BoardOp):
            return typed.BoardOp(solid, expr.span, expr.op, expr.board, expr.args)
        if isinstance(expr, typed.LinkBetween):
            return typed.LinkBetween(solid, expr.span, expr.link, expr.ends)
    return expr


def infer_number(x: ExpressionContext, e: ast.Number) -> typed.Expr:
    """Types a number literal, with or without a unit."""
    if e.unit is None:
        return typed.Lit(LITERAL, e.span, e.value)
    if e.unit.text not in x.decls.units:
        hint, notes = nearest(e.unit.text, x.decls.units)
        return x.bad(
            "RS224",
            f"`{e.unit.text}` is not a unit",
            e.unit.span,
            notes=notes,
            help=hint or f"declare `{e.unit.text}` under `units` in game.yaml",
        )
    x.decls.used.add(e.unit.text)
    x.refer_to_unit(e.unit)
    return typed.Lit(Num(e.unit.text), e.span, e.value)


def no_shadow(x: ExpressionContext, name: ast.Name, env: Env) -> bool:
    """Whether a new variable shadows no other name; reports the name that it would shadow."""
    before = x.report.errors
    if name.text in env.vars:
        notes = (Label(env.vars[name.text].span, "the variable is declared here"),)
        x.error("RS223", f"`{name.text}` is already the name of a variable here", name.span, notes=notes)
    d = x.decls
    for names in (d.fields, d.constants, d.settings, d.kinds, d.pieces, d.tables, d.tracks):
        if name.text in names:
            span = getattr(names[name.text], "span", name.span)
            x.error(
                "RS223", f"`{name.text}` already has another meaning", name.span, notes=(Label(span, "declared here"),)
            )
    if name.text in NO_VALUES:
        x.error("RS223", f"`{name.text}` is a reserved word", name.span)
    return x.report.errors == before
