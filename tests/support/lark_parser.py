"""Parsers that are slow to make, once in a process: Lark's own by the grammar, and the one whose tables are stored."""

from __future__ import annotations

from functools import cache

from lark import Lark

from rulespec.syntax import parse_table
from rulespec.syntax.indentation import Blocks


@cache
def plain_lark() -> Lark:
    """Lark with its own lexer."""
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
    """The parser as it is read from its file."""
    return parse_table.parser(Blocks())
