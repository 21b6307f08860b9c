"""The measures of a ruleset, such as points and treasuries, at a position."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, SupportsIndex, overload

from msgspec import Struct

from rulespec.engine.game.guarded import GuardedState, HiddenError
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program.budget import Budget, BudgetUse, SpentError
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import State, differing
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.game.option import Labels
    from rulespec.engine.program.execution import Execution

Measures = dict[str, dict[str, int | None]]
"""Measure → entity → number, with "" for the game itself; None if the number is hidden or there is none."""


Value = Callable[[State, State], int]
"""The value of an expression, given a state and slots."""


class Gauge(Struct, frozen=True):
    """A measure as a function of the state, with its kind of entities or "", and its name in budgets (`use`)."""

    name: str
    kind: str
    value: Value
    use: BudgetUse


def gauges(measures: Iterable[typed.Measure], compiled: Callable[[typed.Expr, Scope], Value]) -> tuple[Gauge, ...]:
    """The compiled measures of a ruleset."""
    results = []
    for measure in measures:
        var = measure.var
        scope = Scope().in_slot(var, 0) if var is not None else Scope()
        use = BudgetUse(f"the measure `{measure.name}`", measure.span)
        results.append(Gauge(measure.name, measure.kind, compiled(measure.value, scope), use))
    return tuple(results)


class Measuring:
    """Measures of states at one table; a value is recomputed only after a change of a cell that it read.

    Args:
        all_gauges: the measures.
        labels: the names of entities.
        room: the number of slots that the measures need.
        meter: the step counter of the measures.
    """

    def __init__(self, all_gauges: Sequence[Gauge], labels: Labels, room: int, meter: Execution) -> None:
        self._gauges = [(gauge, labels.names[gauge.kind] if gauge.kind else ("",)) for gauge in all_gauges]
        self._room = [0] * room
        self._meter = meter
        self._budget = Budget()
        self._known: dict[tuple[str, int], tuple[Set[int], int | None]] = {}
        self._last: list[int] = []

    def of(self, state: State, budget: Budget | None = None) -> Measures:
        """The measures of a fully visible state; None for measures beyond the budget."""
        self._budget = budget or Budget()
        now = list(state)
        if changed := differing(self._last, now):
            self._known = {key: known for key, known in self._known.items() if known[0].isdisjoint(changed)}
        self._last = now
        return self._measures(state, self._remembered)

    def guarded(self, state: GuardedState, budget: Budget) -> Measures:
        """The measures of a partly hidden state; None for those that depend on hidden cells."""
        self._budget = budget
        return self._measures(state, self._value)

    def _measures(self, state: State, value: Callable[[Gauge, State, int], int | None]) -> Measures:
        return {g.name: {name: value(g, state, at) for at, name in enumerate(names)} for g, names in self._gauges}

    def _value(self, gauge: Gauge, state: State, number: int) -> int | None:
        try:
            return self._budget.spend(self._meter, gauge.use, lambda: gauge.value(state, [number, *self._room]))
        except (HiddenError, ProgramFaultError, SpentError):
            return None

    def _remembered(self, gauge: Gauge, state: State, number: int) -> int | None:
        known = self._known.get((gauge.name, number))
        if known is None:
            watched = _Watched(state)
            known = watched.read, self._value(gauge, watched, number)
            if not self._budget.spent:
                self._known[gauge.name, number] = known
        return known[1]


class _Watched(list[int]):
    """A state that records the cells read, which are the dependencies of a value."""

    def __init__(self, state: Iterable[int]) -> None:
        super().__init__(state)
        self.read: set[int] = set()

    @overload
    def __getitem__(self, at: SupportsIndex) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> int | list[int]:
        if isinstance(at, slice):
            self.read.update(range(*at.indices(len(self))))
        else:
            self.read.add(at.__index__())
        return super().__getitem__(at)
