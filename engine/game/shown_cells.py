"""The cells of a game's state one by one, for pages that receive changes."""

from __future__ import annotations

from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.named_state import owner_of, place_of

HIDDEN: dict[str, Any] = {}
"""The value of a cell that is not seen: no other value is an object."""


class ShownCells:
    """The cells of the declared state, numbered in their order.

    Args:
        game: any game with the same seats and ruleset.
    """

    def __init__(self, game: Game) -> None:
        self._labels = game.omniscient.labels
        self._cells = [game.omniscient.program.cells[at] for at in game.omniscient.program.declared]

    def names(self) -> list[list[str]]:
        """Group, owner, name and place of each cell, as in `state_json`; piles have the group `pieces`."""
        labels = self._labels
        return [
            [cell.group, owner_of(labels, cell), cell.name, place_of(labels, cell) if cell.group == "pieces" else ""]
            for cell in self._cells
        ]

    def value(self, number: int, content: int | None) -> Any:
        """The value of a cell as in `state_json`; `HIDDEN` if invisible, with an empty pile."""
        cell = self._cells[number]
        if cell.group == "pieces":
            return content or 0
        return HIDDEN if content is None else self._labels.plain(cell.type, content)

    def is_empty(self, number: int, content: int | None) -> bool:
        """Whether a page has this value by default."""
        return not content if self._cells[number].group == "pieces" else content is None
