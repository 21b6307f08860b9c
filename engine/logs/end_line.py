"""The end line of a log, which records the end of its game, or the state in which the game was left.

    {"end": {"ending": "last_one_wins", "winners": ["Ann"], "scores": {}, "fingerprint": "5f…"}}

If the game is resumed, other lines follow, and the last end line counts. If a replay ends differently at that line, the
rules have changed in the meantime.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NoReturn, Protocol

from msgspec import Struct

from rulespec.engine.game.fingerprint import fingerprint
from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.state_json import scores
from rulespec.engine.program.faults import ProgramFaultError

_KEYS = ("ending", "winners", "scores", "fingerprint")
_FINGERPRINT = re.compile(r"[0-9a-f]{32}")
_MAX_SEATS = 64
_MAX_NAME = 200
_MAX_SHOWN = 60


class Wrong(Protocol):
    """A function that raises an error for a value in a line."""

    def __call__(self, message: str, value: str, help_: str = "") -> NoReturn:  # noqa: D102
        ...


class LogEnd(Struct, frozen=True):
    """The end of a game, or the state in which it was left.

    Attributes:
        ending: the ending; None if the game was left.
        winners: the winning seats.
        scores: the points of each seat; empty if the ruleset has no scoring, or a seat may not know them yet.
        fingerprint: the fingerprint of the position, or of a seat's view.
    """

    ending: str | None
    winners: tuple[str, ...]
    scores: dict[str, int]
    fingerprint: str

    def to_json(self) -> dict[str, Any]:
        """The end line as plain data."""
        results = {key: getattr(self, key) for key in _KEYS}
        return {"end": results | {"winners": list(self.winners)}}


class RecordedEnd(Struct, frozen=True):
    """An end line in a log.

    Attributes:
        end: the recorded end.
        line: the line number, from 1.
        entries: the number of entries before the line.
    """

    end: LogEnd
    line: int
    entries: int


class OtherEnd(Struct, frozen=True):
    """A discrepancy between the end of a replay and the end recorded in its log.

    Attributes:
        recorded: the end in the log.
        actual: the end of the replay.
        line: the line of the recorded end.
    """

    recorded: LogEnd
    actual: LogEnd
    line: int

    @property
    def differs(self) -> list[str]:
        """The keys of the end line whose values differ."""
        return [key for key in _KEYS if _comparable(self.recorded, key) != _comparable(self.actual, key)]

    def __str__(self) -> str:
        return "; ".join(self._texts())

    def _texts(self) -> Iterator[str]:
        recorded, result = self.recorded, self.actual
        if recorded.ending != result.ending:
            yield f"ending {_named(result.ending)}, not {_named(recorded.ending)}"
        if _comparable(recorded, "winners") != _comparable(result, "winners"):
            yield f"won by {_listed(result.winners)}, not by {_listed(recorded.winners)}"
        if recorded.scores != result.scores:
            seats = [seat for seat in {**result.scores, **recorded.scores} if self._of(seat)[0] != self._of(seat)[1]]
            some = [f"{_cut(seat)} {self._of(seat)[0]}, not {self._of(seat)[1]}" for seat in seats[:_MAX_SEATS]]
            yield f"scores: {', '.join(some)}"
        if recorded.fingerprint != result.fingerprint:
            yield "a different position"

    def _of(self, seat: str) -> tuple[int | str, int | str]:
        """The points of a seat in the replay and in the log."""
        return self.actual.scores.get(seat, "none"), self.recorded.scores.get(seat, "none")


def end_of(game: Game, seat: str | None = OMNISCIENT, *, marked: bool = True) -> LogEnd | None:
    """The current end of a game; None if the rules fault while it is computed.

    Args:
        game: the game.
        seat: the viewer (None for the public), whose view determines the fingerprint and who sees scores only at the
            end; by default, an omniscient reader.
        marked: whether to include a fingerprint; computing it takes as long as several decisions.
    """
    try:
        result = game.result
        mark = fingerprint(game, seat) if marked else ""
        if result is not None:
            return LogEnd(result.ending, tuple(result.winners), dict(result.scores), mark)
        return LogEnd(None, (), scores(game) if seat == OMNISCIENT else {}, mark)
    except (RulesetFaultError, ProgramFaultError):
        return None


def end_json(game: Game, seat: str | None = OMNISCIENT) -> list[dict[str, Any]]:
    """A list with the current end line of a game; empty if the rules fault while it is computed."""
    end = end_of(game, seat)
    return [end.to_json()] if end is not None else []


def other_end(game: Game, recorded: RecordedEnd) -> OtherEnd | None:
    """The discrepancy between the end of a replay and the recorded end; None if they agree."""
    result = end_of(game)
    if result is None or _same(recorded.end, result):
        return None  # the next step reports a fault of the rules
    return OtherEnd(recorded.end, result, recorded.line)


def read_end(data: object, wrong: Wrong) -> LogEnd:
    """The parsed content of an end line; calls `wrong` for malformed data."""
    if not isinstance(data, dict) or {*data} != {*_KEYS}:
        wrong(f"`end` must be an object with {', '.join(f'`{key}`' for key in _KEYS)}", "end")
    ending, winners, points, mark = (data[key] for key in _KEYS)
    if not (ending is None or (isinstance(ending, str) and len(ending) <= _MAX_NAME)):
        wrong("`ending` must be the name of an ending, or null", "ending")
    if not isinstance(winners, list) or len(winners) > _MAX_SEATS or not all(map(_is_name, winners)):
        wrong("`winners` must be a list of seats", "winners")
    if not isinstance(points, dict) or len(points) > _MAX_SEATS or not all(type(n) is int for n in points.values()):
        wrong("`scores` must be an object that maps seats to points", "scores")
    if not isinstance(mark, str) or not _FINGERPRINT.fullmatch(mark):
        wrong("`fingerprint` must have 32 hex digits", "fingerprint")
    return LogEnd(ending, tuple(winners), points, mark)


def _is_name(name: object) -> bool:
    return isinstance(name, str) and len(name) <= _MAX_NAME


def _same(one: LogEnd, other: LogEnd) -> bool:
    return all(_comparable(one, key) == _comparable(other, key) for key in _KEYS)


def _comparable(end: LogEnd, key: str) -> object:
    """A value of an end, normalised so that the order of winners does not matter."""
    return frozenset(end.winners) if key == "winners" else getattr(end, key)


def _named(ending: str | None) -> str:
    return "none" if ending is None else f"`{_cut(ending)}`"


def _listed(seats: tuple[str, ...]) -> str:
    return ", ".join(map(_cut, seats)) or "nobody"


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"
