"""Invariants that are linear equations of cells, such as the conservation of money or of pieces.

If such an equation held before some changes, it holds after them if the changes of its two sides are equal. Testing it
therefore takes time in proportion to the changes, not to the number of terms.
"""

from __future__ import annotations

from collections.abc import Mapping

from rulespec.engine.program import ir
from rulespec.engine.program.domains import members
from rulespec.language.operators import COMPARISONS, OPERATORS

Terms = dict[int, int]
"""Coefficients by cell, without zeros; the one of `_ONE` is a constant."""

_ONE = -1
MAX_WEIGHT = 4_000
"""The maximum sum of an equation's absolute coefficients: as cells have at most 15 digits, sums fit into 64 bits."""
MAX_VISITED = 500_000
"""The maximum number of expressions visited; invariants that are examined later are not linear."""
_NUMBERS = ("int", "bool")


class _NonLinearError(Exception):
    """An expression is not known to be linear."""


def linear_invariants(p: ir.Program) -> dict[int, dict[int, Terms]]:
    """The invariants that are linear equations: their numbers, with the terms for each tested member.

    An equation holds as long as the sum of its terms does not change. An invariant that is not split has one equation,
    for member 0.
    """
    reading = _Reading(p)
    results = {number: reading.of(v) for number, v in enumerate(p.invariants)}
    return {number: of for number, of in results.items() if of is not None}


class _Reading:
    """A search for equations within a bound on the expressions that it visits."""

    def __init__(self, p: ir.Program) -> None:
        self._p = p
        self._left = MAX_VISITED

    def of(self, v: ir.Invariant) -> dict[int, Terms] | None:
        """The terms for each tested member; None if an equation is not linear."""
        e = v.condition.expr
        try:
            if v.each is None:
                return {0: self._equation(e, {})}
            if not isinstance(e, ir.Fold) or e.where is not None or e.body is None:
                return None
            return {member: self._equation(e.body, {e.slot: {_ONE: member}}) for member in members(v.each[1], 0)}
        except _NonLinearError:
            return None

    def _equation(self, e: ir.Expr, slots: Mapping[int, Terms]) -> Terms:
        if not isinstance(e, ir.Op) or e.op != "==":
            raise _NonLinearError
        terms = self._op(ir.Op("-", e.args), slots)
        terms.pop(_ONE, None)
        if sum(map(abs, terms.values())) > MAX_WEIGHT:
            raise _NonLinearError
        return terms

    def _terms(self, e: ir.Expr, slots: Mapping[int, Terms]) -> Terms:
        """The terms of an expression."""
        self._left -= 1
        if self._left < 0:
            raise _NonLinearError
        if isinstance(e, ir.Const):
            return {_ONE: e.value}
        if isinstance(e, ir.Local) and e.slot in slots:
            return slots[e.slot]
        if isinstance(e, ir.Op):
            return self._op(e, slots)
        if isinstance(e, ir.Cell):
            at = e.base + self._constant(e.index, slots)
            if e.base <= at < e.base + e.size and self._p.cells[at].type in _NUMBERS:
                return {at: 1}
        if isinstance(e, ir.Row):
            array, at = self._p.arrays[e.array], self._constant(e.index, slots)
            if 0 <= at < len(array):
                return {_ONE: array[at]}
        if isinstance(e, ir.If):
            return self._terms(e.then if self._constant(e.condition, slots) else e.other, slots)
        if isinstance(e, ir.Call):
            return self._call(e, slots)
        if isinstance(e, ir.Fold) and e.op in ("sum", "count"):
            return self._fold(e, slots)
        raise _NonLinearError

    def _constant(self, e: ir.Expr, slots: Mapping[int, Terms]) -> int:
        """The value of an expression that reads no cells."""
        terms = self._terms(e, slots)
        if terms.keys() - {_ONE}:
            raise _NonLinearError
        return terms.get(_ONE, 0)

    def _op(self, e: ir.Op, slots: Mapping[int, Terms]) -> Terms:
        args = [self._terms(part, slots) for part in e.args]
        if e.op in ("+", "-"):
            return _sum(args[0], args[1], 1 if e.op == "+" else -1)
        if e.op == "neg":
            return _sum({}, args[0], -1)
        numbers = [terms.get(_ONE, 0) for terms in args if not terms.keys() - {_ONE}]
        if e.op == "*" and numbers:
            return _sum({}, args[1] if args[0].keys() <= {_ONE} else args[0], numbers[0])
        if e.op in COMPARISONS and len(numbers) == len(args):
            return {_ONE: OPERATORS[e.op].meaning(*numbers)}
        raise _NonLinearError

    def _call(self, e: ir.Call, slots: Mapping[int, Terms]) -> Terms:
        f = self._p.functions[e.function]
        inner = {slot: self._terms(arg, slots) for slot, arg in enumerate(e.args)}
        for slot, value in f.lets:
            inner[slot] = self._terms(value, inner)
        return self._terms(f.body, inner)

    def _fold(self, e: ir.Fold, slots: Mapping[int, Terms]) -> Terms:
        results: Terms = {}
        for member in members(self._constant(e.source, slots), 0):
            inner = {**slots, e.slot: {_ONE: member}}
            if e.where is None or self._constant(e.where, inner):
                part = {_ONE: 1} if e.body is None else self._terms(e.body, inner)
                for at, times in part.items():
                    results[at] = results.get(at, 0) + times
        return {at: times for at, times in results.items() if times}


def _sum(a: Terms, b: Terms, times: int) -> Terms:
    """The terms of a sum of `a` and a multiple of `b`."""
    results = dict(a)
    for at, value in b.items():
        results[at] = results.get(at, 0) + times * value
    return {at: value for at, value in results.items() if value}
