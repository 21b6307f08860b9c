"""Kinds whose entities depend on the seats: the players, and products with them.

Typed rules know neither how many seats there are nor what they are called; both are put in here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from math import prod

from rulespec.typed import nodes as typed
from rulespec.types import SetOf


def size(kinds: Mapping[str, typed.Kind], name: str, seats: int) -> int:
    """Number of entities of a kind in a game with so many seats."""
    kind = kinds[name]
    if kind.is_player:
        return seats
    return prod(size(kinds, part, seats) for part in kind.product) if kind.by_seat else len(kind.entities)


def entity_names(kinds: Mapping[str, typed.Kind], name: str, seats: Sequence[str]) -> tuple[str, ...]:
    """Names of the entities of a kind, in its order, with the given names of seats."""
    kind = kinds[name]
    if kind.is_player:
        return tuple(seats)
    if not kind.by_seat:
        return tuple(e.name for e in kind.entities)
    return tuple("_".join(parts) for parts in product(*(entity_names(kinds, part, seats) for part in kind.product)))


def values(kinds: Mapping[str, typed.Kind], kind: str, fact: typed.FactDecl, seats: int) -> tuple[int, ...]:
    """The value of a fact for each entity of its kind in a game with so many seats."""
    of = kinds[kind]
    if isinstance(fact.type, SetOf) and kinds[fact.type.kind].is_player:
        return tuple(value & (1 << seats) - 1 for value in fact.values[: size(kinds, kind, seats)])
    if not of.by_seat:
        return tuple(fact.values)
    if of.is_player:
        return tuple(fact.values[:seats])
    part = of.product.index(fact.name)
    after = prod(size(kinds, name, seats) for name in of.product[part + 1 :])
    return tuple([i // after % size(kinds, fact.name, seats) for i in range(size(kinds, kind, seats))])


def entity_name(kind: typed.Kind, number: int) -> str:
    """The name of an entity before any game; seats without one are numbered from 1."""
    return kind.entities[number].name if number < len(kind.entities) else f"seat {number + 1}"
