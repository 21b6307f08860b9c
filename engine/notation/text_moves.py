"""Games whose moves are text, in a form common to all file formats: tags, moves and comments."""

from __future__ import annotations

from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Diagnostic, Span

MAX_GAMES = 5_000
MAX_TAGS = 100
MAX_TAG = 1_000
"""Maximum length of a tag's value, in characters."""
MAX_MOVES = 20_000
"""Maximum number of moves in a game."""
MAX_COMMENT = 2_000
"""Maximum length of a comment, in characters."""
MAX_VARIATIONS = 20_000
"""Maximum length of a move's variations, in characters."""
MAX_OF_MOVE = 200
"""Maximum number of comments, glyphs and variations of one move."""


class TextMove(Struct):
    """A move as text, with its comments; its text is empty if it only holds comments at the start of a game.

    Attributes:
        text: the text of the move.
        glyphs: numeric annotation glyphs.
        comments: the comments after the move.
        variations: the variations after the move, as bracketed texts.
    """

    text: str
    glyphs: tuple[int, ...] = ()
    comments: tuple[str, ...] = ()
    variations: tuple[str, ...] = ()


class TextGame(Struct):
    """A game: its tags and its moves; comments before the first move are in `start`.

    `result` is the text that terminates the moves, or "". `begins` and `ends` are offsets in the file's text, and
    `head` is text before them that belongs to several games. `warnings` are about moves that may be missing.
    """

    tags: dict[str, str] = field(default_factory=dict)
    start: TextMove = field(default_factory=lambda: TextMove(""))
    moves: list[TextMove] = field(default_factory=list)
    result: str = ""
    begins: int = 0
    ends: int = 0
    head: str = ""
    warnings: tuple[Diagnostic, ...] = ()

    def cut_from(self, text: str) -> str:
        """The text of this game alone, out of the text of its file."""
        return self.head + text[self.begins : self.ends]


def span_at(text: str, file: str, offset: int) -> Span:
    """The span of the character at an offset of a text."""
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return Span(file, line, column, line, column + 1)
