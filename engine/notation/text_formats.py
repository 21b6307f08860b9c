"""Files of games in any of the known text formats: PGN, SGF and two-column matches (`.mat`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.notation import mat, pgn, sgf
from rulespec.engine.notation.text_moves import TextGame

NAMES = {"pgn": "a PGN file", "sgf": "an SGF file", "mat": "a game of a match in two columns"}
"""The phrases for the formats in messages."""


def format_of(text: str, file: str = "") -> str:
    """The format of a text: `pgn`, `sgf` or `mat`; "" for any other format."""
    if sgf.is_sgf(text):
        return "sgf"
    if mat.is_mat(text):
        return "mat"
    return "pgn" if pgn.is_pgn(text, file) else ""


def read_games(text: str, file: str) -> Iterator[TextGame]:
    """Lazily parses the games in a text, in order; empty for an unknown format.

    Raises:
        DiagnosticsError: RS884 if the text is malformed, RS885 if it is too long.
    """
    kind = format_of(text, file)
    return _READERS[kind](text, file) if kind else iter(())


def document_of(game: TextGame, kind: str) -> dict[str, Any]:
    """A game read from a text format, as the object of a foreign log with the list `moves`."""
    return _DOCUMENTS[kind](game)


_READERS = {"pgn": pgn.read_pgn, "sgf": sgf.read_sgf, "mat": mat.read_mat}
_DOCUMENTS = {"pgn": pgn.as_document, "sgf": sgf.as_document, "mat": mat.as_document}
