"""The entry point: a search over positions of a game's ruleset.

Example::

    search = open_search(game)
    after = search.expand(search.rows([game]))           # a row for each legal option
    ends = search.playouts(after.rows, seed=1)            # a random game from each of them
    best = search.options(game)[ends.winners[:, 0].argmax()]
"""

from __future__ import annotations

from typing import Literal

from rulespec.engine.game.game import Game
from rulespec.engine.search.search import Search
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError


def open_search(
    game: Game, *, interrupts: bool = False, backend: Literal["auto", "wasm", "python"] = "auto", value: str = ""
) -> Search:
    """Opens a search over positions of a game's ruleset, seats and settings.

    Args:
        game: a game; its position does not matter.
        interrupts: whether to append options out of turn to those of the decider.
        backend: `auto` uses wasm if possible, otherwise Python; the results are the same.
        value: the name of a position value; "" means the first declared one, or points if none is declared.

    Raises:
        ValueError: if no value has this name.
        NoWasmtimeError, NoWasmError: if wasm is requested, but not available.
    """
    if backend != "python":
        try:
            return WasmSearch(game, interrupts=interrupts, value=value)
        except (NoWasmtimeError, NoWasmError):
            if backend == "wasm":
                raise
    return Search(game, interrupts=interrupts, value=value)
