"""Indentation of rules files: Lark's indenter, configured for our grammar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from lark import Token
from lark.indenter import Indenter


class Blocks(Indenter):
    """Indenter that emits tokens at the start and end of blocks."""

    NL_type = "_NL"
    OPEN_PAREN_types: ClassVar[list[str]] = ["LPAR", "LSQB", "LBRACE"]
    CLOSE_PAREN_types: ClassVar[list[str]] = ["RPAR", "RSQB", "RBRACE"]
    INDENT_type = "_INDENT"
    DEDENT_type = "_DEDENT"
    tab_len = 8

    seen: list[Token] | None = None
    """A list that receives all tokens of the text, if set; for the formatter."""

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens of the text, including those for blocks."""
        tokens: Iterator[Token] = super().process(stream)  # type: ignore[no-untyped-call]
        return tokens if self.seen is None else self._collected(tokens, self.seen)

    def _collected(self, tokens: Iterator[Token], seen: list[Token]) -> Iterator[Token]:
        for token in tokens:
            seen.append(token)
            yield token
