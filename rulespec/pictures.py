"""Registration of a drawing function for games, as games are in a lower room than drawing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Draw = Callable[[Any], str]
"""A game → an SVG document."""
_registered: list[Draw] = []


def register(draw: Draw) -> None:
    """Registers a function that draws all games, replacing the previous one."""
    _registered[:] = [draw]


def picture(game: Any) -> str | None:
    """A game as SVG; None if no drawing function is registered."""
    return _registered[0](game) if _registered else None
