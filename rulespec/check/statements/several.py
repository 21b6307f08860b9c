"""Multiple choices: parameters whose value is a set or a bag, and statements that move such a set or bag."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from rulespec.check.expressions.bags import pile_bag
from rulespec.check.expressions.context import ExpressionContext
from rulespec.check.scope import Env
from rulespec.check.statements.context import StatementContext
from rulespec.diagnostics.diagnostic import Label
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.types import ANY, BAD, INT, Bad, BagOf, Ent, Num, SetOf, Type

Ends = tuple[typed.PieceCount, typed.PieceCount]
"""The source and the target of a move of pieces."""


def type_several(
    x: ExpressionContext, p: ast.OptionParam, env: Env
) -> tuple[typed.Expr, Type, tuple[typed.Expr, typed.Expr]]:
    """The typed source and type of a parameter with multiple members, and the minimum and maximum number of members."""
    source = pile_bag(x, p.low, env) or x.as_set(x.infer(p.low, env))
    type_: Type = source.type
    if isinstance(type_, SetOf) and type_.kind != ANY:
        kind = x.decls.kinds[type_.kind]
        if kind.alike is not None:
            message = f"tokens of `{kind.name}` cannot be chosen as a set, because they are alike"
            help_ = "remove `alike: true`, or declare them under `pieces:` and choose a bag"
            x.error("RS314", message, p.low.span, notes=x.declared(source), help=help_)
            type_ = BAD
    elif not isinstance(type_, BagOf | Bad):
        help_ = "write a number without `choose`: `n in 1 .. 6`" if isinstance(type_, Num) else ""
        if isinstance(type_, Ent):
            help_ = "write `x in …` without `choose` for a single member"
        source = x.wrong(source, "`choose … of` takes a set, or pieces in a place such as `pile.place`", help_)
        type_ = BAD
    numbers = [x.number(x.infer(e, env), "the number to choose must be a number") for e in p.several]
    least, most = numbers[0], numbers[-1]
    for bound in (least, most):
        if isinstance(bound.type, Num) and bound.type.unit not in ("", ANY):
            x.error("RS302", f"the number to choose must be a plain number, but this is {bound.type}", bound.span)
    _bounds(x, p.several[-1], least, most)
    return source, type_, (least, most)


def _bounds(x: ExpressionContext, last: ast.Expr, least: typed.Expr, most: typed.Expr) -> None:
    """Reports bounds on the number of members that no choice satisfies."""
    if not isinstance(most, typed.Lit) or most.type == BAD:
        return
    if most.value < 0:
        help_ = "write at least 0: `choose 0 .. 2 of …`"
        if isinstance(last, ast.Binary) and isinstance(last.left, ast.Number) and isinstance(last.right, ast.Number):
            help_ = f"write a range with two dots: `choose {last.left.value} .. {last.right.value} of …`"
        x.error("RS313", f"a choice cannot have {most.value} members", most.span, help=help_)
    elif isinstance(least, typed.Lit) and least.value > most.value:
        help_ = f"write the minimum first: `choose {most.value} .. {least.value} of …`"
        x.error("RS313", f"a choice cannot have from {least.value} to {most.value} members", least.span, help=help_)


def report_equal_odds(x: ExpressionContext, params: Sequence[ast.OptionParam], option: typed.OptionDef) -> None:
    """Warns of bags that chance draws with equal odds, because drawing single pieces at random has different odds."""
    for p, param in zip(params, option.params, strict=True):
        if option.weight is not None or not isinstance(param.var.type, BagOf):
            continue
        place, index = (p.low.target, "[…]") if isinstance(p.low, ast.Index) else (p.low, "")
        kind, letter = param.var.type.kind, param.var.type.kind[0]
        pile = place.target.name if isinstance(place, ast.Attribute) and isinstance(place.target, ast.Ref) else ""
        where = f"{pile}[{letter}].{place.name.text}{index}" if isinstance(place, ast.Attribute) else ""
        x.report.warning(
            "RS376",
            f"chance draws every possible bag `{param.var.name}` with the same odds, whatever its pieces",
            p.name.span,
            help=f"draw one piece after another, `roll {option.name}({letter} in {kind}) weight {where}`, and move it; "
            "or write `weight 1` if equal odds are intended",
        )


# --- what moves all of a set or a bag -------------------------------------------------------

_EACH = " each"
"""The name of the generated variable for the entity whose pieces move, impossible in rules."""


def put_all(c: StatementContext, s: ast.Put, tokens: typed.Expr, place: typed.Expr) -> typed.Block:
    """The statements for `move s to place` with a token set, which move the tokens one after another, in order."""
    assert isinstance(tokens.type, SetOf)
    kind = c.x.decls.kinds[tokens.type.kind]
    names, place = _held(place)
    var = typed.Var(kind.name, Ent(kind.name), s.token.span, 1)
    put = typed.Put(s.span, kind, typed.Local(var.type, s.token.span, var), place)
    return (*names, typed.For(s.span, typed.Binder(var, tokens, "", None, None), (put,)))


def bag_of(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Local | None:
    """The bag denoted by an amount; None for a number."""
    if not isinstance(e, ast.Ref) or e.name not in env.vars or not isinstance(env.vars[e.name].type, BagOf):
        return None
    bag = x.infer(e, env)
    assert isinstance(bag, typed.Local)
    return bag


def set_of(x: ExpressionContext, e: ast.Expr, env: Env) -> typed.Var | None:
    """The set denoted by an amount; None for a number."""
    var = env.vars.get(e.name) if isinstance(e, ast.Ref) else None
    return var if var is not None and isinstance(var.type, SetOf) else None


def each_pile(
    x: ExpressionContext, bag: typed.Local, pile: ast.Expr, env: Env
) -> tuple[typed.Var, ast.Expr, Env] | None:
    """A variable over the entities of a bag's kind, the pile of that entity, and the scope with the variable; reports
    an error and returns None if there is no such pile.
    """
    assert isinstance(bag.type, BagOf)
    named = pile.target if isinstance(pile, ast.Index) else pile
    piece = x.decls.pieces.get(named.name) if isinstance(named, ast.Ref) else None
    if piece is None:
        return typed.Var(_EACH, Ent(bag.type.kind), pile.span, 1), pile, env  # the caller reports it
    if piece.each != (bag.type.kind,):
        of = ", ".join(piece.each) or "nothing"
        notes = (*x.declared(bag), Label(piece.span, "declared here"))
        message = f"`{bag.var.name}` has pieces of {bag.type.kind}, but `{piece.name}` takes {of} in brackets"
        help_ = f"name a type of pieces that takes {bag.type.kind} in brackets"
        x.error("RS315", message, pile.span, notes=notes, help=help_)
        return None
    if pile is not named:
        help_ = (
            f"write `… {bag.var.name} of {piece.name} from …`; for one pile, `… {bag.var.name}[e] of {piece.name}[e] …`"
        )
        x.error("RS315", "a bag moves pieces of all piles, so no brackets are allowed here", pile.span, help=help_)
        return None
    var = typed.Var(_EACH, Ent(bag.type.kind), pile.span, 1)
    key = ast.Ref(pile.span, _EACH)
    return var, ast.Index(pile.span, pile, (key,)), env.bind(var)


def move_bag(s: ast.Move, bag: typed.Local, var: typed.Var, ends: Ends) -> typed.Block:
    """The statements for `move b of pile from place to place`, which move pieces pile by pile, in kind order."""
    names: list[typed.Stmt] = []
    places = []
    for end in ends:
        held, place = _held(end)
        names += held
        assert isinstance(place, typed.PieceCount)
        places.append(place)
    transfer = typed.Transfer(s.span, amount_of(bag, var), *places)
    of = typed.Op(SetOf(bag.type.kind), bag.span, "entities", (bag,)) if isinstance(bag.type, BagOf) else bag
    return (*names, typed.For(s.span, typed.Binder(var, of, "", None, None), (transfer,)))


def amount_of(bag: typed.Local, var: typed.Var) -> typed.Expr:
    """The number of one entity's pieces in a bag."""
    return typed.Op(INT, bag.span, "amount", (bag, typed.Local(var.type, bag.span, var)))


def _held(place: typed.Expr) -> tuple[list[typed.Stmt], typed.Expr]:
    """The place evaluated once: a `let` for it or its index, unless that is a name or a constant, and the place in
    terms of it.
    """
    by_index = isinstance(place, typed.PlaceValue | typed.PieceCount)
    held = place.index if isinstance(place, typed.PlaceValue | typed.PieceCount) else place
    if held is None or isinstance(held, typed.Lit | typed.Local):
        return [], place
    var = typed.Var(" place", held.type, held.span, 1, held)
    local = typed.Local(held.type, held.span, var)
    return [typed.Let(held.span, var, held)], replace(place, index=local) if by_index else local
