"""What people and programs outside look at: the points and the state of a game, with names."""

from __future__ import annotations

from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.game.scoring import points


def scores(game: Game) -> dict[str, int]:
    """The points of each seat as they stand; empty if the ruleset has no scoring."""
    return points(game.position, game.seats)


def state_json(game: Game, viewer: str | None = None) -> dict[str, Any]:
    """The state as entities (kind → id → field → value) and pieces (type → owner → place → count).

    Args:
        game: the game.
        viewer: a seat; what is private to other seats is null then. Nobody (None) sees everything.

    Returns:
        `{"entities": {…}, "pieces": {…}}`; empty piles are left out.
    """
    entities: dict[str, dict[str, dict[str, Any]]] = {}
    pieces: dict[str, dict[str, dict[str, int]]] = {}
    show = game.labels.show
    for cell, value in zip(game.position.program.cells, game.position.state, strict=False):
        if cell.group == "rules":
            continue
        owner = ".".join([show(kind, number) for kind, number in cell.by_seat]) or cell.owner
        if cell.group == "pieces":
            if value:
                place = cell.place
                if cell.index_kind:
                    place = f"{place}[{game.labels.names[cell.index_kind][cell.index]}]"
                pieces.setdefault(cell.name, {}).setdefault(owner, {})[place] = value
            continue
        hidden = viewer is not None and owner != viewer and _is_private(game, cell.private)
        shown = None if hidden else game.labels.plain(cell.type, value)
        entities.setdefault(cell.group, {}).setdefault(owner, {})[cell.name] = shown
    return {"entities": entities, "pieces": pieces}


def _is_private(game: Game, private: str) -> bool:
    """Whether a field is private: always, or with a setting of this name."""
    return private == "true" or game.settings.get(private) == "true"
