"""Diagnostics as data (fault, place and fix), and safe forms of untrusted text for display. Renderers are elsewhere."""

from __future__ import annotations

import unicodedata
from enum import StrEnum

from msgspec import Struct

# Cc control, Cf format (bidi overrides, zero-width marks), Cs surrogates, Zl and Zp line and paragraph separators.
_HARMFUL = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
# Letters that terminals display as blanks.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


class Span(Struct, frozen=True, order=True, gc=False):
    """A range of text in a file. Lines and columns count from 1, in characters; `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The range from the start of this span to the end of `other`, which comes later in the same file."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Label(Struct, frozen=True):
    """A secondary place that explains a diagnostic, with a short text."""

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """An automatic fix: `text` replaces the text at `span`, or is inserted there if the span is empty."""

    span: Span
    text: str


class Severity(StrEnum):
    """The severity: an error makes the ruleset or log unusable, while a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Diagnostic(Struct, frozen=True):
    """A single problem.

    Attributes:
        code: a stable key of `codes.CODES`.
        severity: error or warning.
        message: the cause, in one sentence.
        span: the place; None if no place is known, for example for a missing file that no other file refers to.
        label: a short text shown under the place.
        notes: related places, such as the declaration that a use contradicts.
        help: how to fix it, in one or more lines.
        fix: the automatic fix, if it is unambiguous.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None
    label: str = ""
    notes: tuple[Label, ...] = ()
    help: str = ""
    fix: Fix | None = None


class Accepted(Struct, frozen=True):
    """A warning accepted in the source, with the reason given there."""

    warning: Diagnostic
    reason: str


def shown(text: str, limit: int = 60) -> str:
    """Text from a file, made safe for messages: in backticks, on one line, truncated to `limit` characters."""
    line = text[: limit + 1].replace("\n", "\\n")
    return f"`{line}`" if len(line) <= limit else f"`{line[:limit]}…`"


def escaped(text: str) -> str:
    r"""The text on one line, with an escape such as `\x1b` for each character that is not plainly printable.

    It cannot move the cursor, hide or reorder text, or end the line.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode() for c in text)


def no_command(line: str) -> str:
    """The line with CI runner commands disabled: GitHub executes a leading `::`, and `##[` anywhere."""
    if "##[" in line:
        line = line.replace("##[", "#\\x23[")
    begin = line.lstrip()
    if begin.startswith("::") and not begin.startswith(":::"):  # that is an arrow of our own
        line = line.replace(":", "\\x3a", 1)
    return line


def _is_harmless(char: str) -> bool:
    return unicodedata.category(char) not in _HARMFUL and char not in _INVISIBLE
