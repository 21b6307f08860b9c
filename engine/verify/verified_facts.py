"""Checks of facts for every entity; a violation is reported where the facts are declared."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from itertools import islice

from msgspec.structs import replace

from rulespec.check.origins import constants_at
from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span
from rulespec.diagnostics.report import MAX_ERRORS
from rulespec.engine.game.option import Labels
from rulespec.engine.lower.expressions import ExpressionLowering
from rulespec.engine.lower.layout import Layout, type_name
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.budget import Budget, BudgetUse, SpentError
from rulespec.engine.program.domains import members
from rulespec.engine.program.evaluator import Evaluator
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.limits import MAX_CHECK_STEPS
from rulespec.overlays.blame import Layers, at_overlay, together
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, parts
from rulespec.typed.seat_kinds import entity_name, size
from rulespec.types import Ent, Num, Type

_SHOWN = 4
"""The number of facts shown with a violated check."""


def failed_checks(d: typed.Declarations, layers: Layers) -> tuple[Diagnostic, ...]:
    """An error for each violated check and entity, at most `MAX_ERRORS`.

    Args:
        d: declarations without an error.
        layers: the layers of the files, which identify errors caused by an overlay.
    """
    if not d.checks:
        return ()
    asked = _Asked(d)
    results: list[Diagnostic] = []
    with suppress(SpentError):
        for each in islice((each for check in d.checks for each in asked.failures(check)), MAX_ERRORS):
            results.append(each)  # noqa: PERF402 - those before the steps are used up are kept
    help_ = "simplify this check: a loop takes one step per member of its set"
    results += asked.budget.warnings("RS416", Severity.ERROR, "the checks of facts", help_)
    return together(at_overlay(each, layers) for each in results)


class _Asked:
    """Evaluates checks without a game: the state is empty, and the number of seats arbitrary."""

    def __init__(self, d: typed.Declarations) -> None:
        self.d = d
        self.p = ir.Program(d.max_players)
        stateless = replace(d, fields={}, pieces={})  # checks do not read them, and they have many cells
        self.x = ExpressionLowering(Layout(stateless, d.max_players, self.p), {}, self.p)
        self.meter = Evaluator(self.p)
        seats = [entity_name(d.kinds[d.player_kind], i) for i in range(d.max_players)]
        self.labels = Labels(d.kinds, self.p, seats)
        self.budget = Budget(MAX_CHECK_STEPS)
        self._lowered: dict[int, ir.Expr] = {}
        self._constants: dict[Span, tuple[Label, ...]] = {}

    def size(self, type_: Type) -> int:
        """The number of entities in the kind of an entity type; 0 for other types."""
        return size(self.d.kinds, type_.kind, self.d.max_players) if isinstance(type_, Ent) else 0

    def failures(self, check: typed.Check) -> Iterator[Diagnostic]:
        """The error for each entity that violates a check, or for which the check has no value."""
        scope = Scope().in_slot(check.var, 0)
        use, failures = BudgetUse(f"the check `{check.name}`", check.span), list[Diagnostic]()

        def ask(entity: int) -> int:
            asked = check.where is None or self.value(check.where, scope, entity)
            if asked and not self.value(check.that, scope, entity):
                failures.append(self._failure(check, entity))
            return 0

        for entity in range(self.size(check.var.type)):
            try:
                self.budget.spend(self.meter, use, partial(ask, entity))
            except ProgramFaultError as fault:
                failures.append(self._without_value(check, entity, fault))
            yield from failures
            failures.clear()

    def _failure(self, check: typed.Check, entity: int) -> Diagnostic:
        seen = _Seen(self, check.var, entity)
        seen.because(check.that, False)
        if check.where is not None:
            seen.because(check.where, True)
        kind = self.d.kinds[check.var.name]
        span = kind.entities[entity].span if entity < len(kind.entities) else kind.span
        return self._error(check, self.labels.show(kind.name, entity), span, seen)

    def _without_value(self, check: typed.Check, entity: int, fault: ProgramFaultError) -> Diagnostic:
        seen, name = _Seen(self, check.var, entity), self.labels.show(check.var.name, entity)
        seen.facts(check.that)
        message = f"the check `{check.name}` has no value for `{name}`: {self._detail(fault)}"
        help_ = f"correct the facts of `{name}`, or test a condition before it: `c and …`"
        notes = tuple(seen.shown[:_SHOWN])
        return Diagnostic("RS241", Severity.ERROR, message, check.that.span, notes=notes, help=help_)

    def _detail(self, fault: ProgramFaultError) -> str:
        note = fault.culprits(self.p)
        if fault.mask is not None:
            return f"{self.p.sites[fault.site][1]} ({note})"
        return note or self.p.sites[fault.site][1]

    def _error(self, check: typed.Check, name: str, written: Span, seen: _Seen) -> Diagnostic:
        own = next((label for label in seen.shown if label.text.startswith(f"`{name}.")), None)
        notes = [label for label in seen.shown if label is not own]
        if check.that.span not in self._constants:  # a check that fails for many entities is inspected once
            self._constants[check.that.span] = constants_at(check.that.span, self.d)
        notes = [*notes[:_SHOWN], *self._constants[check.that.span]]
        if check.where is not None:
            notes.append(Label(check.where.span, f"`{name}` is tested because this is true"))
        notes.append(Label(check.that.span, "this must hold"))
        message = f"`{name}` fails the check `{check.name}`: {check.text}"
        help_ = check.help or f"correct the facts of `{name}`, or change the check"
        span, label = (written, "") if own is None else (own.span, own.text)
        label = ", ".join(text for text in (label, seen.missing) if text)
        return Diagnostic("RS242", Severity.ERROR, message, span, label, tuple(notes), help_)

    def value(self, e: typed.Expr, scope: Scope, *args: int) -> int:
        """The value of an expression in a scope."""
        if id(e) not in self._lowered:
            self._lowered[id(e)] = self.x.expr(e, scope)
            self.p.slots = max(self.p.slots, self.x.most_slots)
        return self.meter.evaluate(self._lowered[id(e)], [], [*args, *[0] * (self.p.slots + 1)])


class _Seen:
    """The facts that a check has read of one entity, with their places.

    Attributes:
        shown: facts written in the files.
        missing: a fact of the entity that is not written.
    """

    def __init__(self, asked: _Asked, var: typed.Var, entity: int) -> None:
        self.asked = asked
        self.scope = Scope().in_slot(var, 0)
        self.args: tuple[int, ...] = (entity,)
        self.shown: list[Label] = []
        self.missing = ""

    def value(self, e: typed.Expr) -> int:
        """The value of an expression for the entity."""
        return self.asked.value(e, self.scope, *self.args)

    def because(self, e: typed.Expr, truth: bool) -> None:
        """Collects the facts that determine a condition."""
        if isinstance(e, typed.Op) and e.op == "not":
            self.because(e.args[0], not truth)
        elif isinstance(e, typed.Op) and e.op in ("and", "or"):
            # The first side that determines the result alone, after which the others may have no value, or both sides.
            settled = (e.op == "or") == truth
            for side in islice((a for a in e.args if bool(self.value(a)) == truth), 1) if settled else e.args:
                self.because(side, truth)
        elif isinstance(e, typed.Each) and e.op in ("all", "any") and e.binder.where is None:
            self._member(e, truth)
        else:
            self.facts(e)

    def _member(self, e: typed.Each, truth: bool) -> None:
        """The first member of a set for which a condition fails."""
        self.facts(e.binder.source)
        if e.op == "any" or truth or e.body is None:
            return
        outer = self.scope, self.args
        self.scope = self.scope.in_slot(e.binder.var, len(self.args))
        for member in members(self.value(e.binder.source), 0):
            self.args = (*outer[1], member)
            if not self.value(e.body):
                self.because(e.body, False)
                break
        self.scope, self.args = outer

    def facts(self, e: typed.Expr) -> None:
        """Collects the facts that an expression refers to, except those whose owner is unknown.

        An owner is unknown if it depends on a variable bound inside the expression, or if it has no value.
        """
        if isinstance(e, typed.Fact) and isinstance(e.owner.type, Ent):
            owner = self._known(e.owner)
            if owner >= 0:
                self._fact(e.decl, e.owner.type.kind, owner)
        for part in parts(e):
            self.facts(part)

    def _known(self, e: typed.Expr) -> int:
        """The value of an expression, or -1 if it needs a variable that has none yet, or has no value."""
        if all(part.var in self.scope.where for part in expressions(e) if isinstance(part, typed.Local)):
            with suppress(ProgramFaultError):
                return self.value(e)
        return -1

    def _fact(self, fact: typed.FactDecl, kind: str, owner: int) -> None:
        labels, name = self.asked.labels, f"{self.asked.labels.show(kind, owner)}.{fact.name}"
        unit = f" {fact.type}" if isinstance(fact.type, Num) and fact.type.unit else ""
        text = f"`{name}` is {labels.show(type_name(fact.type), self.asked.x.layout.values(kind, fact)[owner])}{unit}"
        if owner not in fact.places:
            self.missing = self.missing or text
        elif all(text != label.text for label in self.shown):
            self.shown.append(Label(fact.places[owner], text))
