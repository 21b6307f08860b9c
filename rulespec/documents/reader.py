"""Reading files that come from strangers: bounded, checked, and with the place of every value kept.

YAML is built from the parser's events, never composed: a few hundred kilobytes of `[` crash the C composer, and a few
hundred bytes of aliases expand to gigabytes. What readers of YAML disagree about (`no`, `1:30`, `010`) is an error.
"""

from __future__ import annotations

import os
import re
import stat
from collections import abc
from pathlib import Path, PureWindowsPath
from typing import Any, Literal, NamedTuple, NoReturn

import yaml
from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError, Report

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML built without libyaml: ten times slower, otherwise the same
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

Style = Literal["plain", "single", "double", "literal", "folded"]

_STYLES: dict[str | None, Style] = {"'": "single", '"': "double", "|": "literal", ">": "folded"}
_ERROR_LIMIT = 50  # after so many mistakes in one file the rest is noise


class Limits(Struct, frozen=True):
    """How much of a file is accepted: its size in bytes, the depth of nesting, the number of parser events."""

    size: int = 2_000_000
    depth: int = 64
    events: int = 60_000


DEFAULT = Limits()


class Scalar(Struct, frozen=True):
    """A single value. `text` is its content as text, whatever its type; a key's value is always its text.

    `span` includes the quotes, so the content of a value in style "single" or "double" starts one column later.
    """

    value: str | int | bool | None
    text: str
    span: Span
    style: Style = "plain"


class Sequence(Struct, frozen=True):
    """A list of values."""

    items: list[Node]
    span: Span


class Mapping(Struct, frozen=True):
    """Key → (the key itself with its place, value), in the order of the file."""

    entries: dict[str, tuple[Scalar, Node]]
    span: Span


Node = Scalar | Sequence | Mapping


def read_yaml(path: Path, display: str, limits: Limits = DEFAULT) -> Node:
    """Reads a YAML file into a tree that knows its places.

    Args:
        path: the file.
        display: its name in diagnostics.
        limits: how much to accept.

    Returns:
        The root; a null scalar for a file without content.

    Raises:
        DiagnosticsError: RS1xx, all the mistakes found before the reader had to give up.
    """
    return parse_yaml(read_text(path, display, limits.size), display, limits)


def read_text(path: Path, display: str, limit: int = DEFAULT.size) -> str:
    """Reads a UTF-8 text file of at most `limit` bytes; line ends become newlines, a byte order mark goes.

    Raises:
        DiagnosticsError: RS101 to RS105 if the file is missing, unreadable, not a regular file, too large, or not text.
    """
    data = _read_bytes(path, display, limit)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        utf16 = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        cause = "the file is UTF-16" if utf16 else f"byte 0x{data[error.start]:02x} is not valid UTF-8"
        _fail("RS104", cause, _at(display, before, len(before)), help="save the file as UTF-8")
    text = text.replace("\r\n", "\n")
    _check_characters(text, display)
    return text


def parse_yaml(text: str, display: str, limits: Limits = DEFAULT) -> Node:
    """Like `read_yaml`, for text that is in memory already."""
    text = text.removeprefix("\ufeff")
    if len(text) > limits.size:
        _too_large(display, limits.size)
    _check_characters(text, display)
    # libyaml compares each %TAG with all before it, before the first event: 2 MB of them take most of a minute.
    if directive := re.search(r"^%", text, re.MULTILINE):
        _fail(
            "RS115",
            "a line that starts with `%` is a YAML directive, and they are not allowed",
            _at(display, text, directive.start()),
            help="remove the line; text that starts with `%` must be indented or on the line of its quote",
        )
    return _Builder(text, display, limits).build()


def display(path: Path) -> str:
    """The name of a file for messages: relative to the current folder if it is below it."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def inside(root: Path, relative: str, span: Span | None = None) -> Path:
    """The path `root / relative`, if it lies in `root`. The file itself need not exist.

    Args:
        root: the folder not to be left.
        relative: a path as written in a file, with `/` between its parts.
        span: where it is written.

    Raises:
        DiagnosticsError: RS106 if the path is absolute, has a `..` in it, or leads out through a symbolic link.
    """
    parts = relative.split("/")
    # Windows forms are refused everywhere: a ruleset means the same on every machine.
    windows = PureWindowsPath(relative)
    if not relative or "\0" in relative or "\\" in relative or windows.drive or windows.root or ".." in parts:
        _fail(
            "RS106",
            f"{shown(relative)} is not a path inside this folder",
            span,
            help="write a path relative to the ruleset's folder, with `/` and without `..`",
        )
    path = root / relative
    try:
        stays = path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name too long, a lone surrogate
        stays = False
    if not stays:
        _fail("RS106", f"{shown(relative)} leads out of its folder", span, help="copy the file into the folder")
    return path


def files_inside(root: Path, pattern: str) -> list[Path]:
    """The files below `root` that fit a glob pattern, in the order of their names.

    Raises:
        DiagnosticsError: RS106 if one of them leads out through a symbolic link.
    """
    return [inside(root, path.relative_to(root).as_posix()) for path in sorted(root.glob(pattern))]


def count_values(node: Node) -> int:
    """How many values, keys and collections there are in a tree."""
    if isinstance(node, Mapping):
        return 1 + sum(1 + count_values(value) for _, value in node.entries.values())
    if isinstance(node, Sequence):
        return 1 + sum(count_values(item) for item in node.items)
    return 1


def to_plain(node: Node) -> Any:
    """The tree as dicts, lists and values, for JSON Schema."""
    # The recursion is as deep as the file, and the reader has bounded that.
    if isinstance(node, Mapping):
        return {key: to_plain(value) for key, (_, value) in node.entries.items()}
    if isinstance(node, Sequence):
        return [to_plain(item) for item in node.items]
    return node.value


def locate(node: Node, path: abc.Iterable[str | int]) -> Node | None:
    """The node at the end of a path of keys and positions, or None if there is none."""
    for step in path:
        if isinstance(node, Mapping) and str(step) in node.entries:
            node = node.entries[str(step)][1]
        elif isinstance(node, Sequence) and isinstance(step, int) and 0 <= step < len(node.items):
            node = node.items[step]
        else:
            return None
    return node


# --- files and characters ---------------------------------------------------------------------------------------------


def _read_bytes(path: Path, display: str, limit: int) -> bytes:
    start = _start(display)
    try:
        # Asked twice: before opening, as opening a device can have effects; and of what was opened, as a name can be
        # given to another file in between. O_NONBLOCK keeps a pipe that slipped through from stalling us.
        _require_regular(os.stat(path).st_mode, start)  # noqa: PTH116 - the same call as fstat below
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(descriptor, "rb") as file:
            _require_regular(os.fstat(file.fileno()).st_mode, start)
            data = file.read(limit + 1)
    except FileNotFoundError:
        _fail("RS101", f"there is no file {shown(display)}", start, help="check the name, and the folder it is in")
    except (OSError, ValueError) as error:  # ValueError: a NUL or a surrogate in the name
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is not valid"
        _fail("RS101", f"{shown(display)} cannot be read: {reason}", start, help="check the name and the permissions")
    if len(data) > limit:
        _too_large(display, limit)
    return data


def _require_regular(mode: int, start: Span) -> None:
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "a device, pipe or socket"
        _fail("RS102", f"{shown(start.file)} is {what}, not a file", start, help="name a regular file")


def _too_large(display: str, limit: int) -> NoReturn:
    _fail("RS103", f"the file is larger than {limit:,} bytes", _start(display), help="split it into several files")


# What YAML does not call printable, the characters that end a line for some readers only (NEL, LS, PS, a lone CR), and
# the marks that make a line read otherwise than it is (bidirectional overrides).
_FOREIGN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff"
    r"\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)"
)


def _check_characters(text: str, display: str) -> None:
    if found := _FOREIGN.search(text):
        name = f"U+{ord(found.group()):04X}"
        cause = f"the character {name} does not belong in a text file"
        _fail("RS105", cause, _at(display, text, found.start()), help="remove it; is this the right file?")


def _start(display: str) -> Span:
    return Span(display, 1, 1, 1, 1)


def _at(display: str, text: str, index: int) -> Span:
    line = text.count("\n", 0, index) + 1
    column = index - text.rfind("\n", 0, index)
    return Span(display, line, column, line, column + 1)


def _fail(code: str, message: str, span: Span | None, *, help: str) -> NoReturn:  # noqa: A002
    raise DiagnosticsError([Diagnostic(code, Severity.ERROR, message, span, help=help)]) from None


# --- YAML events → nodes ----------------------------------------------------------------------------------------------


class _Open(Struct):
    """A list or mapping whose end has not come yet."""

    span: Span
    flow: bool
    items: list[Node] = field(default_factory=list)
    entries: dict[str, tuple[Scalar, Node]] | None = None  # None: a list
    key: Scalar | None = None  # the key that waits for its value
    key_refused: bool = False  # … but was refused: the value is read and dropped


class _Builder:
    def __init__(self, text: str, display: str, limits: Limits) -> None:
        self.text = text
        self.display = display
        self.limits = limits
        self.report = Report()
        self.stack: list[_Open] = []
        self.root: Node | None = None
        self.documents = 0
        self.long_text: Span | None = None
        """The last text in quotes that goes over several lines."""

    def build(self) -> Node:
        try:
            for count, event in enumerate(yaml.parse(self.text, Loader=_Loader)):
                if count >= self.limits.events:
                    message = f"the file has more than {self.limits.events:,} values"
                    self.stop("RS113", message, self.span(event), help="split it into several files")
                self.take(event)
        except yaml.YAMLError as error:
            self.syntax_error(error)
        self.report.raise_if_errors()
        return self.root or Scalar(None, "", _start(self.display))

    def take(self, event: Any) -> None:
        match event:
            case yaml.ScalarEvent():
                self.refuse_anchor_and_tag(event)
                self.attach(self.scalar(event))
            case yaml.AliasEvent():
                message = f"`*{event.anchor}` is a YAML alias, and they are not allowed"
                self.error("RS114", message, self.span(event), help="write the value out")
                self.attach(Scalar("", "", self.span(event)))
            case yaml.CollectionStartEvent():
                self.refuse_anchor_and_tag(event)
                if len(self.stack) >= self.limits.depth:
                    message = f"nested more than {self.limits.depth} deep"
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
                    self.stop("RS116", message, self.span(event), help="remove the `---`, or use a file of its own")

    def close(self, event: Any) -> Node:
        opened = self.stack.pop()
        # A block ends, for the parser, where the next thing starts: blank lines and comments later.
        last = opened.items[-1].span if opened.items else opened.span
        span = opened.span.to(self.span(event) if opened.flow else last)
        if opened.entries is None:
            return Sequence(opened.items, span)
        return Mapping(opened.entries, span)

    def attach(self, node: Node) -> None:
        """Puts a finished node where it belongs: the root, a list, a key, or the value of the key before it."""
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
            parent.items = [node]  # only for `close`, which asks where the last one ended
            parent.key = None

    def key(self, node: Node, entries: dict[str, tuple[Scalar, Node]]) -> tuple[Scalar, bool]:
        if not isinstance(node, Scalar):
            self.error("RS118", "a list or mapping cannot be a key", node.span, help="use a plain word as the key")
            return Scalar("", "", node.span), True
        if node.style == "plain" and node.text == "<<":
            message = "`<<` merges mappings in YAML, and that is not allowed"
            self.error("RS117", message, node.span, help="write the entries out, or use an overlay")
            return node, True
        if node.text in entries:
            first = entries[node.text][0].span
            message = f"the key {shown(node.text)} is here twice"
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
            if found := _FOREIGN.search(text):  # "\x1b" is clean in the file and not in the value
                message = f"an escape stands for the character U+{ord(found.group()):04X}, which is not text"
                self.error("RS105", message, span, help="remove the escape")
            return Scalar(text, text, span, style)
        value = _plain_key(text) if is_key else _plain_value(text)
        if isinstance(value, _Trap):
            self.error(value.code, value.message, span, help=value.help)
            value = text
        return Scalar(value, text, span)

    def refuse_anchor_and_tag(self, event: Any) -> None:
        if event.anchor is None and event.tag is None:
            return
        start = self.span(event)
        here = Span(start.file, start.line, start.column, start.line, start.column + 1)
        if event.anchor is not None:
            message = f"{shown('&' + event.anchor)} is a YAML anchor, and they are not allowed"
            self.error("RS114", message, here, help="write the value out where it is needed")
        if event.tag is not None:
            message = f"{shown(event.tag)} is a YAML tag, and they are not allowed"
            self.error("RS115", message, here, help="remove the tag")

    def syntax_error(self, error: yaml.YAMLError) -> None:
        mark = getattr(error, "problem_mark", None)
        if mark is None:  # characters are checked before: what is left has no place
            self.error("RS111", "this is not valid YAML", _start(self.display), help="check the file with an editor")
            return
        span = Span(self.display, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
        problem: str = getattr(error, "problem", None) or "syntax error"
        context: str = getattr(error, "context", None) or ""
        context_mark = getattr(error, "context_mark", None)
        notes: tuple[Label, ...] = ()
        if context and context_mark is not None:
            line, column = context_mark.line + 1, context_mark.column + 1
            if (line, column) != (span.line, span.column):
                notes = (Label(Span(self.display, line, column, line, column + 1), context),)
        if self.long_text is not None and self.long_text.end_line == span.line:
            notes += (Label(self.long_text, "this text goes on over several lines: is a quote missing?"),)
        if "mapping values are not allowed" in problem or "expected key" in problem:
            notes += self.without_colon(span.line)
        cause = f"{context}: {problem}" if context and not notes else problem
        self.error("RS111", f"not valid YAML: {cause}", span, notes=notes, help=self.syntax_hint(problem, mark))

    def without_colon(self, line: int) -> tuple[Label, ...]:
        """The line before one that has gone wrong, if it is a key without a `:`."""
        before = self.text.split("\n", line)[: line - 1]
        while before and not before[-1].partition("#")[0].strip():
            before.pop()
        text = before[-1].partition(" #")[0].rstrip() if before else ""
        if not text or ":" in text or re.fullmatch(r" *- *[^ ]*", text):
            return ()
        begin = len(text) - len(text.lstrip()) + 1
        return (Label(Span(self.display, len(before), begin, len(before), len(text) + 1), "is a `:` missing here?"),)

    def syntax_hint(self, problem: str, mark: Any) -> str:
        # The mark's index counts characters in both loaders, but only the C loader's survives a byte order mark.
        lines = self.text.split("\n", mark.line + 1)
        line = lines[mark.line] if mark.line < len(lines) else ""
        char = line[mark.column : mark.column + 1]
        if char == "\t" or "tab character" in problem:
            return "indent with spaces, not tabs"
        if "cannot start any token" in problem:
            return f"put the text in quotes: a plain value cannot start with {shown(char)}"
        return next((hint for part, hint in _SYNTAX_HINTS.items() if part in problem), _SYNTAX_HINT)

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


_SYNTAX_HINT = "check the indentation and the quotes here and just above"
_SYNTAX_HINTS = {
    "mapping values are not allowed": "text with `: ` in it needs quotes; or is the indentation off?",
    "expected ':'": "a key needs a `:` after it",
    "expected key": "check the indentation: entries of one mapping start in one column",
    "'-' indicator": "check the indentation: items of one list start in one column",
    "']'": "a `,` or the closing `]` is missing",
    "'}'": "a `,` or the closing `}` is missing",
    "end of stream": "a closing quote or bracket is missing",
    "escape": "in double quotes `\\` starts an escape: use single quotes",
    "alphabetic or numeric": "put text that starts with `*` or `&` in quotes",
    "tag handle": "put text that starts with `!` in quotes",
}


# --- plain scalars ----------------------------------------------------------------------------------------------------


class _Trap(NamedTuple):
    code: str
    message: str
    help: str


_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DIGITS = 15  # more would not survive a reader that knows only floating point, and no game needs them
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF)"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)|\.(?:nan|NaN|NAN)"
)
_TIME = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s]\s*[0-9].*)?")
_NUMERIC_START = frozenset("+-.0123456789")
_EXACT: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_DISPUTED = {"yes": "true", "no": "false", "on": "true", "off": "false", "true": "true", "false": "false"}


def _plain_value(text: str) -> str | int | bool | _Trap | None:
    """The value of unquoted text, or the trap that it is: YAML 1.1 and 1.2 readers must agree on what we accept."""
    if text in _EXACT:
        return _EXACT[text]
    if text[0] in _NUMERIC_START:
        return _numeric(text)
    if len(text) > len("false"):
        return text
    word = text.lower()
    if word == "null":
        return _Trap("RS121", f"{shown(text)} is null to some YAML readers and text to others", "write `null`")
    if (meant := _DISPUTED.get(word)) is not None:
        hint = f'quote it (`"{text}"`) if text is meant, or write `{meant}`'
        return _Trap("RS121", f"{shown(text)} is {meant} to some YAML readers and text to others", hint)
    return text


def _plain_key(text: str) -> str | _Trap:
    """The key that unquoted text is: words are always text, numbers must have one way to be written."""
    if text in {"", "~"}:
        return _Trap("RS118", "a key is missing before the `:`", "write a word before the `:`")
    if text[0] in _NUMERIC_START and isinstance(trap := _numeric(text), _Trap):
        return trap
    return text


def _numeric(text: str) -> str | int | _Trap:
    if _INTEGER.fullmatch(text):
        if len(text.lstrip("-")) <= _DIGITS:
            return int(text)
        return _Trap("RS122", f"{shown(text)} has more than {_DIGITS} digits", "quote it if text is meant")
    if _NUMBER.fullmatch(text):
        hint = f'quote it (`"{text[:60]}"`) if text is meant; numbers are whole and decimal, as in `12` or `-3`'
        return _Trap("RS122", f"{shown(text)} is a number in a form that is not allowed", hint)
    if _TIME.fullmatch(text):
        return _Trap(
            "RS123", f"{shown(text)} is a number of base 60 to some YAML readers", f'quote it: `"{text[:60]}"`'
        )
    if _DATE.fullmatch(text):
        return _Trap("RS123", f"{shown(text)} is a date to some YAML readers", f'quote it: `"{text[:60]}"`')
    return text
