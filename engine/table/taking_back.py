"""Undo by consent: the request, the consents, and a viewer's knowledge from the affected decisions."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, seen_events
from rulespec.engine.game.learned import learned
from rulespec.engine.table.telling import seen_moves
from rulespec.engine.words.words import Words

_MOST = 12
"""Facts that are listed."""


class Request(Struct):
    """A request to take back.

    Attributes:
        by: the seat that asks.
        decisions: how many decisions.
        agreed: the seats that agree, with that one.
    """

    by: str
    decisions: int
    agreed: list[str]


def known(words: Words, game: Game, seat: str | None, decisions: int) -> dict[str, Any]:
    """Facts that a seat has learned from the last decisions, and their publicly visible outcomes.

    Both are parts of the seat's own view, in words.
    """
    first = game.ply - decisions
    events = seen_events(game, seat, first)
    sentences = {
        str(event): move.text for event, move in zip(events, seen_moves(words, game, seat, first), strict=True)
    }
    own = learned(game, seat, decisions) if seat is not None else ()
    others = [event for event in events if event.option is not None and HIDDEN in event.option]
    return {
        "learned": [sentences.get(fact) or _named(game, fact) for fact in own[:_MOST]],
        "others": [sentences[str(event)] for event in others[:_MOST]],
    }


def _named(game: Game, fact: str) -> str:
    """A path such as `player.A.card`, with the name of the seat."""
    kind, _, rest = fact.partition(".")
    seat, dot, field = rest.partition(".")
    if kind != game.ruleset.declarations.player_kind or seat not in game.shown_names:
        return fact
    return f"{game.shown_names[seat]}{dot}{field}"
