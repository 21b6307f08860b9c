"""Variations in a PGN: conversion between texts and moves of the game."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.dialects.notated import Notated
from rulespec.engine.dialects.notation_file import Notation
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError, TakenBack
from rulespec.engine.logs.notes import UNREAD, VARIATIONS, LogNotes, Notes
from rulespec.engine.logs.variations import MAX_DEPTH, MAX_GLYPH, MAX_GLYPHS, MAX_TEXT, LineMove, SideLine, plain
from rulespec.engine.notation.pgn import is_word, read_pgn
from rulespec.engine.notation.text_moves import TextMove

MAX_NOTED = 40_000
"""Maximum size of a move's variations in a log, in characters, since log lines are bounded; longer variations stay
texts.
"""


def with_variations(
    said: LogNotes, game: Game, notation: Notation, moves: Sequence[Option | TakenBack], entries: Sequence[int]
) -> LogNotes:
    """The notes of a PGN, with its variations converted to moves; illegal or ambiguous variations remain texts.

    Args:
        said: the notes, with variations as texts.
        game: the game of the log; it is not changed.
        notation: the notation of the texts.
        moves: the decisions of the log.
        entries: for each decision, the number of its entry.
    """
    if not any(UNREAD in notes for notes in said.moves.values()):
        return said
    replayed = restarted(game)
    texts = VariationTexts(replayed, notation)
    results, before = dict(said.moves), -1
    for option, entry in zip(moves, entries, strict=True):
        if isinstance(option, TakenBack):  # move texts have no undos
            return said
        if entry != before and UNREAD in said.moves.get(entry, {}):
            results[entry] = _converted(said.moves[entry], texts)
        replayed.apply(option)
        before = entry
    return LogNotes(said.header, results, said.remarks)


def _converted(notes: Notes, texts: VariationTexts) -> dict[str, Any]:
    """The notes of a move with its variations converted, at the position before the move."""
    lines = [(text, texts.read(text)) for text in notes[UNREAD]]
    read = plain([line for _, line in lines if line is not None])
    if len(str(read)) > MAX_NOTED:
        return dict(notes)
    unread = [text for text, line in lines if line is None]
    rest = {key: value for key, value in notes.items() if key != UNREAD}
    return rest | ({VARIATIONS: read} if read else {}) | ({UNREAD: unread} if unread else {})


class VariationTexts:
    """A reader and writer of variations at the current position of a game; it never changes the game.

    Args:
        game: the game.
        notation: the notation of the texts.
    """

    def __init__(self, game: Game, notation: Notation) -> None:
        self._game = game
        self._notated = Notated(game, notation)

    def read(self, text: str, depth: int = 1) -> SideLine | None:
        """The variation that a bracketed text denotes; None if one of its moves denotes no option, or more than one."""
        try:
            (inside,) = read_pgn(text[1:-1], "")
        except (ValueError, DiagnosticsError):  # no game, several games, or not PGN
            return None
        moves: list[LineMove] = []
        applied = 0
        try:
            for move in inside.moves:
                inner = [self.read(each, depth + 1) for each in move.variations] if depth < MAX_DEPTH else [None]
                option = self._meant(move.text)
                if option is None or (move.variations and None in inner):
                    return None
                moves.append(_line_move(option, move, tuple(each for each in inner if each is not None)))
                self._game.apply(option)
                applied += 1
        except (IllegalOptionError, RulesetFaultError):
            return None
        finally:
            for _ in range(applied):
                self._game.undo()
        return SideLine(tuple(moves), "", _remark(inside.start)) if moves else None

    def _meant(self, text: str) -> Option | None:
        """The legal option denoted by a text; None unless it is unique."""
        options = self._notated.read(text) if self._game.decision is not None else []
        return options[0] if len(options) == 1 else None

    def write(self, line: SideLine) -> str:
        """The bracketed text of a variation, up to its first illegal move; "" if no move can be written.

        A move without a text, such as a chance move, is omitted.
        """
        applied, words = 0, [*_comments(": ".join(filter(None, (line.name, line.remark))))]
        start = len(words)
        try:
            for move in line.moves:
                inner = [text for each in move.variations if (text := self.write(each))]
                option = self._game.parse(move.option, move.by, move.decision)
                if not self._game.is_legal(option):
                    break
                text = self._notated.write(option)
                if text and is_word(text):
                    words += [text, *(f"${glyph}" for glyph in move.glyphs), *_comments(move.remark), *inner]
                self._game.apply(option)
                applied += 1
        except (ValueError, IllegalOptionError, RulesetFaultError, DiagnosticsError):
            pass  # the preceding moves form a variation
        finally:
            for _ in range(applied):
                self._game.undo()
        return f"({' '.join(words)})" if len(words) > start else ""


def written_variations(texts: VariationTexts, lines: Sequence[SideLine]) -> list[str]:
    """The texts of variations at the current position."""
    return [text for line in lines if (text := texts.write(line))]


def _line_move(option: Option, move: TextMove, variations: tuple[SideLine, ...]) -> LineMove:
    glyphs = tuple(glyph for glyph in move.glyphs if glyph <= MAX_GLYPH)[:MAX_GLYPHS]
    return LineMove(option.decision, option.by, str(option), _remark(move), glyphs, variations)


def _remark(move: TextMove) -> str:
    return "\n".join(move.comments)[:MAX_TEXT]


def _comments(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if line.strip():
            yield f"{{{' '.join(line.replace('}', ')').split())}}}"
