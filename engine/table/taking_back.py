"""Undo: the decisions that can be redone, and the information that a viewer gained from those about to be undone."""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile
from typing import Any

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, seen_events
from rulespec.engine.game.learned import learned
from rulespec.engine.logs.sealed import pending
from rulespec.engine.table.seats import Request, Undone
from rulespec.engine.table.telling import seen_moves
from rulespec.engine.words.words import Words

_MOST = 12
"""The maximum number of listed facts."""


_NAMED = 3
"""The number of the requester's own decisions named in a request."""


def undone(
    game: Game, number: int, by: str, others: Collection[str], choices: dict[str, tuple[str, str]]
) -> Undone | None:
    """The decisions about to be undone that can be redone unchanged, up to the first by another person.

    Args:
        game: the game before the undo.
        number: the number of decisions to undo.
        by: the undoing seat.
        others: the other people.
        choices: the pending choices of the open round: seat → its option and its salt.
    """
    steps, sealed = list(game.omniscient.numbers.steps[-number:]), pending(game)
    steps = steps[: max(0, len(steps) - len(sealed))]
    own = list(takewhile(lambda step: step.option.by not in others, steps))
    options = [(step.option.by or "", str(step.option), step.salt) for step in own]
    if len(own) < len(steps):
        return Undone(by, options) if options else None
    all_sealed = {step.option.by: (str(step.option), step.salt) for step in sealed if step.option.by is not None}
    return Undone(by, options, all_sealed | choices) if options else None


def known(words: Words, game: Game, seat: str | None, request: Request) -> dict[str, Any]:
    """The decisions of a request in words, facts that a seat has learned from them, and their public outcomes.

    All of it is part of the seat's own view.
    """
    first = game.ply - request.decisions
    events = seen_events(game, seat, first)
    moves = list(seen_moves(words, game, seat, first))
    sentences = {str(event): move.text for event, move in zip(events, moves, strict=True)}
    facts = learned(game, seat, request.decisions) if seat is not None else ()
    others = [event for event in events if event.option is not None and HIDDEN in event.option]
    own = [move.text for move in moves if move.by == request.by]
    beside = [move.by or "" for move in moves[: len(moves) - len(pending(game))] if move.by != request.by]
    return {
        "own": own[:_NAMED],
        "more": len(own[_NAMED:]),
        "beside": {by: beside.count(by) for by in dict.fromkeys(beside)},
        "learned": [sentences.get(fact) or _named(game, fact) for fact in facts[:_MOST]],
        "others": [sentences[str(event)] for event in others[:_MOST]],
    }


def _named(game: Game, fact: str) -> str:
    """A path such as `player.A.card`, with the name of the seat."""
    kind, _, rest = fact.partition(".")
    seat, dot, field = rest.partition(".")
    if kind != game.ruleset.declarations.player_kind or seat not in game.shown_names:
        return fact
    return f"{game.shown_names[seat]}{dot}{field}"
