"""Seats that programs play on the terminal: random players, or named bots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from rulespec.cli import output
from rulespec.cli.terminal_game import Chance
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.simulate.checked_playouts import choose, takes_any

if TYPE_CHECKING:  # bots need an extra
    from rulespec.engine.bots.bot import Bot, Pick
    from rulespec.engine.bots.bot_seats import BotSeats, Silence


def bot_names(ctx: click.Context, option: click.Parameter, value: str | None) -> tuple[str, ...]:
    """Parses and checks a list of bots such as `flat:64,random`."""
    names = tuple(name.strip() for name in value.split(",")) if value is not None else ()
    hint = option.opts[0] if isinstance(option, click.Option) else "BOT"
    for name in names:
        _bot(name, hint)
    return names


def _bot(name: str, hint: str = "--bots") -> Bot:
    from rulespec.engine.bots.named import BotNameError, open_bot

    try:
        return open_bot(name)
    except BotNameError as error:
        raise click.BadParameter(str(error), param_hint=hint) from None


def say_silent(message: str) -> None:
    """Warns that bots have no means of comparing positions."""
    output.echo(message, err=True)


class Reason(NamedTuple):
    """A bot's reason for a choice: its expectations for up to three of the best options, with the chosen one first.

    An expectation is a share of wins, such as "62 %" or, in a game for points, a difference from the mean, such as
    "+1.3".
    """

    bot: str
    best: list[tuple[Option, str]]

    @classmethod
    def of(cls, bot: str, options: Sequence[Option], pick: Pick, stakes: int) -> Reason:
        """The reason for picking one of several options; `stakes` is 0 in a game played only to win."""
        from rulespec.engine.bots.opinions import expectation

        order = sorted(pick.shares, key=lambda number: (number != pick.option, -pick.shares[number]))
        return cls(bot, [(options[number], expectation(pick.shares[number], stakes)) for number in order[:3]])


class Programs:
    """The source of all decisions that no person makes: chance, and the last seats if programs play them.

    Args:
        chance: the random numbers of the table.
        last: the number of trailing seats played by programs.
        names: the names of their bots, in order; all others play at random.

    Attributes:
        chance: the random numbers of the table.
        number: the number of seats that programs play.
        names: the names of their bots.
        reason: the reason for the last decision, if a bot took it.
    """

    def __init__(self, chance: Chance, number: int, names: tuple[str, ...]) -> None:
        self.chance = chance
        self.number = number
        self.names = names
        self._bots = [_bot(name) for name in names]
        self._seats: BotSeats | None = None
        self._silence: Silence | None = None
        self._hints: BotSeats | None = None
        self.reason: Reason | None = None

    @classmethod
    def of(cls, text: str, seats: int, chance: Chance) -> Programs:
        """Parses the argument that says which seats at a table are played by programs.

        Args:
            text: a number of random seats; one name for all seats except the first; or a name for each of the last
                seats.
            seats: the number of seats.
            chance: the random numbers of the table.

        Raises:
            click.BadParameter: if there are not enough seats, or a bot is unknown.
        """
        names: tuple[str, ...] = ()
        if text.isascii() and text.isdecimal() and len(text) < 4:
            number = int(text)
        else:
            names = tuple(name.strip() for name in text.split(","))
            names *= max(1, seats - 1) if len(names) == 1 else 1
            number = len(names)
        if number > seats:
            raise click.BadParameter(f"there are only {seats} seats", param_hint="--bots")
        return cls(chance, number, names)

    def seats(self, game: Game) -> frozenset[str]:
        """The seats that programs play."""
        return frozenset(game.seats[len(game.seats) - self.number :])

    def choose(self, game: Game, withdrawn: int = 0) -> Option | None:
        """The next option to take; None if nothing is legal. Programs never act out of turn; people do that.

        `withdrawn` is the number of times the open draft was withdrawn; after the first, options are chosen at random.
        """
        self.reason = None
        at = -1 if game.decision is None or game.decision.by is None else game.seats.index(game.decision.by)
        if at < len(game.seats) - self.number or not self._bots or withdrawn or takes_any(game):
            return choose(game, self.chance.draws, game.ply + withdrawn, interrupt_rate=0.0)
        if self._seats is None or self._silence is None:
            from rulespec.engine.bots.bot_seats import BotSeats, Silence

            last = game.seats[len(game.seats) - self.number :]
            self._seats = BotSeats(game, dict(zip(last, self._bots, strict=True)), self.chance.seed)
            self._silence = Silence(say_silent)
        options = list(game.legal_options)
        option, pick = self._seats.choose(game)
        self._silence.note(pick, self._seats.search)
        self.reason = Reason.of(
            self._bots[at - len(game.seats) + self.number].name, options, pick, game.omniscient.program.stakes
        )
        return option

    def hint(self, game: Game) -> Reason:
        """A choice for the deciding person, made by the first bot at the table or by a default one.

        Raises:
            RulespecError: if the bot has no choice.
        """
        from rulespec.engine.bots.bot_seats import BotSeats

        bot = next((each for each in self._bots if each.name != "random"), None) or _bot("flat")
        if self._hints is None:
            self._hints = BotSeats(game, dict.fromkeys(game.seats, bot), self.chance.seed)
        pick = self._hints.choose(game)[1]
        return Reason.of(bot.name, list(game.legal_options), pick, game.omniscient.program.stakes)
