"""Registration of the function that draws games, because the engine must not import the drawing package."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Draw = Callable[[Any], str]
"""A function from a game to an SVG document."""
_registered: list[Draw] = []


def register(draw: Draw) -> None:
    """Registers the function that draws all games, replacing any previous one."""
    _registered[:] = [draw]


def picture(game: Any) -> str | None:
    """A game as SVG; None if no drawing function is registered."""
    return _registered[0](game) if _registered else None
