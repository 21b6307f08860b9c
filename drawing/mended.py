"""Partial reading of files with mistakes: malformed values are dropped, so that the rest can be drawn."""

from __future__ import annotations

import re
from collections.abc import Collection
from pathlib import Path

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence
from rulespec.documents.yaml_reader import parse_readable
from rulespec.ruleset_files import MAX_YAML, SECTION_FILES, Files
from rulespec.syntax import ast

_SCHEMAS = {name: name for name in (*SECTION_FILES, "drawing")} | {"outlines": "drawing"}
"""File stem → schema."""
_LINES = 10  # most lines dropped from an invalid YAML file
_ROUNDS = 20  # most rounds of schema errors, since one may hide others


class MendedFiles(Files):
    """A reader of a ruleset's YAML files that skips their malformed parts.

    Attributes:
        mended: whether anything has been dropped.
        problems: the diagnostics of the dropped parts.
    """

    def __init__(self) -> None:
        self.mended = False
        self.problems: list[Diagnostic] = []
        self._names: set[str] = set()

    def causes(self, other: Diagnostic) -> bool:
        """Whether a dropped part may have caused an error, because the error is on its line or mentions its name."""
        if other.span is None:
            return self.mended
        lines = {(one.span.file, one.span.line) for one in self.problems if one.span is not None}
        said = set(re.findall(r"`([^`]+)`", other.message))
        return (other.span.file, other.span.line) in lines or not said.isdisjoint(self._names)

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file. If too little is readable, the errors are those of `read_yaml`."""
        if path.stem not in _SCHEMAS:
            return super().yaml(path, display)
        try:
            node = super().yaml(path, display)
        except DiagnosticsError as error:
            self.mended = True
            node = self._readable(self.text(path, display, MAX_YAML.size), display, error)
        return self._of_its_form(node, _SCHEMAS[path.stem])

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file; empty if it is invalid."""
        try:
            return super().rules(text, display)
        except DiagnosticsError:
            self.mended = True
            return ()

    def _readable(self, text: str, display: str, first: DiagnosticsError) -> Node:
        """The tree of a text without rejected keys and values, and without lines that are not YAML."""
        lines, error = text.split("\n"), first
        for _ in range(_LINES):
            node, result = parse_readable("\n".join(lines), display, MAX_YAML)
            if node is not None:
                self.problems += result.diagnostics if result is not None else ()
                return node
            error = result if result is not None else error
            self.problems += error.diagnostics
            span = error.diagnostics[0].span
            if span is None or not 0 < span.line <= len(lines) or not lines[span.line - 1]:
                break
            self._names.update(re.findall(r"^\s*([a-z0-9_]+)\s*:", lines[span.line - 1]))
            lines[span.line - 1] = ""
        raise first

    def _of_its_form(self, node: Node, schema: str) -> Node:
        if isinstance(node, Scalar) and node.value is None:  # only comments, as in a new file
            return node
        for _ in range(_ROUNDS):
            result = self.findings(node, schema, True)
            if not result:
                break
            self.mended = True
            self.problems += result
            node = self._without(node, frozenset(one.span for one in result if one.span is not None))
        return node

    def _without(self, node: Node, spans: Collection[Span]) -> Node:
        """A tree without the keys and values at the given places."""
        if isinstance(node, Mapping):
            gone = {key for key, (place, value) in node.entries.items() if place.span in spans or value.span in spans}
            self._names |= gone
            rest = {k: (place, self._without(v, spans)) for k, (place, v) in node.entries.items() if k not in gone}
            return Mapping(rest, node.span)
        if isinstance(node, Sequence):
            return Sequence([self._without(item, spans) for item in node.items if item.span not in spans], node.span)
        return node
