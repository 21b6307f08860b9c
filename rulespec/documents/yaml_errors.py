"""YAML parser errors as diagnostics: place, likely cause and fix."""

from __future__ import annotations

import re
from typing import Any

import yaml

from rulespec.diagnostics.diagnostic import Diagnostic, Label, Severity, Span, shown
from rulespec.documents.text_files import file_start

_HINT = "check the indentation and the quotes here and just above"
_HINTS = {
    "mapping values are not allowed": "put text that contains `: ` in quotes, or correct the indentation",
    "expected ':'": "add a `:` after the key",
    "expected key": "start all entries of a mapping in the same column",
    "'-' indicator": "start all items of a list in the same column",
    "']'": "add the missing `,` or `]`",
    "'}'": "add the missing `,` or `}`",
    "end of stream": "add the missing closing quote or bracket",
    "escape": "use single quotes: in double quotes, `\\` starts an escape",
    "alphabetic or numeric": "put text that starts with `*` or `&` in quotes",
    "tag handle": "put text that starts with `!` in quotes",
}


def read_too_deeply(error: yaml.YAMLError) -> int | None:
    """The number of characters read when libyaml hit its own nesting limit; None for other errors.

    libyaml has had this limit since 0.2.6, and reads up to a thousand characters ahead.
    """
    problem: str = getattr(error, "problem", None) or ""
    return error.problem_mark.index if "maximum nesting depth" in problem else None  # type: ignore[attr-defined]


def yaml_error(error: yaml.YAMLError, text: str, file: str, long_text: Span | None) -> Diagnostic:
    """The diagnostic for an error of the YAML parser (RS111).

    Args:
        error: the error.
        text: the text of the file.
        file: its name in diagnostics.
        long_text: the place of the last multi-line quoted text before the error, if any.
    """
    mark = getattr(error, "problem_mark", None)
    if mark is None:  # characters were checked before: other errors have no place
        return _rs111("this is not valid YAML", file_start(file), (), "check the file with an editor")
    span = Span(file, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
    problem: str = getattr(error, "problem", None) or "syntax error"
    context: str = getattr(error, "context", None) or ""
    context_mark = getattr(error, "context_mark", None)
    notes: tuple[Label, ...] = ()
    if context and context_mark is not None:
        line, column = context_mark.line + 1, context_mark.column + 1
        if (line, column) != (span.line, span.column):
            notes = (Label(Span(file, line, column, line, column + 1), context),)
    if long_text is not None and long_text.end_line == span.line:
        notes += (Label(long_text, "this text spans several lines: is a quote missing?"),)
    if "mapping values are not allowed" in problem or "expected key" in problem:
        notes += _missing_colon(text, file, span.line)
    cause = f"{context}: {problem}" if context and not notes else problem
    return _rs111(f"not valid YAML: {cause}", span, notes, _hint(problem, text, mark))


def _rs111(message: str, span: Span, notes: tuple[Label, ...], hint: str) -> Diagnostic:
    return Diagnostic("RS111", Severity.ERROR, message, span, notes=notes, help=hint)


def _missing_colon(text: str, file: str, line: int) -> tuple[Label, ...]:
    """A note at the last nonblank line before `line`, if it looks like a key without a `:`."""
    before = text.split("\n", line)[: line - 1]
    while before and not before[-1].partition("#")[0].strip():
        before.pop()
    last = before[-1].partition(" #")[0].rstrip() if before else ""
    if not last or ":" in last or re.fullmatch(r" *- *[^ ]*", last):
        return ()
    begin = len(last) - len(last.lstrip()) + 1
    return (Label(Span(file, len(before), begin, len(before), len(last) + 1), "is a `:` missing here?"),)


def _hint(problem: str, text: str, mark: Any) -> str:
    # The mark's index counts characters in both loaders, but only the C loader's survives a byte order mark.
    lines = text.split("\n", mark.line + 1)
    line = lines[mark.line] if mark.line < len(lines) else ""
    char = line[mark.column : mark.column + 1]
    if char == "\t" or "tab character" in problem:
        return "indent with spaces, not tabs"
    called = re.match(r"[\w.]+", line[: mark.column][::-1]) if char == "[" else None
    if called is not None and ("']'" in problem or "'}'" in problem):
        value = line[mark.column - called.end() :].partition("]")[0][:60]
        return f'put an expression with brackets in quotes: `"{value}]"`'
    if "cannot start any token" in problem:
        return f"put the text in quotes: a plain value cannot start with {shown(char)}"
    return next((hint for part, hint in _HINTS.items() if part in problem), _HINT)
