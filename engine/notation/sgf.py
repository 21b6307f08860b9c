"""Smart Game Format (SGF): files of games, each with properties and a main line.

The parser takes linear time and counts brackets instead of recursing. It follows the first branch at each fork as the
main line, keeps other branches as text, and does not check legality.

Source: SGF specification FF[4], 1999 (FF[1] to FF[3] are also supported).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.engine.notation.text_moves import (
    MAX_COMMENT,
    MAX_GAMES,
    MAX_MOVES,
    MAX_OF_MOVE,
    MAX_TAG,
    MAX_TAGS,
    MAX_VARIATIONS,
    TextGame,
    TextMove,
    span_at,
)
from rulespec.engine.notation.throws import as_throw

COLOURS = ("B", "W")
"""The properties that are moves."""
_SETUP = ("AB", "AW", "AE")
"""Set-up properties, which change the position without a move."""
_COMMENTS = ("C", "GC", "N")
_LOOKS = re.compile(r"\(\s*;\s*(?:[A-Za-z][A-Za-z0-9]{0,39}\s*\[|[;()])")
_SPACE = re.compile(r"\s+")
_NAME = re.compile(r"([A-Za-z][A-Za-z0-9]{0,39})\s*(?=\[)")
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*+)\]", re.DOTALL)
_ESCAPED = re.compile(r"\\(\r\n|\n\r|.)", re.DOTALL)
_BRACKETS = re.compile(r"[()]|\[(?:[^\]\\]|\\.)*+\]?", re.DOTALL)
"""Brackets of trees, and values; an unclosed value extends to the end."""
_REAL = re.compile(r"[+-]?[0-9]{1,15}\.[0-9]{1,15}")
_SIZE = re.compile(r"(?:[0-9]{1,2}:)?([0-9]{1,2})", re.ASCII)
"""The number of rows of a board, preceded by the number of columns if that differs."""
_MAX_DEPTH = 10_000
"""Maximum number of forks in the main line."""
_THROW = re.compile(r"([1-6])([1-6])((?:[a-y][a-z]){0,4})")
_RESULT = re.compile(r"([BWbw])\+(.{0,40})")
_DRAWN = ("0", "draw", "jigo")
"""The texts of a draw, in lower case."""
_RACE = "6"
"""The number (`GM`) of games whose moves are a throw of dice and the steps made with it."""
_SAID = ("double", "take", "drop")
"""Remarks of the players of such games about the stake."""
_RESIGNS = "resign"
"""The texts that some servers write in place of a move."""
_OLD_PASS, _LARGEST = "tt", 19
"""The notation of a pass in FF[3], and the maximum board size for which it is valid."""


class SgfMove(TextMove):
    """A move. `text` is the value of its property, and `by` is its player, `B` or `W`; "" for set-up stones."""

    by: str = ""


def is_sgf(text: str) -> bool:
    """Whether a text looks like SGF."""
    return _LOOKS.match(text[:2_000].lstrip("\ufeff \t\r\n")) is not None


def read_sgf(text: str, file: str) -> Iterator[TextGame]:
    """Lazily parses the games in a text, in order.

    Raises:
        DiagnosticsError: RS884 if the text is not SGF, RS885 if it is too long.
    """
    reader = _Reader(text, file)
    for _ in range(MAX_GAMES):
        game = reader.game()
        if game is None:
            return
        yield game
    reader.too_long(f"the file has more than {MAX_GAMES:,} games")


def as_document(game: TextGame) -> dict[str, Any]:
    """A game as the object of a foreign log, with the properties of its root and the list `moves`.

    Trailing zeros of decimals are dropped, because programs write the same komi in several ways. A move has `kind`
    (`move`, `pass`, `resign` or `setup`), `black` (whether Black made it) and `text`. If the text is a point, it also
    has `column` and `row`, which players count from 1 at the bottom left. In a race with dice (`GM` 6), a move is an
    entry as in `as_throw`, where White is the player of the left column. `winner` (`B`, `W` or `draw`) and `margin` are
    the parts of the result (`RE`); without `RE`, a resignation among the moves gives the result.
    """
    rows = _SIZE.fullmatch(game.tags.get("SZ", ""))
    size = int(rows[1]) if rows is not None else _LARGEST
    tags = {key: text.rstrip("0").rstrip(".") if _REAL.fullmatch(text) else text for key, text in game.tags.items()}
    is_race = tags.get("GM") == _RACE
    moves = [_as_throw(move) if is_race else _as_entry(move, size) for move in game.moves]
    result = game.tags.get("RE") or _resigned(game.moves)
    return {**tags, **_result(result), "moves": moves}


def _as_entry(move: TextMove, size: int) -> dict[str, Any]:
    assert isinstance(move, SgfMove)
    if not move.by:
        return {"kind": "setup", "text": move.text}
    if move.text.lower() == _RESIGNS:
        return {"kind": _RESIGNS}
    if not move.text or (move.text == _OLD_PASS and size <= _LARGEST):
        return {"kind": "pass", "black": move.by == "B"}
    entry: dict[str, Any] = {"kind": "move", "black": move.by == "B", "text": move.text}
    if len(move.text) == 2 and move.text.isascii() and move.text.isalpha():
        entry["column"], entry["row"] = _number(move.text[0]), size + 1 - _number(move.text[1])
    return entry


def _resigned(moves: Sequence[TextMove]) -> str:
    """The text of the result if the last move is a resignation; otherwise ""."""
    last = moves[-1] if moves else None
    if not isinstance(last, SgfMove) or last.text.lower() != _RESIGNS:
        return ""
    return f"{COLOURS[last.by == COLOURS[0]]}+R"


def _result(text: str) -> dict[str, str]:
    """The fields for the text of a result, such as `B+3.5`; none if it is unknown."""
    if text.lower() in _DRAWN:
        return {"winner": "draw"}
    result = _RESULT.fullmatch(text)
    return {} if result is None else {"winner": result[1].upper(), **({"margin": result[2]} if result[2] else {})}


def _as_throw(move: TextMove) -> dict[str, Any]:
    assert isinstance(move, SgfMove)
    throw, left = _THROW.fullmatch(move.text), move.by == "W"
    if throw is None:
        return {"kind": move.text}
    points = [_point(_number(letter), left) for letter in throw[3]]
    steps = [(a, b, False) for a, b in zip(points[::2], points[1::2], strict=True)]
    return as_throw(move.text, (int(throw[1]), int(throw[2])), steps, left=left)


def _point(number: int, left: bool) -> int:
    """The number of a point for the moving player: y and z are the bar and off the board for both."""
    if number > 24:
        return 25 if number == 25 else 0
    return number if left else 25 - number


def _number(letter: str) -> int:
    """The number of a letter: a to z are 1 to 26, A to Z are 27 to 52."""
    return ord(letter) - ord("a") + 1 if letter.islower() else ord(letter) - ord("A") + 27


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file = text, file
        self._at = 1 if text[:1] == "\ufeff" else 0

    def game(self) -> TextGame | None:
        """Parses the next game; returns None at the end of the text."""
        self._blanks()
        if self._at == len(self._text):
            return None
        game, forks, nodes = TextGame(begins=self._at), list[int](), 0
        over = False  # the main line ends with the first closing bracket
        branch = 0
        while True:
            self._blanks()
            sign = self._text[self._at : self._at + 1]
            if sign == "(" and over:
                self._variation(game, branch)
                continue
            if sign == "(" and (nodes or not forks):
                forks.append(len(game.moves))
                if len(forks) > _MAX_DEPTH:
                    self.too_long(f"variations are nested more than {_MAX_DEPTH:,} deep")
            elif sign == ")" and nodes:
                branch, over = forks.pop(), True
                if not forks:
                    self._at += 1
                    game.ends = self._at
                    return game
            elif sign == ";" and forks and not over:
                nodes += 1
            elif not sign and nodes:  # a truncated game counts as unfinished
                game.ends = self._at
                return game
            else:
                self._wrong(f"{shown(sign)} is not expected here" if sign else "it has no moves")
            self._at += 1
            if sign == ";":
                self._node(game, root=nodes == 1)

    def _node(self, game: TextGame, *, root: bool) -> None:
        """Parses the properties of a node."""
        setup, begins = "", self._at
        while True:
            self._blanks()
            name = _NAME.match(self._text, self._at)
            if name is None:
                break
            self._at = name.end()
            key, values = "".join(c for c in name[1] if not c.islower()), list[str]()
            while value := _VALUE.match(self._text, self._at):
                values.append(_ESCAPED.sub(_plain, value[1]))
                self._at = value.end()
                self._blanks()
            if self._text[self._at : self._at + 1] == "[":  # truncated within a value: the preceding part is valid
                self._at = len(self._text)
            if not values:
                break
            if key in COLOURS:
                text = values[0].strip()
                is_said = text in _SAID and game.tags.get("GM") == _RACE
                self._move(game, SgfMove(text, comments=(text,) if is_said else (), by=key), name.start())
            elif key in _COMMENTS:
                self._comment(game.moves[-1] if game.moves else game.start, " ".join(values))
            elif root:
                self._tag(game, key, " ".join(" ".join(values).split()))
            elif key in _SETUP:
                setup = f"{setup} {key}{''.join(f'[{each}]' for each in values)}".strip()
        if setup:
            self._move(game, SgfMove(setup[:MAX_TAG]), begins)

    def _move(self, game: TextGame, move: SgfMove, offset: int) -> None:
        if len(game.moves) >= MAX_MOVES:
            self.too_long(f"the game has more than {MAX_MOVES:,} moves")
        if len(move.text) > MAX_TAG:
            self.too_long(f"the text of a move has more than {MAX_TAG:,} characters")
        game.moves.append(move)
        game.offsets.append(offset)

    def _comment(self, move: TextMove, text: str) -> None:
        """Adds a comment, truncated if it is too long, as comments by programs may be."""
        if text.strip() and len(move.comments) < MAX_OF_MOVE:
            move.comments += (_SPACE.sub(" ", text).strip()[:MAX_COMMENT],)

    def _tag(self, game: TextGame, key: str, text: str) -> None:
        if len(text) > MAX_TAG:
            self.too_long(f"the text of a property has more than {MAX_TAG:,} characters")
        if len(game.tags) >= MAX_TAGS:
            self.too_long(f"the game has more than {MAX_TAGS} properties")
        if key:
            game.tags.setdefault(key, text)

    def _variation(self, game: TextGame, branch: int) -> None:
        """Adds a branch as the text of a variation, attached to the move after the fork; drops those beyond a limit."""
        begins, depth = self._at, 0
        for bracket in _BRACKETS.finditer(self._text, begins):
            depth += {"(": 1, ")": -1}.get(bracket[0], 0)
            if not depth:
                self._at = bracket.end()
                break
        else:
            self._wrong("a variation is not closed")
        move = game.moves[branch] if branch < len(game.moves) else game.moves[-1] if game.moves else game.start
        few = len(move.variations) < MAX_OF_MOVE
        if few and sum(map(len, move.variations)) + self._at - begins <= MAX_VARIATIONS:
            move.variations += (_SPACE.sub(" ", self._text[begins : self._at]),)

    def _blanks(self) -> None:
        if space := _SPACE.match(self._text, self._at):
            self._at = space.end()

    def _wrong(self, reason: str) -> NoReturn:
        place = span_at(self._text, self._file, min(self._at, max(len(self._text) - 1, 0)))
        raise failure("RS884", f"this text is not SGF: {reason}", place, "check that the file is complete")

    def too_long(self, message: str) -> NoReturn:
        """Raises the diagnostic for a text beyond a limit."""
        raise failure("RS885", message, span_at(self._text, self._file, self._at), "shorten it, or split the file")


def _plain(escaped: re.Match[str]) -> str:
    """The character escaped by a backslash; "" for an escaped line break."""
    return "" if escaped[1][0] in "\r\n" else escaped[1]
