"""Undo by agreement: who asks, who has agreed, and what a viewer knows from the decisions that would be taken back."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, seen_events
from rulespec.engine.game.learned import learned

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


def known(game: Game, seat: str | None, decisions: int) -> dict[str, Any]:
    """Facts that a seat has learned from the last decisions, and outcomes of them that others may have seen.

    Both are parts of the seat's own view.
    """
    own = list(learned(game, seat, decisions)) if seat is not None else []
    events = seen_events(game, seat, game.ply - decisions)
    others = [str(event) for event in events if event.option is not None and HIDDEN in event.option]
    return {"learned": own[:_MOST], "others": others[:_MOST]}
