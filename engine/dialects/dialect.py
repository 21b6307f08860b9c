"""Dialects: the notations of foreign logs, as data. See docs/guides/dialects.md."""

from __future__ import annotations

import os
import time
from collections.abc import Collection, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report, failure
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.schema_check import check_schema
from rulespec.documents.text_files import read_text
from rulespec.documents.yaml_nodes import locate, report_repeated, to_plain
from rulespec.engine.dialects.json_paths import MISSING, follow
from rulespec.engine.dialects.notation_file import FILE, Notation, notation_of
from rulespec.engine.dialects.projected import Projection, as_text, places, projections
from rulespec.records import Brief
from rulespec.references import parts_of
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

_MEMO_SIZE = 20
"""Maximum number of dialects in memory."""
_SETTLED = 2_000_000_000
"""The age in nanoseconds from which a file's dates show any later change: some file systems count in steps of 2 s."""


class Cut(Brief, Struct, frozen=True):
    """The path of a list that a log records in one piece, and the set of names at which to split it."""

    source: str
    at: str


class LogShape(Brief, Struct, frozen=True):
    """The layout of a log, which says where its entries are.

    Attributes:
        list: the path of the entry list in an object; the object itself is the first entry. `*` matches every element
            of a list, or every value of an object. Empty if the log itself is the list.
        inside: the paths of lists of nested entries, which come after the entry that contains them.
        joined: type of entry → types of the immediately preceding entries that belong to it.
        cut: path of a list in `inside` → the list from which it is split.
    """

    list: str = ""
    inside: tuple[str, ...] = ()
    joined: Mapping[str, frozenset[str]] = {}
    cut: Mapping[str, Cut] = {}


class Remarks(Brief, Struct, frozen=True):
    """The type of entries that are only remarks, and the paths of their text and author, which may be empty."""

    type: str
    text: str
    by: str


class Recorded(Brief, Struct, frozen=True):
    """The location of a game's end in the log of the other system.

    Attributes:
        entry: the type of the entry that records the end; empty if the first entry does.
        scores: the path of the points, by seat name or in seat order; may be empty.
        winners: the path of the winner, or of the list of winners; may be empty.
        won: value at the path `winners` → numbers of the winning seats; if empty, the value consists of seat names.
        ending: the path of the ending; may be empty.
        endings: value at the path `ending` → the name of the ending in the rules.
        reason: the path of the reason for the end of a game that, under the rules, has not ended; may be empty.
        reasons: value at the path `reason` → its text; all other values are used as the text.
        is_compared: whether the winners and the ending are compared if the game has ended under the rules.
    """

    entry: str
    scores: str
    winners: str
    won: Mapping[str, tuple[int, ...]]
    ending: str
    endings: Mapping[str, str]
    reason: str = ""
    reasons: Mapping[str, str] = {}
    is_compared: bool = True


class Undo(Brief, Struct, frozen=True):
    """The undo feature of the other system.

    Attributes:
        type: the type of undo entries.
        by: the path of the seat that undoes; may be empty.
        checkpoints: entry types, or options as `decision.option`, before which an undo stops. None if an undo cancels
            whole entries, which are then skipped.
        not_during: the decisions during which undo is forbidden.
        keeps: the state fields that keep their values.
        sets: the fields that an undo changes, each with an expression for the new value.
        not_compared: paths of meaningless fields.
        to: the path of the id of the last entry that is not undone; may be empty.
        id: the path of an entry's id.
        redo: the type of entries that reverse the last undo; may be empty.
    """

    type: str
    by: str
    checkpoints: frozenset[str] | None
    not_during: frozenset[str]
    keeps: tuple[str, ...]
    sets: tuple[tuple[str, str], ...]
    not_compared: tuple[str, ...] = ()
    to: str = ""
    id: str = ""
    redo: str = ""


class Parted(Brief, Struct, frozen=True):
    """A field whose texts have several parts, with its name, the separator and the names of the parts."""

    field: str
    by: str
    names: tuple[str, ...]


class KnownFault(Brief, Struct, frozen=True):
    """A known fault of the other system.

    Attributes:
        title: a description for people.
        rules: the ids of the rules that forbid the faulty behaviour.
        overlay: an overlay on the dialect's rules that permits the behaviour.
        options: the options added by the overlay, as `decision.option`.
    """

    title: str
    rules: frozenset[str]
    overlay: str
    options: frozenset[str]


class Dialect(Brief, Struct, frozen=True, eq=False):
    """A parsed and checked dialect file.

    Attributes:
        rules: a ruleset reference, or a reference for each value of a field of the first entry.
        ignores_illegal: whether the other system ignores illegal entries.
        accepts: ids of rules unknown to the other system, which accepts entries that these rules refuse.
        not_compared: the paths of fields that are meaningless in entries of any type.
        not_compared_at_end: type of entries that end the game → paths of meaningless fields.
        known_faults: the known faults of the other system.
        shape: the layout of logs.
        parted: fields whose texts have several parts.
        untyped: the type assumed for entries without a type; may be empty.
        has_number_texts: whether integers are recorded as texts.
        values: name → path of an integer in the first entry, for use in expressions.
        remarks: the form of entries that are only remarks; None if logs have none.
        result: the location of the recorded end; None if logs do not record it.
        format: the file format: `json`, `pgn` or `sgf`.
        text_path: the path of a move's text in an entry; may be empty.
        notation: the notation of the texts; None if entries have no texts, or the notation was not read.
        not_read: kinds of texts that the dialect does not read, each with its title, the words that identify it, and
            advice.
    """

    id: str
    title: str
    rules: str | Mapping[str, Any]
    file: str
    automatic: bool
    type_path: str
    payload_path: str
    start: Mapping[str, Any]
    names: Mapping[str, Mapping[str, str]]
    ignore: frozenset[str]
    ends: frozenset[str]
    ignores_illegal: bool
    accepts: frozenset[str]
    undo: Undo | None
    decisions: Mapping[str, tuple[Projection, ...]]
    spans: Mapping[str, Span]
    not_compared: frozenset[str] = frozenset()
    not_compared_at_end: Mapping[str, tuple[str, ...]] = {}
    known_faults: tuple[KnownFault, ...] = ()
    shape: LogShape = LogShape()
    parted: tuple[Parted, ...] = ()
    untyped: str = ""
    has_number_texts: bool = False
    values: Mapping[str, str] = {}
    remarks: Remarks | None = None
    result: Recorded | None = None
    format: str = "json"
    text_path: str = ""
    notation: Notation | None = None
    not_read: tuple[tuple[str, tuple[str, ...], str], ...] = ()

    @property
    def start_type(self) -> str:
        """The type of the first entry; "" if the first entry is the object around the list."""
        result: str = self.start.get("type", "")
        return result

    def begins(self, entry: Any) -> bool:
        """Whether an entry can be the first, judged by its type or by the list of entries that it contains."""
        if self.shape.list and follow(entry, self.shape.list.partition(".*")[0]) is MISSING:
            return False
        return not self.start_type or bool(follow(entry, self.type_path) == self.start_type)

    def header(self, entry: Any) -> Any:
        """The fields of a first entry: its payload, or the whole object around the list."""
        return entry if self.shape.list else follow(entry, self.payload_path)

    def knows(self, entry: Any) -> bool:
        """Whether a log with this first entry belongs to this dialect."""
        return self.begins(entry) and not self.unfit(entry)

    def unfit(self, entry: Any) -> dict[str, Any]:
        """The fields of a first entry that do not fit this dialect, as path → value; a missing value is None."""
        payload, results = self.header(entry), {}
        for path, wanted in self.start.get("when", {}).items():
            value = follow(payload, path)
            value = None if value is MISSING else value
            if value not in (wanted if isinstance(wanted, list) else [wanted]):
                results[path] = value
        if not isinstance(self.rules, str) and self._rules_key(entry) not in self.rules["values"]:
            results.setdefault(self.rules["path"], self._rules_key(entry))
        return results

    def _rules_key(self, entry: Any) -> str | None:
        """The value in the first entry that selects the ruleset."""
        assert not isinstance(self.rules, str)
        result = follow(self.header(entry), self.rules["path"])
        key = self.rules.get("missing") if result in (MISSING, None) else result
        return key if isinstance(key, str) else None

    @property
    def rulesets(self) -> list[str]:
        """The references of the dialect's rulesets."""
        return [self.rules] if isinstance(self.rules, str) else list(self.rules["values"].values())

    def ruleset_for(self, entry: Any) -> str | None:
        """The reference of the ruleset for a log with this first entry; None if there is none."""
        if isinstance(self.rules, str):
            return self.rules
        result: str | None = self.rules["values"].get(self._rules_key(entry))
        return result

    def is_of_extended(self, ruleset: typed.Ruleset) -> bool:
        """Whether the dialect is in the folder of a ruleset that extends the one it names; it must then fit both."""
        bases = [parts_of(ref) for ref in self.rulesets]
        if ruleset.overlays or any(len(parts) > 1 or parts[0] == ruleset.id for parts in bases):
            return False
        return Path(self.file).resolve().parent.parent == ruleset.folders[0].resolve()

    def wanted(self, only: Collection[str] | None = None) -> str:
        """The expected fields of a first entry, for messages; `only` restricts the fields to some paths."""
        fields = dict(self.start.get("when", {}))
        if not isinstance(self.rules, str):
            fields[self.rules["path"]] = [*self.rules["values"]]
        return ", ".join(f"{k}: {_alternatives(v)}" for k, v in fields.items() if only is None or k in only)

    def foreign(self, kind: str, name: str) -> str:
        """The foreign name of an entity."""
        table = self.names.get(kind, {})
        if name in table:
            return table[name]
        for character in table.get("remove", ""):
            name = name.replace(character, "")
        if table.get("case") == "title":
            return " ".join(word[:1].upper() + word[1:] for word in name.split("_"))
        return name.upper() if table.get("case") == "upper" else name


def _alternatives(wanted: Any) -> str:
    values = wanted if isinstance(wanted, list) else [wanted]
    return " or ".join("none" if value is None else str(value)[:80] for value in values)


def read_dialect(path: Path, *, whole: bool = True) -> Dialect:
    """The dialect in a file.

    Args:
        path: the file.
        whole: whether to read the notation too, which is not needed to recognise a log by its first entry.

    Raises:
        DiagnosticsError: if the file is unreadable or violates its schema.
    """
    return _dialect(_text_in(path), str(path), whole)


def _text_in(path: Path) -> str:
    """The text of a file. A file is read again only if its dates or size have changed, or if it is very new.

    Raises:
        DiagnosticsError: see `read_text`.
    """
    try:
        s = os.stat(path)  # noqa: PTH116 - half the time
    except (OSError, ValueError):
        return read_text(path, str(path))
    if time.time_ns() - s.st_mtime_ns < _SETTLED:
        return read_text(path, str(path))
    return _text_as_dated(path, s.st_dev, s.st_ino, s.st_size, s.st_mtime_ns, s.st_ctime_ns)


@lru_cache(maxsize=_MEMO_SIZE)
def _text_as_dated(path: Path, *_: int) -> str:
    """The text of a file with the given inode, size and dates."""
    return read_text(path, str(path))


@lru_cache(maxsize=_MEMO_SIZE)
def _dialect(text: str, file: str, whole: bool) -> Dialect:
    """The dialect parsed from a text, memoised."""
    report = Report()
    node = parse_kept(text, file)
    check_schema(node, load_schema("dialect"), report, what="dialect file", cached=True)
    report_repeated(node, "dialect", report)
    report.raise_if_errors()
    data = to_plain(node)
    action = data.get("action", {})
    spans = places(locate(node, []))
    notation = _notation(file, spans) if whole and "text" in action else None
    own = {key: projections(value) for key, value in data["decisions"].items()}
    return Dialect(
        id=data["id"],
        title=data["title"],
        rules=data["rules"],
        file=file,
        automatic=data.get("automatic", True),
        type_path=action.get("type", "type"),
        payload_path=action.get("payload", "" if "text" in action else "payload"),
        start=data["start"],
        names=data.get("names", notation.names if notation is not None else {}),
        ignore=frozenset(data.get("ignore", [])),
        ends=frozenset(data.get("ends", [])),
        ignores_illegal="ignores_illegal" in data,
        accepts=frozenset(data.get("ignores_illegal", {}).get("except", [])),
        not_compared=frozenset(data.get("not_compared", {})),
        not_compared_at_end={type_: tuple(paths) for type_, paths in data["ends"].items()}
        if isinstance(data.get("ends"), dict)
        else {},
        known_faults=tuple(
            KnownFault(f["title"], frozenset(f["rules"]), f["overlay"], frozenset(f["options"]))
            for f in data.get("known_faults", [])
        ),
        undo=_undo(data["undo"]) if "undo" in data else None,
        shape=_shape(data.get("entries", "")),
        parted=tuple(Parted(path, p["by"], tuple(p["into"])) for path, p in data.get("parted", {}).items()),
        untyped=action.get("missing", ""),
        has_number_texts="numbers" in action,
        values=data["start"].get("values", {}),
        remarks=_remarks(data["remarks"]) if "remarks" in data else None,
        result=_recorded(data["result"]) if "result" in data else None,
        format=data.get("format", "json"),
        text_path=action.get("text", ""),
        notation=notation,
        not_read=tuple((each["title"], tuple(each["words"]), each["help"]) for each in data.get("not_read", [])),
        decisions=own if notation is None else {**notation.decisions, **own},
        spans=places(locate(node, ["decisions"]))
        | {f"cut.{path}": span for path, span in places(locate(node, ["entries", "cut"])).items()}
        | {f"settings.{name}": span for name, span in places(locate(node, ["start", "settings"])).items()}
        | spans,
    )


def _notation(file: str, spans: Mapping[str, Span]) -> Notation:
    """The notation of the ruleset to which a dialect file belongs.

    Raises:
        DiagnosticsError: RS886 if the ruleset has none.
    """
    notation = notation_of(Path(file).parent.parent)
    if notation is None:
        help_ = f"write `{FILE}` beside `game.yaml`"
        message = "this dialect reads moves as text, but its ruleset has no notation"
        raise failure("RS886", message, spans.get("action"), help_)
    return notation


def _shape(data: str | Mapping[str, Any]) -> LogShape:
    if isinstance(data, str):
        return LogShape(data)
    joined = {type_: frozenset(before) for type_, before in data.get("joined", {}).items()}
    cut = {path: Cut(c["from"], as_text(c["at"])) for path, c in data.get("cut", {}).items()}
    return LogShape(data.get("list", ""), tuple(data.get("inside", [])), joined, cut)


def _remarks(data: Mapping[str, str]) -> Remarks:
    return Remarks(data["type"], data["text"], data.get("by", ""))


def _recorded(data: Mapping[str, Any]) -> Recorded:
    winners, ending, reason = (_path_of(data.get(key, "")) for key in ("winners", "ending", "reason"))
    won = {value: tuple(seats) for value, seats in winners.get("values", {}).items()}
    return Recorded(
        data.get("entry", ""),
        data.get("scores", ""),
        winners["path"],
        won,
        ending["path"],
        ending.get("values", {}),
        reason["path"],
        reason.get("values", {}),
        data.get("compared", True),
    )


def _path_of(data: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """A path with a table of values; a plain text is a path without a table."""
    return {"path": data} if isinstance(data, str) else data


def _undo(data: Mapping[str, Any]) -> Undo:
    return Undo(
        data["type"],
        data.get("by", ""),
        frozenset(data["checkpoints"]) if "checkpoints" in data else None,
        frozenset(data.get("not_during", [])),
        tuple(data.get("keeps", [])),
        tuple((name, as_text(expression)) for name, expression in data.get("sets", {}).items()),
        tuple(data.get("not_compared", {})),
        data.get("to", ""),
        data.get("id", "id"),
        data.get("redo", ""),
    )
