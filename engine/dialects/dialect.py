"""Dialects: how somebody else's log speaks about a game, as data. See docs/dialects.md."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import msgspec

from rulespec.diagnostics.diagnostic import Report, Span
from rulespec.documents.reader import Mapping as YamlMapping
from rulespec.documents.reader import Node, locate, read_yaml, to_plain
from rulespec.documents.schema_check import check_schema
from rulespec.engine.logs.log_text import fail
from rulespec.schemas import load_schema

MAX_ACTIONS = 50_000
MAX_BRACKETS = 400_000
"""Lists and objects in a foreign log: what is parsed is many times larger than its text."""

_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")


@dataclass(frozen=True, slots=True)
class Projection:
    """What an option looks like in the log. `match` is (path, expression, optional) for each field compared.

    `when` is an expression that must hold besides; `automatic` says that the other system takes the option by itself.
    """

    type: str
    match: tuple[tuple[str, str, bool], ...]
    when: str
    item: str
    closes: str
    list: str
    by: str
    automatic: bool


@dataclass(frozen=True, slots=True)
class Undo:
    """How the other system takes back.

    `checkpoints` are types of entries, or `decision.option`, to before which it goes back; `by` is the path to who does
    it; while a decision in `not_during` is open it cannot be done; `keeps` are state fields that are not taken back.
    """

    type: str
    by: str
    checkpoints: frozenset[str]
    not_during: frozenset[str]
    keeps: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dialect:
    """A dialect file, read and checked.

    `rules` is a ruleset reference, or which one by a field of the first entry. `ignores_illegal` says that the other
    system ignores what is not legal, but for what the rules in `accepts` refuse.
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

    def knows(self, entry: Any) -> bool:
        """Whether a log that begins with this entry is of this dialect."""
        if follow(entry, self.type_path) != self.start["type"]:
            return False
        payload = follow(entry, self.payload_path)
        for path, wanted in self.start.get("when", {}).items():
            if follow(payload, path) not in (wanted if isinstance(wanted, list) else [wanted]):
                return False
        return isinstance(self.rules, str) or self._rules_key(entry) in self.rules["values"]

    def _rules_key(self, entry: Any) -> str | None:
        """The value of the first entry that says which ruleset it is."""
        assert not isinstance(self.rules, str)
        found = follow(follow(entry, self.payload_path), self.rules["path"])
        key = self.rules.get("missing") if found in (MISSING, None) else found
        return key if isinstance(key, str) else None

    def ruleset_for(self, entry: Any) -> str | None:
        """The ruleset reference for a log that begins with this entry; None if the dialect has none for it."""
        if isinstance(self.rules, str):
            return self.rules
        found: str | None = self.rules["values"].get(self._rules_key(entry))
        return found

    def wanted(self) -> str:
        """What a first entry must say to be of this dialect, for messages."""
        fields = dict(self.start.get("when", {}))
        if not isinstance(self.rules, str):
            fields[self.rules["path"]] = " or ".join(self.rules["values"])
        return ", ".join(f"{k}: {v}" for k, v in fields.items())

    def foreign(self, kind: str, name: str) -> str:
        """The foreign name of an entity."""
        table = self.names.get(kind, {})
        if name in table:
            return table[name]
        for character in table.get("remove", ""):
            name = name.replace(character, "")
        return name


def read_dialect(path: Path) -> Dialect:
    """Reads a dialect file.

    Raises:
        DiagnosticsError: if it cannot be read or does not fit its schema.
    """
    report = Report()
    node = read_yaml(path, str(path))
    check_schema(node, load_schema("dialect"), report, what="dialect file")
    report.raise_if_errors()
    data = to_plain(node)
    action = data.get("action", {})
    return Dialect(
        id=data["id"],
        title=data["title"],
        rules=data["rules"],
        file=str(path),
        automatic=data.get("automatic", True),
        type_path=action.get("type", "type"),
        payload_path=action.get("payload", "payload"),
        start=data["start"],
        names=data.get("names", {}),
        ignore=frozenset(data.get("ignore", [])),
        ends=frozenset(data.get("ends", [])),
        ignores_illegal="ignores_illegal" in data,
        accepts=frozenset(data.get("ignores_illegal", {}).get("except", [])),
        undo=_undo(data["undo"]) if "undo" in data else None,
        decisions={key: _projections(value) for key, value in data["decisions"].items()},
        spans=_places(locate(node, ["decisions"])),
    )


def _places(node: Node | None) -> dict[str, Span]:
    return {key: place.span for key, (place, _) in node.entries.items()} if isinstance(node, YamlMapping) else {}


def _undo(data: Mapping[str, Any]) -> Undo:
    return Undo(
        data["type"],
        data.get("by", ""),
        frozenset(data["checkpoints"]),
        frozenset(data.get("not_during", [])),
        tuple(data.get("keeps", [])),
    )


def _projections(data: Any) -> tuple[Projection, ...]:
    """An option may have several forms in the log."""
    return tuple(_projection(form) for form in (data if isinstance(data, list) else [data]))


def _projection(data: Mapping[str, Any]) -> Projection:
    match = data.get("match", {})
    fields = {"": match} if not isinstance(match, dict) else match
    rows = []
    for path, expr in fields.items():
        text = str(expr).lower() if isinstance(expr, bool) else str(expr)
        rows.append((path.removesuffix("?"), text, path.endswith("?")))
    return Projection(
        data.get("type", ""),
        tuple(rows),
        data.get("when", ""),
        data.get("item", ""),
        data.get("closes", ""),
        data.get("list", ""),
        data.get("by", ""),
        data.get("automatic", False),
    )


MISSING = object()
"""What a path leads to that is not there."""


def follow(value: Any, path: str) -> Any:
    """What a path such as `players.*.id` leads to (`MISSING`: nowhere). The empty path is the value itself."""
    return reader(path)(value)


@lru_cache(maxsize=1_000)
def reader(path: str) -> Callable[[Any], Any]:
    """What follows one path, for many values."""
    if not path:
        return lambda value: value
    keys = path.split(".")
    if "*" in keys:
        at = keys.index("*")
        lists, each = reader(".".join(keys[:at])), reader(".".join(keys[at + 1 :]))

        def all_of(value: Any) -> Any:
            found = lists(value)
            return [each(v) for v in found] if isinstance(found, list) else MISSING

        return all_of

    def led(value: Any) -> Any:
        for key in keys:
            if isinstance(value, dict):
                value = value.get(key, MISSING)
            elif isinstance(value, list) and key.isdigit() and int(key) < len(value):
                value = value[int(key)]
            else:
                return MISSING
        return value

    if len(keys) > 1:
        return led
    (key,) = keys
    return lambda value: value.get(key, MISSING) if isinstance(value, dict) else led(value)


@dataclass(slots=True)
class ForeignLog:
    """The entries of a foreign log, with the file they come from."""

    file: str
    entries: list[Any] = field(default_factory=list)


def parse_foreign(text: str, file: str) -> ForeignLog:
    """The entries of a foreign log: a JSON array of objects, or of texts that hold objects.

    Raises:
        DiagnosticsError: RS61x if it is something else, or too long.
    """
    start = Span(file, 1, 1, 1, 2)
    if text.count("{") + text.count("[") > MAX_BRACKETS:
        fail("RS614", f"a log has at most {MAX_BRACKETS:,} lists and objects", start)
    if text.lstrip()[:1] == "{":
        help_ = 'a native log begins with {"rulespec_log": 1, …}; a foreign one is a JSON array'
        fail("RS613", "this log does not begin with a header", start, help=help_)
    try:
        entries = _read_json(text)
    except json.JSONDecodeError as error:
        span = Span(file, error.lineno, error.colno, error.lineno, error.colno + 1)
        fail("RS612", f"this log is not JSON: {error.msg}", span, help="is it complete?")
    except (RecursionError, ValueError):
        fail("RS612", "this log is not JSON that can be read: it nests too deep", start)
    if not isinstance(entries, list) or not entries:
        fail("RS613", "a log is a JSON array of entries, or lines that begin with the header of a native log", start)
    if len(entries) > MAX_ACTIONS:
        fail("RS614", f"a log has at most {MAX_ACTIONS:,} entries", start)
    for number, entry in enumerate(entries):
        if isinstance(entry, str):
            try:
                entries[number] = _read_json(entry)
            except (ValueError, RecursionError):
                fail("RS612", f"entry {number} is a text that holds no JSON", start)
        if not isinstance(entries[number], dict):
            fail("RS613", f"entry {number} is no object", start)
    return ForeignLog(file, entries)


def _read_json(text: str) -> Any:
    """What a text of JSON says, as Python's own reader has it; the other one is a multiple faster, and stricter."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return json.loads(text)


def ordered(values: Sequence[Any], order: str) -> list[Any]:
    """The elements of a list, in the order a dialect asks for."""
    if order != "numbers_first":
        return list(values)
    texts = [str(v) for v in values]
    numbers = sorted((t for t in texts if _WHOLE.fullmatch(t)), key=int)
    return [*numbers, *(t for t in texts if not _WHOLE.fullmatch(t))]
