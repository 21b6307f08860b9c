"""Diagnostics as data: fault, place and fix. Other modules render them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Span(Struct, frozen=True, order=True, gc=False):
    """A range of text in a file. Lines and columns count from 1, in characters; `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The range from the start of this span to the end of `other`, which is later in the same file."""
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
    """The severity: an error makes the ruleset or log unusable, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Diagnostic(Struct, frozen=True):
    """One problem.

    Attributes:
        code: a stable key of `codes.CODES`.
        severity: error or warning.
        message: the cause, in one sentence.
        span: the place; None if no place is known, as for a missing file that no other file refers to.
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
    """Text from a file in a form for messages: in backticks, on one line, truncated to `limit` characters."""
    line = text[: limit + 1].replace("\n", "\\n")
    return f"`{line}`" if len(line) <= limit else f"`{line[:limit]}…`"
