"""A bot's opinions on the decisions of a game: its own choice, and the estimated loss from the choice actually made.

Each decision is judged from its seat's view at that time, as if the bot had to decide; information that was hidden does
not count. Chance and out-of-turn decisions are not judged.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from typing import TYPE_CHECKING

from msgspec import Struct

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option
from rulespec.errors import RulespecError

if TYPE_CHECKING:  # bots need an extra
    from rulespec.engine.bots.bot_seats import BotSeats

JUDGE = "flat:256"
"""The default bot for opinions."""
MAX_JUDGED = 400
"""The maximum number of judged decisions in a game; the latest ones are judged."""
TURNS = 0.1
"""The minimum loss, as a share of the win, at which a decision counts as a turning point."""


class Opinion(Struct, frozen=True):
    """A bot's opinion on a decision.

    Attributes:
        ply: the number of the decision, from 0.
        seat: the deciding seat.
        best: the bot's own choice.
        text: the bot's own choice in words.
        expected: the bot's expected share of the win for the option taken; None if the bot has not tried it.
        of_best: its expected share for its own choice.
    """

    ply: int
    seat: str
    best: Option
    text: str
    expected: float | None
    of_best: float

    @property
    def loss(self) -> float:
        """The share of the win lost by the decision; 0 if it is unknown."""
        return max(0.0, self.of_best - self.expected) if self.expected is not None else 0.0


class NoOpinionError(RulespecError):
    """Raised for a bot that does not compare options, and so has no opinion."""


def opinions(
    game: Game, bot: str, seats: Container[str], text: Callable[[Game, Option], str], seed: int = 0
) -> list[Opinion]:
    """A bot's opinions on the last decisions of a game; forced decisions are left out.

    Args:
        game: the game at any point; it is not changed.
        bot: the name of the bot.
        seats: the seats whose decisions are judged.
        text: a function that formats an option at a position.
        seed: the seed of the bot.

    Raises:
        BotNameError: if there is no such bot.
        NoOpinionError: if the bot does not compare options.
    """
    from rulespec.engine.bots.bot_seats import BotSeats
    from rulespec.engine.bots.named import open_bot

    judge = open_bot(bot)
    if judge.name == "random":
        raise NoOpinionError("the bot `random` does not compare options, so it has no opinion")
    at, results = restarted(game), list[Opinion]()
    judges = BotSeats(at, dict.fromkeys(game.seats, judge), seed)
    first = max(0, game.ply - MAX_JUDGED)
    for ply, option in enumerate(game.history):
        if ply >= first and option.by in seats and not option.interrupt:
            results += _judged(judges, at, ply, option, text)
        at.apply(option)
    return results


def _judged(judges: BotSeats, at: Game, ply: int, option: Option, text: Callable[[Game, Option], str]) -> list[Opinion]:
    """The opinion on a decision about to be taken; empty if there was no choice."""
    options = list(at.legal_options)
    if len(options) < 2 or option.by is None or at.decision is None or at.decision.by != option.by:
        return []
    best, pick = judges.choose(at)
    taken = next(number for number, each in enumerate(options) if str(each) == str(option))
    if not pick.shares:
        return []
    return [Opinion(ply, option.by, best, text(at, best), pick.shares.get(taken), pick.shares[pick.option])]


def expectation(share: float, stakes: int) -> str:
    """An expected share of the win, such as "62 %", or, with stakes, points relative to the mean, such as "+1.3"."""
    return f"{stakes * (2 * share - 1):+.1f}" if stakes else f"{100 * share:.0f} %"


def loss(share: float, stakes: int) -> str:
    """A lost share of the win, such as "-12 %", or, with stakes, a loss in points, such as "-1.3"."""
    return f"-{stakes * 2 * share:.1f}" if stakes else f"-{100 * share:.0f} %"
