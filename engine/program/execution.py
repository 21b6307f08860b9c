"""Reference semantics of instructions and block exits, and the observer that an interpreter notifies."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.program import ir
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.faults import ProgramFaultError, check_amount, too_full
from rulespec.engine.program.limits import MAX_NUMBER, MAX_ONCE_STEPS, MAX_VALUE_STEPS, NO_NUMBER

T = TypeVar("T")


class Execution(ABC):
    """An executor of blocks that records writes to the state in a journal.

    Args:
        program: the program.
        patience: the step limit, from which `left` counts down.
        observer: an observer notified of everything that runs.
    """

    def __init__(self, program: ir.Program, patience: int, observer: Observer | None) -> None:
        self.p = program
        self.left = self._patience = patience
        self.observer = observer

    @property
    def taken(self) -> int:
        """The steps taken so far."""
        return self._patience - self.left

    @abstractmethod
    def evaluate(self, e: ir.Expr, state: State, slots: State) -> int:
        """The value of an expression."""

    def count(self, steps: int) -> None:
        """Counts steps other than evaluated expressions.

        Raises:
            ProgramFaultError: if the step limit is reached.
        """
        self.left -= steps
        if self.left < 0:
            raise ProgramFaultError(-1, "the step limit is exceeded")

    def alone(self, value: Callable[[], T], what: str, span: Span | None = None) -> T:
        """The result of `value`, evaluated between two decisions with a separate step limit.

        Args:
            value: the function that computes the result.
            what: the name of the value in the message for an exceeded limit.
            span: the place of the value.

        Raises:
            ProgramFaultError: if the rules fault, or if `value` takes more than `MAX_VALUE_STEPS`.
        """
        patience = self.left
        allowed = self.left = min(patience, MAX_VALUE_STEPS)
        try:
            return value()
        except ProgramFaultError:
            if self.left < 0:
                raise ProgramFaultError(-1, f"{what} takes more than {allowed:,} steps", span=span) from None
            raise
        finally:
            self.left += patience - allowed

    def carry_out(self, e: ir.Suppose, args: Sequence[int], state: State, journal: Journal) -> None:
        """Runs a hypothetical call and records its writes in the journal, even those before a fault, so that they can
        be undone.
        """
        patience = self.left
        allowed = self.left = min(patience, MAX_ONCE_STEPS)
        try:
            self._carry_out(e, args, state, journal)
        except ProgramFaultError:
            if self.left < 0 and allowed < patience:
                self.left = 0
                raise ProgramFaultError(e.site, f"it takes more than {MAX_ONCE_STEPS:,} steps") from None
            raise
        finally:
            self.left += patience - allowed

    def _carry_out(self, e: ir.Suppose, args: Sequence[int], state: State, journal: Journal) -> None:
        slots = [0] * (self.p.slots + 1)
        for cell, value in zip(e.params, args, strict=True):
            put(state, cell, value, journal)
        block, before = e.block, -1
        while True:
            if self.observer is not None:
                self.observer.entered(block, before)
            place, before = self.p.blocks[block], block
            self.count(1)
            for i in place.body:
                self.execute(i, state, slots, journal)
            if isinstance(place.exit, ir.Return) and place.exit.cell == e.back:
                return
            block = self.following(place.exit, state, slots, journal)

    def execute(self, i: ir.Instruction, state: State, slots: State, journal: Journal) -> None:
        """Executes an instruction."""
        if isinstance(i, ir.Store):
            value = self.evaluate(i.value, state, slots)
            none = i.none and value == NO_NUMBER
            if not none and ((i.low is not None and value < i.low) or (i.high is not None and value > i.high)):
                raise ProgramFaultError(i.site, f"it would be {value}")
            put(state, self._address(i.target, state, slots), value, journal)
        elif isinstance(i, ir.Transfer):
            amount = self.evaluate(i.amount, state, slots)
            source, target = self._address(i.source, state, slots), self._address(i.target, state, slots)
            check_amount(amount, state[source], i.unlimited, i.site)
            put(state, source, state[source] - amount, journal)
            put(state, target, state[target] + amount, journal)
            if state[source] < -MAX_NUMBER or state[target] > MAX_NUMBER:
                too_full(i.site)
        elif isinstance(i, ir.Check):
            if not self.evaluate(i.condition, state, slots):
                raise ProgramFaultError(i.site)
        else:
            assert isinstance(i, ir.Clear)
            self.count(i.size)
            for cell in range(i.base, i.base + i.size):
                put(state, cell, 0, journal)

    def following(self, exit_: ir.Exit | None, state: State, slots: State, journal: Journal) -> int:
        """Carries out the exit of a block that neither opens a decision nor ends the game; returns the next block."""
        if isinstance(exit_, ir.Goto):
            return exit_.block
        if isinstance(exit_, ir.Enter):
            if not exit_.usual:
                put(state, exit_.back, exit_.after, journal)
            return exit_.block
        if isinstance(exit_, ir.Branch):
            return exit_.yes if self.evaluate(exit_.condition, state, slots) else exit_.no
        if isinstance(exit_, ir.Switch):
            self.count(len(exit_.cases))
            return dict(exit_.cases).get(self.evaluate(exit_.value, state, slots), exit_.other)
        assert isinstance(exit_, ir.Return)
        block = state[exit_.cell] or exit_.usual
        put(state, exit_.cell, 0, journal)
        return block

    def _address(self, cell: ir.Cell, state: State, slots: State) -> int:
        return cell.base + self.evaluate(cell.index, state, slots)


def put(state: State, cell: int, value: int, journal: Journal) -> None:
    """Writes a cell, and records its old value in the journal."""
    journal += (cell, state[cell])
    state[cell] = value


class Observer:
    """The base class of observers of an interpreter. By default its methods do nothing."""

    def chosen(self, e: ir.If, value: int) -> None:
        """Called after a conditional is evaluated."""

    def called(self, function: int) -> None:
        """Called before a definition is evaluated."""

    def asked(self, e: ir.Expr) -> None:
        """Called before an expression outside blocks and options, such as the score, is evaluated."""

    def entered(self, block: int, before: int) -> None:
        """Called before a block runs; `before` is the preceding block, or -1 for the first."""

    def tested(self, condition: ir.Condition, holds: bool) -> None:
        """Called after a condition is tested."""

    def compared(self, param: ir.Param, fits: bool) -> None:
        """Called after testing whether an argument is in the domain of its parameter."""

    def legal(self, decision: int, choice: int) -> None:
        """Called when an option is listed or found legal."""

    def wants_invariants(self) -> bool:
        """Whether invariants should be tested now; if not, they count as satisfied."""
        return True
