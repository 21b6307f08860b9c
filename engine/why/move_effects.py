"""Effects of a move: each change to the state, with the statement that made it and that statement's inputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import HiddenError
from rulespec.engine.program import ir
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.why.reason_nodes import ReasonNode
from rulespec.engine.why.traced_program import Origins, StatementOrigin
from rulespec.engine.why.tracer import At, Tracer, cell_name
from rulespec.typed import nodes as typed

MAX_EFFECTS = 2_000
"""Maximum number of traced effects per move."""
Traces = Callable[[State], Tracer]
"""A function that returns the tracer of a state."""


class ChangedCell(Struct, frozen=True):
    """A changed cell, with its number and name, and the values before and after."""

    cell: int
    name: str
    type: str
    before: int
    after: int


class Effect(Struct, frozen=True):
    """The effect of a statement.

    Attributes:
        of: the statement or cost; None if it is hidden, in which case all later effects are hidden too.
        numbers: the traces of the statement's expressions.
        changes: the changed cells.
    """

    of: typed.Stmt | typed.Cost | None
    numbers: tuple[ReasonNode, ...] = ()
    changes: tuple[ChangedCell, ...] = ()


class Skipped(Struct, frozen=True):
    """A decision skipped because no option was legal, with its number and the state at that point."""

    decision: int
    state: State


class Recorder(Interpreter):
    """An interpreter that records the effects of the statements of one move.

    Args:
        origins: the origins of the program's instructions.
        labels: the names of entities and seats.
        traces: a function that returns the tracer of a state.
        guard: a function that copies a state; hidden cells are unreadable in the copy.
    """

    def __init__(self, origins: Origins, labels: Labels, traces: Traces, guard: Callable[[State], State]) -> None:
        super().__init__(origins.lowering.p)
        self.effects: list[Effect] = []
        self.skipped: list[Skipped] = []
        self.end: tuple[StatementOrigin | None, State] | None = None
        self.hidden = False
        self._origins = origins
        self._labels = labels
        self._traces = traces
        self._guard = guard
        self._supposed = 0

    def record(self, state: State, block: int, args: tuple[int, ...]) -> None:
        """Runs a move up to the first read of a hidden cell, and changes the state in place."""
        try:
            self.run(state, block, args)
        except HiddenError:
            self.hidden = True
            self.effects.append(Effect(None))

    def execute(self, i: ir.Instruction, state: State, slots: State, journal: Journal) -> None:
        """Executes an instruction, and records it if it changes more than variables."""
        at = self._origins.of(i)
        if at is None or self._supposed or not isinstance(i, ir.Store | ir.Transfer):
            super().execute(i, state, slots, journal)
            return
        targets = [i.target] if isinstance(i, ir.Store) else [i.source, i.target]
        if len(self.effects) >= MAX_EFFECTS or all(self.p.cells[target.base].group == "rules" for target in targets):
            super().execute(i, state, slots, journal)
            return
        cells = list(dict.fromkeys(target.base + self.evaluate(target.index, state, slots) for target in targets))
        before = [state[cell] for cell in cells]
        numbers = self._numbers(at, i, state, slots)
        super().execute(i, state, slots, journal)
        changes = [self._changed(cell, old, state[cell]) for cell, old in zip(cells, before, strict=True)]
        changes = [change for change in changes if change.before != change.after]
        if changes:
            self.effects.append(Effect(at.of, numbers, tuple(changes)))

    def carry_out(self, e: ir.Suppose, args: Sequence[int], state: State, journal: Journal) -> None:
        """Runs a hypothetical procedure without recording effects."""
        self._supposed += 1
        try:
            super().carry_out(e, args, state, journal)
        finally:
            self._supposed -= 1

    def _changed(self, cell: int, before: int, after: int) -> ChangedCell:
        name = self.p.cells[cell]
        return ChangedCell(cell, cell_name(self._labels, name), name.type, before, after)

    def _numbers(
        self, at: StatementOrigin, i: ir.Store | ir.Transfer, state: State, slots: State
    ) -> tuple[ReasonNode, ...]:
        """The traces of a statement's expressions before its execution."""
        tracer = self._traces(self._guard(state))
        place = At(at.scope)
        if isinstance(at.of, typed.Cost):
            node = tracer.node(at.of.amount, place)
            if isinstance(i, ir.Transfer) and node.value != (paid := self.evaluate(i.amount, state, slots)):
                node = ReasonNode("value", node.text, "int", node.span, paid)  # evaluated before other costs were paid
            return (node,)
        return tuple([tracer.node(e, place) for e in _expressions(at.of)])

    def _is_idle(self, ask: ir.Ask, state: State) -> bool:
        """Whether the decider has no legal option; records the decision as skipped if so."""
        idle = super()._is_idle(ask, state)
        if idle:
            self.skipped.append(Skipped(ask.decision, self._guard(state)))
        return idle

    def _stop(self, exit_: ir.Ask | ir.End, block: int, state: State, slots: State, journal: Journal) -> None:
        if isinstance(exit_, ir.End):
            self.end = self._origins.end(block), self._guard(state)
        super()._stop(exit_, block, state, slots, journal)


def _expressions(s: typed.Stmt | typed.Cost) -> list[typed.Expr]:
    """The input expressions of a statement."""
    if isinstance(s, typed.Transfer):
        return [s.amount]
    if isinstance(s, typed.Assign):
        return [s.value]
    if isinstance(s, typed.Put):
        return [s.token, s.place]
    return []
