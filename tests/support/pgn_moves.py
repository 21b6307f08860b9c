"""A program of its own: the moves of PGN files as python-chess reads them, a list of games as JSON for each file.

    python tests/support/pgn_moves.py FILE…

python-chess is under the GPL: nothing of ours imports it or this program, which is started by tests alone.
"""

from __future__ import annotations

import json
import sys

import chess.pgn


def games_in(path: str) -> list[list[str]]:
    """The moves of each game of a file, as `e2e4` and `a7a8q`."""
    results = []
    with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123 - as such programs do
        while (game := chess.pgn.read_game(file)) is not None:
            if game.errors:
                raise SystemExit(f"{path}: {game.errors}")
            results.append([move.uci() for move in game.mainline_moves()])
    return results


if __name__ == "__main__":
    sys.stdout.write(json.dumps([games_in(path) for path in sys.argv[1:]]))
