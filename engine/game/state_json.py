"""Readable states, for people and external programs: as named data, cell by cell, or as differences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.measured import points
from rulespec.engine.game.named_state import named_state, owner_of, place_of
from rulespec.engine.game.secrets import hidden


def scores(game: Game) -> dict[str, int]:
    """The current points of each seat; empty if the ruleset has no scoring."""
    return points(game._position, game.seats)


def state_json(game: Game, viewer: str | None = None) -> dict[str, Any]:
    """The state as entities (kind → id → field → value) and pieces (type → owner → place → count).

    Args:
        game: the game.
        viewer: a seat, whose hidden values become null; None shows everything.

    Returns:
        The keys `entities` and `pieces`; empty and hidden piles are left out.
    """
    position = game._position
    unseen = hidden(position.program, position.value, game.seats.index(viewer)) if viewer is not None else {}
    return named_state(position.program, game.omniscient.labels, position.state, unseen, null=True)


HIDDEN: dict[str, Any] = {}
"""The value of a hidden cell; no other value is an object, so it is distinct from all."""


class ShownCells:
    """Names and values of the declared state's cells, in order.

    Args:
        game: any game with the same seats and ruleset.
    """

    def __init__(self, game: Game) -> None:
        self._labels = game.omniscient.labels
        self._cells = [game.omniscient.program.cells[at] for at in game.omniscient.program.declared]

    def names(self) -> list[list[str]]:
        """The group, owner, name and place of each cell, as in `state_json`; piles have the group `pieces`."""
        labels = self._labels
        return [
            [cell.group, owner_of(labels, cell), cell.name, place_of(labels, cell) if cell.group == "pieces" else ""]
            for cell in self._cells
        ]

    def value(self, number: int, content: int | None) -> Any:
        """The value of a cell as in `state_json`, with 0 for an empty pile and `HIDDEN` for a hidden cell."""
        cell = self._cells[number]
        if cell.group == "pieces":
            return content or 0
        return HIDDEN if content is None else self._labels.plain(cell.type, content)

    def is_empty(self, number: int, content: int | None) -> bool:
        """Whether a cell is an empty pile or a hidden value, so that a page may leave it out."""
        return not content if self._cells[number].group == "pieces" else content is None


State = dict[str, Any]
"""A state, as returned by `state_json`."""


def shown(value: Any) -> str:
    """A value as readable text, with `-` for none and for empty lists, and with commas between members."""
    if value is None or value == []:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def changes(before: State, after: State) -> Iterator[str]:
    """The differences between two states, one per line, such as `Ann points: 3 → 5`."""
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
