"""Dialects: how somebody else's log speaks about a game, as data. See docs/guides/dialects.md."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.nodes import Mapping as YamlMapping
from rulespec.documents.nodes import Node, locate, to_plain
from rulespec.documents.repeated import report_repeated
from rulespec.documents.schema_check import check_schema
from rulespec.documents.text_files import read_text
from rulespec.engine.dialects.paths import MISSING, follow
from rulespec.records import Brief
from rulespec.schemas import load_schema

_MEMO_SIZE = 20
"""Dialects in memory, for the next log."""


class Projection(Brief, Struct, frozen=True):
    """The record of an option in a log.

    Attributes:
        type: the type of its entry; empty if it has none.
        match: (path, expression, optional) for each compared field.
        when: an expression that must hold, too; may be empty.
        item: the path of a list that several decisions share; each answers one element.
        closes: the path of such a list; the record stands for the option once all elements are matched.
        list: the name of a list of the first entry that answers the option.
        by: the path of the seat that acts; may be empty.
        automatic: whether the other system takes the option by itself.
        not_compared: paths of fields that say nothing of this option.
    """

    type: str
    match: tuple[tuple[str, str, bool], ...]
    when: str
    item: str
    closes: str
    list: str
    by: str
    automatic: bool
    not_compared: tuple[str, ...] = ()


class Undo(Brief, Struct, frozen=True):
    """The undo of the other system.

    Attributes:
        type: the type of its entry.
        by: the path of the seat that takes back; may be empty.
        checkpoints: types of entries, or `decision.option`, to before which it goes back.
        not_during: decisions during which it is not legal.
        keeps: state fields that are not taken back.
        sets: fields of the game, each with the expression whose value it gets after the undo.
        not_compared: paths of fields that say nothing.
    """

    type: str
    by: str
    checkpoints: frozenset[str]
    not_during: frozenset[str]
    keeps: tuple[str, ...]
    sets: tuple[tuple[str, str], ...]
    not_compared: tuple[str, ...] = ()


class KnownFault(Brief, Struct, frozen=True):
    """A known fault of the other system.

    Attributes:
        title: what it does, for people.
        rules: what it does is refused with one of these.
        overlay: laid over the dialect's rules, this lets it pass.
        options: with these options, `decision.option`.
    """

    title: str
    rules: frozenset[str]
    overlay: str
    options: frozenset[str]


class Dialect(Brief, Struct, frozen=True, eq=False):
    """A dialect file, read and checked.

    Attributes:
        rules: a ruleset reference, or references by the value of a field of the first entry.
        ignores_illegal: whether the other system ignores entries that are not legal.
        accepts: rules that the other system does not know: entries that only they refuse are not ignored.
        not_compared: paths of fields that say nothing, in entries of any type.
        known_faults: what the other system is known to do wrong.
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
    known_faults: tuple[KnownFault, ...] = ()

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
        """The value in the first entry that names the ruleset."""
        assert not isinstance(self.rules, str)
        result = follow(follow(entry, self.payload_path), self.rules["path"])
        key = self.rules.get("missing") if result in (MISSING, None) else result
        return key if isinstance(key, str) else None

    @property
    def rulesets(self) -> list[str]:
        """The references of the rulesets that the dialect is for."""
        return [self.rules] if isinstance(self.rules, str) else list(self.rules["values"].values())

    def ruleset_for(self, entry: Any) -> str | None:
        """The ruleset reference for a log that begins with this entry; None if the dialect has none for it."""
        if isinstance(self.rules, str):
            return self.rules
        result: str | None = self.rules["values"].get(self._rules_key(entry))
        return result

    def wanted(self) -> str:
        """The fields that a first entry of this dialect has, for messages."""
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
    return _dialect(read_text(path, str(path)), str(path))


@lru_cache(maxsize=_MEMO_SIZE)
def _dialect(text: str, file: str) -> Dialect:
    """The dialect of a file; in memory for the next log."""
    report = Report()
    node = parse_kept(text, file)
    check_schema(node, load_schema("dialect"), report, what="dialect file", cached=True)
    report_repeated(node, "dialect", report)
    report.raise_if_errors()
    data = to_plain(node)
    action = data.get("action", {})
    return Dialect(
        id=data["id"],
        title=data["title"],
        rules=data["rules"],
        file=file,
        automatic=data.get("automatic", True),
        type_path=action.get("type", "type"),
        payload_path=action.get("payload", "payload"),
        start=data["start"],
        names=data.get("names", {}),
        ignore=frozenset(data.get("ignore", [])),
        ends=frozenset(data.get("ends", [])),
        ignores_illegal="ignores_illegal" in data,
        accepts=frozenset(data.get("ignores_illegal", {}).get("except", [])),
        not_compared=frozenset(data.get("not_compared", {})),
        known_faults=tuple(
            KnownFault(f["title"], frozenset(f["rules"]), f["overlay"], frozenset(f["options"]))
            for f in data.get("known_faults", [])
        ),
        undo=_undo(data["undo"]) if "undo" in data else None,
        decisions={key: _projections(value) for key, value in data["decisions"].items()},
        spans=_places(locate(node, ["decisions"]))
        | {f"settings.{name}": span for name, span in _places(locate(node, ["start", "settings"])).items()}
        | _places(locate(node, [])),
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
        tuple((name, _text(expression)) for name, expression in data.get("sets", {}).items()),
        tuple(data.get("not_compared", {})),
    )


def _text(expression: str | int | bool) -> str:
    """An expression as text; YAML reads some as numbers or truth values."""
    return str(expression).lower() if isinstance(expression, bool) else str(expression)


def _projections(data: Any) -> tuple[Projection, ...]:
    """The projections of an option, which may have several forms in the log."""
    return tuple(_projection(form) for form in (data if isinstance(data, list) else [data]))


def _projection(data: Mapping[str, Any]) -> Projection:
    match = data.get("match", {})
    fields = {"": match} if not isinstance(match, dict) else match
    rows = []
    for path, expr in fields.items():
        rows.append((path.removesuffix("?"), _text(expr), path.endswith("?")))
    return Projection(
        data.get("type", ""),
        tuple(rows),
        data.get("when", ""),
        data.get("item", ""),
        data.get("closes", ""),
        data.get("list", ""),
        data.get("by", ""),
        data.get("automatic", False),
        tuple(data.get("not_compared", {})),
    )
