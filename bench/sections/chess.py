"""The yardstick in absolute terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bench.figures import Bench, Figure

NAMES = {
    "playouts_bare": "a move of a random game, `is_game_over()` not asked",
    "legal_moves": "list(board.legal_moves)",
    "push_pop": "push, pop",
    "copy": "copy(stack=False)",
    "copy_stack": "copy()",
    "zobrist": "polyglot.zobrist_hash",
}


def run(bench: Bench) -> Iterator[Figure]:
    """The speeds of python-chess on this machine, for converting ratios to times."""
    ours = bench.yardstick.slice("playouts", bench.seconds)
    figure = bench.beside_chess("a move of a random game", ours, "moves")
    yield replace(figure, ratio=None, beside="")
    for task, name in NAMES.items():
        yield bench.beside_chess(f"{name}", bench.yardstick.slice(task, bench.seconds), "µs")
