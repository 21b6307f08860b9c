"""The past of a table, for a process of its own, so that long work does not hold the loop."""

from __future__ import annotations

import random
from itertools import islice

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


def log_of(past: PastGame, viewer: str | None) -> str:
    """The log of a viewer's view."""
    return "".join(to_json_text(line, plain=True) + "\n" for line in seat_log(game_of(past), viewer))


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


def study_of(past: PastGame, viewer: str | None, language: str) -> str:
    """The replay page of a viewer's view; `OMNISCIENT` has seen all.

    Raises:
        DiagnosticsError: if it would be too large.
    """
    from rulespec.engine.replay.replay import ReplayResult
    from rulespec.pages.replay_page import replay_page

    game = game_of(past)
    result = ReplayResult("game.jsonl", game, None, [*game.history], [*range(game.ply)])
    return replay_page(result, viewer, language)
