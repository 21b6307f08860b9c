"""Readable values for people and programs outside: the points and the state of a game, with names."""

from __future__ import annotations

from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.named_state import named_state
from rulespec.engine.game.scoring import points
from rulespec.engine.game.secrets import hidden


def scores(game: Game) -> dict[str, int]:
    """The present points of each seat; empty if the ruleset has no scoring."""
    return points(game._position, game.seats)


def state_json(game: Game, viewer: str | None = None) -> dict[str, Any]:
    """The state as entities (kind → id → field → value) and pieces (type → owner → place → count).

    Args:
        game: the game.
        viewer: a seat; values hidden from it are null then. None: everything is shown.

    Returns:
        The keys `entities` and `pieces`; empty piles are left out, and so are those hidden from the viewer.
    """
    position = game._position
    unseen = hidden(position.program, position.value, game.seats.index(viewer)) if viewer is not None else {}
    return named_state(position.program, game.omniscient.labels, position.state, unseen, null=True)
