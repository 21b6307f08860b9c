"""Texts that need no parser have the trees that the parser makes of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from folders import RULESETS, shipped_files

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, Sequence
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.syntax.keywords import WORDS
from rulespec.syntax.origin import Origin
from rulespec.syntax.parser import parse_expr, parse_type, simple_expr, simple_type
from rulespec.syntax.tree import build

PLACES = [Origin("f"), Origin("f", 7, 12)]
EXPRESSIONS = ["p", "a_1", "points", "bond.nation", "a.b.c", "0", "007", "2 money", "12 points"]
NOT_SIMPLE = [
    "a.b.c.d",
    "a .b",
    "a. b",
    "1money",
    "2  money",
    "-1",
    "a+b",
    "f()",
    "1234567890123456",
    "ä",
    "a b",
    "",
    "_a",
]
TYPES = ["int", "bool", "money", "region?", "set region", "set int"]
NO_SIMPLE_TYPES = ["int 0..6", "order card", "set region?", "set  region", "region ?", "", "1"]


@pytest.mark.parametrize("origin", PLACES, ids=["whole", "part"])
@pytest.mark.parametrize("text", EXPRESSIONS)
def test_an_expression_has_the_tree_of_the_parser(text: str, origin: Origin) -> None:
    assert simple_expr(text, origin) == build(text, "expr", origin)


@pytest.mark.parametrize("origin", PLACES, ids=["whole", "part"])
@pytest.mark.parametrize("text", TYPES)
def test_a_type_has_the_tree_of_the_parser(text: str, origin: Origin) -> None:
    assert simple_type(text, origin) == build(text, "type", origin)


@pytest.mark.parametrize("text", NOT_SIMPLE)
def test_other_expressions_go_to_the_parser(text: str) -> None:
    assert simple_expr(text, PLACES[0]) is None


@pytest.mark.parametrize("text", NO_SIMPLE_TYPES)
def test_other_types_go_to_the_parser(text: str) -> None:
    assert simple_type(text, PLACES[0]) is None


@pytest.mark.parametrize("word", sorted(WORDS))
def test_words_of_the_language_are_no_names(word: str) -> None:
    for text in (word, f"{word}.a", f"a.{word}", f"a.b.{word}", f"1 {word}"):
        assert simple_expr(text, PLACES[0]) is None
    for text in (word, f"{word}?", f"set {word}"):
        assert (simple_type(text, PLACES[0]) is None) is (word not in ("bool", "int"))


def scalars(node: Node) -> Iterator[Scalar]:
    if isinstance(node, Scalar):
        yield node
    for each in node.items if isinstance(node, Sequence) else ():
        yield from scalars(each)
    for key, value in node.entries.values() if isinstance(node, Mapping) else ():
        yield from (key, *scalars(value))


def test_all_texts_of_shipped_files_are_read_alike() -> None:
    texts = set[str]()
    for path in [*shipped_files("*.yaml"), *shipped_files("dialects/*.yaml"), *RULESETS.rglob("*.yaml")]:
        try:
            texts |= {scalar.text for scalar in scalars(parse_yaml(path.read_text("utf-8"), "f"))}
        except (DiagnosticsError, UnicodeDecodeError):
            continue
    simple = 0
    for text in texts:
        for start, result, parse in (
            ("expr", simple_expr(text, PLACES[1]), parse_expr),
            ("type", simple_type(text, PLACES[1]), parse_type),
        ):
            if result is not None:
                simple += 1
                assert result == build(text, start, PLACES[1]) == parse(text, "f", 7, 12)
    assert simple > 1_000
