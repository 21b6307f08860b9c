"""Lowering of secrecy: the viewers of private cells and arguments."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from msgspec.structs import replace

from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import by_name
from rulespec.engine.lower.places import first_place
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, TRUE, choose, logic, op
from rulespec.typed import nodes as typed

_NOWHERE = Scope()


def add_secrets(declarations: typed.Declarations, x: ExpressionLowering) -> None:
    """Records the private cells and their viewers in the program."""
    for field_, first in x.layout.field_at.items():
        if field_.private is not None and field_.kind in declarations.kinds and _is_place(declarations, field_):
            _add_tokens(x, declarations.kinds[field_.kind], first)
        elif field_.private is not None:
            scope = x.layout.frames.get(field_, Scope())
            _add(x, field_.private, first, [field_.kind] if field_.kind else [], frozenset(), scope)
    for piece in by_name(declarations.pieces):
        alike = frozenset(i for i, kind in enumerate(piece.each) if not declarations.kinds[kind].by_seat)
        for place in by_name(piece.places):
            if place.private is not None:
                kinds = [*piece.each, *([place.index] if place.index else [])]
                _add(x, place.private, x.layout.place_at[place], kinds, alike)


def seers(x: ExpressionLowering, param: typed.OptionParam, scope: Scope) -> ir.Expr | None:
    """An expression for the seats, besides the decider, that see a private argument; None if no other seat does."""
    if param.private is None or param.private.like is None:
        return x.expr(param.private.to, scope) if param.private is not None and param.private.to is not None else None
    field, secrecy = param.private.like, param.private.like.decl.private
    if secrecy is None:
        return None
    if field.owner is not None:
        scope = replace(scope, where={**scope.where, secrecy.at[0]: x.expr(field.owner, scope)})
    to = x.expr(secrecy.to, scope)
    if secrecy.open is None:
        return to
    return choose(x.expr(secrecy.open, scope), ir.Const((1 << x.p.seats) - 1), to)


def _is_place(declarations: typed.Declarations, field: typed.FieldDecl) -> bool:
    return declarations.kinds[field.kind].state["place"] is field if declarations.kinds[field.kind].places else False


def _add_tokens(x: ExpressionLowering, kind: typed.Kind, first: int) -> None:
    """Records the viewers of token positions, which depend on the place of each token."""
    size = x.layout.size(kind.name)
    everybody = ir.Const((1 << x.p.seats) - 1)
    where = ir.Cell(first, ir.Local(0), size)
    to: ir.Expr = everybody
    counted, within, open_spots = list[int](), set[int](), set[int]()
    for place in kind.places.values():
        secrecy = place.private
        begin, count = first_place(x.layout, kind, place), x.layout.size(place.index) if place.index else 1
        if secrecy is None:
            open_spots.add(begin)
            continue
        scope = Scope().in_slot(secrecy.at[0], 0)
        for var in secrecy.at[1:]:
            scope = replace(scope, where={**scope.where, var: op("-", where, ir.Const(begin))})
        seers = x.expr(secrecy.to, scope)
        if secrecy.open is not None:
            seers = choose(x.expr(secrecy.open, scope), everybody, seers)
        spot = logic("and", [op(">=", where, ir.Const(begin)), op("<", where, ir.Const(begin + count))])
        to = choose(spot, seers, to)
        within.update(range(begin, begin + count))
        if secrecy.counted and seers != everybody:
            counted += range(begin, begin + count)
    if to != everybody:
        cells, none = range(first, first + size), frozenset[int]()
        of = tuple(counted), frozenset(within), frozenset(open_spots)
        secret = ir.Secret(cells, (size,), to, None, False, none, *of)
        x.p.secrets.append(secret)


def _add(
    x: ExpressionLowering,
    secrecy: typed.Secrecy,
    first: int,
    kinds: Sequence[str],
    alike: frozenset[int],
    scope: Scope = _NOWHERE,
) -> None:
    for var in secrecy.at:
        scope = scope.in_slot(var, x.slot(scope))
    open_ = x.expr(secrecy.open, scope) if secrecy.open is not None else FALSE
    if open_ == TRUE:  # always public under these settings
        return
    to = x.expr(secrecy.to, scope)
    sizes = tuple(x.layout.size(kind) for kind in kinds)
    x.p.secrets.append(
        ir.Secret(
            range(first, first + prod(sizes)), sizes, to, None if open_ == FALSE else open_, secrecy.counted, alike
        )
    )
