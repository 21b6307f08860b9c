"""Differences between two game states, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

State = dict[str, Any]
"""A state as `Game.state` gives it."""


def shown(value: Any) -> str:
    """A value for people: `-` for none and empty, names of a set separated by commas."""
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def changes(before: State, after: State) -> Iterator[str]:
    """The differences, a line each: `Ann points: 3 → 5`."""
    for kind, entities in after["entities"].items():
        for entity, fields in entities.items():
            for name, value in fields.items():
                was = before["entities"].get(kind, {}).get(entity, {}).get(name)
                if was != value:
                    path = name if kind == "game" else f"{entity} {name}"
                    yield f"{path}: {shown(was)} → {shown(value)}"
    old, new = _piles(before), _piles(after)
    for key in sorted(old.keys() | new.keys()):
        if old.get(key, 0) != new.get(key, 0):
            piece, owner, place = key
            pile = piece if owner == "-" else f"{piece} {owner}"
            yield f"{pile} {place}: {old.get(key, 0)} → {new.get(key, 0)}"


def _piles(state: State) -> dict[tuple[str, str, str], int]:
    return {
        (piece, owner, place): count
        for piece, piles in state["pieces"].items()
        for owner, places in piles.items()
        for place, count in places.items()
    }
