"""Matches between bots: one bot plays one seat and another bot plays the others, rotating over the seats."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import closing
from dataclasses import replace

from msgspec import Struct

from rulespec.engine.bots.sides import PlanSide, play_sides
from rulespec.engine.simulate.confidence import ConfidenceInterval
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.sequence import followed_share, games_to_tell, said_needed


class MatchStanding(Struct):
    """The standing of a match.

    Attributes:
        one, other: the names of the bots.
        even: the share of the wins that `one` would have if both bots were equally strong.
        games: the number of games.
        won: the wins of `one`, where a shared win counts as a fraction.
        failed: the number of games in which the rules faulted; these count as lost.
    """

    one: str
    other: str
    even: float
    games: int = 0
    won: float = 0.0
    failed: int = 0

    @property
    def share(self) -> ConfidenceInterval | None:
        """The share of the wins, with bounds that stay valid under repeated looks; None before the first game."""
        return followed_share(self.won, self.games)

    @property
    def gain(self) -> ConfidenceInterval | None:
        """The gain over the even share, from 0 (even) to 1 (all games won), with bounds as in `share`; None before the
        first game.

        Unlike shares, gains are comparable across different numbers of seats.
        """
        share = self.share
        if share is None:
            return None
        gains = ((each - self.even) / (1 - self.even) for each in (share.value, share.low, share.high))
        return ConfidenceInterval(*gains)

    @property
    def verdict(self) -> str:
        """The verdict: `stronger`, `weaker` or `undecided`."""
        share = self.share
        if share is None or share.low <= self.even <= share.high:
            return "undecided"
        return "stronger" if share.low > self.even else "weaker"

    @property
    def needed(self) -> int | None:
        """The number of games needed for a verdict at the current share; None if there already is a verdict, or if it
        would need too many games.
        """
        if not self.games or self.verdict != "undecided":
            return None
        return games_to_tell(self.won, self.games, self.even)

    @property
    def says(self) -> str:
        """The verdict in words; if it is `undecided`, with the number of games needed."""
        left = f": {said_needed(self.needed, 'games')}" if self.verdict == "undecided" else ""
        return f"{self.verdict}{left}"


def match(
    side: PlanSide, games: int, jobs: int = 1, cluster: str = "", *, whole: bool = False
) -> Generator[MatchStanding]:
    """Plays a match until there is a verdict, for at most `games` games.

    It ends only when each seat has been played equally often, so that the advantage of a seat does not count as
    strength.

    Args:
        side: the games, whose plan comes from `between`.
        games: the maximum number of games.
        jobs: the number of processes.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`, to play on all workers of this cluster instead.
        whole: whether to play all games, for narrower bounds.

    Yields:
        The standing after each game; always the same object.

    Raises:
        SaveError, DiagnosticsError: see `play_sides`.
        ClusterError: see `play_sides`.
    """
    plan = side.plan
    seats = plan.seats(0)
    result = MatchStanding(plan.bots[0], plan.bots[1], 1 / len(seats))
    with closing(play_sides([side], games, jobs, cluster)) as played:
        for (outcome,) in played:
            result.games += 1
            result.failed += outcome.failure is not None
            if seats[outcome.game % len(seats)] in outcome.winners:
                result.won += 1 / len(outcome.winners)
            yield result
            if not whole and result.games % len(seats) == 0 and result.verdict != "undecided":
                return


def between(plan: GamePlan, one: str, other: str) -> GamePlan:
    """The plan of a match: the first bot plays one seat, the second all others, and each deal is played once per seat.

    Args:
        plan: the plan of the games, with a single player count; its bots are ignored.
        one: the name of the bot at one seat.
        other: the name of the bot at the other seats.
    """
    (seats,) = plan.players
    return replace(plan, bots=(one, *[other] * (seats - 1)), rotated=True, repeated=seats, backend="wasm")
