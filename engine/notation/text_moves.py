"""Games of which people write the moves as text: their tags, moves and comments, whatever the format of the file."""

from __future__ import annotations

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Span

MAX_GAMES = 5_000
MAX_TAGS = 100
MAX_TAG = 1_000
"""Characters of a tag's value."""
MAX_MOVES = 20_000
"""Moves of a game."""
MAX_COMMENT = 2_000
"""Characters of a comment."""
MAX_VARIATIONS = 20_000
"""Characters of the variations of a move."""
MAX_OF_MOVE = 200
"""Comments, glyphs and variations of a move."""


class TextMove(Struct):
    """A move as text, with its comments; with an empty text for comments at the start of a game.

    Attributes:
        text: the move.
        glyphs: numeric annotation glyphs.
        comments: the comments after it.
        variations: the variations after it, in brackets, as text.
    """

    text: str
    glyphs: tuple[int, ...] = ()
    comments: tuple[str, ...] = ()
    variations: tuple[str, ...] = ()


class TextGame(Struct):
    """A game: its tags, and its moves, including comments before the first one.

    `result` is the text that ends its moves, or "". `begins` and `ends` are its place in the file's text.
    """

    tags: dict[str, str] = field(default_factory=dict)
    start: TextMove = field(default_factory=lambda: TextMove(""))
    moves: list[TextMove] = field(default_factory=list)
    result: str = ""
    begins: int = 0
    ends: int = 0


def span_at(text: str, file: str, offset: int) -> Span:
    """The place of a character of a text."""
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return Span(file, line, column, line, column + 1)
