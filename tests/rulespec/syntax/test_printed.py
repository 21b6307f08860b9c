"""A printed tree is text of the same tree."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from folders import RULESETS, shipped_files

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr, parse_rules
from rulespec.syntax.printed import printed

RULES = sorted([*shipped_files("rules/*.rules"), *shipped_files("variants/*.rules"), *RULESETS.rglob("*.rules")])


def meaning(node: Any) -> Any:
    """A tree without its places."""
    if type(node) is tuple:
        return tuple(meaning(each) for each in node)
    if type(node) in ast.NODES:
        return (type(node).__name__, *(meaning(getattr(node, f)) for f in node.__struct_fields__ if f != "span"))
    return node


def expressions(node: Any) -> list[ast.Expr]:
    results = [node] if isinstance(node, ast.Expr) else []
    parts = node if type(node) is tuple else ()
    if type(node) in ast.NODES:
        parts = tuple(getattr(node, name) for name in node.__struct_fields__)
    for part in parts:
        results += expressions(part)
    return results


@pytest.mark.parametrize("path", RULES, ids=lambda p: f"{p.parent.parent.name}-{p.name}")
@pytest.mark.sampled(8)
def test_what_is_printed_is_parsed_into_the_same_tree(path: Path) -> None:
    try:
        tree = parse_rules(path.read_text("utf-8"), "f")
    except DiagnosticsError:
        return
    count = 0
    for node in expressions(tree):
        try:
            text = printed(node)
        except KeyError:
            continue
        count += 1
        assert meaning(parse_expr(text, "f")) == meaning(node), text
    assert count or not expressions(tree)


def test_the_games_are_there() -> None:
    assert len(RULES) > 50
