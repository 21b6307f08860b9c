"""Comparison of a seat's earlier log with a later one; agreement shows that no sealed choice has changed."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.carried_over import new_header
from rulespec.engine.game.game import Game
from rulespec.engine.logs.end_line import end_of
from rulespec.engine.logs.log_lines import line_object, place_in
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, fail, read_log_text
from rulespec.engine.logs.native import MAX_LINES, check_version, read_seats
from rulespec.engine.logs.notes import OF_REMARK, OWN
from rulespec.engine.logs.old_seats import id_of, with_ids
from rulespec.engine.logs.sealed import fits
from rulespec.engine.logs.seat_log import seat_log

_SEEN = ("decision", "by", "option", "sealed")
_SAME = ("ruleset", "seats", "settings", "for")
"""Header keys with equal values in two logs of one game for one seat."""
_HELP = "ask the keeper of the table for the whole log: what a seat has received must never change"


class SeatLog(Struct, frozen=True):
    """A seat's log file.

    Attributes:
        file: the name of the file.
        seat: the viewer; None for the public view.
        header: the first line.
        lines: the decisions.
        end: the end line; None if the log has none.
        memory: the seat's memory after the decisions; "" if the log does not have it.
        text: the whole text of the log, for messages.
    """

    file: str
    seat: str | None
    header: dict[str, Any]
    lines: list[dict[str, Any]]
    end: dict[str, Any] | None
    memory: str
    text: str

    def fail(self, code: str, message: str, index: int, value: str, help_: str = _HELP) -> NoReturn:
        """Raises an error for a value in a line; the header has index 0."""
        line = self.text.split("\n")[index]
        fail(code, message, place_in(self.file, index + 1, line, value), help=help_)


class Agreement(Struct, frozen=True):
    """The extent of an agreement, as the numbers of decisions compared, seals opened and choices still sealed."""

    decisions: int
    opened: int
    still_sealed: int


def is_seat_log(text: str) -> bool:
    """Whether a text looks like a seat's log, judged by the key `for` in its first line."""
    with suppress(DiagnosticsError):
        return "for" in line_object(text.partition("\n")[0], "", 1)
    return False


def read_seat_log(path: Path) -> SeatLog:
    """The seat log in a file.

    Raises:
        DiagnosticsError: RS601 or RS602 if the file cannot be read, RS604 if it is not JSON, RS605 if its version is
            not supported, RS607 if it is malformed, RS650 if two seats have the same name.
    """
    name = str(path)
    text, _ = read_log_text(path, name, MAX_NATIVE_BYTES)
    if text.count("\n") > MAX_LINES:
        fail("RS602", f"the log has more than {MAX_LINES:,} lines", None)
    header, *lines = [line_object(line, name, number) for number, line in enumerate(text.rstrip().split("\n"), 1)]
    header = new_header(header, _SAME)
    log = SeatLog(name, None, {}, lines, None, "", text)
    first = text.partition("\n")[0]
    if "for" not in header or not isinstance(header.get("seats"), dict | list):
        help_ = "write such a log with `rulespec log LOG --for SEAT`"
        log.fail("RS607", "this is not a seat's log: its first line names no seat", 0, "", help_)
    check_version(header, name, 1, first)
    old = isinstance(header["seats"], list)
    header["seats"] = seats = read_seats(header["seats"], name, 1, first)
    if old:
        _carry_over(header, lines)
    if header["for"] is not None and not (isinstance(header["for"], str) and header["for"] in seats):
        help_ = f"write one of {', '.join(map(shown, seats))}, or null for all seats"
        log.fail("RS607", "this log is not for a seat of the game: `for` must be the id of a seat", 0, "for", help_)
    memory = lines.pop()["memory"] if lines and "memory" in lines[-1] else ""
    end = lines.pop()["end"] if lines and "end" in lines[-1] else None
    for index, line in enumerate(lines, 1):
        if not (is_remark(line) or (isinstance(line.get("decision"), str) and {"option", "sealed"} & line.keys())):
            log.fail("RS607", "this line is not a decision in the form of a seat's log", index, "")
    return SeatLog(log.file, header["for"], header, lines, end, str(memory), text)


def _carry_over(header: dict[str, Any], lines: list[dict[str, Any]]) -> None:
    """Converts names of version 1 to ids, and `public` as the viewer to None."""
    seat, option = id_of(header["seats"]), with_ids(header["seats"])
    for_ = header["for"]
    header["for"] = None if for_ == "public" else seat(for_) if isinstance(for_, str) else for_
    for line in lines:
        if isinstance(line.get("by"), str):
            line["by"] = seat(line["by"])
        if isinstance(line.get("option"), str):
            line["option"] = option(line["option"])


def is_remark(line: dict[str, Any]) -> bool:
    """Whether a line consists only of notes."""
    return bool(line) and all(key in OF_REMARK or key.startswith(OWN) for key in line)


def agrees_with_game(earlier: SeatLog, game: Game) -> Agreement:
    """Compares an earlier log of a seat with the game itself.

    Args:
        earlier: the log that the seat received.
        game: the game, at the end of the earlier log or later; it is not changed.

    Raises:
        DiagnosticsError: RS625 if a choice does not match its seal, RS626 if the game or a decision is different.
    """
    if earlier.seat is not None and earlier.seat not in game.seats:
        earlier.fail("RS626", "the other log has no player with that name", 0, earlier.seat)
    header, *lines = seat_log(game, earlier.seat)
    result = agrees(earlier, header, lines[:-1])
    past = game.copy()
    while past.ply > result.decisions:
        past.undo()
    end = end_of(past, earlier.seat) if earlier.end is not None else None
    if end is not None and end.to_json()["end"] != earlier.end:
        message = "after the same decisions, the other game has a different position"
        earlier.fail("RS626", message, len(earlier.lines) + 1, "fingerprint")
    if earlier.memory not in ("", past.view(earlier.seat).memory):
        message = "after the same decisions, the seat has seen something different in the other game"
        earlier.fail("RS626", message, len(earlier.lines) + 1 + (earlier.end is not None), "memory")
    return result


def agrees(earlier: SeatLog, header: dict[str, Any], lines: Sequence[dict[str, Any]]) -> Agreement:
    """Compares an earlier log of a seat with the header and the decision lines of a later one.

    Raises:
        DiagnosticsError: RS625 if a choice does not match its seal, RS626 if the game or a decision is different.
    """
    for key in _SAME:
        if earlier.header.get(key) != header.get(key):
            earlier.fail("RS626", f"the other log belongs to a different game or seat: `{key}` differs", 0, key)
    opened = still = 0
    later = [line for line in lines if "decision" in line]
    decisions = [(index, line) for index, line in enumerate(earlier.lines, 1) if not is_remark(line)]
    for number, (index, line) in enumerate(decisions):
        other = later[number] if number < len(later) else {}
        same = [key for key in _SEEN if line.get(key) == other.get(key)]
        if "sealed" in line and {"decision", "by", "sealed"} <= {*same}:
            still += 1
        elif "sealed" not in line and len(same) == len(_SEEN):
            continue
        elif "sealed" not in line or not {"decision", "by"} <= {*same}:
            what = "has a different option here" if other.get("option") else "lacks this decision"
            earlier.fail("RS626", f"the other log {what}", index, str(line.get("option", "decision")))
        elif not _opens(line["sealed"], other):
            no_salt = ", which has no salt" if "option" in other and not other.get("salt") else ""
            message = f"this seal does not match the choice in the other log{no_salt}"
            earlier.fail("RS625", message, index, str(line["sealed"]))
        else:
            opened += 1
    return Agreement(len(decisions), opened, still)


def _opens(seal: object, line: dict[str, Any]) -> bool:
    """Whether the choice in a later line matches a seal."""
    salt = line.get("salt")
    choice = {key: line.get(key) for key in ("decision", "by", "option")}
    return isinstance(seal, str) and isinstance(salt, str) and fits(seal, choice, salt)
