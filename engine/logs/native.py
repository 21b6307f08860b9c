"""Native logs: JSON Lines, a header and then one line per decision, only ever appended to.

    {"rulespec_log": 1, "ruleset": "nim", "ruleset_hash": "9c…", "seats": ["Ann", "Bob"], "settings": {}}
    {"decision": "turn", "by": "Ann", "option": "take(2)"}
    {"undo": 1}

A choice that others have seen sealed has its `salt`, too (`rulespec.engine.logs.sealed`).
A line `undo` takes back that many decisions before it. With `"keep": ["card", "player.points"]` these state fields
are not taken back; with `"set": {"card": "Ann"}` these fields of the game hold these values afterwards.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any, TextIO

import msgspec
from msgspec import Meta, Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.carried_over import new_header
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import replaced
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.position import Step
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, fail, read_log_text

VERSION = 1
MAX_LINES = 200_000
MAX_LINE = 64_000
MAX_SEATS = 64
MAX_FIELDS = 100
"""State fields in `keep`, and in `set`."""

SALT = "^([0-9a-f]{32})?$"
"""The pattern of a salt; "" for none."""
_REFERENCE = re.compile(r"[a-z0-9][a-z0-9_]*(\+[a-z0-9][a-z0-9_]*)*")
_HEADER_KEYS = ("rulespec_log", "ruleset", "ruleset_hash", "seats", "settings")


class LogHeader(Struct, frozen=True):
    """The ruleset, seats and settings of a game."""

    ruleset: str
    ruleset_hash: str
    seats: tuple[str, ...]
    settings: Mapping[str, str]

    @classmethod
    def of(cls, game: Game) -> LogHeader:
        """The header of the log of a game."""
        return cls(game.ruleset.ref, game.ruleset.hash, game.seats, dict(game.settings))

    def to_json(self) -> dict[str, Any]:
        """The header line as plain data."""
        return {
            "rulespec_log": VERSION,
            "ruleset": self.ruleset,
            "ruleset_hash": self.ruleset_hash,
            "seats": list(self.seats),
            "settings": dict(self.settings),
        }


class LogEntry(Struct, frozen=True, gc=False):
    """A line of a log: a decision, or decisions taken back.

    Attributes:
        by: the seat that decides; None for chance.
        line: the number of the line, from 1.
        back: the decisions taken back; None for a decision.
        salt: of the seal of a choice; "" if there is none.
    """

    decision: str
    by: str | None
    option: str
    line: int
    back: TakenBack | None = None
    salt: str = ""


class NativeLog(Struct):
    """A log that has been read; messages quote its `text`.

    Attributes:
        unread: what is wrong with the line after its entries, which ends a log that is read leniently.
    """

    file: str
    header: LogHeader
    entries: list[LogEntry]
    text: str
    warnings: list[Diagnostic] = []
    unread: Diagnostic | None = None

    def span(self, entry: LogEntry, value: str = "") -> Span:
        """The place of a line, or of a value in it."""
        return place_in(self.file, entry.line, self.text.split("\n")[entry.line - 1], value)


def entry_json(move: Option | Step | TakenBack) -> dict[str, Any]:
    """The line that records an option, one that has been taken with the salt of its seal, or decisions taken back."""
    if isinstance(move, Step):
        return entry_json(move.option) | ({"salt": move.salt} if move.salt else {})
    if isinstance(move, Option):
        return {"decision": move.decision, "by": move.by, "option": str(move)}
    line: dict[str, Any] = {"undo": move.decisions}
    if move.keep:
        line["keep"] = list(move.keep)
    if move.set:
        line["set"] = dict(move.set)
    return line


def is_native(text: str) -> bool:
    """Whether a text looks like a native log: its first line is an object that names the format."""
    line = text[:MAX_LINE].lstrip("\ufeff \t\r\n").partition("\n")[0]
    return line.startswith("{") and '"rulespec_log"' in line


def read_log(path: Path, display: str | None = None, *, lenient: bool = False) -> NativeLog:
    """Reads a native log.

    Args:
        path: the file; it may be compressed with gzip.
        display: its name in diagnostics.
        lenient: as of `parse_log`.

    Returns:
        The log. A torn last line, as after a crash, is a warning in `warnings`.

    Raises:
        DiagnosticsError: RS601, RS602 (file), RS604 (not JSON), RS605 (version), RS607 (a line of another form).
    """
    name = display or str(path)
    text, whole = read_log_text(path, name, MAX_NATIVE_BYTES, lenient=lenient)
    if text.lstrip()[:1] == "[":
        help_ = "if somebody else recorded it: `rulespec replay LOG --out FILE` makes a native log of it"
        fail("RS607", "this is not a native log: it is a JSON array", Span(name, 1, 1, 1, 2), help=help_)
    return parse_log(text, name, whole, lenient=lenient)


def parse_log(text: str, display: str, whole: bool = True, *, lenient: bool = False) -> NativeLog:
    """The log in a text; errors are those of `read_log`.

    Args:
        text: the text.
        display: the name of the log in diagnostics.
        whole: whether the text is known to be complete.
        lenient: whether a line that is no decision ends the log, as one does that is not legal; else it is an error.
    """
    if text.count("\n") > MAX_LINES:
        fail("RS602", f"the log has more than {MAX_LINES:,} lines", Span(display, MAX_LINES, 1, MAX_LINES, 2))
    lines = text.split("\n")
    ended = whole and lines[-1] == ""
    warnings: list[Diagnostic] = []
    header: LogHeader | None = None
    unread: Diagnostic | None = None
    entries: list[LogEntry] = []
    for i, line in enumerate(lines):
        if header is not None and (entry := _decision(line, i + 1)) is not None:
            entries.append(entry)
            continue
        if not line.strip():
            continue
        data: dict[str, Any] | None = None
        try:
            data = line_object(line, display, i + 1)
            if header is not None:
                entries.append(_entry(data, display, i + 1, line))
                continue
        except DiagnosticsError as error:
            more = any(later.strip() for later in lines[i + 1 :])
            torn = data is None and not more and not ended
            if header is None or not (torn or lenient):
                raise
            if torn:
                warnings.append(_torn(error, display, i + 1, line))
            else:
                unread = error.diagnostics[0]
            break
        header = _header(data, display, i + 1, line)
        decisions = _decisions(lines[i + 1 :], i + 2)
        if decisions is not None:
            entries = decisions
            break
    if header is None:
        fail(
            "RS604",
            "the log is empty",
            Span(display, 1, 1, 1, 2),
            help="its first line names the ruleset and the seats",
        )
    return NativeLog(display, header, entries, text, warnings, unread)


class _Line(Struct, forbid_unknown_fields=True):
    """A line with a decision, as nearly every line of a log is."""

    decision: str
    by: str | None
    option: str
    salt: Annotated[str, Meta(pattern=SALT)] = ""


_DECODER = msgspec.json.Decoder(_Line)


def _decision(line: str, number: int) -> LogEntry | None:
    """The entry of a line with a decision; None for other lines and for wrong ones, which `_entry` reads."""
    if len(line) > MAX_LINE:
        return None
    try:
        found = _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return LogEntry(found.decision, found.by, found.option, number, salt=found.salt)


def _decisions(lines: list[str], number: int) -> list[LogEntry] | None:
    """The entries of lines that all have decisions, as in nearly every log; None if there are others among them."""
    lines = lines[:-1] if lines and lines[-1] == "" else lines
    if any(line[:1] != "{" or line[-1:] != "}" or len(line) > MAX_LINE for line in lines):
        return None  # an object may stand on several lines, otherwise
    try:
        found = _DECODER.decode_lines("\n".join(lines))
    except (msgspec.MsgspecError, UnicodeError):
        return None
    if len(found) != len(lines):
        return None
    return [LogEntry(e.decision, e.by, e.option, line, salt=e.salt) for line, e in enumerate(found, number)]


def _torn(error: DiagnosticsError, display: str, number: int, line: str) -> Diagnostic:
    span = error.diagnostics[0].span or Span(display, number, 1, number, len(line) + 1)
    message = "the last line is torn; the log counts up to the line before"
    return Diagnostic("RS603", Severity.WARNING, message, span, help="was the program stopped while it was writing?")


def _no_json(line: str, reason: str) -> tuple[str, str]:
    """Why a line is no JSON, and the way out."""
    if "\0" in line:
        return "the line has the character U+0000, which is no text", "is it the right file, and whole?"
    if "\r" in line.strip():
        message = "the lines of the log end with carriage returns alone (U+000D), and count as one"
        return message, "save it with the line ends of Unix or of Windows"
    return f"the line is not JSON: {reason}", ""


def line_object(line: str, display: str, number: int) -> dict[str, Any]:
    """The JSON object on a line of a log; RS602, RS604 or RS607 if there is none."""
    if len(line) > MAX_LINE:
        fail("RS602", f"the line has more than {MAX_LINE:,} characters", Span(display, number, 1, number, 2))
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        # After the end of a truncated line there is nothing to point at.
        column = min(error.colno, max(1, len(line)))
        span = Span(display, number, column, number, column + 1)
        message, help_ = _no_json(line, error.msg)
        fail("RS604", message, span, help=help_)
    except (RecursionError, ValueError):
        fail(
            "RS604",
            "the line is not JSON of a log: nested too deeply or with too large a number",
            _line(display, number, line),
        )
    if not isinstance(data, dict):
        fail("RS607", "a line of a log is a JSON object", _line(display, number, line))
    return data


def check_version(data: dict[str, Any], display: str, number: int, line: str) -> None:
    """Checks that a first line is of the version that is read.

    Raises:
        DiagnosticsError: RS605.
    """
    version = data.get("rulespec_log")
    if version != VERSION or type(version) is not int:  # true and 1.0 are equal to 1
        message = f"the log has version {shown(json.dumps(version))}; this program reads version {VERSION}"
        fail("RS605", message, place_in(display, number, line, "rulespec_log"), help="update rulespec")


def _header(data: dict[str, Any], display: str, number: int, line: str) -> LogHeader:
    place = _line(display, number, line)
    if "rulespec_log" not in data:
        fail("RS607", "this is no native log: its first line has no `rulespec_log`", place)
    check_version(data, display, number, line)
    if "for" in data:
        help_ = "who keeps the table has the whole log; `rulespec log` makes such a part of it"
        span = place_in(display, number, line, "for")
        fail(
            "RS342", "this is what one seat has seen of a game, which cannot be played again from it", span, help=help_
        )
    data = new_header(data, _HEADER_KEYS)
    _keys(data, _HEADER_KEYS, {"ruleset", "seats"}, display, number, line)
    ruleset, hash_ = data["ruleset"], data.get("ruleset_hash", "")
    if not isinstance(ruleset, str) or not isinstance(hash_, str) or len(ruleset) > 1000:
        fail("RS607", "`ruleset` and `ruleset_hash` are texts", place_in(display, number, line, "ruleset"))
    if not _REFERENCE.fullmatch(ruleset):
        # A log from a stranger must not name the files that are read on this machine.
        help_ = "write the id there, and say with --rules where the ruleset is"
        place = place_in(display, number, line, ruleset)
        fail("RS607", "a log names its ruleset by ids, as in `id+overlay`, not by a path", place, help=help_)
    seats = data["seats"]
    if not isinstance(seats, list) or not seats or len(seats) > MAX_SEATS or not all(isinstance(s, str) for s in seats):
        fail("RS607", "`seats` is a list of names", place_in(display, number, line, "seats"))
    settings = data.get("settings", {})
    if not isinstance(settings, dict) or not all(isinstance(v, str | int) for v in settings.values()):
        fail("RS607", "`settings` is an object of setting → value", place_in(display, number, line, "settings"))
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in settings.items()}
    return LogHeader(ruleset, hash_, tuple(seats), texts)


def _entry(data: dict[str, Any], display: str, number: int, line: str) -> LogEntry:
    if "undo" in data:
        return LogEntry("", None, "", number, _taken_back(data, display, number, line))
    _keys(data, ("decision", "by", "option", "salt"), {"decision", "by", "option"}, display, number, line)
    for key, allowed in (("decision", str), ("by", str | None), ("option", str)):
        if not isinstance(data[key], allowed):
            fail("RS607", f"`{key}` is a text", place_in(display, number, line, key))
    salt = data.get("salt", "")
    if not isinstance(salt, str) or not re.fullmatch(SALT, salt):
        fail("RS607", "`salt` has 32 hex digits", place_in(display, number, line, "salt"))
    return LogEntry(data["decision"], data["by"], data["option"], number, salt=salt)


def _taken_back(data: dict[str, Any], display: str, number: int, line: str) -> TakenBack:
    _keys(data, ("undo", "keep", "set"), set(), display, number, line)
    fields = data.get("set", {})
    values = fields.values() if isinstance(fields, dict) else [fields]
    if (
        not isinstance(fields, dict)
        or len(fields) > MAX_FIELDS
        or any(isinstance(v, list | dict | float) for v in values)
    ):
        message = "`set` is an object of state field → number, truth value or name"
        fail("RS607", message, place_in(display, number, line, "set"))
    undo, least = data["undo"], 0 if fields else 1
    if not isinstance(undo, int) or isinstance(undo, bool) or undo < least:
        fail("RS607", "`undo` is the number of decisions taken back", place_in(display, number, line, "undo"))
    keep = data.get("keep", [])
    if not isinstance(keep, list) or len(keep) > MAX_FIELDS or not all(isinstance(name, str) for name in keep):
        fail("RS607", "`keep` is a list of names of state fields", place_in(display, number, line, "keep"))
    return TakenBack(undo, tuple(keep), tuple(fields.items()))


def _keys(data: dict[str, Any], allowed: Sequence[str], needed: set[str], display: str, number: int, line: str) -> None:
    for key in data:
        if key not in allowed:
            fail(
                "RS607",
                f"{shown(key)} has no meaning here",
                place_in(display, number, line, key),
                help=did_you_mean(key, allowed),
            )
    for key in allowed:
        if key in needed and key not in data:
            fail("RS607", f"`{key}` is missing in this line", _line(display, number, line))


def _line(display: str, number: int, line: str) -> Span:
    return Span(display, number, 1, number, max(2, len(line.rstrip()) + 1))


def place_in(display: str, number: int, line: str, value: str) -> Span:
    """The place of a value in a line; that of the line if it does not stand there."""
    quoted = json.dumps(value, ensure_ascii=False)
    at = line.find(quoted) if value else -1
    if at < 0:
        quoted = json.dumps(value)
        at = line.find(quoted) if value else -1
    if at < 0:
        return _line(display, number, line)
    return Span(display, number, at + 1, number, at + 1 + len(quoted))


class LogWriter:
    """Writer of the log of a finished game, line by line; it takes the place of the file when it is whole.

    A game in progress is saved by `rulespec.engine.logs.saved_game`.

    Args:
        path: the file.
        header: its first line.
        secret: whether the game has what not everybody sees: then only the owner may read the file.
    """

    def __init__(self, path: Path, header: LogHeader, *, secret: bool = False) -> None:
        self._stack = ExitStack()
        self._file: TextIO = self._stack.enter_context(replaced(path, secret=secret))
        self._write(header.to_json())

    def add(self, move: Option | Step | TakenBack) -> None:
        """Records a decision, with the salt of its seal if it is one that has been taken, or decisions taken back."""
        self._write(entry_json(move))

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _write(self, data: dict[str, Any]) -> None:
        self._file.write(to_json_text(data, plain=True) + "\n")
