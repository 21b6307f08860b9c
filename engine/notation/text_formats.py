"""Files of games in any of the known text formats, PGN and SGF."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.notation import pgn, sgf
from rulespec.engine.notation.text_moves import TextGame

ENDINGS = (".pgn", ".pdn", ".sgf", ".pgn.gz", ".pdn.gz", ".sgf.gz")
"""The file name extensions of these formats; such a file may contain several games."""
NAMES = {"pgn": "a PGN file", "sgf": "an SGF file"}
"""The phrases for the formats in messages."""


def format_of(text: str, file: str = "") -> str:
    """The format of a text, `pgn` or `sgf`; "" for any other."""
    if sgf.is_sgf(text):
        return "sgf"
    return "pgn" if pgn.is_pgn(text, file) else ""


def read_games(text: str, file: str) -> Iterator[TextGame]:
    """Lazily parses the games in a text, in order; empty for an unknown format.

    Raises:
        DiagnosticsError: RS884 if the text is malformed, RS885 if it is too long.
    """
    kind = format_of(text, file)
    if kind == "sgf":
        return sgf.read_sgf(text, file)
    return pgn.read_pgn(text, file) if kind else iter(())


def document_of(game: TextGame, kind: str) -> dict[str, Any]:
    """A game read from a text format, as the object of a foreign log with the list `moves`."""
    return sgf.as_document(game) if kind == "sgf" else pgn.as_document(game)
