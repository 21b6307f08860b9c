"""Unrestricted access to a game: queries, set-up edits, and low-level access.

Code that shows a game to a seat uses `Game.view` instead.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rulespec.diagnostics.report import failure
from rulespec.engine.game.drafted import shown_position
from rulespec.engine.game.measured import Measures
from rulespec.engine.game.notation import OptionReader, words
from rulespec.engine.game.numbers import Numbers
from rulespec.engine.game.option import Labels, OptionKind, RulesetFaultError, TakenBack
from rulespec.engine.game.position import Position
from rulespec.engine.game.query import Queries
from rulespec.engine.game.refusal import why_never
from rulespec.engine.game.secrets import PUBLIC, UNKNOWN, GuardedState, HiddenError
from rulespec.engine.game.state_fields import StateFields
from rulespec.engine.program import ir
from rulespec.engine.program.budget import Budget
from rulespec.engine.program.cells import State
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.machine import Lookups, Machine
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rulespec.engine.game.visibility import Visibility

OMNISCIENT = ""
"""A viewer who sees the whole game, used where a seat is expected. No seat has this name."""


class Session:
    """The rules, players and names of a game, shared by all its copies and positions.

    Args:
        ruleset: a checked ruleset.
        seats: names of the players in clockwise order.
        settings: a value for each setting.
        machine: the machine that runs the program.
    """

    def __init__(
        self, ruleset: typed.Ruleset, seats: tuple[str, ...], settings: Mapping[str, str], machine: Machine
    ) -> None:
        self.ruleset = ruleset
        self.seats = seats
        self.machine = machine
        self.words = words(machine, ruleset, seats)
        self.queries = Queries(ruleset, seats, settings)

    @cached_property
    def visibility(self) -> Visibility:
        """The rules of visibility: the part of a state that each seat sees."""
        from rulespec.engine.game.visibility import visibility_of

        return visibility_of(self.machine)

    @cached_property
    def fields(self) -> StateFields:
        """The state fields, by name."""
        return StateFields(self.ruleset, self.machine.p, self.words.labels)


class Omniscient:
    """An omniscient view of a game: values, measures, invariants, set-up edits and the state as numbers.

    Args:
        session: the rules, players and names.
        position: the position of the game, which edits change.
    """

    __slots__ = ("_position", "_session")

    def __init__(self, session: Session, position: Position) -> None:
        self._session = session
        self._position = position

    @property
    def numbers(self) -> Numbers:
        """Low-level access: the state as integers, and the decisions taken."""
        return self._position

    @property
    def program(self) -> ir.Program:
        """The program of the rules, including the names of the state's `cells`."""
        return self._position.program

    @property
    def asked(self) -> ir.Decision | None:
        """The open decision of the program; None when the game is over."""
        number = self._position.asked
        return self._position.program.decisions[number] if number >= 0 else None

    def lookups(self, decision: int) -> Lookups:
        """The pure look-up functions for the decision with this number; see `Numbers.looked_up`."""
        return self._position.machine.lookups[decision]

    def reader(self, seats: tuple[str, ...]) -> OptionReader:
        """A reader of option texts with these seat names."""
        return words(self._position.machine, self._session.ruleset, seats).reader

    @property
    def labels(self) -> Labels:
        """The names of entities and seats, by number."""
        return self._session.words.labels

    @property
    def visibility(self) -> Visibility:
        """The rules of visibility: the part of a state that each seat sees."""
        return self._session.visibility

    @property
    def secretive(self) -> bool:
        """Whether anything can be hidden from a seat."""
        return self.visibility.secretive

    @property
    def telling(self) -> bool:
        """Whether the current options could reveal private information."""
        return self.visibility.tells(self._position.asked)

    @property
    def fields(self) -> StateFields:
        """The state fields, by name."""
        return self._session.fields

    @property
    def option_kinds(self) -> tuple[OptionKind, ...]:
        """The option kinds of the open decision, by choice number; empty when the game is over."""
        return self._session.words.kinds[self._position.asked]

    def value(self, text: str, seat: str | None = OMNISCIENT) -> str:
        """The value of an expression of the rules language in this state, with seats named as in the game.

        Args:
            text: the expression.
            seat: the viewer (None for the public); the value is `?` if it depends on anything hidden from the viewer.

        Raises:
            DiagnosticsError: if the expression is not correct.
        """
        state = self._position.state
        if seat != OMNISCIENT:
            state = self._guarded(seat)
        try:
            return self.labels.show(*self._session.queries.value(text, state))
        except HiddenError:
            return UNKNOWN
        except ProgramFaultError as fault:
            raise self._position.fault(fault, self._session.queries.program) from None

    def measures(self, seat: str | None = OMNISCIENT, budget: Budget | None = None) -> Measures:
        """The measures of the ruleset, such as points, in this position.

        Args:
            seat: the viewer (None for the public); numbers hidden from the viewer are None.
            budget: the step limit, which positions may share; numbers that exceed it are also None.
        """
        budget = Budget() if budget is None else budget
        state, measuring = self._position.state, self._session.queries.measuring(self.labels)
        if seat == OMNISCIENT:
            return measuring.of(state, budget)
        return measuring.guarded(self._guarded(seat), budget)

    def _guarded(self, seat: str | None) -> GuardedState:
        """The state as visible to a seat; None means the public."""
        viewer = PUBLIC if seat is None else self._session.seats.index(seat)
        return self.visibility.guarded(shown_position(self._position, viewer).state, viewer)

    def measured(self) -> Callable[[], Measures]:
        """A function that computes the measures of the current position when called."""
        state, measuring = list(self._position.state), self._session.queries.measuring(self.labels)
        return lambda: measuring.of(state)

    def set_value(self, target: str, value: str, supplies: Sequence[str] = ()) -> None:
        """Sets a state field, an account or a pile of pieces, for custom set-ups.

        Pieces come from (or return to) the pile's first place, money from (or to) an unlimited account of its unit.

        Args:
            target: an expression for the state, account or pile, such as `stone.hand[A]`.
            value: an expression for its value.
            supplies: first places and unlimited accounts that are set separately, so nothing is taken from them.

        Raises:
            DiagnosticsError: if the target or the value does not fit, or the pile has too few pieces.
        """
        try:
            self._position.edit(lambda state: self._session.queries.assign(target, value, state, supplies))
        except ProgramFaultError as fault:
            raise self._position.fault(fault, self._session.queries.program) from None

    def put(self, values: Mapping[int, int]) -> None:
        """Writes numbers to cells."""
        self._position.write(values)

    def fault(self, fault: ProgramFaultError, program: ir.Program) -> RulesetFaultError:
        """A program fault as an error in the ruleset, with its place."""
        return self._position.fault(fault, program)

    def prepare(self, call: str) -> None:
        """Runs a procedure, such as `deal(red)`, before the game begins, for custom set-ups.

        Raises:
            DiagnosticsError: RS803 if `call` is not a procedure call; RS718 if the procedure opens a decision or ends
                the game, or if the game has already begun. The game is unchanged in these cases.
        """
        if hurdle := self._position.prepare(lambda state: self.enter(call, state)):
            help_ = "use `run` only for procedures without decisions, and `set` for the state after decisions"
            raise failure("RS718", f"`{call}` cannot be run before the start: {hurdle}", None, help_)

    def broken_invariants(self) -> list[str]:
        """The broken invariants, each as its name and text."""
        results = [self._position.program.invariants[i] for i in self._position.broken_invariants()]
        return [f"{v.name}: {v.condition.reason}" if v.condition.reason != v.name else v.name for v in results]

    def why_broken(self, invariant: str) -> str:
        """The entities for which an invariant fails, with the values involved; "" if its condition has no value."""
        condition = self._session.ruleset.rules.invariants[invariant].condition
        try:
            return self._session.queries.why_broken(condition, self._position.state, self.labels.show)
        except ProgramFaultError:
            return ""

    def why_none(self) -> list[str]:
        """The reasons why the open decision has no legal option: one line per option and reason."""
        program = self._position.program
        results = []
        for choice in program.decisions[self._position.asked].choices if self._position.asked >= 0 else ():
            if choice.by is None:
                results += why_never(self._position.value, self.labels, choice, program.slots + 1)
        return results

    def take_back(self, back: TakenBack) -> None:
        """Undoes several decisions; the fields in `back.keep` retain their current values.

        Raises:
            IndexError: if the game has fewer decisions.
            ValueError: if a kept name is not a state field, or a field cannot hold its new value. The game is then
                unchanged.
        """
        if not (0 if back.set else 1) <= back.decisions <= self._position.ply:
            raise IndexError(f"there are fewer than {back.decisions} decisions to take back")
        held = {at: self._position.state[at] for name in back.keep for at in self.fields.cells(name)}
        held.update(self.fields.filled(name, value) for name, value in back.set)
        for _ in range(back.decisions):
            self._position.undo()
        self._position.write(held)

    def enter(self, call: str, state: State) -> int:
        """Writes a call's arguments into a state and returns the procedure's first block."""
        try:
            name, values = self._session.queries.call(call, state)
        except ProgramFaultError as fault:
            raise self._position.fault(fault, self._session.queries.program) from None
        block, cells = self._position.program.entries[name]
        state[cells[0]] = ir.END
        for at, value in zip(cells[1:], values, strict=True):
            state[at] = value
        return block
