"""The result recorded by another system for a game that has no end under the rules, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rulespec.engine.game.game import Game, teams_of
from rulespec.engine.logs.notes import RESULT
from rulespec.engine.words.words import Words
from rulespec.typed.seat_kinds import won_by


def other_result(game: Game, notes: Mapping[str, Any], words: Words) -> str:
    """The recorded result, such as `White won (resigned)`; "" if there is none.

    Args:
        game: the game at the end of its log.
        notes: the notes of the log's header, which may be malformed.
        words: the words.
    """
    note = notes.get(RESULT)
    if not isinstance(note, dict):
        return ""
    winners, points, reason = note.get("winners"), note.get("scores"), note.get("reason")
    names = game.shown_names
    if isinstance(winners, list) and all(seat in game.seats for seat in winners):
        won = won_by(teams_of(game), names, winners) if winners else words.word("nobody")
        text = f"{won} {words.word('won')}"
    elif isinstance(points, dict) and points and all(seat in game.seats for seat in points):
        text = ", ".join(f"{names[seat]} {number}" for seat, number in points.items())
    else:
        return ""
    return f"{text} ({reason})" if isinstance(reason, str) and reason else text
