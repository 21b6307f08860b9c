"""Portable Game Notation (PGN): files of games, each with tags and with moves as text.

The parser takes linear time and counts brackets instead of recursing. It leaves comments, glyphs and variations
unchanged, and does not check legality.

Source: PGN Specification and Implementation Guide, 1994, sections 7 and 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NoReturn

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
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

MAX_SAID = 100_000
"""Maximum number of comments, glyphs and variations in a file."""
MAX_DEPTH = 50
"""Maximum nesting of variations."""
RESULTS = ("1-0", "0-1", "1/2-1/2", "*")
"""The texts that terminate the moves of a game."""
_TWO_POINTS = ("2-0", "0-2", "1-1")
"""Results of systems that give two points for a game; none of them is a move (`0-0` is castling)."""
GLYPHS = {"!": 1, "?": 2, "!!": 3, "??": 4, "!?": 5, "?!": 6}
"""The numeric annotation glyphs for the suffixes of moves."""
_JUDGED = {
    **dict.fromkeys(["□"], 7),
    **dict.fromkeys(["="], 10),
    **dict.fromkeys(["∞"], 13),
    **dict.fromkeys(["⩲", "+=", "+/="], 14),
    **dict.fromkeys(["⩱", "=+", "=/+"], 15),
    **dict.fromkeys(["±", "+/-"], 16),
    **dict.fromkeys(["∓", "-/+"], 17),
    **dict.fromkeys(["+-"], 18),
    **dict.fromkeys(["-+"], 19),
    **dict.fromkeys(["N"], 146),
}
"""Evaluation of a position after a move, or the sign of a new move → numeric annotation glyph."""
_TAGS = {
    name.lower(): name
    for name in ("Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant", "GameType")
}
"""Lower-case name of a tag that determines how a game is read → its standard name."""
_OTHER_RESULTS = {"½-½": "1/2-1/2", "1\u20130": "1-0", "0\u20131": "0-1", "½\u2013½": "1/2-1/2"}
"""Variant spellings of results, with an en dash or ½ → standard ones."""
NULL_MOVES = ("--", "Z0", "0000", "@@@@", "null", "pass")
"""The texts with which programs let a player pass in an analysis."""
_WIDTH = 80

_NAME = r"\[[ \t]{0,80}([A-Za-z0-9][A-Za-z0-9_+#=:-]{0,79})[ \t]{0,80}\""
_TAG = re.compile(_NAME + r"((?:[^\"\\\r\n]|\\.){0,1000})\"[ \t]{0,80}\]")
_LOOSE_TAG = re.compile(_NAME + r"([^\r\n]{0,1000})\"[ \t]{0,80}\][ \t]{0,80}(?=[\r\n]|$)")
"""A tag on a separate line, with unescaped quotation marks in its text."""
_LOOKS = re.compile(_NAME)
_NUMBER = re.compile(r"([0-9]{1,9})(?:[ \t]?([.…]+)|(?=[\s({;]|$))|[.…]+(?=\s|$)|e\.p\.")
"""The number of a move. A whole number without a dot may be a move itself, in games whose moves are digits."""
_BEGINS = re.compile(r"[0-9]{1,3}[.…]+[ \t]*(?:[A-Za-z]|[0-9]{1,2}[-x:/])")
_RESULT = re.compile(r"[0-9½]{1,2}(?:/[0-9])?(?:[-\u2013:][0-9½]{1,2}(?:/[0-9])?)?")
"""A result as other games and programs write it (`2-0`, `1/2`)."""
_POINTS = {"1": "1", "0": "0", "O": "0", "o": "0", "1/2": "1/2", "½": "1/2"}
_LOOSE_RESULT = re.compile(
    r"(?:(1/2|[01Oo½])\s?[-\u2013\u2014:]\s?(1/2|[01Oo½])(?=[\s({;\[]|$)|(1/2|½)(?=\s{0,80}(?:[({;\[]|$)))"
)
"""A result as people type it: `1:0`, `0 - 1`, `O-1`, or `1/2` at the end."""
_EVALUATED = re.compile(r"(.*[^+/=-])(\+/-|-/\+|\+/=|=/\+|\+=|=\+|\+-|-\+|=|[□∞⩲⩱±∓])")
"""A move with an evaluation right after it (`e4±`)."""
_INTO = re.compile(r"=[A-Z♔-♟]")
"""The end of a move, the promotion of a man, after a space (`e8 =Q`)."""
_TOKEN = re.compile(r"[^\s{}();$\[\]!?]+(?:\([A-Z]\))?")
_LINE_END = re.compile(r"[\r\n]")
_EMPTY_LINE = re.compile(r"\n[^\S\n]*\n|\r[^\S\r\n]*\r")
_COMMENT = re.compile(r"[%;][^\r\n]*[\r\n]|\{(?!\s*[\"}])[^{}]*\}")
_SEPARATOR = re.compile(r"(?<=[^\s}]);(?=[ \t]*(?:[0-9]{1,3}\.|[\r\n]|$))")
"""A semicolon right after a word, before a number or the end of a line: a comment would follow a space."""
_BETWEEN = re.compile(r"\s+|\{[^{}]*\}")
_FILE = re.compile(r"\.p[gd]n(?:\.gz)?(?:#[0-9]{1,6})?$")
_LOOKED_AT = 2_000
_MARKS = re.compile(r"[!?]+")
_GLYPH = re.compile(r"\$([0-9]{1,3})")
_SPACE = re.compile(r"\s+")
_BRACKETS = re.compile(r"[(){;]")


def is_pgn(text: str, file: str = "") -> bool:
    """Whether a text looks like PGN, judged by its file name, or by a tag or move number at its beginning.

    Comments may precede the tag or number; a brace followed by a quotation mark is the beginning of JSON.
    """
    if _FILE.search(file) is not None:
        return True
    start = text[:_LOOKED_AT].lstrip("\ufeff \t\r\n")
    while comment := _COMMENT.match(start):
        start = start[comment.end() :].lstrip()
    return _LOOKS.match(start) is not None or _BEGINS.match(start) is not None


def read_pgn(text: str, file: str) -> Iterator[TextGame]:
    """Lazily parses the games in a text, in order.

    Raises:
        DiagnosticsError: RS884 if the text is not PGN, RS885 if it is too long.
    """
    return _Reader(text, file).games()


def is_word(text: str) -> bool:
    """Whether a text can be a move in PGN: a word that is not a number, an evaluation or a result."""
    other = text in RESULTS or text in _OTHER_RESULTS or text in _JUDGED
    number = _NUMBER.fullmatch(text)
    whole = text[-1:] != "," and _EVALUATED.fullmatch(text) is None and _INTO.fullmatch(text) is None
    return _TOKEN.fullmatch(text) is not None and number is None and whole and not other


class _Reader:
    def __init__(self, text: str, file: str) -> None:
        self._text, self._file, self._at = text, file, 0
        self._games = self._remarks = self._tags = self._numbers = 0
        self._begun = False
        self._last: int | None = None  # the last number of a move in this game, and the number of moves before it
        self._numbered, self._is_dotted = 0, False

    def games(self) -> Iterator[TextGame]:
        """The games, each as soon as it is parsed."""
        text, game = self._text, TextGame()
        while self._at < len(text):
            character = text[self._at]
            if space := _SPACE.match(text, self._at):
                self._at = space.end()
            elif character == "%" and (self._at == 0 or text[self._at - 1] in "\r\n"):
                self._line()
                self._remark()
            elif character == "[":
                if game.moves:
                    yield self._ended(game)
                    game = TextGame(begins=self._at)
                self._tag(game)
            elif (character.isalnum() and not self._is_new(character)) or not self._said(game):
                number = _NUMBER.match(text, self._at)
                if self._is_loose_result(game) or (
                    (number is None or not self._number(number, game)) and self._is_end(game)
                ):
                    self._said_after(game)
                    yield self._ended(game)
                    game = TextGame(begins=self._at)
        if self._begun:
            yield self._ended(game)

    def _is_new(self, character: str) -> bool:
        """Whether a character is a word by itself, the sign of a new move."""
        return character == "N" and self._text[self._at + 1 : self._at + 2].isspace()

    def _ended(self, game: TextGame) -> TextGame:
        """The game, which ends at the current offset."""
        self._games += 1
        if self._games > MAX_GAMES:
            self._too_long(f"the file has more than {MAX_GAMES:,} games")
        self._begun, game.ends = False, self._at
        self._tags = self._numbers = self._numbered = 0
        self._last, self._is_dotted = None, False
        return game

    def _number(self, number: re.Match[str], game: TextGame) -> bool:
        """Takes a match as the number of a move; returns False if it is a move itself."""
        if number[1] is not None:
            count, is_dotted = int(number[1]), number[2] is not None
            if not is_dotted and not self._counts_moves(count, number.end(), game):
                return False
            if not game.warnings and self._last is not None and count not in (self._last, self._last + 1):
                message = f"number {count} of a move follows number {self._last}"
                help_ = "check whether moves are missing: moves are replayed in their order, whatever their numbers"
                game.warnings += (Diagnostic("RS890", Severity.WARNING, message, self._span(), help=help_),)
            self._last, self._numbered, self._is_dotted = count, len(game.moves), is_dotted
        self._numbers += 1
        if self._numbers > 2 * MAX_MOVES:
            self._too_long(f"the game has more than {MAX_MOVES:,} moves")
        self._begun, self._at = True, number.end()
        return True

    def _counts_moves(self, number: int, end: int, game: TextGame) -> bool:
        """Whether a bare whole number that ends at an offset is the number of a move, and not itself a move.

        It continues the count, after a move. A move follows it, unless the earlier numbers are bare, too.
        """
        if self._last is None:
            if game.moves:
                return False
        elif number not in (self._last, self._last + 1) or len(game.moves) == self._numbered:
            return False
        while between := _BETWEEN.match(self._text, end):
            end = between.end()
        word = _TOKEN.match(self._text, end)
        if word is None or word[0] in RESULTS or word[0] in _OTHER_RESULTS:
            return self._last is not None and not self._is_dotted and number > self._last
        return _NUMBER.match(self._text, end) is None

    def _said_after(self, game: TextGame) -> None:
        """Parses comments, variations and glyphs after the result of a game, up to an empty line."""
        at = self._at
        while at < len(self._text):
            space = _SPACE.match(self._text, at)
            if space is not None:
                at = space.end()
            if at == len(self._text) or (space is not None and _EMPTY_LINE.search(space[0])):
                return
            self._at, begins = at, self._at
            if not self._said(game):
                self._at = begins
                return
            at = self._at

    def _tag(self, game: TextGame) -> None:
        tag = _TAG.match(self._text, self._at) or _LOOSE_TAG.match(self._text, self._at)
        if tag is None:
            if self._end_of_line(self._at) - self._at > MAX_TAG:
                self._too_long(f"the text of a tag has more than {MAX_TAG:,} characters")
            self._wrong("this tag is not closed", 'write a tag on one line: [Name "text"]')
        self._tags += 1
        if self._tags > MAX_TAGS:
            self._too_long(f"the game has more than {MAX_TAGS} tags")
        game.tags.setdefault(_TAGS.get(tag[1].lower(), tag[1]), re.sub(r"\\(.)", r"\1", tag[2]))
        self._begun, self._at = True, tag.end()

    def _said(self, game: TextGame) -> bool:
        """Parses a comment, a variation or a glyph, if there is one; returns whether there was."""
        text, at = self._text, self._at
        last = game.moves[-1] if game.moves else game.start
        if text[at] == "{":
            end = text.find("}", at)
            if end < 0:
                self._wrong("this comment is not closed", "end it with `}`")
            self._comment(last, text[at + 1 : end])
            self._at = end + 1
        elif text[at] == ";":
            if _SEPARATOR.match(text, at):
                self._at += 1
            else:
                self._line()
                self._comment(last, text[at + 1 : self._at])
        elif text[at] == "(":
            last.variations += (_SPACE.sub(" ", self._variation()),)
            if sum(map(len, last.variations)) > MAX_VARIATIONS:
                self._too_long(f"the variations of a move have more than {MAX_VARIATIONS:,} characters")
        elif glyph := _GLYPH.match(text, at):
            last.glyphs += (int(glyph[1]),)
            self._at = glyph.end()
        elif marks := _MARKS.match(text, at):
            last.glyphs += (GLYPHS[marks[0]],) if marks[0] in GLYPHS else ()
            self._at = marks.end()
        elif game.moves and (word := _TOKEN.match(text, at)) and word[0] in _JUDGED:
            last.glyphs += (_JUDGED[word[0]],)
            self._at = word.end()
        else:
            return False
        self._remark()
        if len(last.glyphs) + len(last.comments) + len(last.variations) > MAX_OF_MOVE:
            self._too_long(f"a move has more than {MAX_OF_MOVE} comments, glyphs and variations")
        return True

    def _remark(self) -> None:
        """Counts a comment, a glyph, a variation or a skipped line, up to the limit."""
        self._remarks += 1
        if self._remarks > MAX_SAID:
            self._too_long(f"the file has more than {MAX_SAID:,} comments, glyphs and variations")

    def _comment(self, move: TextMove, text: str) -> None:
        if text := self._short(_SPACE.sub(" ", text).strip(), "comment"):
            move.comments += (text,)

    def _short(self, text: str, what: str) -> str:
        if len(text) > MAX_COMMENT:
            self._too_long(f"a {what} has more than {MAX_COMMENT:,} characters")
        return text

    def _variation(self) -> str:
        """The text of a variation, nested ones included, with line comments converted to braces."""
        text, depth, at, parts = self._text, 0, self._at, list[str]()
        while not parts or depth:
            bracket = _BRACKETS.search(text, at)
            if bracket is None:
                self._wrong("this variation is not closed", "end it with `)`")
            parts.append(text[at : bracket.start()])
            at = bracket.end()
            if bracket[0] in "()":
                depth += 1 if bracket[0] == "(" else -1
                parts.append(bracket[0])
                if depth > MAX_DEPTH:
                    self._too_long(f"variations are nested more than {MAX_DEPTH} deep")
                continue
            end = text.find("}", at) if bracket[0] == "{" else self._end_of_line(at)
            if end < 0 or end == len(text):
                self._wrong("this variation is not closed", "end it with `)`")
            parts.append(f"{{{text[at:end].replace('}', ')')}}}")
            at = end + 1
        self._at = at
        return "".join(parts)

    def _is_loose_result(self, game: TextGame) -> bool:
        """Parses a result in a form that is not standard, if there is one."""
        result = _LOOSE_RESULT.match(self._text, self._at)
        if result is None or not (game.moves or game.tags):
            return False
        text = "1/2-1/2" if result[3] else f"{_POINTS[result[1]]}-{_POINTS[result[2]]}"
        if text not in RESULTS:
            return False
        game.result, self._begun, self._at = text, True, result.end()
        return True

    def _is_end(self, game: TextGame) -> bool:
        """Parses a move or a result; returns True for a result, which ends the game."""
        token = _TOKEN.match(self._text, self._at)
        if token is None:
            self._wrong(f"{shown(self._text[self._at])} is not expected here", "check that the file is complete")
        if "\ufeff" in token[0]:
            self._wrong(
                "there is a byte order mark within the text", "remove it: it is allowed only at the start of a file"
            )
        self._begun = True
        word = _OTHER_RESULTS.get(token[0], token[0])
        if word in RESULTS or word in _TWO_POINTS or (word == game.tags.get("Result") and _RESULT.fullmatch(word)):
            game.result, self._at = word, token.end()
            return True
        if len(game.moves) >= MAX_MOVES:
            self._too_long(f"the game has more than {MAX_MOVES:,} moves")
        text = self._short(token[0].rstrip(","), "move")
        if game.moves and _INTO.fullmatch(text):
            game.moves[-1].text += text
        elif text:
            evaluated = _EVALUATED.fullmatch(text)
            move = TextMove(text) if evaluated is None else TextMove(evaluated[1], (_JUDGED[evaluated[2]],))
            game.moves.append(move)
            game.offsets.append(self._at)
        self._at = token.end()
        return False

    def _line(self) -> None:
        """Skips to the end of the line."""
        self._at = self._end_of_line(self._at)

    def _end_of_line(self, at: int) -> int:
        """The offset of the end of the line that contains an offset."""
        end = _LINE_END.search(self._text, at)
        return len(self._text) if end is None else end.start()

    def _wrong(self, message: str, help_: str) -> NoReturn:
        raise failure("RS884", f"this text is not a PGN: {message}", self._span(), help_)

    def _too_long(self, message: str) -> NoReturn:
        raise failure("RS885", message, self._span(), "shorten it, or split the file")

    def _span(self) -> Span:
        return span_at(self._text, self._file, self._at)


# --- writing ----------------------------------------------------------------------------------------------------------


def pgn_text(game: TextGame, begins: Mapping[int, int]) -> str:
    """The PGN text of a game, in lines of at most 80 characters unless a word is longer.

    Args:
        game: the game.
        begins: index of a move, from 0 → printed number. Other moves have no number, except that after a comment the
            last number is repeated with three dots.
    """
    tags = [f'[{name} "{_escaped(value)}"]' for name, value in game.tags.items()]
    lines, line = [*tags, ""], ""
    for word in [*_words(game, begins), game.result or "*"]:
        if line and len(line) + 1 + len(word) > _WIDTH:
            lines.append(line)
            line = word
        else:
            line = f"{line} {word}" if line else word
    return "\n".join([*lines, line]) + "\n"


def _escaped(text: str) -> str:
    return " ".join(text.replace("\\", "\\\\").replace('"', '\\"').split())[:MAX_TAG]


def _words(game: TextGame, begins: Mapping[int, int]) -> Iterator[str]:
    number, said = 0, [*_said(game.start)]
    yield from _split(said)
    for at, move in enumerate(game.moves):
        if at in begins:
            number = begins[at]
            yield f"{number}."
        elif (said or not at) and number:
            yield f"{number}..."
        yield move.text
        said = [*_said(move)]
        yield from _split(said)


def _split(texts: list[str]) -> Iterator[str]:
    for text in texts:
        yield from text.split()


def _said(move: TextMove) -> Iterator[str]:
    yield from (f"${glyph}" for glyph in move.glyphs)
    yield from (f"{{{text.replace('}', ')')}}}" for text in move.comments)
    yield from move.variations


def as_document(game: TextGame) -> dict[str, Any]:
    """A game as the object of a foreign log: its tags and, under `moves`, an object with the `text` of each move."""
    tags: dict[str, Any] = dict(game.tags)
    if game.result and tags.get("Result", "*") in ("*", "?", ""):
        tags["Result"] = game.result
    return {**tags, "moves": [{"text": move.text} for move in game.moves]}
