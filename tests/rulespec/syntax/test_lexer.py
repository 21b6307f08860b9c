"""The lexer that Lark is given is Lark's own, only faster."""

from __future__ import annotations

import pytest
from lark import Token, Tree
from lark.exceptions import UnexpectedInput
from lark_parser import plain_lark, stored


def _read(node: Tree[Token]) -> tuple[object, ...]:
    """The parts of a node of a tree, with the places of its tokens."""
    tokens = [part for part in node.children if isinstance(part, Token)]
    return (node.data, [(t.type, str(t), t.line, t.column, t.end_line, t.end_column) for t in tokens])


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
    results: list[object] = []
    for parser in (stored(), plain_lark()):
        try:
            results.append([_read(part) for part in parser.parse(text, start=start).iter_subtrees()])
        except UnexpectedInput as error:
            lines = sorted(str(error).split("\n"))
            results.append((type(error), lines, error.pos_in_stream))
    assert results[0] == results[1]
