"""Files with mistakes as far as they can be read: what is of another form is left out, the rest can be drawn."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.nodes import Mapping, Node, Sequence
from rulespec.documents.reader import parse_readable
from rulespec.ruleset_files import MAX_YAML, SECTION_FILES, Files
from rulespec.syntax import ast

_FILES = frozenset({*SECTION_FILES, "drawing"})
_LINES = 10  # that are left out of a file that is no YAML
_ROUNDS = 20  # of mistakes in its form: one may hide others


class MendedFiles(Files):
    """Reads the YAML files of a ruleset without what is wrong with their form.

    Attributes:
        mended: whether anything has been left out.
    """

    def __init__(self) -> None:
        self.mended = False

    def yaml(self, path: Path, display: str) -> Node:
        """The tree of a YAML file. Errors: as those of `read_yaml`, if too little can be read."""
        if path.stem not in _FILES:
            return super().yaml(path, display)
        try:
            node = super().yaml(path, display)
        except DiagnosticsError as error:
            self.mended = True
            node = self._readable(self.text(path, display, MAX_YAML.size), display, error)
        return self._of_its_form(node, path.stem)

    def rules(self, text: str, display: str) -> tuple[ast.Item, ...]:
        """The items of a rules file; none if it is not valid."""
        try:
            return super().rules(text, display)
        except DiagnosticsError:
            self.mended = True
            return ()

    def _readable(self, text: str, display: str, first: DiagnosticsError) -> Node:
        """The tree of a text without keys and values that are refused, and without lines that are no YAML."""
        lines, error = text.split("\n"), first
        for _ in range(_LINES):
            node, found = parse_readable("\n".join(lines), display, MAX_YAML)
            if node is not None:
                return node
            error = found if found is not None else error
            span = error.diagnostics[0].span
            if span is None or not 0 < span.line <= len(lines) or not lines[span.line - 1]:
                break
            lines[span.line - 1] = ""
        raise first

    def _of_its_form(self, node: Node, schema: str) -> Node:
        for _ in range(_ROUNDS):
            found = [one.span for one in self.findings(node, schema, True) if one.span is not None]
            if not found:
                break
            self.mended = True
            node = _without(node, frozenset(found))
        return node


def _without(node: Node, spans: Collection[Span]) -> Node:
    """A tree without the keys and values at some places."""
    if isinstance(node, Mapping):
        kept = {
            key: (place, _without(value, spans))
            for key, (place, value) in node.entries.items()
            if place.span not in spans and value.span not in spans
        }
        return Mapping(kept, node.span)
    if isinstance(node, Sequence):
        return Sequence([_without(item, spans) for item in node.items if item.span not in spans], node.span)
    return node
