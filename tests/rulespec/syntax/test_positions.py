"""The parser's own lexer and places of nodes are Lark's, only faster."""

from __future__ import annotations

from functools import cache

import pytest
from folders import shipped_files
from lark import Lark, Token, Tree
from lark.exceptions import UnexpectedInput

from rulespec.syntax import parse_table
from rulespec.syntax.indentation import Blocks

PLACE = ("line", "column", "end_line", "end_column")
CONTAINER = tuple(f"container_{name}" for name in PLACE)


@cache
def _plain() -> Lark:
    return Lark(
        parse_table.grammar(),
        parser="lalr",
        postlex=Blocks(),
        start=list(parse_table.STARTS),
        propagate_positions=True,
        maybe_placeholders=True,
    )


@cache
def _own() -> Lark:
    return parse_table.parser(Blocks())


def _places(part: object) -> object:
    """A tree with the places of its nodes."""
    if isinstance(part, Token):
        return (part.type, str(part), *[getattr(part, name) for name in PLACE])
    if not isinstance(part, Tree):
        return part
    place = [getattr(part.meta, name, None) for name in (*PLACE, *CONTAINER)]
    return (part.data, place, [_places(child) for child in part.children])


def test_trees_of_shipped_rules_and_their_places_are_larks() -> None:
    files = shipped_files("**/*.rules")
    assert len(files) > 30
    for file in files:
        text = file.read_text("utf-8") + "\n"
        assert _places(_own().parse(text, start="rules")) == _places(_plain().parse(text, start="rules")), file


@pytest.mark.parametrize(
    "text, start",
    [
        ("order + best + ray + the + min + repeat_ + defx", "expr"),  # words only where something follows them
        ("the (x in s) + best(x in s by x) + min(1, 2) + ray(a, b)", "expr"),
        ("(((a)) + (b.c[d]))", "expr"),
        ("let", "expr"),
        ("a b", "expr"),
        ("a $ b", "expr"),
        ('"open', "expr"),
        ("", "expr"),
        ("order town", "type"),
        ("order", "type"),
        ("set set", "type"),
        ("procedure def():\n    pass\n", "rules"),
        ("procedure p():\n    let from = 1\n    move 1 from from to to\n", "rules"),
        ("remove def x\nremovedef x\n", "rules"),
    ],
)
def test_words_and_names_are_told_apart_as_lark_does(text: str, start: str) -> None:
    found = []
    for parser in (_own(), _plain()):
        try:
            found.append(_places(parser.parse(text, start=start)))
        except UnexpectedInput as error:
            lines = sorted(str(error).split("\n"))
            found.append((type(error), lines, error.pos_in_stream))
    assert found[0] == found[1]
