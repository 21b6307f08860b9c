"""The numbers that the rules compute for a position: measures such as treasuries, points, ranks and the result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from typing import TYPE_CHECKING, SupportsIndex, TypeVar, overload

from msgspec import Struct

from rulespec.engine.game.option import Result
from rulespec.engine.game.position import Position
from rulespec.engine.game.secrets import GuardedState, HiddenError
from rulespec.engine.lower.scope import Scope
from rulespec.engine.program import ir
from rulespec.engine.program.budget import Budget, BudgetUse, SpentError
from rulespec.engine.program.cells import State, differing
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.ranks import ranks
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import whole

if TYPE_CHECKING:
    from rulespec.engine.game.option import Labels
    from rulespec.engine.program.execution import Execution


_S = TypeVar("_S", bound=State)
Measures = dict[str, dict[str, int | None]]
"""Measure → entity → number, with "" for the game itself; None if the number is hidden or does not exist."""


Value = Callable[[State, State], int]
"""A function that returns the value of an expression, given a state and slots."""


class Gauge(Struct, frozen=True):
    """A measure as a function of the state.

    Attributes:
        name: the name.
        kind: the kind of the measured entities; "" for a measure of the game itself.
        value: the function for any state, which reads cells in the order in which the rules read them.
        quick: the faster function for fully visible states.
        use: the name of the measure in budgets.
    """

    name: str
    kind: str
    value: Value
    quick: Value
    use: BudgetUse


def gauges(
    measures: Iterable[typed.Measure], compiled: Callable[[typed.Expr, Scope], tuple[Value, Value]]
) -> tuple[Gauge, ...]:
    """The measures of a ruleset; `compiled` returns the functions `value` and `quick` for an expression."""
    results = []
    for measure in measures:
        var = measure.var
        scope = Scope().in_slot(var, 0) if var is not None else Scope()
        use = BudgetUse(f"the measure `{measure.name}`", measure.span)
        results.append(Gauge(measure.name, measure.kind, *compiled(measure.value, scope), use))
    return tuple(results)


class Measuring:
    """The measures of successive states at one table. From the second state on, a value is recomputed only if a cell
    that it read has changed. (Many tables, such as those of recorded games, are measured only at the end.)

    Args:
        all_gauges: the measures.
        labels: the names of entities.
        room: the number of slots that the measures use.
        meter: the step counter of the measures.
    """

    def __init__(self, all_gauges: Sequence[Gauge], labels: Labels, room: int, meter: Execution) -> None:
        self._gauges = [(gauge, labels.names[gauge.kind] if gauge.kind else ("",)) for gauge in all_gauges]
        self._room = [0] * room
        self._meter = meter
        self._budget = Budget()
        self._known: dict[tuple[str, int], tuple[Set[int], int | None]] = {}
        self._last: list[int] = []
        self._measured = False

    def of(self, state: State, budget: Budget | None = None) -> Measures:
        """The measures of a fully visible state; a measure that exceeds the budget is None."""
        self._budget = budget or Budget()
        if not self._measured:
            self._measured = True
            return self._measures(state, lambda gauge, state, at: self._value(gauge, gauge.quick, state, at))
        now = list(state)
        if changed := differing(self._last, now):
            self._known = {key: known for key, known in self._known.items() if known[0].isdisjoint(changed)}
        self._last = now
        return self._measures(_Watched(now), self._remembered)

    def guarded(self, state: GuardedState, budget: Budget) -> Measures:
        """The measures of a partly hidden state; a measure that depends on hidden cells is None."""
        self._budget = budget
        return self._measures(state, lambda gauge, state, at: self._value(gauge, gauge.value, state, at))

    def _measures(self, state: _S, value: Callable[[Gauge, _S, int], int | None]) -> Measures:
        return {g.name: {name: value(g, state, at) for at, name in enumerate(names)} for g, names in self._gauges}

    def _value(self, gauge: Gauge, value: Value, state: State, number: int) -> int | None:
        try:
            return self._budget.spend(self._meter, gauge.use, lambda: value(state, [number, *self._room]))
        except (HiddenError, ProgramFaultError, SpentError):
            return None

    def _remembered(self, gauge: Gauge, state: _Watched, number: int) -> int | None:
        known = self._known.get((gauge.name, number))
        if known is None:
            state.read = set()
            known = state.read, self._value(gauge, gauge.quick, state, number)
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


def points(position: Position, seats: Sequence[str]) -> dict[str, int]:
    """The current points of each seat; empty if the ruleset has no scoring."""
    position.begin()
    result = ranks(position.program, position.value)
    return {s: rank[0] for s, rank in zip(seats, result, strict=True)} if result else {}


def result(position: Position, seats: Sequence[str], of_seats: Sequence[str] = ()) -> Result | None:
    """The result of a game; None until it ends. A team wins if any member does; `of_seats` gives each seat's team."""
    state = position.state
    if not state[ir.ENDING]:
        return None
    outcome = ranks(position.program, position.value)
    return result_of(position.program, state[ir.ENDING], state[ir.WINNERS], outcome, seats, of_seats)


def result_of(
    program: ir.Program,
    ending: int,
    won: int,
    of_rank: Sequence[tuple[int, ...]],
    seats: Sequence[str],
    of_seats: Sequence[str] = (),
) -> Result:
    """The result of a finished game.

    Args:
        program: the program of the game.
        ending: the value of the ending's cell.
        won: the value of the winners' cell.
        of_rank: the result of `ranks`.
        seats: the names of the seats.
        of_seats: the teams of the seats.
    """
    if won >= 0:
        winners = [s for i, s in enumerate(seats) if won >> i & 1]
    else:
        best = max(of_rank, default=())
        winners = [s for s, rank in zip(seats, of_rank, strict=True) if rank == best] if of_rank else []
    scores = {s: rank[0] for s, rank in zip(seats, of_rank, strict=True)} if of_rank else {}
    return Result(program.endings[ending - 1], scores, whole(of_seats, seats, winners))
