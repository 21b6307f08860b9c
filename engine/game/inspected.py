"""Read-only queries and set-up edits of a game: expressions, invariants, views, set-ups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, ClassVar

from rulespec.diagnostics.report import failure
from rulespec.engine.game.guarded import UNKNOWN, HiddenError
from rulespec.engine.game.measures import Measures
from rulespec.engine.game.names import shown_names
from rulespec.engine.game.notation import Words
from rulespec.engine.game.option import Labels
from rulespec.engine.game.position import Position
from rulespec.engine.game.query import Queries
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.game.state_fields import StateFields
from rulespec.engine.program import ir
from rulespec.engine.program.budget import Budget
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.journal import State
from rulespec.errors import RulespecError
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.engine.game.game import Game
    from rulespec.engine.game.sight import Watcher

TABLE = ""
"""In the place of a seat: who keeps the game, and knows all of it. No id is empty."""


class Inspected:
    """The part of a game for queries and set-up."""

    ruleset: typed.Ruleset
    seats: tuple[str, ...]
    names: Mapping[str, str]
    position: Position
    _words: Words
    _queries: Queries
    picture: ClassVar[Callable[[Game], str] | None] = None
    """Draws a game as SVG. `rulespec` itself sets it: what draws is behind this room."""

    def _repr_svg_(self) -> str | None:
        """The board, for notebooks; None if it cannot be drawn."""
        draw = type(self).picture
        try:
            return draw(self) if draw is not None else None  # type: ignore[arg-type]
        except RulespecError:  # a drawing file with mistakes, a library that is missing: there is a text, too
            return None

    def _repr_html_(self) -> str | None:
        """The board no wider than the page, for notebooks."""
        svg = self._repr_svg_()
        return None if svg is None else f'<div style="max-width: 100%; overflow-x: auto">{svg}</div>'

    @cached_property
    def shown_names(self) -> dict[str, str]:
        """Seat → its name as screens and pages show it; see `rulespec.engine.game.names`."""
        return shown_names(self.names)

    @property
    def labels(self) -> Labels:
        """The names of entities and seats, by their numbers."""
        return self._words.labels

    def value(self, text: str, seat: str | None = TABLE) -> str:
        """The value of an expression of the rules language in this state; seats are written by their ids.

        Args:
            text: the expression.
            seat: who asks: `?` where it depends on what the seat does not see (None: on what not all see).

        Raises:
            DiagnosticsError: if it is not a correct expression.
        """
        state = self.position.state
        if seat != TABLE:
            state = self.watcher.guarded(state, PUBLIC if seat is None else self.seats.index(seat))
        try:
            return self.labels.show(*self._queries.value(text, state))
        except HiddenError:
            return UNKNOWN
        except ProgramFaultError as fault:
            raise self.position.fault(fault, self._queries.program) from None

    def measures(self, seat: str | None = TABLE, budget: Budget | None = None) -> Measures:
        """The measures of the ruleset, such as points: measure → entity → number, of the game itself under "".

        Args:
            seat: who asks: None in the place of what it does not see; None asks for what all see.
            budget: the steps that may be taken, for several positions together; what is too much is None, too.
        """
        budget = Budget() if budget is None else budget
        state, measuring = self.position.state, self._queries.measuring(self.labels)
        if seat == TABLE:
            return measuring.of(state, budget)
        return measuring.guarded(
            self.watcher.guarded(state, PUBLIC if seat is None else self.seats.index(seat)), budget
        )

    def set_value(self, target: str, value: str) -> None:
        """Puts a value into a state field, an account or a place of pieces, for set-ups that are given.

        Pieces come out of (go back to) the pile's first place, money out of (to) an unlimited account of its unit.

        Raises:
            DiagnosticsError: if the target or the value do not fit, or the pile does not hold so many pieces.
        """
        try:
            self.position.edit(lambda state: self._queries.assign(target, value, state))
        except ProgramFaultError as fault:
            raise self.position.fault(fault, self._queries.program) from None

    def prepare(self, call: str) -> None:
        """Runs a procedure, such as `deal(red)`, before the game begins, for set-ups that are given.

        Raises:
            DiagnosticsError: RS803 if it is no call of a procedure; RS718 if a decision opens, if it ends the game, or
                if the game has begun. Nothing has changed then.
        """
        if hurdle := self.position.prepare(lambda state: self._enter(call, state)):
            help_ = "`run` is for procedures without decisions; what they decide can be put in place by `set`"
            raise failure("RS718", f"`{call}` cannot be run before the start: {hurdle}", None, help_)

    def broken_invariants(self) -> list[str]:
        """The invariants that do not hold, each as its name and text."""
        found = [self.position.program.invariants[i] for i in self.position.broken_invariants()]
        return [f"{v.name}: {v.condition.reason}" if v.condition.reason != v.name else v.name for v in found]

    def why_broken(self, invariant: str) -> str:
        """For which entities an invariant does not hold, and the values that it sees there; "" if it has no value."""
        condition = self.ruleset.rules.invariants[invariant].condition
        try:
            return self._queries.why_broken(condition, self.position.state, self.labels.show)
        except ProgramFaultError:
            return ""

    def _enter(self, start: str, state: State) -> int:
        """Puts the arguments of a call into their cells, and gives the block of its procedure."""
        try:
            name, values = self._queries.call(start, state)
        except ProgramFaultError as fault:
            raise self.position.fault(fault, self._queries.program) from None
        block, cells = self.position.program.entries[name]
        state[cells[0]] = ir.END
        for at, value in zip(cells[1:], values, strict=True):
            state[at] = value
        return block

    @cached_property
    def watcher(self) -> Watcher:
        """Tells what seats see of states."""
        from rulespec.engine.game.sight import Watcher

        return Watcher(self.position.machine)

    @cached_property
    def fields(self) -> StateFields:
        """The state fields, by name."""
        return StateFields(self.ruleset, self.position.program, self.labels)
