"""Conversion of places in a parsed text to places in its file, and back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulespec.diagnostics.diagnostic import Span

if TYPE_CHECKING:  # Lark takes long to import
    from lark import Token

Place = tuple[int, int, int, int]
"""Start line, start column, end line, and end column (exclusive)."""


class Origin:
    """The start of a text in its file: 1:1 for a rules file, the place of the scalar in YAML."""

    def __init__(self, file: str, line: int = 1, column: int = 1) -> None:
        self.file = file
        self.line = line
        self.column = column

    def span(self, token: Token) -> Span:
        """The place of a Lark token in the file."""
        line, column = token.line or 1, token.column or 1
        return self.at(line, column, token.end_line or line, token.end_column or column)

    def span_of(self, place: Place | None) -> Span:
        """Converts a place in the text to a place in the file; None stands for the start of the text."""
        if place is None:  # an empty rule has no position
            return Span(self.file, self.line, self.column, self.line, self.column + 1)
        return self.at(*place)

    def at(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """Converts coordinates in the text to a place in the file."""
        first = self.column - 1
        return Span(
            self.file,
            line + self.line - 1,
            column + (first if line == 1 else 0),
            end_line + self.line - 1,
            end_column + (first if end_line == 1 else 0),
        )

    def all_at(self, places: Sequence[tuple[int, int, int, int]]) -> list[Span]:
        """Converts many places in the text to places in the file."""
        if self.line == self.column == 1:  # a whole file
            file = self.file
            return [Span(file, *place) for place in places]
        return [self.at(*place) for place in places]

    def relative(self, span: Span) -> tuple[int, int, int, int]:
        """Converts a span in the file to coordinates in the text."""
        line, end_line = span.line - self.line + 1, span.end_line - self.line + 1
        first = self.column - 1
        column, end_column = (
            span.column - (first if line == 1 else 0),
            span.end_column - (first if end_line == 1 else 0),
        )
        return line, column, end_line, end_column
