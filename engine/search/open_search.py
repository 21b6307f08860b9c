"""The way in: what searches positions of a game's ruleset.

Example::

    search = open_search(game)
    after = search.expand(search.rows([game]))           # a row for each legal option
    ends = search.playouts(after.rows, seed=1)            # a random game from each of them
    best = search.options(game)[ends.winners[:, 0].argmax()]
"""

from __future__ import annotations

from typing import Literal

from rulespec.engine.game.game import Game
from rulespec.engine.native.compiler import NotNativeError
from rulespec.engine.native.engine import NoWasmtimeError
from rulespec.engine.search.native_search import NativeSearch
from rulespec.engine.search.search import Search


def open_search(
    game: Game, *, interrupts: bool = False, backend: Literal["auto", "native", "python"] = "auto"
) -> Search:
    """What searches positions of a game's ruleset, seats and settings.

    Args:
        game: a game; its position does not matter.
        interrupts: whether options out of turn count, too, after those of the decider.
        backend: `auto` is native where that is possible, else Python, with the same results.

    Raises:
        NoWasmtimeError, NotNativeError: if it must be native, and cannot be.
    """
    if backend != "python":
        try:
            return NativeSearch(game, interrupts=interrupts)
        except (NoWasmtimeError, NotNativeError):
            if backend == "native":
                raise
    return Search(game, interrupts=interrupts)
