"""Places of tokens as numbers, with their values, occupants and capacities.

A token's place is stored in one cell, as its number among all places of that kind of token.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.lower.layout import Layout
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, cell, logic, op
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import first_of

Value = Callable[[typed.Expr, dict[typed.Var, ir.Expr]], int]
"""A function that evaluates an expression over facts, given the values of variables."""


def numbered(layout: Layout, e: typed.PlaceValue, index: ir.Expr | None) -> ir.Expr:
    """The number of a place whose index is the given lowered entity."""
    first = ir.Const(first_place(layout, e.kind, e.place))
    return first if index is None else op("+", first, index)


def first_place(layout: Layout, kind: typed.Kind, place: typed.PlaceDecl) -> int:
    """The number of a declared place, with the first entity as its index, among all places for one kind of token."""
    return first_of(layout.d.kinds, layout.d.kinds[f"{kind.name}.place"], place, layout.seats)


def of_places(layout: Layout, kind: typed.Kind) -> list[tuple[typed.PlaceDecl, int]]:
    """For each place number, the place's declaration and the number of the index entity (0 if there is none)."""
    return [(p, i) for p in kind.places.values() for i in range(layout.size(p.index) if p.index else 1)]


def capacities(layout: Layout, kind: typed.Kind, value: Value) -> tuple[int, ...]:
    """The capacity of each place for tokens of a kind; -1 if it is unbounded."""
    results = []
    for place, number in of_places(layout, kind):
        if place.at_most is None:
            results.append(-1)
        else:
            known: dict[typed.Var, ir.Expr] = {} if place.var is None else {place.var: ir.Const(number)}
            results.append(max(0, value(place.at_most, known)))
    return tuple(results)


def count_in(layout: Layout, kind: typed.Kind, place: ir.Expr, slot: int, without: ir.Expr | None = None) -> ir.Expr:
    """An expression for the number of tokens in a place, optionally without counting one given token."""
    size = layout.size(kind.name)
    there = op("==", ir.Cell(layout.field_at[kind.state["place"]], ir.Local(slot), size), place)
    where = there if without is None else logic("and", [there, op("!=", ir.Local(slot), without)])
    return ir.Fold("count", slot, ir.Const((1 << size) - 1), None, where, None, None)


_FEW = 16
"""Maximum number of owners whose pieces are added without a loop."""


def how_many(layout: Layout, capacity: typed.CapacityDecl, index: ir.Expr, slot: int) -> ir.Expr:
    """An expression for the number of pieces and tokens that share a capacity, for a given entity of its index."""
    if not _is_ready(index):  # evaluated once, as the only member of a set
        inner = how_many(layout, capacity, ir.Local(slot), slot + 1)
        return ir.Fold("sum", slot, op("bit", index), None, None, inner, None)
    total: ir.Expr = FALSE
    for owner, place in capacity.of:
        if isinstance(owner, typed.Kind):
            first = ir.Const(first_place(layout, owner, place))
            total = op("+", total, count_in(layout, owner, op("+", first, index), slot))
            continue
        size = layout.size(place.index) if place.index else 1
        owners = prod(layout.size(kind) for kind in owner.each)
        base = layout.place_at[place]
        if owners <= _FEW:
            for number in range(owners):
                total = op("+", total, cell(base + number * size, index, size))
        else:
            at = op("+", op("*", ir.Local(slot), ir.Const(size)), index)
            each = ir.Fold("sum", slot, ir.Const((1 << owners) - 1), None, None, cell(base, at, owners * size), None)
            total = op("+", total, each)
    return total


def _is_ready(e: ir.Expr) -> bool:
    """Whether repeated evaluation of an expression is free."""
    if isinstance(e, ir.Op):
        return all(map(_is_ready, e.args))
    return isinstance(e, ir.Const | ir.Local) or (isinstance(e, ir.Cell) and isinstance(e.index, ir.Const))


def check_start(layout: Layout, kind: typed.Kind, limits: tuple[int, ...]) -> None:
    """Checks that the set-up respects the capacities of token places.

    Raises:
        DiagnosticsError: RS702 if a place holds more tokens than its capacity.
    """
    first = layout.field_at[kind.state["place"]]
    where = layout.p.start[first : first + layout.size(kind.name)]
    for number, (place, _) in enumerate(of_places(layout, kind)):
        if 0 <= limits[number] < (count := where.count(number)):
            name = layout.titles(f"{kind.name}.place")[number]
            message = (
                f"the set-up puts {count} tokens of `{kind.name}` into `{name}`, which has room for {limits[number]}"
            )
            raise DiagnosticsError((Diagnostic("RS702", Severity.ERROR, message, place.span),))
