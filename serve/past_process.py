"""The past of a table as data for a separate process, so that long tasks do not block the event loop."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import portable_names, ruleset_in
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import Game
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.search.twins import determinize

_LINES = 400
"""The maximum number of lines shown of an explanation."""
_SENTENCES, _MAX_LINE_TEXT = 6, 300
"""Limits for a variation in words: moves, and characters."""


class PastDecision(Struct, frozen=True):
    """A past decision.

    Attributes:
        text: the text of the option.
        by: the seat that took it; None for chance.
        salt: the salt of its seal, if any.
    """

    text: str
    by: str | None
    salt: str = ""


class PastGame(Struct, frozen=True):
    """A game as a sequence of decisions.

    Attributes:
        game: the id of the table.
        bundle: the rules.
        names: maps a seat to its name.
        settings: the settings of the table.
        decisions: the decisions so far.
    """

    game: str
    bundle: Bundle
    names: dict[str, str]
    settings: dict[str, str]
    decisions: tuple[PastDecision, ...]

    @classmethod
    def of(cls, id_: str, bundle: Bundle, game: Game) -> PastGame:
        """The past of a game."""
        decisions = tuple(
            PastDecision(str(step.option), step.option.by, step.salt) for step in game.omniscient.numbers.steps
        )
        return cls(id_, bundle, dict(game.names), dict(game.settings), decisions)


def start_of(past: PastGame) -> Game:
    """The game before its first decision."""
    game = Game(ruleset_in(past.bundle), past.names, past.settings)
    game.omniscient.numbers.begin()
    return game


def game_of(past: PastGame) -> Game:
    """The game after its last decision."""
    game = start_of(past)
    go_on(game, past.decisions)
    return game


def go_on(game: Game, decisions: Sequence[PastDecision]) -> None:
    """Applies past decisions to a game, with the salts of their seals."""
    for one in decisions:
        game.apply(game.parse(one.text, one.by))
        game.omniscient.numbers.seal(one.salt)


class KeptGame:
    """A cached game, together with everything that has been computed about it so far.

    Args:
        game: the game.
        decisions: its decisions.
    """

    def __init__(self, game: Game, decisions: Sequence[PastDecision] = ()) -> None:
        self._game = game
        self._decisions = [*decisions]

    def follow(self, decisions: Sequence[PastDecision]) -> Game:
        """The game at the end of a past, reached by moving forwards or backwards from the cached position.

        The caller may continue the game; the next call undoes those moves.

        Raises:
            ValueError, IllegalOptionError: if a decision is illegal; the game then stops before it.
        """
        pairs = zip(self._decisions, decisions, strict=False)
        same = next((n for n, (has, one) in enumerate(pairs) if has != one), min(len(self._decisions), len(decisions)))
        del self._decisions[same:]
        while self._game.ply > same:
            self._game.undo()
        for one in decisions[same:]:
            go_on(self._game, [one])
            self._decisions.append(one)
        return self._game


def log_of(past: PastGame, viewer: str | None, notes: Sequence[dict[str, Any]] = ()) -> str:
    """The log as a viewer sees it; `notes` are lines with variations, placed before the end line."""
    lines = list(seat_log(game_of(past), viewer))
    end = next((n for n, line in enumerate(lines) if "end" in line), len(lines) - 1)
    return "".join(to_json_text(line, plain=True) + "\n" for line in [*lines[:end], *notes, *lines[end:]])


def line_in_words(past: PastGame, at: int, language: str) -> str:
    """A game's decisions from a given number on, in words, cut to a maximum length."""
    from rulespec.engine.words.moves import Moves
    from rulespec.engine.words.words import Words

    game = game_of(past)
    texts = [move.text for move in islice(Moves(Words(game.ruleset, language), game), at, at + _SENTENCES)]
    more = " · …" if game.ply > at + _SENTENCES else ""
    return " · ".join(texts)[:_MAX_LINE_TEXT] + more


def alike(past: PastGame, seat: str, seed: int) -> tuple[PastDecision, ...]:
    """The decisions of another game that looks the same to a seat.

    Raises:
        NotFoundError: if no such game is found.
    """
    other = determinize(game_of(past), seat, random.Random(seed))
    return PastGame.of(past.game, past.bundle, other).decisions


def reason_of(past: PastGame, viewer: str | None, move: int, place: str) -> list[str]:
    """An explanation, as indented lines, of a move's changes or of a missing option, based only on what a seat knows.

    Args:
        past: the game.
        viewer: the reader; `OMNISCIENT` sees everything.
        move: the number of the move, from 0; -1 to explain the place instead.
        place: an entity, as `kind.name`.

    Raises:
        DiagnosticsError: if there is nothing to explain.
    """
    from rulespec.engine.why.answer_output import Printer, whole
    from rulespec.engine.why.why import Why

    game = game_of(past)
    while 0 <= move < game.ply - 1:
        game.undo()
    why = Why(game, viewer)
    answer = whole(why.effects() if move >= 0 else why.without(place), fold=True)
    lines = Printer(game.ruleset, game.omniscient.labels, portable_names(game.ruleset)).lines(answer)
    return list(islice(lines, _LINES))
