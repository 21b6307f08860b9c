"""Everything about a game, hidden or not: queries, set-up edits, and low-level access.

Code that shows a game to seats uses `Game.view` instead.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from rulespec.diagnostics.report import failure
from rulespec.engine.game.guarded import UNKNOWN, HiddenError
from rulespec.engine.game.measured import Measures
from rulespec.engine.game.notation import OptionReader, words
from rulespec.engine.game.numbers import Numbers
from rulespec.engine.game.option import Labels, OptionKind, RulesetFaultError, TakenBack
from rulespec.engine.game.position import Position
from rulespec.engine.game.query import Queries
from rulespec.engine.game.refusal import why_never
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.game.state_fields import StateFields
from rulespec.engine.program import ir
from rulespec.engine.program.budget import Budget
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import State
from rulespec.engine.program.machine import Lookups, Machine
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rulespec.engine.game.visibility import Visibility

OMNISCIENT = ""
"""In the place of a seat: a viewer who sees all of the game. No seat has this name."""


class Session:
    """The rules, the people and the names of a game: equal for all of its copies and positions.

    Args:
        ruleset: a checked ruleset.
        seats: names of the players in clockwise order.
        settings: a value for each setting.
        machine: runs the program.
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
        """The views of seats on states."""
        from rulespec.engine.game.visibility import visibility_of

        return visibility_of(self.machine)

    @cached_property
    def fields(self) -> StateFields:
        """The state fields, by name."""
        return StateFields(self.ruleset, self.machine.p, self.words.labels)


class Omniscient:
    """A game without secrets: values, measures and invariants; set-up edits; and its state as numbers.

    Args:
        session: the rules, the people and the names.
        position: the position of the game; edits change it.
    """

    __slots__ = ("_position", "_session")

    def __init__(self, session: Session, position: Position) -> None:
        self._session = session
        self._position = position

    @property
    def numbers(self) -> Numbers:
        """Low-level access: the state as integers, and the steps that led to it."""
        return self._position

    @property
    def program(self) -> ir.Program:
        """The program of the rules, with the names of the state's `cells`."""
        return self._position.program

    @property
    def asked(self) -> ir.Decision | None:
        """The open decision of the program; None when the game is over."""
        number = self._position.asked
        return self._position.program.decisions[number] if number >= 0 else None

    def lookups(self, decision: int) -> Lookups:
        """Functions that only look cells up, for a decision by its number: see `Numbers.looked_up`."""
        return self._position.machine.lookups[decision]

    def reader(self, seats: tuple[str, ...]) -> OptionReader:
        """Reads options in which the seats have these names."""
        return words(self._position.machine, self._session.ruleset, seats).reader

    @property
    def labels(self) -> Labels:
        """The names of entities and seats, by their numbers."""
        return self._session.words.labels

    @property
    def visibility(self) -> Visibility:
        """The views of seats on states."""
        return self._session.visibility

    @property
    def secretive(self) -> bool:
        """Whether anything can be hidden from a seat."""
        return self.visibility.secretive

    @property
    def telling(self) -> bool:
        """Whether the options at hand could reveal something private."""
        return self.visibility.tells(self._position.asked)

    @property
    def fields(self) -> StateFields:
        """The state fields, by name."""
        return self._session.fields

    @property
    def option_kinds(self) -> tuple[OptionKind, ...]:
        """The kinds of options of the open decision, by the number of their choice; none when the game is over."""
        return self._session.words.kinds[self._position.asked]

    def value(self, text: str, seat: str | None = OMNISCIENT) -> str:
        """The value of an expression of the rules language in this state; seats may be written by their names.

        Args:
            text: the expression.
            seat: the viewer (None: the public): `?` if the value depends on anything hidden from it.

        Raises:
            DiagnosticsError: if it is not a correct expression.
        """
        state = self._position.state
        if seat != OMNISCIENT:
            state = self.visibility.guarded(state, PUBLIC if seat is None else self._session.seats.index(seat))
        try:
            return self.labels.show(*self._session.queries.value(text, state))
        except HiddenError:
            return UNKNOWN
        except ProgramFaultError as fault:
            raise self._position.fault(fault, self._session.queries.program) from None

    def measures(self, seat: str | None = OMNISCIENT, budget: Budget | None = None) -> Measures:
        """The measures of the ruleset, such as points: measure → entity → number, of the game itself under "".

        Args:
            seat: the viewer (None: the public): numbers hidden from it are None.
            budget: the steps that may be taken, shared between positions; numbers beyond it are None, too.
        """
        budget = Budget() if budget is None else budget
        state, measuring = self._position.state, self._session.queries.measuring(self.labels)
        if seat == OMNISCIENT:
            return measuring.of(state, budget)
        return measuring.guarded(
            self.visibility.guarded(state, PUBLIC if seat is None else self._session.seats.index(seat)), budget
        )

    def measured(self) -> Callable[[], Measures]:
        """A function that computes the measures of the present position when called."""
        state, measuring = list(self._position.state), self._session.queries.measuring(self.labels)
        return lambda: measuring.of(state)

    def set_value(self, target: str, value: str) -> None:
        """Sets a state field, an account or a place of pieces, for a given set-up.

        Pieces come out of (go back to) the pile's first place, money out of (to) an unlimited account of its unit.

        Raises:
            DiagnosticsError: if the target or the value do not fit, or the pile holds too few pieces.
        """
        try:
            self._position.edit(lambda state: self._session.queries.assign(target, value, state))
        except ProgramFaultError as fault:
            raise self._position.fault(fault, self._session.queries.program) from None

    def put(self, values: Mapping[int, int]) -> None:
        """Puts numbers into cells."""
        self._position.write(values)

    def fault(self, fault: ProgramFaultError, program: ir.Program) -> RulesetFaultError:
        """A fault of a program as a mistake of the ruleset, with its place."""
        return self._position.fault(fault, program)

    def prepare(self, call: str) -> None:
        """Runs a procedure, such as `deal(red)`, before the game begins, for a given set-up.

        Raises:
            DiagnosticsError: RS803 if it is not a call of a procedure; RS718 if a decision opens, if it ends the game,
                or if the game has begun. Nothing has changed then.
        """
        if hurdle := self._position.prepare(lambda state: self.enter(call, state)):
            help_ = "`run` is for procedures without decisions; what they decide can be put in place by `set`"
            raise failure("RS718", f"`{call}` cannot be run before the start: {hurdle}", None, help_)

    def broken_invariants(self) -> list[str]:
        """The invariants that do not hold, each as its name and text."""
        results = [self._position.program.invariants[i] for i in self._position.broken_invariants()]
        return [f"{v.name}: {v.condition.reason}" if v.condition.reason != v.name else v.name for v in results]

    def why_broken(self, invariant: str) -> str:
        """For which entities an invariant does not hold, and the values that it sees there; "" if it has no value."""
        condition = self._session.ruleset.rules.invariants[invariant].condition
        try:
            return self._session.queries.why_broken(condition, self._position.state, self.labels.show)
        except ProgramFaultError:
            return ""

    def why_none(self) -> list[str]:
        """The reasons why the open decision has no legal option: a line for each option and reason."""
        program = self._position.program
        results = []
        for choice in program.decisions[self._position.asked].choices if self._position.asked >= 0 else ():
            if choice.by is None:
                results += why_never(self._position.value, self.labels, choice, program.slots + 1)
        return results

    def take_back(self, back: TakenBack) -> None:
        """Takes several decisions back; the fields that `back` keeps retain their present values.

        Raises:
            IndexError: if there are fewer.
            ValueError: if something to keep is not a state field, or a field to set does not hold that. Nothing has
                changed then.
        """
        if not (0 if back.set else 1) <= back.decisions <= self._position.ply:
            raise IndexError(f"there are not {back.decisions} decisions to take back")
        held = {at: self._position.state[at] for name in back.keep for at in self.fields.cells(name)}
        held.update(self.fields.filled(name, value) for name, value in back.set)
        for _ in range(back.decisions):
            self._position.undo()
        self._position.write(held)

    def enter(self, call: str, state: State) -> int:
        """Puts the arguments of a call into their cells of a state, and gives the block of its procedure."""
        try:
            name, values = self._session.queries.call(call, state)
        except ProgramFaultError as fault:
            raise self._position.fault(fault, self._session.queries.program) from None
        block, cells = self._position.program.entries[name]
        state[cells[0]] = ir.END
        for at, value in zip(cells[1:], values, strict=True):
            state[at] = value
        return block
