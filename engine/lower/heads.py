"""Lowering of option heads: conditions, which read slots, and the effects before the body, which read cells.

Values bound in a head are evaluated with its conditions, wherever these are tested. Values that the body or a payment
reads are evaluated again when the option is taken, in the same state and before any payment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.lower.blocks import BlockBuilder
from rulespec.engine.lower.capacities import checks
from rulespec.engine.lower.conditions import ConditionLowering
from rulespec.engine.lower.layout import type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.builder import FALSE, cell, choose, logic, op, together
from rulespec.engine.program.limits import MAX_NUMBER
from rulespec.engine.program.traversal import meet, span, walk
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, head_expressions, statement_expressions
from rulespec.typed.rule_traversal import walk as statements
from rulespec.types import INT, Ent, Maybe, Num, Type


class Named(NamedTuple):
    """A value bound in a head and read by the body or a payment: its cell and its expression."""

    cell: int
    value: ir.Expr
    type: Type
    span: Span


class Begun(NamedTuple):
    """The prologue of an option (bound values, then payments), and the scope of the body."""

    named: list[Named]
    payments: list[ir.Instruction]
    scope: Scope


class _Paid(NamedTuple):
    """A cost in a head: its amount, its source, and its displayed values."""

    amount: ir.Expr
    source: ir.Cell
    shown: tuple[ir.Shown, ...]


class HeadLowering:
    """The lowering of option heads, with guards inlined.

    Args:
        builder: the builder of blocks and cells.
        conditions: the lowering of conditions.
    """

    def __init__(self, builder: BlockBuilder, conditions: ConditionLowering) -> None:
        self.b = builder
        self.x = builder.x
        self.conditions = conditions
        self._read_by_guards: dict[typed.Guard, frozenset[typed.Var]] = {}

    # --- conditions --------------------------------------------------------------------------

    def requires(self, head: Iterable[typed.HeadPart], scope: Scope) -> tuple[ir.Condition, ...]:
        """The conditions of a head, each with the bindings that it needs."""
        return tuple(_Conditions(self, scope).of(head))

    # --- effects -----------------------------------------------------------------------------

    def begun(self, option: typed.OptionDef, scope: Scope, *, later: bool = False) -> Begun:
        """The lowered prologue of an option.

        Args:
            option: the option.
            scope: the scope with the option's parameters in cells.
            later: whether the option takes effect later, so that amounts need cells as well.
        """
        if all(type(part) is typed.Requirement for part in option.head):
            return Begun([], [], scope)  # most options bind and pay nothing
        read = _reads(e for s in statements(option.body) for e in statement_expressions(s))
        read |= {part.var for part in _behind(option.head)}
        result = Begun([], [], scope)
        costs: list[tuple[typed.Cost, Scope]] = []
        scope = self._named(option.head, scope, self._read(option.head, read), result, costs)
        steady = len(costs) < 2 and not later
        for cost, inner in costs:
            for each in self.each(cost, inner):
                paid = list(self._payments(cost, each, result, steady=steady))
                if self.x.marks is not None:
                    self.x.marks.payment(cost, paid, each)
                result.payments.extend(paid)
        return result._replace(scope=scope)

    def _read(self, head: tuple[typed.HeadPart, ...], later: frozenset[typed.Var]) -> frozenset[typed.Var]:
        """The variables of a head that its payments or later code read."""
        read = set(later)
        for part in reversed(head):
            if isinstance(part, typed.Cost):
                read |= _reads(head_expressions([part]))
            elif isinstance(part, typed.Let) and part.var in read:
                read |= _reads([part.value])
            elif isinstance(part, typed.Needs):
                inner = self._read_by(part.guard)
                pairs = zip(part.guard.params, part.args, strict=True)
                read |= _reads(arg for var, arg in pairs if var in inner)
        return frozenset(read)

    def _read_by(self, guard: typed.Guard) -> frozenset[typed.Var]:
        """The parameters and variables of a guard that its payments read."""
        if guard not in self._read_by_guards:
            self._read_by_guards[guard] = self._read(guard.head, frozenset())
        return self._read_by_guards[guard]

    def _named(
        self,
        head: tuple[typed.HeadPart, ...],
        scope: Scope,
        read: frozenset[typed.Var],
        begun: Begun,
        costs: list[tuple[typed.Cost, Scope]],
    ) -> Scope:
        """Collects the bound values in `read` and the costs with their scopes; returns the scope after the head."""
        for part in head:
            if isinstance(part, typed.Let) and part.var in read:
                scope = self._name(part.var, part.value, scope, scope, begun)
            elif isinstance(part, typed.Cost):
                costs.append((part, scope))
            elif isinstance(part, typed.Needs):
                inner = Scope()
                of_guard = self._read_by(part.guard)
                for var, arg in zip(part.guard.params, part.args, strict=True):
                    if var in of_guard:
                        inner = self._name(var, arg, scope, inner, begun)
                self._named(part.guard.head, inner, of_guard, begun, costs)
        return scope

    def _name(self, var: typed.Var, value: typed.Expr, scope: Scope, inner: Scope, begun: Begun) -> Scope:
        """Adds a cell for a bound value; returns `inner` with the variable."""
        at = self.b.local(var.name, type_name(var.type))
        begun.named.append(Named(at, self.x.argument(value, var.type, scope), var.type, value.span))
        return inner.in_cell(var, at)

    def each(self, cost: typed.Cost, scope: Scope) -> list[Scope]:
        """The scopes in which to lower a cost: one scope or, for a bag, one for each entity of its kind."""
        if cost.each is None:
            return [scope]
        assert isinstance(cost.each.type, Ent)
        numbers = range(self.x.layout.size(cost.each.type.kind))
        return [replace(scope, where={**scope.where, cost.each: ir.Const(number)}) for number in numbers]

    def _payments(self, cost: typed.Cost, scope: Scope, begun: Begun, *, steady: bool) -> Iterator[ir.Instruction]:
        amount = self.x.expr(cost.amount, scope)
        source = self._place(cost.source, scope, begun, steady=steady)
        if not steady:
            amount = self._before(amount, cost.amount.span, begun)
        if cost.target is not None:
            bounded = isinstance(cost.target, typed.PieceCount) and cost.target.place in self.x.layout.d.bounds
            target = self._place(cost.target, scope, begun, steady=steady and not bounded)
            yield ir.Transfer(source, target, amount, _unlimited(cost), self._site(cost))
            yield from checks(self.x, cost.target, target, cost.span, scope)
            return
        assert isinstance(cost.source, typed.Field)
        high = cost.source.decl.high
        most = MAX_NUMBER if high is None else high
        yield ir.Store(source, op("-", source, amount), _least(cost), most, self._site(cost))

    def _place(self, e: typed.Expr, scope: Scope, begun: Begun, *, steady: bool) -> ir.Cell:
        """The source or target cell of a cost."""
        place = self.x.expr(e, scope)
        assert isinstance(place, ir.Cell)
        if steady:
            return place
        return cell(place.base, self._before(place.index, e.span, begun), place.size)

    def _before(self, e: ir.Expr, at: Span, begun: Begun) -> ir.Expr:
        """A value from before the payments, saved in a cell if they might change it."""
        if not any(isinstance(x, ir.Call) or (isinstance(x, ir.Cell) and not self._is_local(x)) for x in walk(e)):
            return e
        rest = self.b.local("paid", "int")
        begun.named.append(Named(rest, e, INT, at))
        return cell(rest)

    def _is_local(self, c: ir.Cell) -> bool:
        return self.b.p.cells[c.base].group == "rules"

    def _site(self, cost: typed.Cost) -> int:
        return self.x.site(cost.span, "a payment must be between 0 and the available amount")


class _Conditions:
    """The conditions of one option, while lowering them in order."""

    def __init__(self, heads: HeadLowering, scope: Scope) -> None:
        self._heads = heads
        self.x = heads.x
        self.conditions = heads.conditions
        self._paid: list[_Paid] = []
        self._scope = scope
        self._slots = scope.slots
        """The number of slots in use, including those of guards, whose costs are part of later sums."""
        self._lets: list[tuple[int, ir.Expr]] = []

    def of(self, head: Iterable[typed.HeadPart]) -> list[ir.Condition]:
        """The conditions of a head in the current scope."""
        results: list[ir.Condition] = []
        for part in head:
            if isinstance(part, typed.Let):
                self._scope = self._bind(part.var, self.x.expr(part.value, self._current), self._scope)
            elif isinstance(part, typed.Requirement):
                results.append(
                    self._after_lets(self.conditions.of(part.condition, part.reason, part.span, self._current))
                )
            elif isinstance(part, typed.Cost):
                results.append(self._after_lets(self._cost(part)))
            else:
                results += self._needs(part)
        return results

    @property
    def _current(self) -> Scope:
        """The current scope, including the slots in use."""
        return replace(self._scope, slots=self._slots)

    def _needs(self, part: typed.Needs) -> list[ir.Condition]:
        outside, inner = self._scope, Scope()
        for var, arg in zip(part.guard.params, part.args, strict=True):
            inner = self._bind(var, self.x.argument(arg, var.type, self._current), inner)
        self._scope = inner
        result = self.of(part.guard.head)
        self._scope = outside
        return result

    def _bind(self, var: typed.Var, value: ir.Expr, scope: Scope) -> Scope:
        """A scope with a variable bound to a value, which is evaluated at this point."""
        if isinstance(value, ir.Local | ir.Const):
            return replace(scope, where={**scope.where, var: value})
        return replace(scope, where={**scope.where, var: self._slot(value, var.type)})

    def _slot(self, value: ir.Expr, type_: Type) -> ir.Local:
        """A new slot that holds a value from the next condition on."""
        bounds = self.x.ranges.of(value)
        slot = self.x.slot(self._current)
        if isinstance(type_, Num | Maybe):
            self.x.ranges.slots[slot] = bounds
        self._slots += 1
        self._lets.append((slot, value))
        return ir.Local(slot)

    def _after_lets(self, condition: ir.Condition) -> ir.Condition:
        """A condition preceded by the bindings since the last one."""
        lets, self._lets = tuple(self._lets), []
        return replace(condition, lets=lets)

    def _cost(self, cost: typed.Cost) -> ir.Condition:
        """The condition that a cost is affordable, together with earlier costs from the same place."""
        if cost.each is not None:
            return self._bag(cost, cost.each)
        amount: ir.Expr = self.x.bounded(self.x.expr(cost.amount, self._current), cost.amount.span)
        if not isinstance(amount, ir.Local | ir.Const):
            amount = self._slot(amount, cost.amount.type)
        source = self.x.expr(cost.source, self._current)
        assert isinstance(source, ir.Cell)
        shown = self.conditions.shown(cost.amount, amount, self._current)
        tests = [op(">=", amount, FALSE)]
        if not _unlimited(cost):
            due: ir.Expr = amount
            earlier: list[ir.Shown] = []
            for paid in self._paid:
                share = _if_same(paid.source, source, paid.amount)
                if share != FALSE:
                    due, earlier = op("+", due, share), [*earlier, *paid.shown]
            least = _least(cost)
            tests.append(op("<=", due, op("-", source, ir.Const(least)) if least else source))
            self._paid.append(_Paid(amount, source, shown))
            shown = (*earlier, *shown, *self.conditions.shown(cost.source, source, self._current))
        text = self.conditions.text(cost.span)
        return ir.Condition(logic("and", tests), cost.reason or text, text, shown, cost.span)

    def _bag(self, cost: typed.Cost, each: typed.Var) -> ir.Condition:
        """The condition that a bag of pieces is affordable, together with earlier costs from the same places."""
        assert isinstance(cost.amount, typed.Op)
        bag, scope = cost.amount.args[0], self._current
        value = self.x.expr(bag, scope)
        shown = self.conditions.shown(bag, value, scope)
        slot = self.x.slot(scope)
        there = scope.in_slot(each, slot)
        fits = op("<=", self.x.expr(cost.amount, there), self.x.expr(cost.source, there))
        size = ir.Const(len(self._heads.each(cost, scope)))
        tests: list[ir.Expr] = [ir.Fold("all", slot, op("entities", value, size), None, None, fits, None)]
        paid: list[_Paid] = []
        for inner in self._heads.each(cost, scope):
            amount, source = self.x.expr(cost.amount, inner), self.x.expr(cost.source, inner)
            assert isinstance(source, ir.Cell)
            shares = [share for p in self._paid if (share := _if_same(p.source, source, p.amount)) != FALSE]
            if shares:
                tests.append(op("<=", together("+", [amount, *shares]), source))
            paid.append(_Paid(amount, source, shown))
        self._paid += paid
        text = self.conditions.text(cost.span)
        return ir.Condition(logic("and", tests), cost.reason or text, text, shown, cost.span)


def _if_same(one: ir.Cell, other: ir.Cell, value: ir.Expr) -> ir.Expr:
    """A value if two cells coincide, otherwise 0."""
    if not meet(span(one), span(other)):
        return FALSE
    if one == other:
        return value
    same = op("==", op("+", one.index, ir.Const(one.base)), op("+", other.index, ir.Const(other.base)))
    return choose(same, value, FALSE)


def _unlimited(cost: typed.Cost) -> bool:
    return isinstance(cost.source, typed.Field) and cost.source.decl.unlimited


def _least(cost: typed.Cost) -> int:
    """The lower bound of a cost's source."""
    low = cost.source.decl.low if isinstance(cost.source, typed.Field) else None
    return 0 if low is None else low


def _behind(head: tuple[typed.HeadPart, ...]) -> list[typed.Let]:
    """The bindings after the last condition, which are evaluated when the option is taken, read or not."""
    results: list[typed.Let] = []
    for part in reversed(head):
        if not isinstance(part, typed.Let):
            break
        results.append(part)
    return results


def _reads(roots: Iterable[typed.Expr]) -> frozenset[typed.Var]:
    """The variables that expressions read."""
    return frozenset(e.var for root in roots for e in expressions(root) if isinstance(e, typed.Local))
