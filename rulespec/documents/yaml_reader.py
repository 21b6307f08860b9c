"""Reader of untrusted YAML files: trees of nodes with places, built within limits.

The tree is built from the parser's events, never by PyYAML's composer: a few hundred kilobytes of `[` crash the C
composer, and a few hundred bytes of aliases expand to gigabytes. Scalars on which YAML readers disagree (`no`, `1:30`,
`010`) are errors.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any, NoReturn

import yaml
from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Label, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report, failure
from rulespec.documents.text_files import (
    MISLEADING,
    check_characters,
    file_start,
    place_at,
    read_text,
    too_large,
)
from rulespec.documents.yaml_errors import read_too_deeply, yaml_error
from rulespec.documents.yaml_nodes import (
    DEFAULT_LIMITS,
    FileLimits,
    Mapping,
    Node,
    Scalar,
    Sequence,
    Style,
    Trap,
    plain_key,
    plain_value,
)

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML built without libyaml: ten times slower, otherwise the same
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_ERROR_LIMIT = 50  # maximum number of errors per file


def read_yaml(path: Path, display: str, limits: FileLimits = DEFAULT_LIMITS) -> Node:
    """Reads a YAML file.

    Args:
        path: the file.
        display: its name in diagnostics.
        limits: its limits.

    Returns:
        The root of its tree; a null scalar for a file without content.

    Raises:
        DiagnosticsError: RS1xx, all errors up to the first fatal one.
    """
    return parse_yaml(read_text(path, display, limits.size), display, limits)


def parse_yaml(text: str, display: str, limits: FileLimits = DEFAULT_LIMITS) -> Node:
    """Parses a text in memory as `read_yaml` parses a file."""
    text = text.removeprefix("\ufeff")
    if len(text) > limits.size:
        raise too_large(display, limits.size)
    check_characters(text, display)
    # libyaml compares each %TAG with all before it, before the first event: 2 MB of them take most of a minute.
    if directive := re.search(r"^%", text, re.MULTILINE):
        raise failure(
            "RS115",
            "a line that starts with `%` is a YAML directive, which is not allowed",
            place_at(display, text, directive.start()),
            help="remove the line; text that starts with `%` must be indented, or be on the same line as its quote",
        )
    return _Builder(text, display, limits).build()


@lru_cache(maxsize=8)
def parse_again(text: str, display: str, limits: FileLimits = DEFAULT_LIMITS) -> Node:
    """Parses like `parse_yaml`, for a text in an editor; recent trees are memoised.

    The trees must not be changed.
    """
    return parse_yaml(text, display, limits)


def parse_readable(
    text: str, display: str, limits: FileLimits = DEFAULT_LIMITS
) -> tuple[Node | None, DiagnosticsError | None]:
    """Parses a text that may be invalid: returns the errors and, if it is YAML, the tree without its invalid parts."""
    builder: _Builder | None = None
    try:
        check_characters(text, display)
        builder = _Builder(text, display, limits)
        return builder.build(), None
    except DiagnosticsError as error:
        return builder.root if builder is not None else None, error


class _Open(Struct):
    """A list or mapping whose end has not been read."""

    span: Span
    flow: bool
    items: list[Node] = field(default_factory=list)
    entries: dict[str, tuple[Scalar, Node]] | None = None  # None: a list
    key: Scalar | None = None  # the key whose value comes next
    key_refused: bool = False  # whether that key was refused, so that its value is dropped


class _Builder:
    """Builder of a file's tree from the parser's events."""

    def __init__(self, text: str, display: str, limits: FileLimits) -> None:
        self.text = text
        self.display = display
        self.limits = limits
        self.report = Report()
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0
        self.long_text: Span | None = None
        """The place of the last multi-line quoted text."""

    def build(self) -> Node:
        try:
            for count, event in enumerate(yaml.parse(self.text, Loader=_Loader)):
                if count >= self.limits.events:
                    message = f"the file has more than {self.limits.events:,} values"
                    self.stop("RS113", message, self.span(event), help="split it into several files")
                self.take(event)
        except yaml.YAMLError as error:
            if (read := read_too_deeply(error)) is not None:
                _Builder(self.text[:read], self.display, self.limits).build()  # raises where the text is too deep
            self.report.add(yaml_error(error, self.text, self.display, self.long_text))
        self.report.raise_if_errors()
        return self.root or Scalar(None, "", file_start(self.display))

    def take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self.refuse_anchor_and_tag(event)
                self.attach(self.scalar(event))
            case yaml.AliasEvent():
                message = f"`*{event.anchor}` is a YAML alias, which is not allowed"
                self.error("RS114", message, self.span(event), help="repeat the value here")
                self.attach(Scalar("", "", self.span(event)))
            case yaml.CollectionStartEvent():
                self.refuse_anchor_and_tag(event)
                if len(self.stack) >= self.limits.depth:
                    message = f"nested more than {self.limits.depth} levels deep"
                    self.stop("RS112", message, self.span(event), help="flatten the structure")
                opened = _Open(self.span(event), bool(event.flow_style))
                if isinstance(event, yaml.MappingStartEvent):
                    opened.entries = {}
                self.stack.append(opened)
            case yaml.CollectionEndEvent():
                self.attach(self.close(event))
            case yaml.DocumentStartEvent():
                self.documents += 1
                if self.documents > 1:
                    message = "a second YAML document starts here"
                    self.stop("RS116", message, self.span(event), help="remove the `---`, or use a separate file")

    def close(self, event: Any) -> Node:
        opened = self.stack.pop()
        # For the parser, a block ends at the start of the next node, after blank lines and comments.
        last = opened.items[-1].span if opened.items else opened.span
        span = opened.span.to(self.span(event) if opened.flow else last)
        if opened.entries is None:
            return Sequence(opened.items, span)
        return Mapping(opened.entries, span)

    def attach(self, node: Node) -> None:
        """Adds a finished node to its parent as an item, a key, or the value of the last key; or makes it the root."""
        if not self.stack:
            self.root = node
            return
        parent = self.stack[-1]
        if parent.entries is None:
            parent.items.append(node)
        elif parent.key is None:
            parent.key, parent.key_refused = self.key(node, parent.entries)
        else:
            if not parent.key_refused:
                parent.entries[parent.key.text] = (parent.key, node)
            parent.items = [node]  # only for `close`, which needs the end of the last one
            parent.key = None

    def key(self, node: Node, entries: dict[str, tuple[Scalar, Node]]) -> tuple[Scalar, bool]:
        if not isinstance(node, Scalar):
            self.error("RS118", "a list or mapping cannot be a key", node.span, help="use a plain word as the key")
            return Scalar("", "", node.span), True
        if node.style == "plain" and node.text == "<<":
            message = "`<<` is a YAML merge key, which is not allowed"
            self.error("RS117", message, node.span, help="write the entries explicitly, or use an overlay")
            return node, True
        if node.text in entries:
            first = entries[node.text][0].span
            message = f"the key {shown(node.text)} occurs twice"
            notes = (Label(first, "first here"),)
            self.error("RS119", message, node.span, "again here", notes, help="remove one of the two")
            return node, True
        return node, False

    def scalar(self, event: Any) -> Scalar:
        text: str = event.value
        span = self.span(event)
        style = _STYLES.get(event.style, "plain")
        is_key = bool(self.stack) and self.stack[-1].entries is not None and self.stack[-1].key is None
        if style != "plain":
            if span.end_line > span.line and style in ("single", "double"):
                self.long_text = span
            if result := MISLEADING.search(text):  # an escape such as "\x1b" is clean in the file, but not as a value
                message = f"an escape stands for U+{ord(result.group()):04X}, which is not a text character"
                self.error("RS105", message, span, help="remove the escape")
            return Scalar(text, text, span, style)
        value = plain_key(text) if is_key else plain_value(text)
        if isinstance(value, Trap):
            self.error(value.code, value.message, span, help=value.help)
            value = text
        return Scalar(value, text, span)

    def refuse_anchor_and_tag(self, event: Any) -> None:
        if event.anchor is None and event.tag is None:
            return
        start = self.span(event)
        place = Span(start.file, start.line, start.column, start.line, start.column + 1)
        if event.anchor is not None:
            message = f"{shown('&' + event.anchor)} is a YAML anchor, which is not allowed"
            self.error("RS114", message, place, help="repeat the value where it is needed")
        if event.tag is not None:
            message = f"{shown(event.tag)} is a YAML tag, which is not allowed"
            self.error("RS115", message, place, help="remove the tag")

    def error(
        self,
        code: str,
        message: str,
        span: Span,
        label: str = "",
        notes: tuple[Label, ...] = (),
        *,
        help: str,  # noqa: A002
    ) -> None:
        self.report.error(code, message, span, label, notes, help)
        if self.report.errors >= _ERROR_LIMIT:
            self.report.raise_if_errors()

    def stop(self, code: str, message: str, span: Span, *, help: str) -> NoReturn:  # noqa: A002
        self.report.error(code, message, span, help=help)
        raise DiagnosticsError(self.report.diagnostics)

    def span(self, event: Any) -> Span:
        start, end = event.start_mark, event.end_mark
        return Span(self.display, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
