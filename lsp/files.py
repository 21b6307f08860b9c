"""Files as the editor sees them: open documents override files on disk, and parsed files are cached."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.yaml_nodes import Node
from rulespec.documents.yaml_reader import parse_again
from rulespec.references import Disk
from rulespec.ruleset_files import MAX_YAML, Files
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_rules

_ITEM = re.compile(r"^(?=[a-z])", re.MULTILINE)  # possible starts of items in a rules file
MAX_ITEMS = 400
"""The maximum number of items parsed one by one; a file with more is parsed as a whole."""

_Items = tuple[ast.Item, ...]


class _DiskAndOpen(Disk):
    """The disk, overlaid with unsaved documents."""

    def __init__(self, documents: Mapping[Path, str]) -> None:
        self._documents = documents

    def present(self, path: Path) -> bool:
        """Whether a file exists on disk, or is open in the editor."""
        return super().present(path) or (bool(self._documents) and path.resolve() in self._documents)


class EditorFiles(Files):
    """A reader that takes open documents from the editor, and other files from disk.

    An open document need not exist on disk. For an invalid rules file, the last valid version is used, so that the rest
    can be checked.

    Attributes:
        open: the text of each open document.
        broken: the diagnostics of each invalid rules file, by name, for the ruleset being checked.
        stale: the names of invalid rules files of which no valid version is known.
    """

    cached = False

    def __init__(self, documents: Mapping[Path, str] | None = None) -> None:
        self.open: dict[Path, str] = dict(documents or {})
        self.place = _DiskAndOpen(self.open)
        self.broken: dict[str, tuple[Diagnostic, ...]] = {}
        self.stale: set[str] = set()
        self._rules: dict[str, tuple[str, _Items]] = {}
        self._items: dict[str, dict[tuple[int, str], _Items]] = {}
        self._yaml: dict[str, tuple[str, Node]] = {}
        self._findings: dict[tuple[str, str, bool], tuple[Node, tuple[Diagnostic, ...]]] = {}

    def text(self, path: Path, display: str, limit: int) -> str:
        """The text of an open document, or of the file on disk."""
        text = self.open.get(path.resolve())
        if text is None:
            return super().text(path, display, limit)
        if len(text.encode("utf-8", "replace")) > limit:
            message = f"the file is larger than {limit:,} bytes"
            raise failure("RS103", message, Span(display, 1, 1, 1, 2))
        return text.removeprefix("\ufeff").replace("\r\n", "\n")

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file."""
        text = self.text(path, display, MAX_YAML.size)
        known = self._yaml.get(display)
        if known is None or known[0] != text:
            known = self._yaml[display] = (text, parse_again(text, display, MAX_YAML))
        return known[1]

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file, or of its last valid version."""
        self.broken.pop(display, None)
        self.stale.discard(display)
        known = self._rules.get(display)
        if known is None or known[0] != text:
            try:
                known = self._rules[display] = (text, self._parse(text, display))
            except DiagnosticsError as error:
                self.broken[display] = error.diagnostics
                if known is None:
                    self.stale.add(display)
        return known[1] if known is not None else ()

    def _parse(self, text: str, display: str) -> _Items:
        """The items of a rules file; only new, changed or moved items are parsed."""
        starts = [0, *(m.start() for m in _ITEM.finditer(text) if m.start())]
        if len(starts) > MAX_ITEMS:
            return super().rules(text, display)
        before, now = self._items.get(display, {}), {}
        line = 0
        try:
            for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
                part = text[start:end] if end == len(text) else text[start : end - 1]  # the parser adds the line end
                now[line, part] = before.get((line, part)) or parse_rules(part, display, line + 1)
                line += text.count("\n", start, end)
        except DiagnosticsError:  # an error, or a line inside brackets that looks like an item
            return super().rules(text, display)
        self._items[display] = now
        return tuple(item for items in now.values() for item in items)

    def findings(self, node: Node, schema: str, partial: bool = False) -> tuple[Diagnostic, ...]:
        """The schema errors in a YAML tree; a `partial` file may omit what its base provides."""
        key = (node.span.file, schema, partial)
        known = self._findings.get(key)
        if known is None or known[0] is not node:
            known = self._findings[key] = (node, super().findings(node, schema, partial))
        return known[1]

    def instead(self, texts: Mapping[Path, str]) -> EditorFiles:
        """A copy, including the cache, in which some files have different texts."""
        other = EditorFiles(self.open | dict(texts))
        other._rules, other._items = self._rules.copy(), self._items.copy()
        other._yaml, other._findings = self._yaml.copy(), self._findings.copy()
        return other
