"""Diagnostics as data: what is wrong, where, and how to fix it. Rendering is in other modules."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class Span(Struct, frozen=True, order=True, gc=False):
    """A stretch of text in a file. Lines and columns count from 1, in characters; `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The stretch from the start of this span to the end of `other`, which is later in the same file."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Label(Struct, frozen=True):
    """A second place that explains a diagnostic, and what is to be seen there."""

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """A mend that is certain: what stands at `span` becomes `text`. An empty span is a place where text is put in."""

    span: Span
    text: str


class Severity(StrEnum):
    """How bad it is: an error makes the ruleset or log unusable, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Diagnostic(Struct, frozen=True):
    """One finding.

    Attributes:
        code: a stable key of `CODES`.
        severity: error or warning.
        message: one sentence on the cause.
        span: the place, or None where there is none (a file that does not exist and was not named in a file).
        label: a few words written under the place.
        notes: further places that matter, such as the declaration that a use contradicts.
        help: the way out, one or more lines.
        fix: the mend, where it is certain.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None
    label: str = ""
    notes: tuple[Label, ...] = ()
    help: str = ""
    fix: Fix | None = None


def shown(text: str, limit: int = 60) -> str:
    """Text from a file as it may stand in a message: in backticks, on one line, and cut after `limit` characters."""
    line = text[: limit + 1].replace("\n", "\\n")
    return f"`{line}`" if len(line) <= limit else f"`{line[:limit]}…`"
