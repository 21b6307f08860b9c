"""Results recorded by another system for games that end differently, or not at all, under the rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from rulespec.engine.game.game import Game, teams_of
from rulespec.engine.logs.end_line import OtherEnd
from rulespec.engine.logs.notes import MAX_EVENT, RESULT
from rulespec.engine.words.words import Words
from rulespec.typed.seat_kinds import won_by


class OtherResult(Struct, frozen=True):
    """A recorded result that differs from the result of the replay, or that the replay lacks.

    Attributes:
        winners: the winning seats; None if it names none.
        scores: the points by seat; empty if it has none.
        reason: the ending, in the other system's words; "" if it has none.
        differs: the keys of the end line that differ; empty if the game is not over under the rules.
    """

    winners: tuple[str, ...] | None = None
    scores: Mapping[str, int] = {}
    reason: str = ""
    differs: tuple[str, ...] = ()

    def renamed(self, ids: Mapping[str, str], say: Callable[[str], str]) -> OtherResult:
        """The result with other names for seats.

        Args:
            ids: old seat → new seat.
            say: a function that replaces the names of people in a text.
        """
        winners = None if self.winners is None else tuple(ids.get(seat, seat) for seat in self.winners)
        scores = {ids.get(seat, seat): points for seat, points in self.scores.items()}
        return OtherResult(winners, scores, say(self.reason), self.differs)

    def __str__(self) -> str:
        winners = self.winners
        text = self._text("" if winners is None else f"{', '.join(winners) or 'nobody'} won", {})
        return f"{text}; the replay differs in {', '.join(self.differs)}" if self.differs else text

    def _text(self, won: str, names: Mapping[str, str]) -> str:
        text = won or ", ".join(f"{names.get(seat, seat)} {points}" for seat, points in self.scores.items())
        return " ".join([text, f"({self.reason})"] if self.reason else [text]).strip()

    def in_words(self, game: Game, words: Words) -> str:
        """The result as a sentence that calls seats by their displayed names, such as `White won (resigned)`."""
        won, names = "", game.shown_names
        if self.winners is not None:
            winners = won_by(teams_of(game), names, self.winners) if self.winners else words.word("nobody")
            won = f"{winners} {words.word('won')}"
        return self._text(won, names)


def noted_result(game: Game, notes: Mapping[str, Any]) -> OtherResult | None:
    """The result in the notes of a log; None if there is none, or if it is malformed.

    Args:
        game: the game at the end of its log.
        notes: the notes of the log's header.
    """
    note = notes.get(RESULT)
    if not isinstance(note, dict):
        return None
    winners, points, reason = note.get("winners"), note.get("scores"), note.get("reason")
    reason = reason[:MAX_EVENT] if isinstance(reason, str) else ""
    over = game.result
    if isinstance(winners, list) and all(seat in game.seats for seat in winners):
        differs = over is not None and {*winners} != {*over.winners}
        return OtherResult(tuple(winners), {}, reason, ("winners",) if differs else ())
    if isinstance(points, dict) and points and all(s in game.seats and type(n) is int for s, n in points.items()):
        differs = over is not None and points != over.scores
        return OtherResult(None, points, reason, ("scores",) if differs else ())
    return None


def recorded_result(game: Game, notes: Mapping[str, Any], other: OtherEnd | None) -> OtherResult | None:
    """The recorded result of a replayed log; None if there is none, or if it equals the result of the replay.

    Args:
        game: the game at the end of its log.
        notes: the notes of the log's header.
        other: the difference between the ends of the replay and the log.
    """
    if other is None:
        return noted_result(game, notes)
    end = other.recorded
    winners = end.winners if end.ending is not None else None
    reason = (end.ending or "") if "ending" in other.differs else ""  # an equal one may be ours, if none is recorded
    return OtherResult(winners, end.scores, reason, tuple(other.differs))


def other_result(game: Game, notes: Mapping[str, Any], words: Words) -> str:
    """The result in the notes of a log, as text that states whether it differs; "" if there is none.

    `words` are the texts of the game's ruleset; the other arguments are those of `noted_result`.
    """
    result = noted_result(game, notes)
    if result is None:
        return ""
    text = result.in_words(game, words)
    return words.word("other_result_differs", result=text) if result.differs else text
