"""Lowering of token moves: capacity checks, the new place, and the reset of the token's state."""

from __future__ import annotations

from msgspec.structs import replace

from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.capacities import check
from rulespec.engine.lower.expressions import capacities_of
from rulespec.engine.lower.places import count_in, first_place, of_places
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, cell, choose, logic, op
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Maybe, none_of


def put(b: BlockBuilder, s: typed.Put, scope: Scope) -> None:
    """Adds the instructions of `move t to place`: all reads come first, then the write of the place and the reset of
    the token.
    """
    x, kind, layout = b.x, s.kind, b.layout
    token = stored(b, x.expr(s.token, scope), kind.name, kind.name)
    place = stored(b, x.expr(s.place, scope), f"{kind.name}.place", "place")
    named = s.place.place if isinstance(s.place, typed.PlaceValue) else None
    limits = capacities_of(x, kind)
    if max(limits) >= 0 and (named is None or named.at_most is not None):
        limit = x.row(limits, place)
        fits = op("<", count_in(layout, kind, place, x.slot(scope), without=token), limit)
        if named is None and min(limits) < 0:
            fits = logic("or", [op("<", limit, FALSE), fits])
        where = f"`{named.name}`" if named is not None else "that place"
        b.emit(ir.Check(fits, x.site(s.span, f"there is no room for another `{kind.name}` in {where}")))
    b.emit(ir.Store(cell(layout.field_at[kind.state["place"]], token, layout.size(kind.name)), place, None, None, 0))
    _check_shared(b, s, place, scope)
    fresh = tuple([int(of.fresh) for of, _ in of_places(layout, kind)])
    if any(fresh) and (named is None or named.fresh):
        _reset(b, s, token, x.row(fresh, place) if named is None else ir.Const(1))


def _check_shared(b: BlockBuilder, s: typed.Put, place: ir.Expr, scope: Scope) -> None:
    """Adds checks of the capacities that a token's place shares with others."""
    named = s.place.place if isinstance(s.place, typed.PlaceValue) else None
    for at in s.kind.places.values():
        if named is not None and at is not named:
            continue
        index = op("-", place, ir.Const(first_place(b.layout, s.kind, at)))
        size = ir.Const(b.layout.size(at.index) if at.index else 1)
        for capacity in b.layout.d.bounds.get(at, ()):
            if named is not None:
                b.emit(check(b.x, capacity, index, s.span, scope))
            else:  # the place is known only at run time
                fits = check(b.x, capacity, op("%", index, size), s.span, scope)
                elsewhere = [op("<", index, FALSE), op(">=", index, size)]
                b.emit(replace(fits, condition=logic("or", [*elsewhere, fits.condition])))


def stored(b: BlockBuilder, value: ir.Expr, type_: str, name: str) -> ir.Expr:
    """An expression for a value that later writes cannot change: either the given one, or a copy in a variable."""
    if _lasts(b.p, value):
        return value
    variable = b.local(name, type_)
    b.store(variable, value)
    return cell(variable)


def _lasts(p: ir.Program, e: ir.Expr) -> bool:
    """Whether an expression reads only constants and variables of the rules, so that writes cannot change it."""
    if isinstance(e, ir.Op):
        return all(_lasts(p, part) for part in e.args)
    if isinstance(e, ir.Cell) and isinstance(e.index, ir.Const):
        return p.cells[e.base + e.index.value].group == "rules"
    return isinstance(e, ir.Const | ir.Local)


def _reset(b: BlockBuilder, s: typed.Put, token: ir.Expr, fresh: ir.Expr) -> None:
    """Adds code that resets the state of a token if its place is `fresh`."""
    x = b.x
    for field in s.kind.state.values():
        if field.name == "place":
            continue
        at = cell(b.layout.field_at[field], token, b.layout.size(s.kind.name))
        start: ir.Expr = ir.Const(none_of(field.type) if isinstance(field.type, Ent | Maybe) else 0)
        if field.start is not None:
            start = x.argument(field.start, field.type, Scope({field.at: token} if field.at is not None else {}))
        value = choose(fresh, start, at)
        if field.low is not None and not isinstance(start, ir.Const):
            site = x.site(s.span, f"`{field.name}` must stay between {field.low} and {field.high}")
            b.emit(ir.Store(at, value, field.low, field.high, site, isinstance(field.type, Maybe)))
        else:
            b.store_checked(at, value, field.type, s.span)
