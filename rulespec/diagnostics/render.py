"""Renderers of diagnostics: text with source lines and carets, JSON, and GitHub annotations."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, escaped

_LINE_LIMIT = 160  # a longer line is truncated to a window around the caret
_LEAST_WIDTH = 40  # a narrower terminal breaks lines itself
_TAB = 4
_MESSAGE_LIMIT = 2_000

_BOLD, _RED, _YELLOW, _BLUE = "1", "1;31", "1;33", "1;34"


def render_text(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, str], color: bool = False, width: int = 0
) -> str:
    """Renders diagnostics for a terminal, separated by blank lines.

    Args:
        diagnostics: the diagnostics, in output order.
        sources: the text of each file, by its name in spans; other files are not quoted.
        color: whether to use ANSI colours.
        width: the number of terminal columns at which messages are wrapped and long source lines are truncated; 0
            without a terminal.

    Returns:
        The text, without a final newline. Control characters from files are escaped.
    """
    renderer = _Renderer(sources, color, width)
    return "\n\n".join("\n".join(renderer.lines_of(d)) for d in diagnostics)


def to_github(diagnostic: Diagnostic) -> str:
    """The diagnostic as a GitHub Actions workflow command, which annotates its line: `::error file=…::…`."""
    properties: dict[str, str] = {}
    if (span := diagnostic.span) is not None:
        places = {"line": span.line, "endLine": span.end_line, "col": span.column}
        properties = {"file": _relative(span.file), **{key: str(value) for key, value in places.items()}}
    properties["title"] = diagnostic.code
    lines = [diagnostic.message + (f" ({diagnostic.label})" if diagnostic.label else "")]
    lines += diagnostic.help.split("\n") if diagnostic.help else []
    text = "\n".join(map(escaped, lines))[:_MESSAGE_LIMIT]
    values = ",".join(f"{key}={_github_property(escaped(value))}" for key, value in properties.items())
    return f"::{diagnostic.severity.value} {values}::{_github_data(text)}"


def _github_data(text: str) -> str:
    # The runner executes `##[` anywhere in a line, and has no escape for it.
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace("##[", "#\\x23[")


def _github_property(text: str) -> str:
    return _github_data(text).replace(":", "%3A").replace(",", "%2C")


def to_json(diagnostic: Diagnostic) -> dict[str, Any]:
    """The diagnostic as plain data for `json.dumps`."""
    return {
        "code": diagnostic.code,
        "severity": diagnostic.severity.value,
        "message": diagnostic.message,
        "span": _span_json(diagnostic.span) if diagnostic.span else None,
        "label": diagnostic.label,
        "notes": [{"span": _span_json(n.span), "text": n.text} for n in diagnostic.notes],
        "help": diagnostic.help,
        "fix": {"span": _span_json(diagnostic.fix.span), "text": diagnostic.fix.text} if diagnostic.fix else None,
    }


def _span_json(span: Span) -> dict[str, Any]:
    return {
        "file": span.file,
        "line": span.line,
        "column": span.column,
        "end_line": span.end_line,
        "end_column": span.end_column,
    }


class _Mark(Struct, frozen=True):
    """A label; `primary` labels get carets, secondary ones dashes."""

    span: Span
    text: str
    primary: bool


class _Renderer:
    def __init__(self, sources: Mapping[str, str], color: bool, width: int) -> None:
        self.sources = sources
        self.color = color
        self.width = max(width, _LEAST_WIDTH) if width else 0
        self.split: dict[str, list[str]] = {}  # splitting a large file once per diagnostic would be quadratic

    def lines_of(self, diagnostic: Diagnostic) -> list[str]:
        tone = _RED if diagnostic.severity is Severity.ERROR else _YELLOW
        head = f"{diagnostic.severity.value}[{diagnostic.code}]"
        first, *rest = self.wrapped(f"{head}: {escaped(diagnostic.message[:_MESSAGE_LIMIT])}", "    ")
        lines = [self.paint(head, tone) + self.paint(first[len(head) :], _BOLD)]
        lines += [self.paint(line, _BOLD) for line in rest]

        marks = [_Mark(n.span, n.text, False) for n in diagnostic.notes]
        if diagnostic.span is not None:
            marks.insert(0, _Mark(diagnostic.span, diagnostic.label, True))
        width = max((len(str(m.span.line)) for m in marks), default=1)
        margin = " " * width

        # One block per file, in the order of the marks: the primary one comes first.
        names = dict.fromkeys(m.span.file for m in marks)
        for position, name in enumerate(names):
            of_file = [m for m in marks if m.span.file == name]
            lead = of_file[0].span
            arrow = "-->" if position == 0 else ":::"
            lines.append(f"{margin}{self.paint(arrow, _BLUE)} {_display(name)}:{lead.line}:{lead.column}")
            block = self.excerpt(of_file, width, tone)
            if position == 0 and block:
                lines.append(self.gutter("", width).rstrip())
            lines += block or [f"{margin} {self.paint('=', _BLUE)} {escaped(m.text)}" for m in of_file if m.text]

        if diagnostic.help:
            indent = f"{margin}         "
            parts = diagnostic.help[:_MESSAGE_LIMIT].split("\n")
            texts = [line for part in parts for line in self.wrapped(indent + escaped(part), indent)]
            lines.append(f"{margin} {self.paint('=', _BLUE)} help: {texts[0].removeprefix(indent)}")
            lines += texts[1:]
        return lines

    def wrapped(self, text: str, indent: str) -> list[str]:
        """The text wrapped for the terminal, with later lines indented."""
        if _columns(text) <= self.width or not self.width:
            return [text]
        return textwrap.wrap(text, self.width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)

    def excerpt(self, marks: list[_Mark], width: int, tone: str) -> list[str]:
        """The marked lines of one file with their carets; empty if the text is unavailable."""
        text = self.text_of(marks[0].span.file)
        quotable = sorted((m for m in marks if 1 <= m.span.line <= len(text)), key=lambda m: m.span.line)
        lines: list[str] = []
        last: int | None = None
        for number, group in groupby(quotable, key=lambda m: m.span.line):
            if last is not None and number > last + 1:
                lines.append("...")
            last = number
            line = text[number - 1]
            together = list(group)  # stable sort: the primary mark precedes others on the same line
            # Two distant marks on a very long line do not fit one window: each gets its own.
            rows = [together] if len(line) <= self.limit(width) else [[m] for m in together]
            for row in rows:
                lines += self.row(line, number, row, width, tone)
        return lines

    def row(self, line: str, number: int, marks: list[_Mark], width: int, tone: str) -> list[str]:
        start, end = _window(len(line), marks[0].span.column - 1, self.limit(width))
        left = "…" if start > 0 else ""
        right = "…" if end < len(line) else ""
        cells = [_cell(c) for c in line[start:end]]
        quoted = left + "".join(cells) + right
        out = [(self.gutter(str(number), width) + quoted).rstrip()]
        for mark in marks:
            first = min(max(mark.span.column - 1, start), end)
            stop = len(line.rstrip()) if mark.span.end_line > mark.span.line else mark.span.end_column - 1
            stop = max(first, min(stop, end))
            before = _columns(left + "".join(cells[: first - start]))
            length = max(1, _columns("".join(cells[first - start : stop - start])))
            carets = ("^" if mark.primary else "-") * length
            style = tone if mark.primary else _BLUE
            text = escaped(mark.text)
            room = self.width - width - 3
            if not text or not self.width or before + length + 1 + _columns(text) <= room:
                out.append(self.gutter("", width) + " " * before + self.paint(f"{carets} {text}".rstrip(), style))
                continue
            out.append(self.gutter("", width) + " " * before + self.paint(carets, style))
            for part in textwrap.wrap(text, room, break_long_words=False, break_on_hyphens=False):
                pad = max(0, min(before, room - _columns(part)))  # below the mark, or as near as the width allows
                out.append(self.gutter("", width) + " " * pad + self.paint(part, style))
        return out

    def limit(self, width: int) -> int:
        """The maximum number of characters shown per line; `width` is the width of the line numbers."""
        room = self.width - width - 5  # minus the bar with its spaces, and an ellipsis at either end
        return min(_LINE_LIMIT, room) if self.width else _LINE_LIMIT

    def text_of(self, name: str) -> list[str]:
        if name not in self.split:
            text = self.sources.get(name)
            # Not splitlines(): it splits at characters that our parsers do not count as line ends.
            self.split[name] = [] if text is None else [line.removesuffix("\r") for line in text.split("\n")]
        return self.split[name]

    def gutter(self, number: str, width: int) -> str:
        return self.paint(f"{number:>{width}} |", _BLUE) + " "

    def paint(self, text: str, style: str) -> str:
        return f"\x1b[{style}m{text}\x1b[0m" if self.color else text


def _window(length: int, caret: int, limit: int) -> tuple[int, int]:
    if length <= limit:
        return 0, length
    start = max(0, min(caret - limit * 3 // 8, length - limit))
    return start, start + limit


def _display(name: str) -> str:
    return escaped(_relative(name))


def _relative(name: str) -> str:
    """The path of a file, relative to the current folder if it is below it."""
    path = Path(name)
    if path.is_absolute() and path.is_relative_to(place := Path.cwd()):
        return str(path.relative_to(place))
    return name


def _cell(char: str) -> str:
    return " " * _TAB if char == "\t" else escaped(char)


def _columns(text: str) -> int:
    """The width of a text in terminal columns."""
    if text.isascii():
        return len(text)
    return sum(_columns_of(c) for c in text)


def _columns_of(char: str) -> int:
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1
