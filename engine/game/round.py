"""Simultaneous decisions: collect one choice per seat, then apply all."""

from __future__ import annotations

from itertools import islice

from rulespec.engine.game.game import Game, asked_of, waiting
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError


class Round:
    """The current round of a game.

    The choices are applied after all seats have chosen, in the order of the set, so neither the state nor the log
    depends on the order in which the choices arrive. Each choice is made in the state before the round.

    Args:
        game: a game at a simultaneous decision.

    Attributes:
        asked: the seats to ask, in the order of the set.
        complete: whether all seats have chosen and the choices have been applied.

    Raises:
        ValueError: if no simultaneous decision is open.
    """

    def __init__(self, game: Game) -> None:
        if game.decision is None or not game.decision.together:
            raise ValueError("no simultaneous decision is open")
        self.game = game
        self._chosen: dict[str, Option] = {}
        self.asked = waiting(game)
        self.complete = False

    @property
    def waiting(self) -> tuple[str, ...]:
        """The seats that have not yet chosen."""
        return tuple(seat for seat in self.asked if seat not in self._chosen)

    @property
    def forced(self) -> tuple[str, ...]:
        """The seats that need not be asked, because it is public that they have only one option.

        Empty if the options may reveal private information, since skipping a seat would reveal it, too.
        """
        if self.complete or self.game.omniscient.telling:
            return ()
        return tuple(seat for seat in self.waiting if self._has_one(seat))

    def options(self, seat: str) -> list[Option]:
        """The options of a seat in the round, whether or not it has chosen."""
        asked = asked_of(self.game, self._of_round(seat))
        return list(asked.legal_options) if asked is not None else []

    def choose(self, seat: str, text: str) -> bool:
        """Makes or replaces a choice; the last choice of the round applies them all.

        Returns:
            Whether the round is complete.

        Raises:
            ValueError: if the text names no option, or the seat is not in the round.
            IllegalOptionError: if the option is illegal; the seat's earlier choice then remains.
            RulesetFaultError: if the rules fault while the choices are applied; then no choice takes effect, and the
                new choice is dropped.
        """
        asked = asked_of(self.game, self._of_round(seat))
        if asked is None:
            raise ValueError("an asked seat has no legal option")
        option = asked.parse(text, seat)
        if (refusal := asked.why_not(option, seat)) is not None:
            raise IllegalOptionError(str(option), refusal)
        self._chosen[seat] = option
        if self.waiting:
            return False
        before = self.game.ply
        try:
            for one in self.asked:
                self.game.apply(self._chosen[one])
        except RulesetFaultError:
            for _ in range(self.game.ply - before):
                self.game.undo()
            del self._chosen[seat]
            raise
        self.complete = True
        return True

    def withdraw(self, seat: str) -> None:
        """Withdraws a choice.

        Raises:
            ValueError: if the seat has not chosen, or the round is complete.
        """
        if self._of_round(seat) not in self._chosen:
            raise ValueError(f"{seat} has not chosen")
        del self._chosen[seat]

    def _has_one(self, seat: str) -> bool:
        asked = asked_of(self.game, seat)
        return asked is not None and len(list(islice(asked.legal_options, 2))) == 1

    def _of_round(self, seat: str) -> str:
        if self.complete or seat not in self.asked:
            raise ValueError(f"{seat[:80]} is not asked")
        return seat
