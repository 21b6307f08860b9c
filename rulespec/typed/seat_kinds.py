"""Seats and the kinds that depend on them: players, teams, products with them, and places indexed by them.

Typed rules contain neither the number nor the names of the seats; this module adds both.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import product
from math import prod

from rulespec.typed import nodes as typed
from rulespec.types import SetOf

ALL = "all"
"""The value that replaces a kind of teams if all players are one team."""


def named(seats: Mapping[str, str] | Sequence[str]) -> Mapping[str, str]:
    """The name of each seat by id; if only ids are given, each id is its own name."""
    return seats if isinstance(seats, Mapping) else {seat: seat for seat in seats}


def size(kinds: Mapping[str, typed.Kind], name: str, seats: int) -> int:
    """The number of entities of a kind in a game with `seats` seats."""
    kind = kinds[name]
    if kind.is_player:
        return seats
    if kind.sum_of:
        return sum(size(kinds, place.index, seats) if place.index else 1 for place in kind.sum_of)
    return prod(size(kinds, part, seats) for part in kind.product) if kind.by_seat else len(kind.entities)


def entity_names(kinds: Mapping[str, typed.Kind], name: str, seats: Sequence[str]) -> tuple[str, ...]:
    """The names of the entities of a kind, in order, with the given seat names."""
    kind = kinds[name]
    if kind.is_player:
        return tuple(seats)
    if kind.sum_of:
        return tuple(text for place in kind.sum_of for text in _of_place(kinds, place, seats))
    if not kind.by_seat:
        return tuple(e.name for e in kind.entities)
    return tuple("_".join(parts) for parts in product(*(entity_names(kinds, part, seats) for part in kind.product)))


def _of_place(kinds: Mapping[str, typed.Kind], place: typed.PlaceDecl, seats: Sequence[str]) -> list[str]:
    if not place.index:
        return [place.name]
    return [f"{place.name}[{name}]" for name in entity_names(kinds, place.index, seats)]


def first_of(kinds: Mapping[str, typed.Kind], places: typed.Kind, place: typed.PlaceDecl, seats: int) -> int:
    """The index of a token place among all places; if it is repeated for each index entity, the index of its first
    instance.
    """
    before = places.sum_of[: places.sum_of.index(place)]
    return sum(size(kinds, other.index, seats) if other.index else 1 for other in before)


def values(kinds: Mapping[str, typed.Kind], kind: str, fact: typed.FactDecl, seats: int) -> tuple[int, ...]:
    """The value of a fact for each entity of its kind in a game with `seats` seats."""
    of = kinds[kind]
    if isinstance(fact.type, SetOf) and kinds[fact.type.kind].is_player:
        return tuple(value & (1 << seats) - 1 for value in fact.values[: size(kinds, kind, seats)])
    if of.sum_of:
        return tuple(_indices(kinds, of, fact, seats))
    if not of.by_seat:
        return tuple(fact.values)
    if of.is_player:
        return tuple(fact.values[:seats])
    part = of.product.index(fact.name)
    after = prod(size(kinds, name, seats) for name in of.product[part + 1 :])
    return tuple([i // after % size(kinds, fact.name, seats) for i in range(size(kinds, kind, seats))])


def _indices(kinds: Mapping[str, typed.Kind], of: typed.Kind, fact: typed.FactDecl, seats: int) -> Iterator[int]:
    """For each place of tokens, its index entity if the fact is named after the place; otherwise none."""
    for place in of.sum_of:
        count = size(kinds, place.index, seats) if place.index else 1
        yield from range(count) if place.name == fact.name else [-1] * count


def entity_name(kind: typed.Kind, number: int) -> str:
    """The name of an entity before a game starts; seats without a name are numbered from 1."""
    return kind.entities[number].name if number < len(kind.entities) else f"seat {number + 1}"


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
    """The winners together with their teammates; unchanged if there are no teams."""
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
