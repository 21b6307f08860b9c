"""Ranges of numbers, derived from the declarations of state, accounts and pieces; accounts and pieces are never
negative.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from rulespec.language.intervals import Interval, hull
from rulespec.language.operators import COMPARISONS, OPERATORS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import arms, head_parts, walk
from rulespec.types import Maybe, Num


class Range(Struct, frozen=True):
    """The minimum and maximum of a number; None means unbounded.

    `of` contains what the range depends on: fields with a range, settings, and "players" for the number of seats.
    """

    low: int | None
    high: int | None
    of: frozenset[object] = frozenset()


UNKNOWN = Range(None, None)


_DEEP = 40
"""Maximum number of variables, definitions and operators followed for a range."""


class Ranges:
    """The ranges of expressions, traced through definitions and variables that are never reassigned.

    Args:
        d: the declarations.
        rules: the complete rules.
    """

    def __init__(self, d: typed.Declarations, rules: typed.Rules) -> None:
        self.d = d
        self._values = _values(rules)
        self._of_vars: dict[typed.Var, Range] = {}
        self._of_definitions: dict[typed.Definition, Range] = {}
        self._deep = 0

    def values(self, var: typed.Var) -> list[typed.Expr]:
        """The possible values of a variable as expressions; empty if it is reassigned or iterates over a set."""
        return self._values.get(var, [])

    def of(self, e: typed.Expr) -> Range:
        """The range of a number; unbounded for facts and tables, as overlays and other maps may change them."""
        self._deep += 1
        try:
            return self._range(e) if self._deep <= _DEEP else UNKNOWN
        finally:
            self._deep -= 1

    def _range(self, e: typed.Expr) -> Range:
        if isinstance(e.type, Maybe):  # none has no range
            return UNKNOWN
        if isinstance(e, typed.Lit):
            return Range(e.value, e.value)
        if isinstance(e, typed.Seats):
            return Range(self.d.min_players, self.d.max_players, frozenset(["players"]))
        if isinstance(e, typed.SettingValue) and e.setting.bounds is not None:
            return Range(*e.setting.bounds, frozenset([e.setting]))
        if isinstance(e, typed.Field):
            if e.decl.low is not None and e.decl.high is not None:
                return Range(e.decl.low, e.decl.high, frozenset([e.decl]))
            return Range(0, None) if e.decl.account and not e.decl.unlimited else UNKNOWN
        if isinstance(e, typed.PieceCount) or (isinstance(e, typed.TrackOp) and e.op == "steps"):
            return Range(0, None)
        if isinstance(e, typed.Choice | typed.IfSome):
            return _ranged(hull, [self.of(e.then), self.of(e.other)])
        if isinstance(e, typed.Cases):
            return _ranged(hull, [self.of(value) for value in arms(e)])
        if isinstance(e, typed.Each) and e.op == "count":
            return Range(0, None)
        if isinstance(e, typed.Op):
            return self._of_op(e)
        if isinstance(e, typed.Local):
            return self._of_var(e.var)
        if isinstance(e, typed.Once):
            return self.of(e.value)
        if isinstance(e, typed.Call) and e.definition.body is not None:
            if e.definition not in self._of_definitions:
                self._of_definitions[e.definition] = self.of(e.definition.body)
            return self._of_definitions[e.definition]
        return UNKNOWN

    def _of_op(self, e: typed.Op) -> Range:
        if e.op == "index":
            return Range(0, None)
        interval = OPERATORS[e.op].interval if e.op in OPERATORS and isinstance(e.type, Num) else None
        return _ranged(interval, [self.of(a) for a in e.args]) if interval is not None else UNKNOWN

    def _of_var(self, var: typed.Var) -> Range:
        if var not in self._of_vars:
            self._of_vars[var] = UNKNOWN  # during the search: a procedure may pass its parameter to itself
            values = self.values(var)
            self._of_vars[var] = _ranged(hull, [self.of(value) for value in values]) if values else UNKNOWN
        return self._of_vars[var]

    def settled(self, e: typed.Expr) -> bool | None:
        """The value of a constant condition; None for other conditions.

        A condition that depends on the number of seats or a setting is not constant: it may differ between games.
        """
        if isinstance(e, typed.Lit):
            return bool(e.value)
        if not isinstance(e, typed.Op):
            return None
        if e.op in ("and", "or", "not"):
            known = [self.settled(a) for a in e.args]
            if e.op == "not":
                return None if known[0] is None else not known[0]
            stop = e.op == "or"
            return stop if stop in known else None if None in known else not stop
        if e.op not in COMPARISONS:
            return None
        a, b = (self.of(x) for x in e.args)
        of = a.of | b.of
        if "players" in of or any(isinstance(each, typed.SettingDecl) for each in of):
            return None
        return _compared(e.op, a, b)


def _values(rules: typed.Rules) -> dict[typed.Var, list[typed.Expr]]:
    """The values of variables without reassignment: of `let`, and of procedures' parameters."""
    results: dict[typed.Var, list[typed.Expr]] = {}
    assigned: set[typed.Var] = set()
    for procedure in rules.procedures.values():
        for s in walk(procedure.body):
            if isinstance(s, typed.Let):
                results[s.var] = [s.value]
            elif isinstance(s, typed.CallProcedure):
                for var, value in zip(s.procedure.params, s.args, strict=True):
                    results.setdefault(var, []).append(value)
            elif isinstance(s, typed.Assign) and isinstance(s.target, typed.Local):
                assigned.add(s.target.var)
    for e in rules.suppositions:
        for var, value in zip(e.procedure.params, e.args, strict=True):
            results.setdefault(var, []).append(value)
    for part in head_parts(rules):
        if isinstance(part, typed.Let):
            results[part.var] = [part.value]
        elif isinstance(part, typed.Needs):
            for var, value in zip(part.guard.params, part.args, strict=True):
                results.setdefault(var, []).append(value)
    for definition in rules.definitions.values():
        results.update((var, [value]) for var, value in definition.lets)
    return {var: values for var, values in results.items() if var not in assigned}


def _compared(op: str, a: Range, b: Range) -> bool | None:
    """The result of a comparison if it is the same for all values of two ranges, otherwise None."""
    if op in (">", ">="):
        return _compared("<" if op == ">" else "<=", b, a)
    if op in ("==", "!="):
        if _below(a, b) or _below(b, a):
            return op == "!="
        same = a.low == a.high == b.low == b.high and a.low is not None
        return (op == "==") if same else None
    if op == "<":
        return True if _below(a, b) else False if _below(b, a, or_equal=True) else None
    return True if _below(a, b, or_equal=True) else False if _below(b, a) else None


def _below(a: Range, b: Range, *, or_equal: bool = False) -> bool:
    if a.high is None or b.low is None:
        return False
    return a.high <= b.low if or_equal else a.high < b.low


def _of(ranges: Sequence[Range]) -> frozenset[object]:
    return frozenset().union(*(r.of for r in ranges))


def _ranged(interval: Callable[..., Interval], rs: Sequence[Range]) -> Range:
    """The range of an operator's value, given the ranges of its operands."""
    value = interval(*[Interval(r.low, r.high) for r in rs])
    return Range(value.low, value.high, _of(rs))
