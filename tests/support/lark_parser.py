"""Parsers created once per process, as they are slow to create: Lark's from the grammar, and the stored tables."""

from __future__ import annotations

from functools import cache

from lark import Lark

from rulespec.syntax import parse_table
from rulespec.syntax.lexer import Blocks


@cache
def plain_lark() -> Lark:
    """A Lark parser with Lark's own lexer."""
    return Lark(
        parse_table.grammar(),
        parser="lalr",
        postlex=Blocks(),
        start=list(parse_table.STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
    )


@cache
def stored() -> Lark:
    """The parser read from its stored tables."""
    return parse_table.parser(Blocks())
