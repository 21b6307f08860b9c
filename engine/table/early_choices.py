"""Early choices in a round: seats at a table may choose before the game asks them."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Decision, Option
from rulespec.engine.game.position import Step
from rulespec.engine.game.round import Round
from rulespec.engine.logs.sealed import pending


class EarlyChoices:
    """The choices in the open round that seats made before the game asked them; the game receives each one when it
    asks.

    The game receives the choices of a round in seat order. State, hashes and logs therefore do not depend on the order
    of arrival, and no file contains a pending choice.

    Args:
        game: the game, which remains unchanged.
        choices: the earlier choices, each with its salt.
    """

    def __init__(self, game: Game, choices: Mapping[str, tuple[Option, str]] | None = None) -> None:
        self.game = game
        self._choices = dict(choices or {})

    @property
    def choices(self) -> dict[str, tuple[Option, str]]:
        """The pending choices, each with its salt."""
        return dict(self._choices)

    @property
    def texts(self) -> dict[str, tuple[str, str]]:
        """The pending choices as texts, each with its salt."""
        return {seat: (str(option), salt) for seat, (option, salt) in self._choices.items()}

    @property
    def taken(self) -> list[Step]:
        """The choices in the open round that are already applied to the game."""
        return pending(self.game)

    @property
    def chosen(self) -> list[str]:
        """The seats that have chosen in the open round, in seat order."""
        results = [*(step.option.by for step in self.taken), *self._choices]
        return [seat for seat in self.game.seats if seat in results]

    def due(self, decision: Decision, people: Collection[str]) -> tuple[Option, str | None, str] | None:
        """The option to take without asking (an early choice or the only option), the seat that chose it early, and the
        salt.
        """
        by = decision.by
        if by is None or not decision.together:
            self._choices.clear()
            return None
        if by in self._choices:
            option, salt = self._choices.pop(by)
            return option, by, salt
        if by in people and is_forced(self.game):
            return next(iter(self.game.legal_options)), None, ""
        return None

    def choose(self, seat: str, text: str) -> int:
        """Records a choice, replacing an earlier one.

        Returns:
            The number of decisions that the caller has to undo: those from the seat's earlier choice on. Other seats'
            choices among these are recorded here, and applied again later with the same seals.

        Raises:
            ValueError: if the text names no option, or the seat is not asked.
            IllegalOptionError: if the option is illegal.
        """
        past, number = self._without(seat)
        option = replace(past.parse(text), by=seat)
        Round(past).choose(seat, str(option))
        self.withdraw(seat)
        self._choices[seat] = option, ""
        return number

    def withdraw(self, seat: str) -> int:
        """Drops a choice; returns the same as `choose`."""
        _, number = self._without(seat)
        for step in pending(self.game)[-number or len(pending(self.game)) :]:
            if step.option.by is not None:
                self._choices[step.option.by] = step.option, step.salt
        self._choices.pop(seat, None)
        return number

    def _without(self, seat: str) -> tuple[Game, int]:
        """The game at the point of the seat's question, and the number of decisions since."""
        taken = [step.option.by for step in pending(self.game)]
        number = len(taken) - taken.index(seat) if seat in taken else 0
        past = self.game.copy()
        for _ in range(number):
            past.undo()
        return past, number


def is_forced(game: Game) -> bool:
    """Whether the seat asked in a round has only one option, and all seats know this."""
    decision = game.decision
    return decision is not None and decision.together and decision.by in Round(game).forced
