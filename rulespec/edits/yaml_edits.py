"""Edits of a YAML text: spans of it are replaced, the rest stays as its author has written it.

The result is read again, and refused unless it has exactly the data that were wanted, in that order.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.limits import Limits
from rulespec.documents.nodes import Mapping, Node, get, to_plain
from rulespec.documents.nodes import Sequence as Items
from rulespec.documents.reader import parse_yaml
from rulespec.documents.scalars import plain_value

_INDENT = 2
_MARK = "\ufeff"


class YamlEdits:
    """Edits of one text, which are made together.

    Args:
        text: the text, with its line ends; CRLF and a byte order mark stay.
        display: the name of its file in diagnostics.
        limits: bounds on it.

    Raises:
        DiagnosticsError: RS1xx, if it cannot be read.
    """

    def __init__(self, text: str, display: str, limits: Limits) -> None:
        self._text = text.removeprefix(_MARK)
        self._mark = text[: len(text) - len(self._text)]
        self._end = "\r\n" if "\r\n" in text else "\n"
        self._lines = self._text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._display, self._limits = display, limits
        self.root = parse_yaml(self._text, display, limits)
        self._wanted: Any = to_plain(self.root)
        self._edits: list[tuple[int, int, str]] = []
        self._gone: dict[tuple[str, ...], set[int]] = {}

    def put(self, path: Sequence[str], value: Any) -> None:
        """Gives an entry another value; one that is not there is added to its mapping, which must be there."""
        node, into = get(self.root, *path), self._at(path[:-1])
        if node is not None and into[path[-1]] == value:
            return
        if node is not None:
            self._edits.append((self._start(node.span), self._stop(node.span), flow(value)))
        else:
            self._added(path, [f"{flow(path[-1])}: {flow(value)}"])
        into[path[-1]] = value

    def add(self, path: Sequence[str], lines: Sequence[str], value: Any) -> None:
        """Adds an entry that is several lines, indented from its key; its mapping must be there.

        Args:
            path: of the entry.
            lines: how it is written.
            value: what they say.
        """
        self._added(path, lines)
        self._at(path[:-1])[path[-1]] = value

    def remove(self, path: Sequence[str]) -> None:
        """Takes an entry out of a mapping, with the comments that are indented under it."""
        parent = get(self.root, *path[:-1])
        assert isinstance(parent, Mapping)
        self._gone.setdefault(tuple(path[:-1]), set()).add([*parent.entries].index(path[-1]))
        del self._at(path[:-1])[path[-1]]

    def remove_item(self, path: Sequence[str], item: Any) -> None:
        """Takes an item out of a list."""
        node = get(self.root, *path)
        assert isinstance(node, Items)
        self._gone.setdefault(tuple(path), set()).add([to_plain(each) for each in node.items].index(item))
        self._at(path).remove(item)

    def applied(self) -> str:
        """The text after the edits.

        Raises:
            DiagnosticsError: RS567 if they cannot be made so that the text says what is wanted.
        """
        parts, at = [], 0
        cuts = [cut for path, numbers in self._gone.items() for cut in self._cuts(get(self.root, *path), numbers)]
        for start, stop, new in sorted([*self._edits, *cuts], key=lambda edit: edit[:2]):
            if start < at:
                raise self._refused()
            parts += [self._text[at:start], new.replace("\n", self._end)]
            at = stop
        result = "".join([*parts, self._text[at:]])
        try:
            data = to_plain(parse_yaml(result, self._display, self._limits))
        except DiagnosticsError as error:
            raise self._refused() from error
        if json.dumps(data) != json.dumps(self._wanted):  # the order, too
            raise self._refused()
        return self._mark + result

    def _refused(self) -> Exception:
        help_ = "write it as other files are written: an entry on lines of its own, or in braces on one line"
        message = "this file is written in a way that it cannot be changed by a program: nothing is written"
        return failure("RS567", message, Span(self._display, 1, 1, 1, 1), help=help_)

    # --- places --------------------------------------------------------------------------------------------------

    def _at(self, path: Sequence[str]) -> Any:
        value = self._wanted
        for key in path:
            value = value[key]
        return value

    def _start(self, span: Span) -> int:
        return self._starts[span.line - 1] + span.column - 1

    def _stop(self, span: Span) -> int:
        return self._starts[span.end_line - 1] + span.end_column - 1

    def _is_flow(self, node: Node) -> bool:
        return self._text[self._start(node.span)] in "{["

    def _cuts(self, node: Node | None, gone: set[int]) -> Iterator[tuple[int, int, str]]:
        """The spans of parts of a list or a mapping that are taken out."""
        if isinstance(node, Mapping):
            spans = [_from(key.span, value.span) for key, value in node.entries.values()]
        else:
            assert isinstance(node, Items)
            spans = [each.span for each in node.items]
        rest = [number for number in range(len(spans)) if number not in gone]
        if not rest:
            yield self._start(node.span), self._stop(node.span), "{}" if isinstance(node, Mapping) else "[]"
        elif not self._is_flow(node):
            for number in gone:
                key = spans[number]
                yield self._starts[key.line - 1], self._starts[self._last(key, key.column) + 1], ""
        else:
            for number in sorted(gone):
                if number < rest[-1]:  # with the comma after it
                    yield self._start(spans[number]), self._start(spans[number + 1]), ""
            if len(spans) - 1 in gone:  # with the comma before it
                yield self._stop(spans[rest[-1]]), self._stop(spans[-1]), ""

    def _last(self, part: Span, indent: int) -> int:
        """The last line of an entry, from 0: of all of it, and of comments after it that are indented so far."""
        last = line = part.end_line - 1
        while line + 1 < len(self._lines):
            line += 1
            text = self._lines[line].strip()
            if text and not (text.startswith("#") and self._indent(line) >= indent):
                break
            last = line if text else last
        return last

    def _indent(self, line: int) -> int:
        return len(self._lines[line]) - len(self._lines[line].lstrip())

    def _added(self, path: Sequence[str], lines: Sequence[str]) -> None:
        """Adds lines at the end of a mapping."""
        parent = get(self.root, *path[:-1])
        if isinstance(parent, Mapping) and parent.entries and not self._is_flow(parent):
            key, value = list(parent.entries.values())[-1]
            indent = " " * (key.span.column - 1)
            last = self._last(_from(key.span, value.span), len(indent))
            at = min(self._starts[last + 1], len(self._text))
            before = "" if at and self._text[at - 1] == "\n" else "\n"
            after = "\n" if not before else ""
            body = "\n".join(f"{indent}{line}" for line in lines)
            self._edits.append((at, at, f"{before}{body}{after}"))
        elif isinstance(parent, Mapping) and parent.entries and len(lines) == 1:
            at = self._stop(list(parent.entries.values())[-1][1].span)
            self._edits.append((at, at, f", {lines[0]}"))
        elif isinstance(parent, Mapping) and not parent.entries:
            indent = " " * (_INDENT * (len(path) - 1))
            body = "".join(f"\n{indent}{line}" for line in lines)
            self._edits.append((self._start(parent.span), self._stop(parent.span), body))
        else:
            raise self._refused()


def _from(first: Span, last: Span) -> Span:
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def flow(value: Any) -> str:
    """A value on one line, as YAML writes it in braces."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow(k)}: {flow(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, str):
        return (
            value
            if value and plain_value(value) == value and _is_plain(value)
            else json.dumps(value, ensure_ascii=False)
        )
    return json.dumps(value)


def _is_plain(text: str) -> bool:
    """Whether a text of letters, digits and what path data have needs no quotes."""
    return text[0].isalnum() and text[-1].isalnum() and text.isascii() and all(c.isalnum() or c in "_ -." for c in text)
