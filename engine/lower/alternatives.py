"""Conditional values: `if … else`, with or without a name for the tested value, and `match`.

The tested value is evaluated once. If it is more than a read of a slot or cell, the conditional becomes a function of
this value and of the variables that the branches read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Protocol

from msgspec.structs import replace

from rulespec.engine.lower.layout import Layout
from rulespec.engine.lower.ranges import NUMBERS, ProgramRanges
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, NONE, choose, op
from rulespec.engine.program.traversal import free
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions
from rulespec.types import Ent, Maybe, Num, Type


class Lowering(Protocol):
    """The operations of expression lowering that conditionals need."""

    layout: Layout
    ranges: ProgramRanges

    def expr(self, e: typed.Expr, scope: Scope) -> ir.Expr:
        """The lowered expression, constant if possible."""

    def argument(self, e: typed.Expr, type_: Type, scope: Scope) -> ir.Expr:
        """The lowered expression, as a value of the given type."""

    def row(self, values: tuple[int, ...], index: ir.Expr) -> ir.Expr:
        """The value of a constant array at an index."""

    def helper(self, name: str, params: int, lets: tuple[tuple[int, ir.Expr], ...], body: ir.Expr) -> int:
        """Adds a function without a definition in the rules; returns its number."""


def lower_choice(x: Lowering, e: typed.Choice, scope: Scope) -> ir.Expr:
    """The lowered form of `a if c else b`."""
    then, other = x.argument(e.then, e.type, scope), x.argument(e.other, e.type, scope)
    return choose(x.expr(e.condition, scope), then, other)


def lower_some(x: Lowering, e: typed.IfSome, scope: Scope) -> ir.Expr:
    """The lowered form of `a if e is some as x else b`, and of `e?.a`."""
    number = isinstance(e.value.type, Num | Maybe)

    def chosen(value: ir.Expr, inner: Scope) -> ir.Expr:
        if isinstance(value, ir.Const):
            there = value != NONE if number else value.value >= 0
            return x.argument(e.then if there else e.other, e.type, inner)
        test = op("!=", value, NONE) if number else op(">=", value, FALSE)
        return choose(test, x.argument(e.then, e.type, inner), x.argument(e.other, e.type, inner))

    return choice_by(x, x.expr(e.value, scope), e.var, [e.then, e.other], scope, chosen)


def lower_cases(x: Lowering, e: typed.Cases, scope: Scope) -> ir.Expr:
    """The lowered form of `match`: a look-up if all values are constant, otherwise a binary search for the case."""
    assert isinstance(e.subject.type, Ent)
    everybody = (1 << x.layout.size(e.subject.type.kind)) - 1
    cases = [(sum(1 << i for i in {*indices}), value) for indices, value in e.cases]
    if e.other is not None:
        cases.append((everybody & ~sum(mask for mask, _ in cases), e.other))

    def chosen(subject: ir.Expr, inner: Scope) -> ir.Expr:
        values = [(mask, x.argument(value, e.type, inner)) for mask, value in cases if mask]
        if all(isinstance(value, ir.Const) for _, value in values):
            row = [
                next((v.value for m, v in values if m >> i & 1 and isinstance(v, ir.Const)), 0)
                for i in range(everybody.bit_length())
            ]
            return x.row(tuple(row), subject)
        return _halved(subject, values)

    subject = typed.Var("", e.subject.type, e.subject.span)
    return choice_by(x, x.expr(e.subject, scope), subject, [value for _, value in cases], scope, chosen)


def _halved(subject: ir.Expr, cases: Sequence[tuple[int, ir.Expr]]) -> ir.Expr:
    """A binary search for the case that contains the subject, to bound the nesting."""
    if len(cases) == 1:
        return cases[0][1]
    middle = len(cases) // 2
    mask = sum(mask for mask, _ in cases[:middle])
    one = mask.bit_count() == 1
    test = op("==", subject, ir.Const(mask.bit_length() - 1)) if one else op("in", subject, ir.Const(mask))
    return choose(test, _halved(subject, cases[:middle]), _halved(subject, cases[middle:]))


def choice_by(
    x: Lowering,
    value: ir.Expr,
    var: typed.Var,
    asked: Iterable[typed.Expr],
    scope: Scope,
    chosen: Callable[[ir.Expr, Scope], ir.Expr],
) -> ir.Expr:
    """A conditional on a value that is evaluated once.

    Args:
        x: the lowering of expressions.
        value: the tested value.
        var: the variable bound to it.
        asked: the branches.
        scope: the enclosing scope.
        chosen: a function that builds the conditional from the value and the scope with its variable.
    """
    asked = list(asked)
    if isinstance(value, ir.Const | ir.Local) or (_is_short(value) and not any(map(_supposes, asked))):
        return chosen(value, replace(scope, where={**scope.where, var: value}))
    named = [part.var for e in asked for part in expressions(e) if isinstance(part, typed.Local)]
    read = {each: scope.where[each] for each in named if each in scope.where}
    around = {other: known for other, known in read.items() if isinstance(known, ir.Cell) or free(known)}
    ranges = {0: NUMBERS if isinstance(var.type, Maybe) else x.ranges.of(value)}
    ranges |= {i: x.ranges.of(known) for i, known in enumerate(around.values(), 1)}
    numbers = (var, *around)
    inner = {other: known for other, known in scope.where.items() if other not in around}
    inner |= {each: ir.Local(i) for i, each in enumerate(numbers)}
    before = x.ranges.slots
    x.ranges.slots = {i: ranges[i] for i, each in enumerate(numbers) if isinstance(each.type, Num | Maybe)}
    body = chosen(ir.Local(0), Scope(inner, len(numbers), scope.sources))
    function = x.helper("", len(numbers), (), body)
    x.ranges.slots = before
    return ir.Call(function, (value, *around.values()))


def _is_short(e: ir.Expr) -> bool:
    """Whether an expression is as cheap as a slot: a cell or array read at a constant or local index."""
    return isinstance(e, ir.Cell | ir.Row) and isinstance(e.index, ir.Const | ir.Local)


def _supposes(e: typed.Expr) -> bool:
    """Whether a part is evaluated in a hypothetical state, in which cells may have other values."""
    return any(isinstance(part, typed.Once) for part in expressions(e))
