"""A game in play: choices in rounds, decisions, and undo."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rulespec.engine.game.drafted import planned
from rulespec.engine.game.game import Game, renamed
from rulespec.engine.game.option import Decision, Option, TakenBack
from rulespec.engine.game.position import Step
from rulespec.engine.logs.sealed import pending, salted
from rulespec.engine.table.early_choices import EarlyChoices, is_forced
from rulespec.syntax.keywords import WITHDRAW


class PlayedGame:
    """A game at a table, with its unsaved moves.

    Args:
        game: the game, at its start or where it is continued; it is modified.

    Attributes:
        game: the game.
        early: the choices in the open round that seats made before the game asked them.
        withdrawn: how often the plan of the open draft was withdrawn. Programs decide differently after each
            withdrawal, because otherwise they would make and withdraw the same plan forever.
    """

    def __init__(self, game: Game) -> None:
        self.game = game
        for step in game.omniscient.numbers.steps:
            step.pack()
        self.early = EarlyChoices(game)
        self._moves: list[tuple[Step | TakenBack, tuple[Step, ...]]] = []  # each with the steps that it undid
        self._choices = self.early.choices
        self.withdrawn = 0

    # --- decisions ------------------------------------------------------------------------------

    def due(self, decision: Decision, people: Collection[str]) -> tuple[Option, str | None, str] | None:
        """The option to take without asking (an early choice or the only option), the seat that chose it early, and the
        salt.
        """
        return self.early.due(decision, people)

    def take(self, option: Option, salt: str = "") -> None:
        """Takes an option; the withdrawal of a plan undoes the plan's decisions.

        Raises:
            IllegalOptionError: if it is illegal.
            RulesetFaultError: if the rules fault; the game is then unchanged.
        """
        if option.name == WITHDRAW and (number := planned(self.game.omniscient.numbers)):
            self.take_back(number)
            self.withdrawn += 1
            return
        self.game.apply(option)
        if not planned(self.game.omniscient.numbers):
            self.withdrawn = 0
        self.game.omniscient.numbers.seal(salt)
        salted(self.game)
        self._moves.append((self.game.omniscient.numbers.steps[-1], ()))

    @property
    def planner(self) -> str | None:
        """The seat with an open plan, or None."""
        numbers = self.game.omniscient.numbers
        return self.game.seats[numbers.decider()] if planned(numbers) else None

    @property
    def is_planning(self) -> bool:
        """Whether the open draft has planned or withdrawn decisions."""
        return self.planner is not None or self.withdrawn > 0

    def bars(self, seat: str, number: int) -> bool:
        """Whether an open plan prevents a seat from undoing decisions, because the decisions precede the plan or the
        plan belongs to another seat.
        """
        return self.planner is not None and (seat != self.planner or number > planned(self.game.omniscient.numbers))

    def choose(self, seat: str, text: str) -> None:
        """Records a seat's choice in the open round, replacing an earlier one.

        Raises:
            ValueError, IllegalOptionError: see `EarlyChoices.choose`.
        """
        self._reopen(self.early.choose(seat, text))

    def restore(self, choices: Mapping[str, tuple[str, str]]) -> None:
        """Restores saved choices in the open round, given as texts and salts."""
        for seat, (text, _) in choices.items():
            self.choose(seat, text)
        salts = {seat: (option, choices[seat][1]) for seat, (option, _) in self.early.choices.items()}
        self.early = EarlyChoices(self.game, salts)

    def withdraw(self, seat: str) -> None:
        """Drops a seat's choice in the open round."""
        self._reopen(self.early.withdraw(seat))

    # --- taking back ----------------------------------------------------------------------------

    def since_last_of(self, seats: Collection[str]) -> int:
        """The number of decisions since any of the given seats last decided, including that decision; 0 if none has
        decided.
        """
        past = self.game.copy()
        while past.ply:
            if past.undo().by in seats and not is_forced(past):
                return self.game.ply - past.ply
        return 0

    def take_back(self, number: int) -> None:
        """Undoes decisions; if this goes back beyond the open round, the choices in the round are lost."""
        if number > len(pending(self.game)):
            self.early = EarlyChoices(self.game)
        self._reopen(number)

    def _reopen(self, number: int) -> None:
        if not number:
            return
        steps = tuple(self.game.omniscient.numbers.steps[-number:])
        for _ in range(number):
            self.game.undo()
        self._moves.append((TakenBack(number), steps))

    # --- the log --------------------------------------------------------------------------------

    @property
    def moves(self) -> list[Step | TakenBack]:
        """The moves that are not confirmed yet."""
        return [move for move, _ in self._moves]

    def confirm(self) -> list[Step | TakenBack]:
        """Marks the unconfirmed moves as final, and returns them."""
        moves = self.moves
        for move in moves:
            if isinstance(move, Step):
                move.pack()
        self._moves, self._choices = [], self.early.choices
        return moves

    def revert(self) -> None:
        """Undoes unconfirmed changes."""
        for move, steps in reversed(self._moves):
            if isinstance(move, Step):
                self.game.undo()
            for step in steps:
                self.game.apply(step.option)
                self.game.omniscient.numbers.seal(step.salt)
        self.early = EarlyChoices(self.game, self._choices)
        self._moves = []

    def rename(self, seat: str, name: str) -> None:
        """Changes the displayed name of a seat."""
        choices = self.early.choices
        self.game = renamed(self.game, seat, name)
        self.early = EarlyChoices(self.game, choices)
