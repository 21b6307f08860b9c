"""Native logs: append-only JSON Lines, with a header and one line per decision.

    {"rulespec_log": 2, "rulespec": "0.1.0", "language": 1, "ruleset": "nim", "ruleset_hash": "01…", …}
    {"decision": "turn", "by": "A", "option": "take(2)"}
    {"undo": 1}
    {"end": {"ending": null, "winners": [], "scores": {}, "fingerprint": "5f…"}}

A choice shown sealed to other seats also has its `salt` (`rulespec.engine.logs.sealed`). The value of `undo` is the
number of decisions to undo. `"keep": ["card", "player.points"]` lists state fields that keep their values in the undo;
`"set": {"card": "A"}` gives new values to fields of the game. `rulespec.engine.logs.end_line` describes the end line,
and `rulespec.engine.logs.notes` describes notes and remarks. In version 1, the header has neither versions nor a hash
of the meaning, and there is no end line; the parser reads such logs as version 2.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

from msgspec import Struct
from msgspec.structs import replace

from rulespec.bundles.packed_bundle import MAX_PACKED, Bundle, bundle_in
from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.carried_over import new_header
from rulespec.documents.versions import LANGUAGE, RULESPEC
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.position import Step
from rulespec.engine.logs.end_line import RecordedEnd, Wrong, read_end
from rulespec.engine.logs.log_lines import MAX_LINE, SALT, line_object, line_span, place_in, read_all, read_one
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, fail, read_log_text, refuse_games
from rulespec.engine.logs.notes import OF_HEADER, OF_MOVE, OF_REMARK, OWN, OWN_HELP, Notes, notes_in
from rulespec.engine.logs.old_seats import back_with_ids, id_of, seats_of, with_ids

VERSION = 2
READ = (1, 2)
"""The supported versions."""
MAX_LINES = 200_000
MAX_HEADER = MAX_LINE + MAX_PACKED
"""Maximum length of the first line, which may embed the rules, in characters."""
MAX_SEATS = 64
_ONE_NAME = "write the seats as an object that maps ids to names, and name them by id in the lines"
MAX_FIELDS = 100
"""Maximum number of state fields in `keep`, and the same for `set`."""
_MAX_VERSION = 80

_REFERENCE = re.compile(r"[a-z0-9][a-z0-9_]*(\+[a-z0-9][a-z0-9_]*)*")
_GENERATOR = re.compile(r"[a-z0-9_-]{0,80}")
_HEADER_KEYS = (
    *("rulespec_log", "rulespec", "language", "ruleset", "ruleset_hash", "sources_hash", "seats", "settings"),
    *("random", "bundle"),
)


class LogHeader(Struct, frozen=True):
    """The header of a log: the ruleset, the seats with their names, and the settings of the game.

    Attributes:
        ruleset_hash: the hash of the rules' meaning; "" if it is missing.
        sources_hash: the hash of the rules' texts; "" if it is missing.
        rulespec: the version of the program that wrote the log; "" if it is unknown.
        language: the version of the rules language; 0 if it is unknown.
        random: the random number generator of a simulated game; "" for other games.
        bundle: the sources of the ruleset, if they are embedded.
        named: whether the header has a list of names, which lines then use to identify seats (version 1).
        notes: other keys of the header: `event`, `date`, `remark`, and custom keys.
    """

    ruleset: str
    ruleset_hash: str
    seats: Mapping[str, str]
    settings: Mapping[str, str]
    sources_hash: str = ""
    rulespec: str = RULESPEC
    language: int = LANGUAGE
    random: str = ""
    bundle: Bundle | None = None
    named: bool = False
    notes: Notes = {}

    @classmethod
    def of(cls, game: Game, notes: Notes | None = None, random: str = "", bundle: Bundle | None = None) -> LogHeader:
        """The header for a new log of a game."""
        rules = game.ruleset
        header = cls(rules.ref, rules.hash, dict(game.names), dict(game.settings), rules.sources_hash)
        return replace(header, random=random, bundle=bundle, notes=notes or {})

    def to_json(self) -> dict[str, Any]:
        """The header line as plain data."""
        return {
            "rulespec_log": VERSION,
            "rulespec": self.rulespec,
            "language": self.language,
            "ruleset": self.ruleset,
            "ruleset_hash": self.ruleset_hash,
            "sources_hash": self.sources_hash,
            "seats": dict(self.seats),
            "settings": dict(self.settings),
            **({"random": self.random} if self.random else {}),
            **({"bundle": self.bundle.to_json()} if self.bundle is not None else {}),
            **self.notes,
        }


class LogEntry(Struct, frozen=True, gc=False):
    """A line of a log: a decision or an undo.

    Attributes:
        by: the deciding seat; None if chance decides.
        line: the line number, from 1.
        back: the undo; None for a decision.
        salt: the salt of the choice's seal; "" if the choice has no seal.
    """

    decision: str
    by: str | None
    option: str
    line: int
    back: TakenBack | None = None
    salt: str = ""


class NativeLog(Struct):
    """A parsed log.

    Attributes:
        text: the whole text, for quotes in messages.
        unread: in lenient parsing, the error in the line at which parsing stopped.
        end: the last end line; None if there is none.
        notes: line number → notes, that is, the keys that do not affect the game.
        version: the format version.
    """

    file: str
    header: LogHeader
    entries: list[LogEntry]
    text: str
    warnings: list[Diagnostic] = []
    unread: Diagnostic | None = None
    end: RecordedEnd | None = None
    notes: dict[int, dict[str, Any]] = {}
    version: int = VERSION

    def span(self, entry: LogEntry, value: str = "") -> Span:
        """The span of an entry's line, or of a value in that line."""
        return place_in(self.file, entry.line, self.text.split("\n")[entry.line - 1], value)

    def remarks(self) -> dict[int, dict[str, Any]]:
        """The notes on remark lines and on superseded end lines, by line number."""
        others = {entry.line for entry in self.entries} | ({self.end.line} if self.end is not None else set())
        return {line: notes for line, notes in self.notes.items() if line not in others}


def entry_json(move: Option | Step | TakenBack) -> dict[str, Any]:
    """The log line for an undo or an option; a sealed choice includes its salt."""
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
    """Whether a text looks like a native log, judged by the key `rulespec_log` in its first line."""
    line = text[:MAX_LINE].lstrip("\ufeff \t\r\n").partition("\n")[0]
    return line.startswith("{") and '"rulespec_log"' in line


def read_log(path: Path | str, display: str | None = None, *, lenient: bool = False) -> NativeLog:
    """The native log in a file.

    Args:
        path: the file, which may be gzipped.
        display: the name of the file in diagnostics.
        lenient: see `parse_log`.

    Returns:
        The log. A truncated last line, as after a crash, becomes a warning.

    Raises:
        DiagnosticsError: RS601 or RS602 if the file cannot be read, RS604 if it is not JSON, RS605 if its version is
            not supported, RS607 if a line is malformed.
    """
    name = display or str(path)
    text, whole = read_log_text(Path(path), name, MAX_NATIVE_BYTES, lenient=lenient)
    refuse_games(text, name)
    if text.lstrip()[:1] == "[":
        help_ = "if another system recorded it, convert it to a native log with `rulespec replay LOG --out FILE`"
        fail("RS607", "this is not a native log: it is a JSON array", Span(name, 1, 1, 1, 2), help=help_)
    return parse_log(text, name, whole, lenient=lenient)


def parse_log(text: str, display: str, whole: bool = True, *, lenient: bool = False) -> NativeLog:
    """The log in a text; raises the same errors as `read_log`.

    Args:
        text: the text.
        display: the name of the log in diagnostics.
        whole: whether the text is known to be complete.
        lenient: whether a malformed line ends the log, like an illegal decision, instead of being an error.
    """
    if text.count("\n") > MAX_LINES:
        fail("RS602", f"the log has more than {MAX_LINES:,} lines", Span(display, MAX_LINES, 1, MAX_LINES, 2))
    lines = text.split("\n")
    ended = whole and lines[-1] == ""
    warnings: list[Diagnostic] = []
    log = NativeLog(display, LogHeader("", "", {}, {}), [], text, warnings)
    header: LogHeader | None = None
    for i, line in enumerate(lines):
        if header is not None and (entry := _decision(line, i + 1)) is not None:
            log.entries.append(entry)
            continue
        if not line.strip():
            continue
        data: dict[str, Any] | None = None
        try:
            data = line_object(line, display, i + 1, MAX_LINE if header is not None else MAX_HEADER)
            if header is not None:
                _read_line(log, data, i + 1, line)
                continue
        except DiagnosticsError as error:
            more = any(later.strip() for later in lines[i + 1 :])
            torn = data is None and not more and not ended
            if header is None or not (torn or lenient):
                raise
            if torn:
                warnings.append(_torn(error, display, i + 1, line))
            else:
                log.unread = error.diagnostics[0]
            break
        log.header = header = _header(data, display, i + 1, line)
        log.version = data["rulespec_log"]
        if _read_decisions(log, lines[i + 1 :], i + 2):
            break
    if header is None:
        fail(
            "RS604",
            "the log is empty",
            Span(display, 1, 1, 1, 2),
            help="begin it with a line that names the ruleset and the seats",
        )
    if log.header.named and any(seat != name for seat, name in log.header.seats.items()):
        log.entries = _by_ids(log.entries, log.header.seats)
    return log


def _read_line(log: NativeLog, data: dict[str, Any], number: int, line: str) -> None:
    """Adds a line to a log: an entry, an end line or a remark."""
    wrong = _wrong(log.file, number, line)
    if "end" in data:
        _keys(data, ("end", *OF_REMARK), set(), log.file, number, line)
        log.end = RecordedEnd(read_end(data["end"], wrong), number, len(log.entries))
        notes = notes_in(data, OF_REMARK, wrong)
    elif "decision" in data or "undo" in data or not ({"remark", "date", "variations"} & {*data} or _is_own(data)):
        log.entries.append(_entry(data, log.file, number, line))
        notes = notes_in(data, OF_MOVE, wrong)
    else:
        _keys(data, OF_REMARK, set(), log.file, number, line)
        notes = notes_in(data, OF_REMARK, wrong)
    if notes:
        log.notes[number] = notes


def _is_own(data: dict[str, Any]) -> bool:
    """Whether a line consists of custom keys alone."""
    return bool(data) and all(key.startswith(OWN) for key in data)


def _wrong(display: str, number: int, line: str) -> Wrong:
    """A function that raises an error at a value of a line."""

    def wrong(message: str, value: str, help_: str = "") -> NoReturn:
        fail("RS607", message, place_in(display, number, line, value), help=help_)

    return wrong


def _decision(line: str, number: int) -> LogEntry | None:
    """The entry for a plain decision line; None for other and invalid lines, which `_entry` parses."""
    result = read_one(line)
    return None if result is None else LogEntry(result.decision, result.by, result.option, number, salt=result.salt)


def _read_decisions(log: NativeLog, lines: list[str], number: int) -> bool:
    """Adds the lines of a log at once if all are plain decisions, apart from a final end line, as is usual.

    Otherwise returns False and adds nothing; the lines must then be parsed one by one.
    """
    lines = lines[:-1] if lines and lines[-1] == "" else lines
    end = lines[-1] if lines and lines[-1].startswith('{"end"') else None
    result = read_all(lines if end is None else lines[:-1])
    if result is None:
        return False
    entries = [LogEntry(e.decision, e.by, e.option, line, salt=e.salt) for line, e in enumerate(result, number)]
    if end is not None:
        last = NativeLog(log.file, log.header, entries, "")
        try:
            _read_line(last, line_object(end, log.file, 0), number + len(result), end)
        except DiagnosticsError:  # truncated or malformed
            return False
        log.end, log.notes = last.end, last.notes
    log.entries = entries
    return True


def _torn(error: DiagnosticsError, display: str, number: int, line: str) -> Diagnostic:
    span = error.diagnostics[0].span or Span(display, number, 1, number, len(line) + 1)
    message = "the last line is incomplete; the log is valid up to the line before"
    return Diagnostic(
        "RS603",
        Severity.WARNING,
        message,
        span,
        help="continue the game to replace this line: the program was probably stopped while it was writing",
    )


def check_version(data: dict[str, Any], display: str, number: int, line: str) -> None:
    """Checks the version in the first line of a log.

    Raises:
        DiagnosticsError: RS605 for an unsupported version.
    """
    version = data.get("rulespec_log")
    if version not in READ or type(version) is not int:  # true and 1.0 are equal to 1
        message = f"the log has version {shown(json.dumps(version))}; this program reads versions 1 to {VERSION}"
        fail("RS605", message, place_in(display, number, line, "rulespec_log"), help="update rulespec")


def _header(data: dict[str, Any], display: str, number: int, line: str) -> LogHeader:
    place = line_span(display, number, line)
    if "rulespec_log" not in data:
        fail("RS607", "this is not a native log: its first line has no `rulespec_log`", place)
    check_version(data, display, number, line)
    if "for" in data:
        help_ = "ask the keeper of the table for the whole log, from which `rulespec log` extracted this part"
        span = place_in(display, number, line, "for")
        fail("RS342", "this log contains only one seat's view of a game, so it cannot be replayed", span, help=help_)
    data = new_header(data, _HEADER_KEYS)
    _keys(data, (*_HEADER_KEYS, *OF_HEADER), {"ruleset", "seats"}, display, number, line)
    notes = notes_in(data, OF_HEADER, _wrong(display, number, line))
    program, language = data.get("rulespec", ""), data.get("language", 0)
    if not isinstance(program, str) or len(program) > _MAX_VERSION:
        fail("RS607", "`rulespec` must be the version of the program", place_in(display, number, line, "rulespec"))
    if type(language) is not int:
        fail("RS607", "`language` must be a version number", place_in(display, number, line, "language"))
    ruleset = data["ruleset"]
    hashes = [data.get(key, "") for key in ("ruleset_hash", "sources_hash")]
    if not all(isinstance(text, str) for text in (ruleset, *hashes)) or len(ruleset) > 1000:
        message = "`ruleset`, `ruleset_hash` and `sources_hash` must be strings"
        fail("RS607", message, place_in(display, number, line, "ruleset"))
    if data["rulespec_log"] == 1:  # it has only the hash of the texts, under the other name
        hashes = ["", hashes[1] or hashes[0]]
    if not _REFERENCE.fullmatch(ruleset):
        # An untrusted log must not choose which files this machine reads.
        help_ = "write the id there, and give the path of the ruleset with --rules"
        place = place_in(display, number, line, ruleset)
        fail("RS607", "`ruleset` must name the ruleset by ids, such as `id+overlay`, not by a path", place, help=help_)
    seats = read_seats(data["seats"], display, number, line)
    settings = data.get("settings", {})
    if not isinstance(settings, dict) or not all(isinstance(v, str | int) for v in settings.values()):
        fail(
            "RS607",
            "`settings` must be an object that maps settings to values",
            place_in(display, number, line, "settings"),
        )
    texts = {k: str(v).lower() if isinstance(v, bool) else str(v) for k, v in settings.items()}
    random = data.get("random", "")
    if not isinstance(random, str) or not _GENERATOR.fullmatch(random):
        place = place_in(display, number, line, "random")
        fail("RS607", "`random` must be the name of a generator, such as `splitmix64-1`", place)
    bundle = bundle_in(data["bundle"], place_in(display, number, line, "bundle")) if "bundle" in data else None
    named = isinstance(data["seats"], list)
    return LogHeader(ruleset, hashes[0], seats, texts, hashes[1], program, language, random, bundle, named, notes)


def read_seats(seats: Any, display: str, number: int, line: str) -> dict[str, str]:
    """The seats of a header: an object of ids and names, or a list of names in version 1.

    Raises:
        DiagnosticsError: RS607 if the value is anything else, RS650 if a name in a list is repeated.
    """
    names = list(seats.values()) if isinstance(seats, dict) else seats
    if not isinstance(names, list) or not 0 < len(names) <= MAX_SEATS or not all(isinstance(n, str) for n in names):
        fail("RS607", "`seats` must be an object that maps ids to names", place_in(display, number, line, "seats"))
    try:
        return seats if isinstance(seats, dict) else seats_of(names)
    except ValueError as error:
        fail("RS650", str(error), place_in(display, number, line, "seats"), help=_ONE_NAME)


def _by_ids(entries: list[LogEntry], seats: Mapping[str, str]) -> list[LogEntry]:
    """The entries of a version 1 log with names replaced by ids."""
    seat, option = id_of(seats), with_ids(seats)
    return [
        LogEntry(
            entry.decision,
            None if entry.by is None else seat(entry.by),
            option(entry.option),
            entry.line,
            None if entry.back is None else back_with_ids(entry.back, seats),
            entry.salt,
        )
        for entry in entries
    ]


def _entry(data: dict[str, Any], display: str, number: int, line: str) -> LogEntry:
    if "undo" in data:
        return LogEntry("", None, "", number, _taken_back(data, display, number, line))
    keys = ("decision", "by", "option", "salt", *OF_MOVE)
    _keys(data, keys, {"decision", "by", "option"}, display, number, line)
    for key, allowed in (("decision", str), ("by", str | None), ("option", str)):
        if not isinstance(data[key], allowed):
            fail("RS607", f"`{key}` must be a string", place_in(display, number, line, key))
    salt = data.get("salt", "")
    if not isinstance(salt, str) or not re.fullmatch(SALT, salt):
        fail("RS607", "`salt` must have 32 hex digits", place_in(display, number, line, "salt"))
    return LogEntry(data["decision"], data["by"], data["option"], number, salt=salt)


def _taken_back(data: dict[str, Any], display: str, number: int, line: str) -> TakenBack:
    _keys(data, ("undo", "keep", "set", *OF_MOVE), set(), display, number, line)
    fields = data.get("set", {})
    values = fields.values() if isinstance(fields, dict) else [fields]
    if (
        not isinstance(fields, dict)
        or len(fields) > MAX_FIELDS
        or any(isinstance(v, list | dict | float) for v in values)
    ):
        message = "`set` must be an object that maps state fields to numbers, truth values or names"
        fail("RS607", message, place_in(display, number, line, "set"))
    undo, least = data["undo"], 0 if fields else 1
    if not isinstance(undo, int) or isinstance(undo, bool) or undo < least:
        fail("RS607", "`undo` must be the number of decisions taken back", place_in(display, number, line, "undo"))
    keep = data.get("keep", [])
    if not isinstance(keep, list) or len(keep) > MAX_FIELDS or not all(isinstance(name, str) for name in keep):
        fail("RS607", "`keep` must be a list of names of state fields", place_in(display, number, line, "keep"))
    return TakenBack(undo, tuple(keep), tuple(fields.items()))


def _keys(data: dict[str, Any], allowed: Sequence[str], needed: set[str], display: str, number: int, line: str) -> None:
    for key in data:
        if key not in allowed and not key.startswith(OWN):
            place = place_in(display, number, line, key)
            fail("RS607", f"{shown(key)} has no meaning here", place, help=did_you_mean(key, allowed) or OWN_HELP)
    for key in allowed:
        if key in needed and key not in data:
            fail("RS607", f"`{key}` is missing from this line", line_span(display, number, line))
