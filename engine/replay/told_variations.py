"""Narration of variations; their moves are played up to the first illegal one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import escaped
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import IllegalOptionError, Option, RulesetFaultError
from rulespec.engine.logs.variations import LineMove, SideLine
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

MAX_PLAYED = 1_000
"""Maximum number of moves played in all variations of a game; further moves are shown as option texts."""
_MARKS = {1: "!", 2: "?", 3: "!!", 4: "??", 5: "!?", 6: "?!"}


class ToldMove(Struct, frozen=True):
    """A move of a variation.

    Attributes:
        text: the sentence, or the option text if the move is not played.
        remark: the comment on the move.
        place: the number of the drawing of the position after the move; -1 if it is not played.
        variations: the alternatives to the move.
    """

    text: str
    remark: str
    place: int
    variations: tuple[ToldSideLine, ...] = ()


class ToldSideLine(Struct, frozen=True):
    """A narrated variation, with author ("" if unknown), name, remark and moves."""

    by: str
    name: str
    remark: str
    moves: tuple[ToldMove, ...]

    def to_json(self) -> dict[str, Any]:
        """The variation as JSON data for a page, without empty fields."""
        moves = [
            {"text": escaped(move.text), "at": move.place}
            | ({"remark": escaped(move.remark)} if move.remark else {})
            | ({"variations": [each.to_json() for each in move.variations]} if move.variations else {})
            for move in self.moves
        ]
        said = {"by": self.by, "name": self.name, "remark": self.remark}
        return {key: escaped(text) for key, text in said.items() if text} | {"moves": moves}


class Teller:
    """A narrator of a game's variations.

    In a game with secrets, moves are played only for omniscient readers, since a position that did not occur may reveal
    hidden information to a seat.

    Args:
        words: the texts of the game's ruleset.
        names: seat → name.
        plays: whether to play the moves.
        drawn: a function that returns the `place` of a move, given the position after it; by default -1.
    """

    def __init__(
        self, words: Words, names: Mapping[str, str], *, plays: bool, drawn: Callable[[Game], int] | None = None
    ) -> None:
        self._words, self._names, self._drawn = words, names, drawn
        self._left = MAX_PLAYED if plays else 0

    def tell(self, game: Game, variation: SideLine, by: str | None = None) -> ToldSideLine:
        """The narration of a variation.

        Args:
            game: the game at the start of the variation; it is not changed.
            variation: the variation.
            by: the seat of its author.
        """
        at: Game | None = game.copy()
        moves: list[ToldMove] = []
        for move in variation.moves:
            inner = self._noted(move) if at is None else tuple(self.tell(at, each) for each in move.variations)
            if at is None or (text := self._played(at, move)) is None:
                at, text = None, f"{move.decision}: {move.option}"
            place = -1 if at is None or self._drawn is None else self._drawn(at)
            marks = "".join(_MARKS.get(glyph, f" ${glyph}") for glyph in move.glyphs)
            moves.append(ToldMove(text + marks, move.remark, place, inner))
        return ToldSideLine(self._names.get(by, by) if by else "", variation.name, variation.remark, tuple(moves))

    def _noted(self, move: LineMove) -> tuple[ToldSideLine, ...]:
        """The variations of a move that is not played, with option texts instead of sentences."""
        return tuple(
            ToldSideLine(
                "",
                each.name,
                each.remark,
                tuple(ToldMove(f"{m.decision}: {m.option}", m.remark, -1, self._noted(m)) for m in each.moves),
            )
            for each in move.variations
        )

    def _played(self, game: Game, move: LineMove) -> str | None:
        """Plays a move; returns its sentence, or None if it cannot be played."""
        if self._left <= 0:
            return None
        self._left -= 1
        try:
            option = option_of(game, move)
            text = Narrator(self._words, game).move(option)
            game.apply(option)
        except (ValueError, IllegalOptionError, RulesetFaultError):
            return None
        return text


def option_of(game: Game, move: LineMove) -> Option:
    """The option of a variation's move.

    Raises:
        ValueError: if the open decision has no such option.
    """
    return game.parse(move.option, move.by, move.decision)


def lines_of(variation: ToldSideLine, word: str, indent: str = "") -> list[str]:
    """The text lines of a variation: first the name with the moves in brackets, then nested variations.

    Args:
        variation: the variation.
        word: the word that stands for "variation".
        indent: the indentation of each line.
    """
    name = f" “{variation.name}”" if variation.name else ""
    head = f"{indent}{word}{name}{f' ({variation.by})' if variation.by else ''}: "
    moves = " · ".join(f"{move.text} “{move.remark}”" if move.remark else move.text for move in variation.moves)
    lines = [f"{head}({moves})", *[f"{indent}  “{line}”" for line in variation.remark.splitlines()]]
    for move in variation.moves:
        for inner in move.variations:
            lines += lines_of(inner, word, f"{indent}  ")
    return lines
