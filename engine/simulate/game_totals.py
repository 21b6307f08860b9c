"""Totals of many random games (lengths, endings, wins, points and failures), for one ruleset or two side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from msgspec import Struct

from rulespec.engine.game.seating import seat_names
from rulespec.engine.simulate.confidence import ConfidenceInterval, Sample, mean_difference, share, share_difference
from rulespec.engine.simulate.game_plans import Mistake, Outcome
from rulespec.typed.seat_kinds import members


class Totals:
    """Totals of many games, in constant memory.

    Args:
        called: the names that the rules give to the first seats.
        of_seats: the team of each seat; empty if there are no teams.

    Attributes:
        failures: the number of failed games.
        failed: the first failed games, at most `EXAMPLES`.
        mistakes: the first distinct mistakes, by code and place, each with the first game that reveals it.
    """

    EXAMPLES = 5
    """The number of failed games, and of mistakes, kept as examples."""

    def __init__(self, called: Sequence[str] = (), of_seats: Sequence[str] = ()) -> None:
        self.called = called
        self.of_seats = of_seats
        self.team_games = Counter[str]()
        self.team_wins: dict[str, float] = {}
        self.lengths = Counter[int]()
        self.endings = Counter[str]()
        self.capped = 0
        self.failures = 0
        self.failed: list[Outcome] = []
        self.mistakes: dict[tuple[str, str], int] = {}
        self.games = Counter[str]()
        self.wins: dict[str, float] = {}
        self.points: dict[str, Sample] = {}
        self.role_games = Counter[str]()
        self.role_wins: dict[str, float] = {}
        self.role_shares: dict[str, float] = {}
        self._of_players: dict[int, dict[str, list[str]]] = {}

    def add(self, outcome: Outcome, times: int = 1) -> None:
        """Counts a game, or several with the same outcome."""
        self.lengths[outcome.decisions] += times
        if outcome.failure is not None:
            self._fail(outcome, outcome.failure)
        elif outcome.ended is None:
            self.capped += times
        else:
            self.endings[outcome.ended] += times
            teams = self._members(outcome.players)
            winning = sum(own[0] in outcome.winners for own in teams.values())
            for team, own in teams.items():
                won = times * (1 / winning) if own[0] in outcome.winners else 0.0
                self.team_games[team] += times
                self.team_wins[team] = self.team_wins.get(team, 0.0) + won
                for seat in own:
                    self.games[seat] += times
                    self.wins[seat] = self.wins.get(seat, 0.0) + won
            self._add_roles(outcome, times)
            for seat, points in outcome.scores.items():
                self.points.setdefault(seat, Sample()).add(points, times)

    def _add_roles(self, outcome: Outcome, times: int) -> None:
        """Counts wins by the entity that each seat held at the start, beside the number expected by chance."""
        if outcome.details is None:
            return
        members_ = self._members(outcome.players)
        for role, seat in outcome.details.roles.items():
            own = next((each for each in members_.values() if seat in each), [seat])
            self.role_games[role] += times
            self.role_wins[role] = self.role_wins.get(role, 0.0) + times * self._share(outcome, own)
            self.role_shares[role] = self.role_shares.get(role, 0.0) + times / len(members_)

    def _members(self, players: int) -> dict[str, list[str]]:
        """The seats of each team in a game; without teams, each seat by itself."""
        if players not in self._of_players:
            seats = seat_names(players, self.called)
            self._of_players[players] = members(self.of_seats or seats, seats)
        return self._of_players[players]

    def _share(self, outcome: Outcome, own: Sequence[str]) -> float:
        """A team's share of the win."""
        if own[0] not in outcome.winners:
            return 0.0
        return 1 / sum(other[0] in outcome.winners for other in self._members(outcome.players).values())

    def _fail(self, outcome: Outcome, mistake: Mistake) -> None:
        self.failures += 1
        if len(self.failed) < self.EXAMPLES:
            self.failed.append(outcome)
        if len(self.mistakes) < self.EXAMPLES:
            self.mistakes.setdefault((mistake.code, mistake.place), outcome.game)

    @property
    def decisions(self) -> Sample:
        """The lengths of all games."""
        result = Sample()
        for length, games in self.lengths.items():
            result.add(length, games)
        return result

    def to_json(self) -> dict[str, Any]:
        """The totals as plain data; see simulate.schema.json. Several winners, or several teams, share a win."""
        lengths = self.decisions
        return {
            "games": lengths.games,
            "decisions": {
                "total": lengths.total,
                "least": min(self.lengths, default=0),
                "median": _median(self.lengths),
                "mean": round(lengths.mean or 0, 2),
                "most": max(self.lengths, default=0),
            },
            "endings": dict(sorted(self.endings.items())),
            "capped": self.capped,
            "seats": {
                seat: {
                    "games": games,
                    "wins": round(self.wins[seat], 4),
                    "interval": _interval(self.wins[seat], games),
                    "mean_score": self._mean_score(seat),
                }
                for seat, games in sorted(self.games.items())
            },
            **({"teams": self._teams()} if self.of_seats else {}),
            **({"roles": self._roles()} if self.role_games else {}),
            "failures": self.failures,
        }

    def _teams(self) -> dict[str, Any]:
        return {
            team: {
                "games": games,
                "wins": round(self.team_wins[team], 4),
                "interval": _interval(self.team_wins[team], games),
            }
            for team, games in sorted(self.team_games.items())
        }

    def _roles(self) -> dict[str, Any]:
        return {
            role: {
                "games": games,
                "wins": round(self.role_wins[role], 4),
                "interval": _interval(self.role_wins[role], games),
                "equal": round(self.role_shares[role] / games, 4),
            }
            for role, games in self.role_games.items()
        }

    def _mean_score(self, seat: str) -> float | None:
        mean = self.points[seat].mean if seat in self.points else None
        return None if mean is None else round(mean, 2)


def _interval(wins: float, games: int) -> list[float]:
    """The bounds of the confidence interval for a share of wins."""
    result = share(wins, games)
    return [round(result.low, 4), round(result.high, 4)]


def _median(counts: Counter[int]) -> float:
    """The median of a multiset of numbers; 0 for an empty one."""
    middle, seen, below = counts.total() / 2, 0, 0
    for value, times in sorted(counts.items()):
        if seen == middle:  # an even count, with the middle between two values
            return (below + value) / 2
        seen, below = seen + times, value
        if seen > middle:
            return value
    return below


What = Literal["decisions", "ending", "capped", "team", "seat", "score"]
"""The type of a compared number: mean decisions per game, a share of endings, of abandoned games or of wins, or mean
points.
"""


class ComparedNumber(Struct, frozen=True):
    """One number under both rulesets.

    Attributes:
        what: the type of number.
        name: the ending, team or seat; "" for all games.
        value: the number under the first ruleset; None if it does not exist there, for example if only the other
            ruleset has the seat.
        other: the number under the other ruleset; None if it does not exist there.
        difference: the first number minus the other; None if it is unknown.
    """

    what: What
    name: str
    value: float | None
    other: float | None
    difference: ConfidenceInterval | None


def differences(one: Totals, other: Totals) -> Iterator[ComparedNumber]:
    """All numbers of the games under one ruleset, compared with the numbers under another."""
    yield _means("decisions", "", one.decisions, other.decisions)
    games = one.lengths.total(), other.lengths.total()
    for name in sorted({*one.endings, *other.endings}):
        yield _shares("ending", name, (one.endings[name], games[0]), (other.endings[name], games[1]))
    if one.capped or other.capped:
        yield _shares("capped", "", (one.capped, games[0]), (other.capped, games[1]))
    yield from _wins(one, other)
    for seat in sorted({*one.points, *other.points}):
        yield _means("score", seat, *(totals.points.get(seat, Sample()) for totals in (one, other)))


def _wins(one: Totals, other: Totals) -> Iterator[ComparedNumber]:
    """The wins of teams, or of seats without teams."""
    if one.of_seats or other.of_seats:
        for team in sorted({*one.team_games, *other.team_games}):
            wins = [(totals.team_wins.get(team, 0.0), totals.team_games[team]) for totals in (one, other)]
            yield _shares("team", team, *wins)
        return
    for seat in sorted({*one.games, *other.games}):
        wins = [(totals.wins.get(seat, 0.0), totals.games[seat]) for totals in (one, other)]
        yield _shares("seat", seat, *wins)


def _means(what: What, name: str, one: Sample, other: Sample) -> ComparedNumber:
    return ComparedNumber(what, name, one.mean, other.mean, mean_difference(one, other))


def _shares(what: What, name: str, one: tuple[float, int], other: tuple[float, int]) -> ComparedNumber:
    """The comparison of shares of games; for each ruleset, the count in the share and the number of games."""
    a, b = (share(times, games) if games else None for times, games in (one, other))
    between = share_difference(a, b) if a is not None and b is not None else None
    return ComparedNumber(what, name, a.value if a else None, b.value if b else None, between)
