"""Grammars of notations: what they read, in time linear in the text, and those that are refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from rulespec.engine.notation.grammar import MAX_STATES, Grammar, GrammarError, ListPart, Part, make_grammar
from rulespec.engine.notation.templates import TemplateError, read_template

Parts = Mapping[str, str | list[str] | dict[str, Any] | ListPart]
SQUARE: Parts = {
    "square": "[a-h][1-8]",
    "file": {"a": 1, "b": 2},
    "x": "x",
    "number": "[0-9]{1,3}",
    "man": {"": "pawn", "K": "king"},
}


def grammar(moves: str | dict[str, str], parts: Parts | None = None) -> Grammar:
    """A grammar of templates; a part is a template, several, or texts with their values."""
    own: dict[str, Part] = {}
    for name, part in (parts or {}).items():
        if isinstance(part, str):
            part = [part]
        own[name] = tuple(map(read_template, part)) if isinstance(part, list) else part
    pairs = {"move": moves} if isinstance(moves, str) else moves
    return make_grammar(own, ["number"], [(type_, read_template(text)) for type_, text in pairs.items()])


@pytest.mark.parametrize(
    "template, text, fields",
    [
        ("{square}", "e4", {"square": "e4"}),
        ("{from:square}-{to:square}", "a1-b2", {"from": "a1", "to": "b2"}),
        ("{file?}{x?}{square}", "bxc3", {"file": 2, "x": "x", "square": "c3"}),
        ("{file?}{x?}{square}", "b3", {"square": "b3"}),
        ("{man}{square}", "Kb3", {"man": "king", "square": "b3"}),
        ("{man}{square}", "b3", {"man": "pawn", "square": "b3"}),
        ("pays {number}", "pays 40", {"number": 40}),
        ("\\{[ab]{2,3}\\}", "{aba}", {}),
    ],
)
def test_a_text_has_the_fields_of_its_parts(template: str, text: str, fields: dict[str, Any]) -> None:
    read = grammar(template, SQUARE).read(text)
    assert read is not None
    assert (read.type, dict(read.fields)) == ("move", fields)


@pytest.mark.parametrize(
    "least, text, values",
    [
        (1, "a1", ["a1"]),
        (1, "a1xb2xc3", ["a1", "b2", "c3"]),
        (2, "a1xb2", ["a1", "b2"]),
        (3, "a1xb2xc3xd4", ["a1", "b2", "c3", "d4"]),
        (2, "a1", None),
        (3, "a1xb2", None),
        (1, "a1x", None),
        (1, "xa1", None),
        (1, "a1b2", None),
    ],
)
def test_a_list_has_the_values_of_its_elements(least: int, text: str, values: list[str] | None) -> None:
    one = grammar("{way}", {"square": "[a-h][1-8]", "way": ListPart("square", "x", least)})
    read = one.read(text)
    assert (read and read.fields["way"]) == values
    assert values is None or one.text("way", values) == text


@pytest.mark.parametrize(
    "parts, why",
    [
        ({"way": ListPart("letter", "b"), "letter": "[a-c]"}, "contain their separator `b`"),
        ({"way": ListPart("letter", "-"), "letter": "[a-c]{0,2}"}, "not be empty"),
        ({"way": ListPart("way", "-")}, "contains itself"),
        ({"way": ListPart("letter", "-"), "letter": "[a-c]", "other": ["a", "a-b"]}, "two ways"),
        ({"way": ListPart("letter", "-", 20), "letter": "[a-z]{1,99}"}, "but the limit is 512"),
    ],
)
def test_lists_that_cannot_be_split_are_refused(parts: Parts, why: str) -> None:
    with pytest.raises(GrammarError, match=why):
        grammar({"one": "{way}", "two": "{other}"} if "other" in parts else "{way}", parts)


@pytest.mark.parametrize("text", ["", "e9", "e4e", "E4", " e4", "e4\n", "e4" * 200])
def test_other_texts_are_not_read(text: str) -> None:
    assert grammar("{square}", SQUARE).read(text) is None


def test_templates_of_several_types_are_told_apart() -> None:
    both = grammar({"step": "{square}", "drop": "{square}!"}, SQUARE)
    assert [both.read(text).type for text in ("a1", "a1!")] == ["step", "drop"]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "moves, text",
    [
        ({"one": "{square}", "two": "a[1-3]"}, "a1"),
        ({"one": "[a]{0,2}[a]{0,2}b"}, "ab"),
        ({"one": "{number}{more:number}"}, "0000"),
        ({"one": "{x?}{other:x?}!"}, "x!"),
    ],
)
def test_a_text_with_two_meanings_is_named(moves: dict[str, str], text: str) -> None:
    with pytest.raises(GrammarError, match="two ways") as error:
        grammar(moves, SQUARE)
    named = str(error.value).split("`")[1]
    assert len(named) <= len(text)


def test_a_grammar_that_explodes_is_refused_before_it_does() -> None:
    doubled: Parts = {f"p{n}": f"{{p{n + 1}}}{{q:p{n + 1}}}" for n in range(40)} | {"p40": "a"}
    with pytest.raises(GrammarError, match=f"but the limit is {MAX_STATES}"):
        grammar("{p0}", doubled)
    with pytest.raises(GrammarError, match=f"but the limit is {MAX_STATES}"):
        grammar("[a-z]{99}[a-z]{99}[a-z]{99}[a-z]{99}[a-z]{99}[a-z]{99}")


@pytest.mark.parametrize(
    "parts, why",
    [({"a": "{a}"}, "contains itself"), ({"a": "{b}", "b": "{a}"}, "contains itself"), ({"a": "{c}"}, "no part")],
)
def test_parts_that_have_no_end_are_refused(parts: Parts, why: str) -> None:
    with pytest.raises(GrammarError, match=why):
        grammar("{a}", parts)


@pytest.mark.parametrize("template", ["{", "{2}", "[", "[]", "a{3,2}", "a{0}", "[z-a]", "\\", "x" * 300, "]"])
def test_a_template_that_is_not_well_formed_is_refused(template: str) -> None:
    with pytest.raises(TemplateError):
        read_template(template)


def test_reading_takes_time_linear_in_the_text() -> None:
    many = grammar("[ab]{1,99}[cd]{0,99}[ef]{0,99}!")
    assert many.read("a" * 99 + "c" * 99 + "!") is not None
    assert many.read("a" * 99 + "c" * 100) is None
