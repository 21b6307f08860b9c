"""Operators over subsets and on optional numbers, lowered to loops and simpler operations that machines implement.

The number of a subset has a bit for each member; the first member has the lowest bit. A set of numbers has at most 32
members, so that it fits into a word; subsets are therefore enumerated by nested loops, one per digit of their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.alternatives import Lowering, choice_by
from rulespec.engine.lower.ranges import MOST, NUMBERS, Range
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, NONE, TRUE, choose, fallback, logic, op
from rulespec.language.several import MOST_MEMBERS
from rulespec.typed import nodes as typed
from rulespec.types import SetOf

_BITS = 5
"""Bits per digit."""


class SubsetLowering(Lowering, Protocol):
    """The operations of expression lowering that subsets need."""

    def bounded(self, e: ir.Expr, span: Span, bounds: Range = NUMBERS) -> ir.Expr:
        """The expression for a number, with a check unless the number is known to be within bounds."""

    def slot(self, scope: Scope) -> int:
        """The first free slot."""

    def site(self, span: Span, message: str) -> int:
        """The number of a fault site, which is added if it is new."""

    def set_of(self, e: typed.Expr, lowered: ir.Expr) -> ir.Expr:
        """The lowered set; a single entity becomes a singleton set."""


def lower_subsets(x: SubsetLowering, e: typed.OverSubsets, scope: Scope) -> ir.Expr:
    """The lowered form of an operator over the subsets of a set; the set is evaluated once."""
    asked = [part for part in (e.where, e.body) if part is not None]
    source = typed.Var("", e.source.type, e.source.span)
    result = choice_by(x, x.expr(e.source, scope), source, asked, scope, lambda of, inner: _over(x, e, of, inner))
    if e.op in ("min", "max") and e.default is not None:
        return fallback(result, x.argument(e.default, e.type, scope), number=True)
    return x.bounded(result, e.span, MOST) if e.op == "sum" else result


def _over(x: SubsetLowering, e: typed.OverSubsets, source: ir.Expr, scope: Scope) -> ir.Expr:
    """The loops over digits, and the contribution of each subset."""
    assert isinstance(e.source.type, SetOf)
    size = x.layout.size(e.source.type.kind)
    bits = min(size, MOST_MEMBERS)
    count = op("count", source)
    if size > MOST_MEMBERS:
        site = x.site(e.span, f"`subsets` takes a set of at most {MOST_MEMBERS} members")
        count = op("/", count, op("<=", count, ir.Const(MOST_MEMBERS)), site=site)
    number: ir.Expr = FALSE
    digits: list[tuple[int, ir.Expr, ir.Expr]] = []
    for low in range(0, bits, _BITS):
        slot, width = x.slot(scope), min(_BITS, bits - low)
        scope = scope.after(slot)
        x.ranges.slots[slot] = 0, (1 << width) - 1
        number = op("+", number, op("*", ir.Local(slot), ir.Const(1 << low)))
        below = x.row(tuple([1 << min(max(n - low, 0), width) for n in range(bits + 1)]), count)
        digits.append((slot, ir.Const((1 << (1 << width)) - 1), op("<", ir.Local(slot), below)))
    member = x.slot(scope)
    rank = op("-", op("count", op("until", source, op("bit", ir.Local(member)), TRUE)), TRUE)
    subset = ir.Fold("set", member, source, None, op("in", rank, number), None, None)
    asked = [part for part in (e.where, e.body) if part is not None]
    value = choice_by(x, subset, e.var, asked, scope.after(member), lambda _, inner: _of_subset(x, e, inner))
    return _nested(e.op, digits, value)


def _of_subset(x: SubsetLowering, e: typed.OverSubsets, scope: Scope) -> ir.Expr:
    """The contribution of a subset to the result, or the neutral value."""
    where = x.expr(e.where, scope) if e.where is not None else TRUE
    if e.body is None:
        return where
    if e.op in ("min", "max"):
        return choose(where, x.argument(e.body, e.type, scope), NONE)
    body = x.expr(e.body, scope)
    body = x.set_of(e.body, body) if e.op == "union" else body
    return choose(where, body, TRUE if e.op == "all" else FALSE)


def _nested(word: str, digits: Sequence[tuple[int, ir.Expr, ir.Expr]], value: ir.Expr) -> ir.Expr:
    """Nested loops over digits."""
    for slot, numbers, within in digits:
        if word == "any":
            value = ir.Fold("any", slot, numbers, None, logic("and", [within, value]), None, None)
        elif word in ("min", "max"):
            value = extreme(word, slot, numbers, within, value, None)
        else:
            value = ir.Fold("sum" if word == "count" else word, slot, numbers, None, within, value, None)
    return value if digits else FALSE


def extreme(
    word: str, slot: int, source: ir.Expr, where: ir.Expr | None, body: ir.Expr, default: ir.Expr | None
) -> ir.Expr:
    """The lowered `min` or `max` of optional values, which ignores values that are none.

    Without a `default`, the result may be none.

    For `max`, none is already the smallest number; for `min`, it is replaced by the largest.
    """
    if word == "max":
        result: ir.Expr = ir.Fold("max", slot, source, None, where, body, NONE)
    else:
        result = op("flip", ir.Fold("min", slot, source, None, where, op("flip", body), op("flip", NONE)))
    return result if default is None else fallback(result, default, number=True)


def perhaps(word: str, args: list[ir.Expr]) -> ir.Expr:
    """The lowered form of `==`, `!=`, `??` or `some` on optional numbers."""
    if word == "??":
        return fallback(args[0], args[1], number=True)
    return op("!=", args[0], NONE) if word == "some" else op(word, *args)
