"""Edits of a YAML text: only the affected spans are replaced, everything else is preserved.

The result is parsed again, and refused unless it contains exactly the intended data, in the intended order.
"""

from __future__ import annotations

import json
import re
from bisect import bisect
from collections.abc import Iterator, Sequence
from typing import Any

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.yaml_nodes import FileLimits, Mapping, Node, get, plain_value, to_plain
from rulespec.documents.yaml_nodes import Sequence as Items
from rulespec.documents.yaml_reader import parse_again

_INDENT = 2
_MARK = "\ufeff"
_REST = re.compile(r"(?:[ \t]*,)?(?:[ \t]+#[^\n]*)?[ \t\r]*\n")
_COMMA = re.compile(r"[ \t]*,[ \t]*")


class YamlEdits:
    """A batch of edits to one text.

    Args:
        text: the text; CRLF line endings and a byte order mark are preserved.
        display: the name of its file in diagnostics.
        limits: the limits for YAML files.

    Raises:
        DiagnosticsError: RS1xx, if it is unreadable.
    """

    def __init__(self, text: str, display: str, limits: FileLimits) -> None:
        self._text = text.removeprefix(_MARK)
        self._mark = text[: len(text) - len(self._text)]
        self._end = "\r\n" if "\r\n" in text else "\n"
        self._lines = self._text.split("\n")
        self._starts = [0]
        for line in self._lines:
            self._starts.append(self._starts[-1] + len(line) + 1)
        self._display, self._limits = display, limits
        self.root = parse_again(self._text, display, limits)
        self._wanted: Any = to_plain(self.root)
        self._edits: list[tuple[int, int, str]] = []
        self._gone: dict[tuple[str, ...], set[int]] = {}

    def put(self, path: Sequence[str], value: Any, order: Sequence[str] = ()) -> None:
        """Sets an entry's value, or adds the entry to its mapping, which must exist.

        Args:
            path: the path of the entry.
            value: its value.
            order: the order of keys: a new key is inserted before the first key that follows it in this order. By
                default it comes last.
        """
        node, into = get(self.root, *path), self._at(path[:-1])
        if node is not None and into[path[-1]] == value:
            return
        if node is not None:
            self._edits.append((self._start(node.span), self._stop(node.span), flow(value)))
            into[path[-1]] = value
            return
        line = f"{flow(path[-1])}: {flow(value)}"
        later = order[order.index(path[-1]) + 1 :] if path[-1] in order else ()
        before = next((key for key in into if key in later), None)
        if before is None:
            self._added(path, [line])
            into[path[-1]] = value
        else:
            self._put_before(path, before, line)
            rest = {key: into.pop(key) for key in [*into][[*into].index(before) :]}
            into |= {path[-1]: value, **rest}

    def put_in(self, path: Sequence[str], value: Any, order: Sequence[str] = ()) -> None:
        """Sets an entry's value; missing parent mappings are added on separate lines.

        For the arguments, see `put`.
        """
        there = next(n for n in range(len(path) - 1, -1, -1) if isinstance(get(self.root, *path[:n]), Mapping))
        new = path[there:]
        if len(new) == 1:
            self.put(path, value, order)
            return
        lines = [f"{'  ' * depth}{flow(key)}:" for depth, key in enumerate(new)]
        lines[-1] += f" {flow(value)}"
        for key in reversed(new[1:]):
            value = {key: value}
        self.add(path[: there + 1], lines, value)

    def _put_before(self, path: Sequence[str], key: str, line: str) -> None:
        """Adds a one-line entry before another entry of its mapping."""
        parent = get(self.root, *path[:-1])
        assert isinstance(parent, Mapping)
        at = parent.entries[key][0].span
        gap = ", " if self._is_flow(parent) else "\n" + " " * (at.column - 1)
        self._edits.append((self._start(at), self._start(at), f"{line}{gap}"))

    def add_item(self, path: Sequence[str], item: Any) -> None:
        """Adds an item to an existing list: in order if the list is sorted, otherwise at the end."""
        node = get(self.root, *path)
        assert isinstance(node, Items)
        values = self._at(path)
        is_sorted = len(values) > 1 and all(isinstance(v, str) for v in (*values, item)) and sorted(values) == values
        number = bisect(values, item) if is_sorted else len(values)
        if not node.items:
            self._edits.append((self._start(node.span), self._stop(node.span), f"[{flow(item)}]"))
        elif self._is_flow(node) and number < len(values):
            at = self._start(node.items[number].span)
            self._edits.append((at, at, f"{flow(item)}, "))
        elif self._is_flow(node):
            at = self._stop(node.items[-1].span)
            self._edits.append((at, at, f", {flow(item)}"))
        else:
            self._add_line(node, number, flow(item))
        values.insert(number, item)

    def _add_line(self, node: Items, number: int, item: str) -> None:
        """Adds an item to a block list."""
        beside = node.items[min(number, len(node.items) - 1)].span
        line = self._lines[beside.line - 1]
        lead = line[: beside.column - 1]
        if lead.strip() != "-":  # the list begins on the line of its key, or an item is a list itself
            raise self._refused()
        at = self._starts[beside.line - 1] if number < len(node.items) else self._starts[beside.end_line]
        if at > len(self._text):
            self._edits.append((len(self._text), len(self._text), f"\n{lead}{item}"))
        else:
            self._edits.append((at, at, f"{lead}{item}\n"))

    def rename_key(self, path: Sequence[str], new: str) -> None:
        """Renames the key of an entry."""
        parent, into = get(self.root, *path[:-1]), self._at(path[:-1])
        assert isinstance(parent, Mapping)
        key = parent.entries[path[-1]][0]
        self._edits.append((self._start(key.span), self._stop(key.span), flow(new)))
        renamed = {new if name == path[-1] else name: value for name, value in into.items()}
        into.clear()
        into |= renamed

    def source(self, path: Sequence[str]) -> str:
        """The source text of a value, with its quotes and line breaks."""
        node = get(self.root, *path)
        assert node is not None
        return self._text[self._start(node.span) : self._stop(node.span)]

    def put_source(self, path: Sequence[str], source: str, value: Any) -> None:
        """Replaces an entry's value with `source`, whose data is `value`; leaves the common prefix and suffix of the
        text untouched.
        """
        node, before = get(self.root, *path), self.source(path)
        assert node is not None
        begin = _common(before, source)
        end = _common(before[begin:][::-1], source[begin:][::-1])
        at = self._start(node.span)
        self._edits.append((at + begin, at + len(before) - end, source[begin : len(source) - end]))
        self._at(path[:-1])[path[-1]] = value

    def add(self, path: Sequence[str], lines: Sequence[str], value: Any) -> None:
        """Adds a multi-line entry, indented relative to its key; its mapping must exist.

        Args:
            path: the path of the entry.
            lines: the text of the value, line by line.
            value: the same value as data.
        """
        self._added(path, lines)
        self._at(path[:-1])[path[-1]] = value

    def remove(self, path: Sequence[str]) -> None:
        """Removes an entry from a mapping, together with its indented comments."""
        parent = get(self.root, *path[:-1])
        assert isinstance(parent, Mapping)
        self._gone.setdefault(tuple(path[:-1]), set()).add([*parent.entries].index(path[-1]))
        del self._at(path[:-1])[path[-1]]

    def remove_item(self, path: Sequence[str], item: Any) -> None:
        """Removes an item from a list."""
        node = get(self.root, *path)
        assert isinstance(node, Items)
        self._gone.setdefault(tuple(path), set()).add([to_plain(each) for each in node.items].index(item))
        self._at(path).remove(item)

    def applied(self) -> str:
        """The text after the edits.

        Raises:
            DiagnosticsError: RS567 if the edits cannot produce the intended values.
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
            data = to_plain(parse_again(result, self._display, self._limits))
        except DiagnosticsError as error:
            raise self._refused() from error
        if json.dumps(data) != json.dumps(self._wanted):  # `dumps` compares the order of keys, too
            raise self._refused()
        return self._mark + result

    def _refused(self) -> Exception:
        help_ = "write each entry on its own lines, or in braces on one line"
        message = "a file with this layout cannot be edited safely, so nothing has been written"
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
        """The edits that remove parts of a list or mapping: start, end and replacement of each span."""
        if isinstance(node, Mapping):
            spans = [_from(key.span, value.span) for key, value in node.entries.values()]
        else:
            assert isinstance(node, Items)
            spans = [each.span for each in node.items]
        rest = [number for number in range(len(spans)) if number not in gone]
        whole = self._text[self._start(node.span) : self._stop(node.span)]
        if not rest and not (self._is_flow(node) and "#" in whole):
            empty = "{}" if isinstance(node, Mapping) else "[]"  # a list may begin below its key, and `[]` may not
            yield self._start(node.span), self._stop(node.span), empty if self._is_flow(node) else f" {empty}"
        elif not self._is_flow(node):
            for number in gone:
                key = spans[number]
                yield self._starts[key.line - 1], self._starts[self._last(key, key.column) + 1], ""
        else:
            end = self._stop(spans[rest[-1]]) if rest else self._stop(spans[-1])
            beside = "\n" not in self._text[end : self._stop(spans[-1])]
            if rest and beside and rest[-1] < len(spans) - 1:  # removes the comma before them, too
                yield end, self._stop(spans[-1]), ""
            for number in gone:
                if not (rest and beside and number > rest[-1]):
                    yield self._flow_cut(spans[number])

    def _flow_cut(self, part: Span) -> tuple[int, int, str]:
        """The edit that removes a part of a flow collection with the comma after it; a part on separate lines goes with
        its lines.
        """
        line, start, stop = self._starts[part.line - 1], self._start(part), self._stop(part)
        rest_of_line = _REST.match(self._text, stop)
        if rest_of_line is not None and not self._text[line:start].strip():
            return line, rest_of_line.end(), ""
        comma = _COMMA.match(self._text, stop)
        return start, stop if comma is None else comma.end(), ""

    def _last(self, part: Span, indent: int) -> int:
        """The last line of an entry (0-based), including later comments with at least the same indentation."""
        last = line = (
            part.end_line - 1 - (part.end_column == 1)
        )  # the span of a literal block ends at the start of the next line
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
            start = len(self._text[: self._start(parent.span)].rstrip(" "))
            self._edits.append((start, self._stop(parent.span), body))
        else:
            raise self._refused()


def _from(first: Span, last: Span) -> Span:
    return Span(first.file, first.line, first.column, last.end_line, last.end_column)


def _common(one: str, other: str) -> int:
    """The length of the common prefix of two texts."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def flow(value: Any) -> str:
    """A value on one line, in YAML flow style."""
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
    """Whether a text needs no quotes: only letters, digits and characters of path data."""
    return text[0].isalnum() and text[-1].isalnum() and text.isascii() and all(c.isalnum() or c in "_ -." for c in text)
