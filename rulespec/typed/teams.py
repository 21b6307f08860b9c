"""Teams: seats that win and lose together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import named

ALL = "all"
"""The value that replaces a kind of teams if all players are one team."""


def teams(d: typed.Declarations) -> tuple[str, ...]:
    """The team of each seat at the maximum number of players; empty if there are no teams."""
    if d.teams == ALL:
        return (ALL,) * d.max_players
    fact = d.kinds[d.player_kind].facts.get(d.teams)
    return tuple(d.kinds[d.teams].entities[value].name for value in fact.values) if fact is not None else ()


def members(of_seats: Sequence[str], seats: Sequence[str]) -> dict[str, list[str]]:
    """The seats of each team in a game, given the team of each seat."""
    results: dict[str, list[str]] = {}
    for team, seat in zip(of_seats, seats, strict=False):
        results.setdefault(team, []).append(seat)
    return results


def whole(of_seats: Sequence[str], seats: Sequence[str], winners: Collection[str]) -> list[str]:
    """The winners with their teammates; unchanged if there are no teams."""
    won = {team for team, seat in zip(of_seats, seats, strict=False) if seat in winners}
    return [s for i, s in enumerate(seats) if s in winners or (of_seats and of_seats[i] in won)]


def won_by(of_seats: Sequence[str], seats: Mapping[str, str] | Sequence[str], winners: Collection[str]) -> str:
    """The winners in words, with display names: `reds (Ann, Cid)`, `all`, `nobody`."""
    names = named(seats)
    if not of_seats:
        return ", ".join(names[seat] for seat in winners) or "nobody"
    won = {team: own for team, own in members(of_seats, tuple(names)).items() if own[0] in winners}
    shown = {team: ", ".join(names[seat] for seat in own) for team, own in won.items()}
    return ", ".join(team if team == ALL else f"{team} ({own})" for team, own in shown.items()) or "nobody"
