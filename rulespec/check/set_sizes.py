"""Bounds on set sizes, derived from kinds, facts, boards and conditions: maximum sizes, and sets and orders that are
never empty.

This module also determines which sets the engine maintains.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from rulespec.language.operators import OPERATORS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import arms, expressions
from rulespec.typed.seat_kinds import size, values
from rulespec.types import Bool, SetOf, Type, may_be_none

MAX_KEPT = 2_000
"""Maximum number of members of a kind for which the engine maintains sets."""
_DEEP = 40
"""Maximum number of variables, definitions and operators followed for a set."""


class SetSizes:
    """The maximum size of sets, over all player counts.

    Args:
        declarations: the declarations.
        values: maps a variable to its possible values as expressions; empty if unknown.
    """

    def __init__(self, declarations: typed.Declarations, values: Callable[[typed.Var], list[typed.Expr]]) -> None:
        self.decls = declarations
        self._values = values
        self._of_definitions: dict[typed.Definition, int] = {}
        self._of_vars: dict[typed.Var, int] = {}
        self._deep = 0

    def of(self, source: typed.Expr) -> int:
        """The maximum size of a set."""
        self._deep += 1
        try:
            most = self.kind(source.type)
            return min(most, self._of(source, most)) if self._deep <= _DEEP else most
        finally:
            self._deep -= 1

    def _of(self, e: typed.Expr, most: int) -> int:
        if isinstance(e, typed.Lit):
            return e.value.bit_count()
        if isinstance(e, typed.Fact):
            return max((value.bit_count() for value in e.decl.values), default=0)
        if isinstance(e, typed.BoardOp):
            return e.board.longest
        if isinstance(e, typed.Op):
            return self._of_op(e, most)
        if isinstance(e, typed.Each) and e.op in ("set", "best"):
            return self.matches(e.binder)
        if isinstance(e, typed.Each) and e.op == "union" and e.body is not None:
            return self.matches(e.binder) * self.of(e.body)
        if isinstance(e, typed.Choice | typed.IfSome):
            return max(self.of(e.then), self.of(e.other))
        if isinstance(e, typed.Cases):
            return max(map(self.of, arms(e)))
        if isinstance(e, typed.Once):
            return self.of(e.value)
        if isinstance(e, typed.Local):
            return self._of_var(e.var, most)
        if isinstance(e, typed.Call) and e.definition.body is not None:
            if e.definition not in self._of_definitions:
                self._of_definitions[e.definition] = most  # during the search
                result, declared = self.of(e.definition.body), e.definition.at_most
                self._of_definitions[e.definition] = result if declared is None else min(result, declared)
            return self._of_definitions[e.definition]
        return most

    def _of_op(self, e: typed.Op, most: int) -> int:
        if e.op == "set":
            return len(e.args)
        members = OPERATORS[e.op].members if e.op in OPERATORS else None
        return members(*map(self.of, e.args)) if members is not None else most

    def _of_var(self, var: typed.Var, most: int) -> int:
        if var not in self._of_vars:
            self._of_vars[var] = most  # during the search: a procedure may pass its parameter on
            values = self._values(var)
            self._of_vars[var] = max(map(self.of, values)) if values else most
        return self._of_vars[var]

    def kind(self, type_: Type) -> int:
        """The number of entities in a type's kind; 1 for types without a kind."""
        kind = getattr(type_, "kind", "")
        return size(self.decls.kinds, kind, self.decls.max_players) if kind in self.decls.kinds else 1

    def matches(self, b: typed.Binder) -> int:
        """The maximum number of members that satisfy a binder's condition."""
        return min([self.of(b.source), *(self._within(c, b.var) for c in _conjuncts(b.where))])

    def _within(self, condition: typed.Expr, var: typed.Var) -> int:
        """The maximum number of entities for which a condition on a variable is true."""
        most = self.kind(var.type)
        if not isinstance(condition, typed.Op) or condition.op not in ("in", "=="):
            return most
        a, b = condition.args
        if condition.op == "in":
            if _is(a, var):
                return most if _reads(b, var) else self.of(b)
            if isinstance(b, typed.Fact) and _is(b.owner, var) and not _reads(a, var):
                bits = (1 << i for i in range(self.kind(a.type)))
                return max((sum(value & bit > 0 for value in b.decl.values) for bit in bits), default=0)
            return most
        for one, other in ((a, b), (b, a)):
            if _is(one, var) and not _reads(other, var):
                return 1
            if isinstance(one, typed.Fact) and _is(one.owner, var) and not _reads(other, var):
                facts = values(self.decls.kinds, getattr(var.type, "kind", ""), one.decl, self.decls.max_players)
                return max(Counter(facts).values(), default=0)
        return most


def maintained_condition(e: typed.Each, size: int) -> typed.Expr | None:
    """The condition that selects members of a kind of this size, if the engine maintains the resulting set; otherwise
    None.
    """
    b = e.binder
    if e.op not in ("set", "count") or b.order or b.start is not None or b.keys or b.where is None:
        return None
    if not isinstance(b.source, typed.KindSet) or size > MAX_KEPT or (e.body is not None and not _is(e.body, b.var)):
        return None
    asked = b.where
    if isinstance(asked, typed.Field):
        of_members = asked.owner is not None and _is(asked.owner, b.var) and isinstance(asked.type, Bool)
        return asked if of_members else None
    if not isinstance(asked, typed.Op) or asked.op not in (">", "!=", "=="):
        return None
    held, none = asked.args
    if asked.op == "==":  # the tokens in a place
        in_place = isinstance(held, typed.Field) and held.owner is not None and _is(held.owner, b.var)
        return none if in_place and isinstance(none, typed.PlaceValue) and not _reads(none, b.var) else None
    if not isinstance(held, typed.PieceCount) or not isinstance(none, typed.Lit) or none.value:
        return None
    keys = [*held.ids, *([held.index] if held.index is not None else [])]
    others = [key for key in keys if not _is(key, b.var)]
    return held if len(others) == len(keys) - 1 and not any(_reads(key, b.var) for key in others) else None


def _is(e: typed.Expr, var: typed.Var) -> bool:
    return isinstance(e, typed.Local) and e.var is var


def _reads(e: typed.Expr, var: typed.Var) -> bool:
    return any(_is(part, var) for part in expressions(e))


def _conjuncts(e: typed.Expr | None) -> Iterator[typed.Expr]:
    if isinstance(e, typed.Op) and e.op == "and":
        for part in e.args:
            yield from _conjuncts(part)
    elif e is not None:
        yield e


def has_members(e: typed.Expr) -> bool:
    """Whether an expression is known to be a nonempty set or order: a kind, a literal, or a set built from these."""
    if isinstance(e, typed.KindSet):
        return e.kind.by_seat or bool(e.kind.entities)
    if isinstance(e, typed.Lit):
        return isinstance(e.type, SetOf) and e.value != 0
    if isinstance(e, typed.Op):
        if e.op in ("members", "order"):
            return has_members(e.args[0])
        if e.op == "append":
            return has_members(e.args[0]) or not may_be_none(e.args[1].type)
        if e.op == "set":  # none is omitted
            return not all(may_be_none(item.type) for item in e.args)
        return e.op == "|" and any(map(has_members, e.args))
    if isinstance(e, typed.Choice | typed.IfSome):
        return has_members(e.then) and has_members(e.other)
    if isinstance(e, typed.Cases):
        return all(map(has_members, arms(e)))
    if isinstance(e, typed.Each) and e.op in ("set", "best", "order"):
        return finds(e.binder) and (e.body is None or not may_be_none(e.body.type))
    return isinstance(e, typed.Reach) and has_members(e.start)


def finds(b: typed.Binder) -> bool:
    """Whether a binder's operator is known to find a member in every position."""
    return b.where is None and has_members(b.source)
