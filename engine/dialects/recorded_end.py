"""Comparison of a game's recorded end with the end of its replay.

The recording system has endings that are not in the rules, such as resignation. Therefore, the winners and the ending
are compared only if the game has ended under the rules; otherwise they become a note. Points are always compared.
"""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import Report
from rulespec.engine.dialects.dialect import Dialect, Recorded
from rulespec.engine.dialects.entries import Entries
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.dialects.several_names import is_name
from rulespec.engine.game.game import Game
from rulespec.engine.game.seat_names import comparable
from rulespec.engine.logs.end_line import LogEnd, OtherEnd, end_of
from rulespec.engine.logs.notes import MAX_EVENT, RESULT, LogNotes


def check_recorded_end(game: Game, dialect: Dialect, log: Entries, file: str, report: Report) -> OtherEnd | None:
    """Compares a game that was replayed to the end of its log with the recorded end.

    Returns:
        The difference, which is also reported (RS643); None if the ends agree.
    """
    result = dialect.result
    number = None if result is None else _entry(log, result.entry)
    actual = None if number is None else end_of(game, marked=False)
    if result is None or number is None or actual is None:
        return None
    said = follow(log.payloads[number], result.winners) if result.won and actual.ending is not None else MISSING
    if isinstance(said, str) and _winners(game, result, said) is None:
        message = (
            f"the recorded winners are not compared: `result.winners` names no seats of this game for {shown(said)}"
        )
        help_ = f"in the dialect `{dialect.id}`, give it the numbers of the seats that won, from 1 to {len(game.seats)}"
        report.warning("RS629", message, Span(file, 1, 1, 1, 2), help=help_)
    recorded = _recorded(game, result, log.payloads[number], actual)
    if recorded == actual:
        return None
    other = OtherEnd(recorded, actual, 1)
    message = f"the replay ends differently from its log: {other}"
    help_ = f"list the moves that lead there with `rulespec replay --moves`; the log is of {dialect.title}"
    report.error("RS643", message, Span(file, 1, 1, 1, 2), help=help_)
    return other


def with_result(notes: LogNotes, game: Game, dialect: Dialect, log: Entries) -> LogNotes:
    """Adds the recorded result to the notes of a game that has not ended under the rules, or whose end is not compared.

    The other parameters are those of `check_recorded_end`.
    """
    result = _noted_result(game, dialect, log)
    return replace(notes, header={**notes.header, **result}) if result else notes


def _noted_result(game: Game, dialect: Dialect, log: Entries) -> dict[str, Any]:
    result = dialect.result
    number = None if result is None else _entry(log, result.entry)
    if result is None or number is None or (result.is_compared and game.result is not None):
        return {}
    payload, note = log.payloads[number], dict[str, Any]()
    winners = _winners(game, result, follow(payload, result.winners)) if result.winners else None
    if winners is not None:
        note["winners"] = [*winners]
    elif points := _scores(game, follow(payload, result.scores)) if result.scores else {}:
        note["scores"] = points
    reason = follow(payload, result.reason) if note and result.reason else MISSING
    if isinstance(reason, str) and (text := result.reasons.get(reason, reason)):
        note["reason"] = text[:MAX_EVENT]
    return {RESULT: note} if note else {}


def _entry(log: Entries, type_: str) -> int | None:
    """The number of the entry that records the end: the first one, or the last of a type; None if there is none."""
    if not type_:
        return 0
    return next((number for number in range(len(log) - 1, -1, -1) if log.types[number] == type_), None)


def _recorded(game: Game, result: Recorded, payload: Any, actual: LogEnd) -> LogEnd:
    """The end recorded in a payload; missing parts are taken from the actual end."""
    recorded = actual
    points = _scores(game, follow(payload, result.scores)) if result.scores else {}
    if points and actual.scores:
        recorded = replace(recorded, scores=points)
    if actual.ending is None or not result.is_compared:
        return recorded
    winners = _winners(game, result, follow(payload, result.winners)) if result.winners else None
    if winners is not None and {*winners} != {*actual.winners}:
        recorded = replace(recorded, winners=winners)
    ending = follow(payload, result.ending) if result.ending else MISSING
    if isinstance(ending, str) and ending in result.endings:
        recorded = replace(recorded, ending=result.endings[ending])
    return recorded


def _scores(game: Game, value: Any) -> dict[str, int]:
    """Seat → points, from a mapping by name or a list in seat order; empty unless every seat has points."""
    if isinstance(value, list):
        points = dict(zip(game.seats, value, strict=False))
    elif isinstance(value, dict):
        names = {seat: comparable(name) for seat, name in game.names.items()}
        points = {seat: value[name] for seat, name in names.items() if name in value}
    else:
        return {}
    numbers = {s: int(n) for s, n in points.items() if type(n) is int or (type(n) is float and n.is_integer())}
    return numbers if len(numbers) == len(game.seats) else {}


def _winners(game: Game, result: Recorded, value: Any) -> tuple[str, ...] | None:
    """The recorded winners; None if the value does not identify them."""
    if result.won:
        numbers = result.won.get(value) if isinstance(value, str) else None
        if numbers is None or any(number > len(game.seats) for number in numbers):
            return None
        return tuple(game.seats[number - 1] for number in numbers)
    if value is MISSING or value is None:
        return None
    values = value if isinstance(value, list) else [value]
    names = {seat: comparable(name) for seat, name in game.names.items()}
    return tuple(seat for seat, name in names.items() if any(is_name(each, name) for each in values))
