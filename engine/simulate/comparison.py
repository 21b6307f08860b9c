"""Totals of random games under two rulesets, side by side, each number with an interval."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from rulespec.engine.simulate.confidence import ConfidenceInterval, Sample, mean_difference, share, share_difference
from rulespec.engine.simulate.game_totals import Totals

What = Literal["decisions", "ending", "capped", "team", "seat", "score"]
"""The compared numbers: mean decisions per game, shares of endings, abandoned games and wins, and mean points."""


class ComparedNumber(Struct, frozen=True):
    """One number under both rulesets.

    Attributes:
        what: the type of number.
        name: the ending, team or seat; "" for all games.
        value: the number under the first ruleset, or None, for instance for a seat only in the other ruleset.
        other: the number under the other.
        difference: the first minus the other; None if unknown.
    """

    what: What
    name: str
    value: float | None
    other: float | None
    difference: ConfidenceInterval | None


def differences(one: Totals, other: Totals) -> Iterator[ComparedNumber]:
    """All numbers of the games under one ruleset, next to those under another."""
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
