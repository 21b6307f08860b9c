"""Places of a parsed text in its file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rulespec.diagnostics.diagnostic import Span

if TYPE_CHECKING:  # Lark takes long to import
    from lark import Token
    from lark.tree import Meta


class Origin:
    """The place where a text begins: 1:1 for a rules file, the place of the scalar for a text in YAML."""

    def __init__(self, file: str, line: int = 1, column: int = 1) -> None:
        self.file = file
        self.line = line
        self.column = column

    def span(self, meta: Meta | Token) -> Span:
        """The place in the file of a token, or of a node of Lark's tree."""
        if getattr(meta, "line", None) is None:  # an empty rule has no position
            return Span(self.file, self.line, self.column, self.line, self.column + 1)
        end_line = meta.end_line or meta.line
        end_column = meta.end_column or meta.column
        assert meta.line is not None and meta.column is not None and end_line is not None and end_column is not None
        return self.at(meta.line, meta.column, end_line, end_column)

    def at(self, line: int, column: int, end_line: int, end_column: int) -> Span:
        """The place in the file of a place in the text."""
        first = self.column - 1
        return Span(
            self.file,
            line + self.line - 1,
            column + (first if line == 1 else 0),
            end_line + self.line - 1,
            end_column + (first if end_line == 1 else 0),
        )

    def all_at(self, places: Sequence[tuple[int, int, int, int]]) -> list[Span]:
        """The places in the file of many places in the text."""
        if self.line == self.column == 1:  # a whole file
            file = self.file
            return [Span(file, *place) for place in places]
        return [self.at(*place) for place in places]

    def relative(self, span: Span) -> tuple[int, int, int, int]:
        """The place in the text of a place in the file."""
        line, end_line = span.line - self.line + 1, span.end_line - self.line + 1
        first = self.column - 1
        column, end_column = (
            span.column - (first if line == 1 else 0),
            span.end_column - (first if end_line == 1 else 0),
        )
        return line, column, end_line, end_column
