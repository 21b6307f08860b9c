"""Two-column match files (`.mat`), with a heading for each game, and numbered lines with one move by each player.

The parser takes linear time. Words about stakes (`Doubles => 2`) become comments; legality is not checked here.

Source: files of Jellyfish 3.5 and GNU Backgammon 1.07.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NoReturn

from rulespec.diagnostics.report import failure
from rulespec.engine.notation.text_moves import (
    MAX_COMMENT,
    MAX_GAMES,
    MAX_MOVES,
    MAX_OF_MOVE,
    MAX_TAG,
    MAX_TAGS,
    TextGame,
    TextMove,
    span_at,
)
from rulespec.engine.notation.throws import Step, as_throw

PLAYERS = ("First", "Second")
"""The tags with the names of the players, from left to right."""
_RESULTS = ("1-0", "0-1")
"""The values of the tag `Result` if the player of the left or right column wins."""
_NOTE = re.compile(r"\s{0,40};\s{0,40}\[([A-Za-z][A-Za-z0-9 ]{0,79}) \"(.{0,1000})\"\]")
_LENGTH = re.compile(r"\s{0,40}([0-9]{1,4}) points? match\b.{0,80}", re.IGNORECASE)
_GAME = re.compile(r"\s{0,40}game ([0-9]{1,4})", re.IGNORECASE)
_SCORE = re.compile(r"\s{0,40}(\S.{0,80}?) {0,8}: {0,8}([0-9]{1,4})\s{1,80}(\S.{0,80}?) {0,8}: {0,8}([0-9]{1,4})")
_NUMBER = re.compile(r"\s{0,40}[0-9]{1,4}\)")
_WORD = re.compile(r"\S+")
_THROW = re.compile(r"([1-6])-?([1-6]):")
_STEP = re.compile(r"(bar|[0-9]{1,2})((?:\*?/(?:bar|off|[0-9]{1,2})){1,4}\*?)(?:\(([1-4])\))?", re.IGNORECASE)
_POINTS = {"bar": 25, "off": 0}
_NO_STEP = re.compile(r"cannot move|can't move|no moves?|no play|dances|fans", re.IGNORECASE)
"""The words in place of the steps if there are none."""
_SAID = re.compile(
    r"(?:(?:re)?doubles|beavers|raccoons|takes|accepts|(drops|passes|rejects|resigns))\b"
    r"(?:.{0,40}?=> {0,4}([0-9]{1,5}))?",
    re.IGNORECASE,
)
"""Remarks of players about the stake: whether they give up the game, and the new stake."""
_WINS = re.compile(r"wins ([0-9]{1,6}) points?", re.IGNORECASE)
_NEAR = 16
"""Maximum distance between the number of a line and a move in the left column, in characters."""
_LOOKS = re.compile(
    r"(?:\s|;[^\r\n]*)*+(?:[0-9]{1,4} points? match\b|game [0-9]{1,4}\s{1,40}[^\r\n]{1,200}: {0,8}[0-9]{1,4}\s)",
    re.IGNORECASE,
)
_LOOKED_AT = 4_000


class MatMove(TextMove):
    """A move, with its column: left or right."""

    left: bool = True


def is_mat(text: str) -> bool:
    """Whether a text looks like a two-column match, because it begins with the length of a match or the heading of a
    game.
    """
    return _LOOKS.match(text[:_LOOKED_AT].lstrip("\ufeff")) is not None


def read_mat(text: str, file: str) -> Iterator[TextGame]:
    """Lazily parses the games in a text, in order.

    Raises:
        DiagnosticsError: RS884 if the text is malformed, RS885 if it is too long.
    """
    return _Reader(text, file).games()


def as_document(game: TextGame) -> dict[str, Any]:
    """A game as the object of a foreign log, with its tags and the list `moves`.

    Each move becomes an entry as in `as_throw`; if the parser does not understand a move, its text becomes the `kind`.
    """
    return {**game.tags, "moves": [_as_entry(move) for move in game.moves]}


def _as_entry(move: TextMove) -> dict[str, Any]:
    assert isinstance(move, MatMove)
    dice, _, rest = move.text.partition(" ")
    throw, steps = _THROW.fullmatch(dice), list[Step]()
    for word in rest.split() if not _NO_STEP.fullmatch(rest) else ():
        step = _STEP.fullmatch(word)
        if step is None:
            throw = None
            break
        for number in range(int(step[3] or 1)):  # of several men, only the first hits
            steps += [(a, b, hits and not number) for a, b, hits in _steps(step[1] + step[2])]
    if throw is None:
        return {"kind": move.text}
    return as_throw(move.text, (int(throw[1]), int(throw[2])), steps, left=move.left)


def _steps(text: str) -> Iterator[Step]:
    """The steps in a text such as `24/18*/13`."""
    for begin, end in pairwise(text.lower().split("/")):
        yield _point(begin), _point(end), end.endswith("*")


def _point(text: str) -> int:
    name = text.removesuffix("*")
    return _POINTS[name] if name in _POINTS else int(name)


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._line, self._at = "", 0
        self._match: dict[str, str] = {}  # the tags of the match, and its text before the first game
        self._head, self._in_head = "", True
        self._game: TextGame | None = None
        self._games, self._stake, self._gives_up = 0, 1, ""

    def games(self) -> Iterator[TextGame]:
        """The games, each as soon as it is parsed."""
        end = 0
        for line in self._text.splitlines(keepends=True):
            self._line, self._at, end = line.removeprefix("\ufeff").rstrip(), end, end + len(line)
            heading = self._heading()
            if heading and (game := self._ended()) is not None:
                yield game
            if heading:
                self._begin(heading)
            elif self._line:
                self._in_game()
        self._at = end
        if (game := self._ended()) is not None:
            yield game

    def _heading(self) -> re.Match[str] | None:
        """The heading in the line, of a game or of a match; a note before the moves of a game is a heading, too."""
        note = _NOTE.fullmatch(self._line) if self._game is None or self._game.moves else None
        return note or _LENGTH.fullmatch(self._line) or _GAME.fullmatch(self._line)

    def _begin(self, heading: re.Match[str]) -> None:
        """Begins a game, or the text before the games of a match."""
        if heading.re is _GAME:
            self._game = TextGame({**self._match, "Number": heading[1]}, begins=self._at, head=self._head)
            self._in_head, self._stake, self._gives_up = False, 1, ""
            return
        if not self._in_head:
            self._match, self._head, self._in_head = {}, "", True
        self._head += f"{self._line}\n"
        if heading.re is _LENGTH:
            self._match["Length"] = heading[1]
        elif not heading[1].lower().startswith("player "):  # the names of the players stand above their columns
            self._match[heading[1]] = heading[2]
        if len(self._match) > MAX_TAGS:
            self._too_long(f"the match has more than {MAX_TAGS} notes")

    def _ended(self) -> TextGame | None:
        """The open game, which ends before this line, or None."""
        game, self._game = self._game, None
        if game is not None:
            game.ends = self._at
            self._games += 1
            if self._games > MAX_GAMES:
                self._too_long(f"the file has more than {MAX_GAMES:,} games")
        return game

    def _in_game(self) -> None:
        """Parses a line of a game: the names and scores of the players, moves, the result, or a comment."""
        game, number = self._game, _NUMBER.match(self._line)
        if game is None:
            self._wrong("a game begins with a line such as `Game 1`")
        elif number is not None:
            self._moves(game, number.end())
        elif not game.moves and (score := _SCORE.fullmatch(self._line)) is not None:
            game.tags |= {PLAYERS[0]: score[1], PLAYERS[1]: score[3], "Score": f"{score[2]}-{score[4]}"}
        elif (wins := _WINS.search(self._line)) is not None:
            self._wins(game, wins, left=wins.start() <= _NEAR)
        else:
            self._comment(game, self._line)

    def _moves(self, game: TextGame, begins: int) -> None:
        """Parses the moves of a numbered line: one or two, of which the right one may be missing, or the left one."""
        cells, end = list[tuple[int, list[str]]](), 0
        for word in _WORD.finditer(self._line, begins):
            before, is_throw = cells[-1][1] if cells else [], _THROW.fullmatch(word[0]) is not None
            far = word.start() > end + 1 and word[0][0] not in "=0123456789" and _STEP.fullmatch(word[0]) is None
            if not before or is_throw or far:
                cells.append((word.start(), [word[0]]))
            else:
                before.append(word[0])
            end = word.end()
        if len(cells) > 2:
            self._wrong("this line has more than two moves")
        for number, (start, words) in enumerate(cells):
            left, text = number == 0 and start <= begins + _NEAR, " ".join(words)
            if (wins := _WINS.match(text)) is not None:
                self._wins(game, wins, left=left)
            elif (said := _SAID.match(text)) is not None:
                self._comment(game, text)
                self._gives_up = (said[1] or "").lower()
                self._stake = int(said[2]) if said[2] is not None else self._stake
            elif len(game.moves) >= MAX_MOVES:
                self._too_long(f"the game has more than {MAX_MOVES:,} moves")
            elif len(text) > MAX_TAG:
                self._too_long(f"a move has more than {MAX_TAG:,} characters")
            else:
                game.moves.append(MatMove(text, left=left))
                game.offsets.append(self._at + start)

    def _wins(self, game: TextGame, wins: re.Match[str], *, left: bool) -> None:
        """Adds the result, and how many times the stake was won if the game was played to its end.

        Without a match, a single stake may be the prize of more than one.
        """
        game.tags["Result"] = game.result = _RESULTS[0 if left else 1]
        game.tags["Points"] = wins[1]
        times, rest = divmod(int(wins[1]), self._stake)
        if self._gives_up:
            game.tags["Reason"] = self._gives_up
        elif not rest and (times > 1 or game.tags.get("Length", "0") != "0"):
            game.tags["Times"] = str(times)

    def _comment(self, game: TextGame, text: str) -> None:
        """Adds a comment to the last move."""
        last = game.moves[-1] if game.moves else game.start
        text = " ".join(text.split())
        if len(text) > MAX_COMMENT:
            self._too_long(f"a comment has more than {MAX_COMMENT:,} characters")
        if len(last.comments) >= MAX_OF_MOVE:
            self._too_long(f"a move has more than {MAX_OF_MOVE} comments")
        last.comments += (text,)

    def _wrong(self, message: str) -> NoReturn:
        place = span_at(self._text, self._file, self._at)
        raise failure(
            "RS884", f"this text is not a match in two columns: {message}", place, "check that the file is complete"
        )

    def _too_long(self, message: str) -> NoReturn:
        raise failure("RS885", message, span_at(self._text, self._file, self._at), "shorten it, or split the file")
