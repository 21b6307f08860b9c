"""Witnesses: the entities for which an expected condition fails, with the values involved."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct

from rulespec.engine.lower.conditions import atoms
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.typed import nodes as typed
from rulespec.types import none_of

_MAX_VALUES = 8
"""Maximum number of values in a witness."""

Evaluate = Callable[[ir.Expr, list[int]], int]
"""A function that evaluates a lowered expression with its first slots filled."""
Text = Callable[[typed.Expr], str]
"""A function that returns the source text of an expression."""


class Culprit(Struct, frozen=True):
    """The part of a condition that makes it fail, with the name, kind and value of each enclosing binding."""

    part: typed.Expr
    scope: Scope
    slots: list[int]
    bound: tuple[tuple[str, str, int], ...] = ()


class Witness:
    """A search for the part that makes a condition fail.

    Args:
        lowering: the lowering for parts of the condition.
        evaluate: a function that evaluates a lowered part in the game's position.
        show: a function that formats a value of a type for people.
        text: a function that returns the source text of an expression.
    """

    def __init__(
        self, lowering: ExpressionLowering, evaluate: Evaluate, show: Callable[[str, int], str], text: Text
    ) -> None:
        self.lowering = lowering
        self.evaluate = evaluate
        self.show = show
        self.text = text

    def of(self, condition: typed.Expr) -> str:
        """The reason why a condition fails, such as "it fails for r = oak: `tax[r]` = 3, `r.owner` = none"."""
        result = self._descend(Culprit(condition, Scope(), []), True)
        bound = dict.fromkeys(f"{name} = {self.show(kind, value)}" for name, kind, value in result.bound)
        names = {name for name, _, _ in result.bound}
        parts = [p for p in atoms(result.part) if not isinstance(p, typed.Lit)]
        parts = [p for p in parts if not isinstance(p, typed.Local) or p.var.name not in names]
        values = dict.fromkeys(
            f"`{self.text(p)}` = {self.show(type_name(p.type), self._value(p, result))}" for p in parts[:_MAX_VALUES]
        )
        where = f" for {', '.join(bound)}" if bound else ""
        return f"it fails{where}" + (f": {', '.join(values)}" if values else "")

    def _value(self, e: typed.Expr, at: Culprit) -> int:
        return self.evaluate(self.lowering.expr(e, at.scope), at.slots)

    def _at(self, at: Culprit, part: typed.Expr) -> Culprit:
        return Culprit(part, at.scope, at.slots, at.bound)

    def _bind(self, at: Culprit, var: typed.Var, value: int, *, named: bool = True) -> Culprit:
        slot = self.lowering.slot(at.scope)
        slots = [*at.slots[:slot], *[0] * (slot - len(at.slots)), value]
        bound = (*at.bound, (var.name, type_name(var.type), value)) if named else at.bound
        return Culprit(at.part, at.scope.in_slot(var, slot), slots, bound)

    def _descend(self, at: Culprit, wanted: bool) -> Culprit:
        """The smallest part for which `at.part` differs from the wanted value."""
        e = at.part
        if isinstance(e, typed.Op) and e.op == "not":
            return self._descend(self._at(at, e.args[0]), not wanted)
        if isinstance(e, typed.Op) and e.op == ("and" if wanted else "or"):
            culprit = next(a for a in e.args if bool(self._value(a, at)) is not wanted)
            return self._descend(self._at(at, culprit), wanted)
        if isinstance(e, typed.Op) and e.op == ("or" if wanted else "and"):
            deep = [a for a in e.args if _over_many(a)]  # the others are displayed unexplained
            return self._descend(self._at(at, deep[0]), wanted) if len(deep) == 1 else at
        if isinstance(e, typed.Choice):
            return self._descend(self._at(at, e.then if self._value(e.condition, at) else e.other), wanted)
        if isinstance(e, typed.IfSome):
            if (value := self._value(e.value, at)) == none_of(e.value.type):
                return self._descend(self._at(at, e.other), wanted)
            return self._descend(self._at(self._bind(at, e.var, value, named=bool(e.var.name)), e.then), wanted)
        if isinstance(e, typed.Cases):
            subject = self._value(e.subject, at)
            arm = next((value for indices, value in e.cases if subject in indices), e.other)
            return self._descend(self._at(at, arm), wanted) if arm is not None else at
        if isinstance(e, typed.Each) and e.op == ("all" if wanted else "any"):
            return self._member(e, at, wanted)
        if wanted and (none := _counted_none(e)) is not None:
            return self._member(none, at, False)
        if isinstance(e, typed.Call) and e.definition.body is not None:
            return self._inside(e, at, wanted)
        return at

    def _member(self, e: typed.Each, at: Culprit, wanted: bool) -> Culprit:
        """The first member of a set with the wrong value."""
        tested = e.body if wanted else e.binder.where
        for member in _members(self._value(e.binder.source, at)):
            place = self._bind(at, e.binder.var, member)
            if wanted and e.binder.where is not None and not self._value(e.binder.where, place):
                continue
            if tested is None:
                return self._at(place, e.binder.source)
            if bool(self._value(tested, place)) is not wanted:
                return self._descend(self._at(place, tested), wanted)
        return at

    def _inside(self, e: typed.Call, at: Culprit, wanted: bool) -> Culprit:
        """The culprit inside a definition whose call has the wrong value."""
        place = Culprit(at.part, Scope(), [], at.bound)
        for param, arg in zip(e.definition.params, e.args, strict=True):
            place = self._bind(place, param, self._value(arg, at))
        for var, value in e.definition.lets:
            place = self._bind(place, var, self._value(value, place), named=False)
        assert e.definition.body is not None
        return self._descend(self._at(place, e.definition.body), wanted)


def _over_many(e: typed.Expr) -> bool:
    """Whether a condition ranges over the members of a set, or calls a definition that may do so."""
    if isinstance(e, typed.Op) and e.op == "not":
        return _over_many(e.args[0])
    return isinstance(e, typed.Each | typed.Call)


def _counted_none(e: typed.Expr) -> typed.Each | None:
    """The `count` in `count(x in s where c) == 0`."""
    if isinstance(e, typed.Op) and e.op in ("==", "<="):
        count, number = e.args
        if isinstance(count, typed.Each) and count.op == "count" and isinstance(number, typed.Lit) and not number.value:
            return count
    return None


def _members(mask: int) -> Iterator[int]:
    number = 0
    while mask >> number:
        if mask >> number & 1:
            yield number
        number += 1
