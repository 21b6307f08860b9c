"""Files of games as text, in any of the known formats: PGN and SGF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.notation import pgn, sgf
from rulespec.engine.notation.text_moves import TextGame

ENDINGS = (".pgn", ".sgf", ".pgn.gz", ".sgf.gz")
"""Endings of the names of such files, which may hold several games."""
NAMES = {"pgn": "a PGN", "sgf": "an SGF"}
"""The formats in messages."""


def format_of(text: str, file: str = "") -> str:
    """The format of a text, `pgn` or `sgf`; "" if it is none of them."""
    if sgf.is_sgf(text):
        return "sgf"
    return "pgn" if pgn.is_pgn(text, file) else ""


def read_games(text: str, file: str) -> Iterator[TextGame]:
    """The games in a text, in order; none if it has no known format.

    Raises:
        DiagnosticsError: RS884 if it is damaged, RS885 if it is too long.
    """
    kind = format_of(text, file)
    if kind == "sgf":
        return sgf.read_sgf(text, file)
    return pgn.read_pgn(text, file) if kind else iter(())


def document_of(game: TextGame, kind: str) -> dict[str, Any]:
    """A game of a format as the object of a foreign log, with its moves as `moves`."""
    return sgf.as_document(game) if kind == "sgf" else pgn.as_document(game)
