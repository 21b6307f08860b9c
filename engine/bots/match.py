"""Matches between bots: one at a seat against another at all others, the seats in turn."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from warnings import warn

from msgspec import Struct

from rulespec.engine.bots.games import BotGames
from rulespec.engine.simulate.intervals import Interval
from rulespec.engine.simulate.plan import Plan
from rulespec.engine.simulate.sequence import followed_share
from rulespec.typed import nodes as typed


class Standing(Struct):
    """A match so far.

    Attributes:
        one, other: the names of the bots.
        even: the share that `one` wins if both are equally strong.
        games: the number of games.
        won: the sum of its shares of the wins.
        failed: the number of games in which the rules were at fault; they count as lost.
    """

    one: str
    other: str
    even: float
    games: int = 0
    won: float = 0.0
    failed: int = 0

    @property
    def share(self) -> Interval | None:
        """The share that it wins, with bounds for every look; None before the first one."""
        return followed_share(self.won, self.games)

    @property
    def verdict(self) -> str:
        """One of `stronger`, `weaker` and `undecided`."""
        share = self.share
        if share is None or share.low <= self.even <= share.high:
            return "undecided"
        return "stronger" if share.low > self.even else "weaker"


def match(
    plan: Plan, ruleset: typed.Ruleset, one: str, other: str, games: int, warned: Callable[[str], None] = warn
) -> Iterator[Standing]:
    """Plays a match until it is decided, or for so many games.

    Each deal is played from every seat: games that follow one another draw as the same game of the seed.

    Args:
        plan: the plan of the games; its bots do not matter, and it has one number of players.
        ruleset: its ruleset.
        one: the name of the bot at one seat.
        other: the name of the bot at the other seats.
        games: the most games.
        warned: called with the message that bots cannot compare positions.

    Yields:
        The standing after each game; always the same object.
    """
    (seats,) = plan.players
    tables = []
    for seat in range(seats):
        bots = tuple(one if at == seat else other for at in range(seats))
        tables.append(BotGames(replace(plan, bots=bots), ruleset, warned))
    result = Standing(one, other, 1 / seats)
    for number in range(games):
        deal, seat = divmod(number, seats)
        played = tables[seat].play(deal)
        result.games += 1
        result.failed += played.failure is not None
        if plan.seats(deal)[seat] in played.winners:
            result.won += 1 / len(played.winners)
        yield result
        if result.verdict != "undecided":
            return
