"""Lowering of paths and their costs: parameter domains, operators on stops and steps, and path searches."""

from __future__ import annotations

from typing import Protocol

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.layout import Layout
from rulespec.engine.lower.ranges import MOST, NUMBERS, ProgramRanges, Range
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, NONE, choose, logic, op
from rulespec.language.paths import MAX_PATHS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import Ent, PathOf, SetOf, Type


class PathLowering(Protocol):
    """The operations of expression lowering that paths need."""

    layout: Layout
    most_slots: int
    ranges: ProgramRanges

    def expr(self, e: typed.Expr, scope: Scope) -> ir.Expr:
        """The lowered expression, constant if possible."""

    def argument(self, e: typed.Expr, type_: Type, scope: Scope) -> ir.Expr:
        """The lowered expression, as a value of the given type."""

    def bounded(self, e: ir.Expr, span: Span, bounds: Range = NUMBERS) -> ir.Expr:
        """The expression for a number, with a check unless the number is known to be within bounds."""

    def slot(self, scope: Scope) -> int:
        """The first free slot."""

    def site(self, span: Span, message: str) -> int:
        """The number of a fault site, which is added if it is new."""

    def set_of(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The lowered set; a single entity becomes a singleton set."""


def lower_path(x: PathLowering, e: typed.PathDomain, scope: Scope) -> ir.PathSearch:
    """The search for a parameter's paths, whose `onward` excludes used members and steps that cost too much."""
    start, within = x.expr(e.start, scope), x.bounded(x.expr(e.within, scope), e.within.span)
    slot = x.slot(scope)
    at_step = scope.in_slot(e.so_far, slot).in_slot(e.var, slot + 1)
    step = at_step.in_slot(e.near.var, slot + 2).after(slot + 3 + len(e.uses))
    at_step = at_step.after(slot + 3 + len(e.uses))
    x.most_slots = max(x.most_slots, step.slots)
    for taken in range(slot, step.slots):
        x.ranges.slots.pop(taken, None)
    left = ir.Local(slot + 3)
    x.ranges.slots[left.slot] = NUMBERS
    uses = tuple([_used(x, use, step, slot + 4 + k) for k, use in enumerate(e.uses)])
    cost = x.bounded(x.expr(e.cost, step), e.cost.span)
    fits = op("<=", cost, left)
    tests = [x.expr(e.near.where, step)] if e.near.where is not None else []
    tests += [op("==", op("&", use, ir.Local(slot + 4 + k)), FALSE) for k, use in enumerate(uses)]
    if not isinstance(cost, ir.Const):
        tests += [op(">=", cost, FALSE), fits]
    onward = x.expr(e.near.source, at_step)
    if tests:
        onward = ir.Fold("set", slot + 2, onward, None, logic("and", tests), None, None)
    if isinstance(cost, ir.Const):
        onward = choose(fits, onward, FALSE) if cost.value >= 0 else FALSE
    stops = tuple([_of_stops(e, use) for use in e.uses])
    kinds = tuple([use.type.kind if isinstance(use.type, Ent | SetOf) else "" for use in e.uses])
    return ir.PathSearch(slot, start, within, onward, cost, uses, stops, e.whole, _size(x, e), kinds)


def _used(x: PathLowering, use: typed.Expr, step: Scope, before: int) -> ir.Expr:
    """The set that a step uses; for `any of`, the first member that the set in the slot `before` lacks, or the whole
    set, which excludes the step, if it lacks none.
    """
    if not (isinstance(use, typed.Op) and use.op == "any of"):
        return x.set_of(use, x.expr(use, step))
    source = x.expr(use.args[0], step)
    left = op("diff", source, ir.Local(before))
    return ir.If(op("==", left, FALSE), source, op("one", op("pick", left, FALSE)))


def lower_query(x: PathLowering, e: typed.PathQuery, scope: Scope) -> ir.Expr:
    """The lowered search `trail` or `longest`; `trail` ends once it has found all stops reachable without limits."""
    walk = lower_path(x, e.paths, scope)
    site = x.site(e.span, f"`{e.op}` would try more than {MAX_PATHS:,} beginnings of paths")
    if e.worth is None:
        near, at = e.paths.near, scope.in_slot(e.paths.var, walk.at)
        step: ir.Expr = x.expr(near.source, at.after(walk.to))
        if near.where is not None:
            asked = x.expr(near.where, at.in_slot(near.var, walk.to))
            step = ir.Fold("set", walk.to, step, None, asked, None, None)
        return replace(walk, finds=e.op, reachable=ir.Closure(walk.at, walk.start, step), site=site)
    whole = scope.in_slot(e.paths.so_far, walk.slot).after(walk.left + len(walk.uses))
    where = x.expr(e.where, whole) if e.where is not None else None
    worth = x.bounded(x.expr(e.worth, whole), e.worth.span)
    default = x.argument(e.default, e.type, scope) if e.default is not None else NONE
    return replace(walk, finds=e.op, where=where, worth=worth, default=default, site=site)


def _of_stops(walk: typed.PathDomain, use: typed.Expr) -> bool:
    """Whether a use depends only on the target of a step, so that the first stop has a use as well."""
    return not any(isinstance(e, typed.Local) and e.var in (walk.var, walk.so_far) for e in expressions(use))


def lower_along(x: PathLowering, e: typed.Along, scope: Scope) -> ir.Expr:
    """The lowered form of an operator over the steps of a path: a loop over the indices of all stops but the last."""
    path, size = x.expr(e.path, scope), ir.Const(_size(x, e.path))
    slot = x.slot(scope)
    inner = scope.after(slot)
    ends = {e.var: ir.Local(slot), e.then: op("+", ir.Local(slot), ir.Const(1))}
    inner = replace(inner, where=inner.where | {var: op("stop", path, at, size) for var, at in ends.items()})
    where = x.expr(e.where, inner) if e.where is not None else None
    body = x.expr(e.body, inner) if e.body is not None else None
    steps = op("behind", op("stops", path, size), ir.Const(1))
    name = e.op
    if name == "set" and body is not None:
        assert e.body is not None
        name, body = "union", x.set_of(e.body, body)
    result = ir.Fold(name, slot, steps, None, where, body, None)
    return x.bounded(result, e.span, MOST) if name == "sum" else result


def path_op(x: PathLowering, e: typed.Op, args: list[ir.Expr], scope: Scope) -> ir.Expr:
    """The lowered form of a path operator: the number or set of stops, the first or last stop, or the stop with a given
    number.
    """
    path, size = args[0], ir.Const(_size(x, e.args[0]))
    places = op("stops", path, size)
    if e.op == "length":
        return op("count", places)
    if e.op == "visited":
        slot = x.slot(scope)
        return ir.Fold("set", slot, places, None, None, op("stop", path, ir.Local(slot), size), None)
    if e.op == "last stop":
        return op("stop", path, op("-", op("count", places), ir.Const(1)), size)
    return op("stop", path, args[1] if e.op == "numbered stop" else FALSE, size)


def _size(x: PathLowering, e: typed.Expr) -> int:
    """The number of entities of a path's kind."""
    assert isinstance(e.type, PathOf)
    return x.layout.size(e.type.kind)


def lower_ways(x: PathLowering, e: typed.Ways, scope: Scope) -> ir.Expr:
    """The lowered form of `reach` with costs, or of `cheapest`, with both variables in slots."""
    slot = x.slot(scope)
    place = scope.in_slot(e.var, slot)
    to = x.slot(place)
    there, step = scope.in_slot(e.near.var, to), place.in_slot(e.near.var, to)
    start, near = x.expr(e.start, scope), x.expr(e.near.source, place)
    where = x.expr(e.near.where, step) if e.near.where is not None else None
    cost, within = x.expr(e.cost, step), e.op == "reach"
    below = x.site(e.cost.span, "a step must cost at least 0")
    above = x.site(e.span, "the sum of these costs has more than 15 digits")
    assert isinstance(e.var.type, Ent)
    default = x.argument(e.default, e.type, scope) if e.default is not None else None if within else NONE
    bound, size = x.expr(e.bound, scope if within else there), x.layout.size(e.var.type.kind)
    limit, until = (bound, None) if within else (None, bound)
    return ir.Spread(slot, to, start, limit, until, near, where, cost, default, below, above, size)


def rear(x: PathLowering, e: typed.Op, order: ir.Expr, scope: Scope) -> ir.Expr:
    """The lowered form of the last member of an order."""
    assert isinstance(e.type, Ent)
    slot, bits = x.slot(scope), ir.Const(x.layout.size(e.type.kind).bit_length())
    members = op("members", order, bits)
    is_last = op("==", op("place", order, ir.Local(slot), bits), op("-", op("count", members), ir.Const(1)))
    return ir.Fold("first", slot, members, None, is_last, None, None)
