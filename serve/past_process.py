"""The past of a table, for a process of its own, so that long work does not hold the loop."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import islice
from typing import Any

from msgspec import Struct

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.place import IN_LOG
from rulespec.bundles.rules import ruleset_in
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.game import Game
from rulespec.engine.logs.seat_log import seat_log
from rulespec.engine.search.twins import determinize

_LINES = 400
"""Lines of a reason that are shown."""
_SENTENCES, _MAX_LINE_TEXT = 6, 300
"""Moves of a variation in words, and their characters."""


class PastDecision(Struct, frozen=True):
    """A decision that was taken.

    Attributes:
        text: the option.
        by: who took it; None for chance.
        salt: that of its seal, if it has one.
    """

    text: str
    by: str | None
    salt: str = ""


class PastGame(Struct, frozen=True):
    """A game as its decisions.

    Attributes:
        game: the id of the table.
        bundle: the rules.
        names: seat → name.
        settings: of the table.
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


def game_of(past: PastGame) -> Game:
    """The game, at its last decision."""
    game = Game(ruleset_in(past.bundle), past.names, past.settings)
    game.omniscient.numbers.begin()
    go_on(game, past.decisions)
    return game


def go_on(game: Game, decisions: tuple[PastDecision, ...]) -> None:
    """Takes decisions."""
    for one in decisions:
        game.apply(game.parse(one.text, one.by))
        game.omniscient.numbers.seal(one.salt)


def log_of(past: PastGame, viewer: str | None, notes: Sequence[dict[str, Any]] = ()) -> str:
    """The log of a viewer's view; `notes` are lines of variations, before that of the end."""
    lines = list(seat_log(game_of(past), viewer))
    end = next((n for n, line in enumerate(lines) if "end" in line), len(lines) - 1)
    return "".join(to_json_text(line, plain=True) + "\n" for line in [*lines[:end], *notes, *lines[end:]])


def line_in_words(past: PastGame, at: int, language: str) -> str:
    """The decisions of a game after so many, in words; what is longer is cut."""
    from rulespec.engine.words.moves import Moves
    from rulespec.engine.words.words import Words

    game = game_of(past)
    texts = [move.text for move in islice(Moves(Words(game.ruleset, language), game), at, at + _SENTENCES)]
    more = " · …" if game.ply > at + _SENTENCES else ""
    return " · ".join(texts)[:_MAX_LINE_TEXT] + more


def alike(past: PastGame, seat: str, seed: int) -> tuple[PastDecision, ...]:
    """The decisions of a game that a seat cannot tell from this one.

    Raises:
        NotFoundError: if none has been found.
    """
    other = determinize(game_of(past), seat, random.Random(seed))
    return PastGame.of(past.game, past.bundle, other).decisions


def reason_of(past: PastGame, viewer: str | None, move: int, place: str) -> list[str]:
    """The reasons of a move's changes, or why a place has no option, as a seat may know them, by indented lines.

    Args:
        past: the game.
        viewer: who asks; `OMNISCIENT` sees all.
        move: the number of the move, from 0; -1: the place is meant.
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
    lines = Printer(game.ruleset, game.omniscient.labels).lines(answer)
    return [line.replace(f"{IN_LOG}/", "") for line in islice(lines, _LINES)]
