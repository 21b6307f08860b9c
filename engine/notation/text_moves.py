"""Games whose moves are texts, in a form common to all file formats: tags, moves and comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

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
    """A move as text, with its comments; the text is empty if the object has only the comments at the start of a game.

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
    """A game with its tags and moves; comments before the first move are in `start`.

    `result` is the text that terminates the moves, or "". `begins`, `ends` and the `offsets` of the moves are positions
    in the file's text; `head` is preceding text that belongs to several games. `warnings` are about missing moves.
    """

    tags: dict[str, str] = field(default_factory=dict)
    start: TextMove = field(default_factory=lambda: TextMove(""))
    moves: list[TextMove] = field(default_factory=list)
    result: str = ""
    begins: int = 0
    ends: int = 0
    head: str = ""
    offsets: list[int] = field(default_factory=list)
    warnings: tuple[Diagnostic, ...] = ()

    def lines(self, text: str) -> Iterator[int]:
        """The line number of each move in the text of its file, from 1."""
        line, last = 1, 0
        for offset in self.offsets:
            line, last = line + text.count("\n", last, offset), offset
            yield line


class GameText(NamedTuple):
    """The text of a single game, and the number of lines before it in its file."""

    text: str
    skipped: int


def each_alone(games: Iterable[TextGame], text: str) -> Iterator[GameText]:
    """The text of each game in a file, given the parsed games and the text of the file."""
    lines = last = 0
    for game in games:
        lines, last = lines + text.count("\n", last, game.begins), game.begins
        yield GameText(game.head + text[game.begins : game.ends], lines - game.head.count("\n"))


def span_at(text: str, file: str, offset: int) -> Span:
    """The span of the character at an offset of a text."""
    line, column = text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)
    return Span(file, line, column, line, column + 1)
