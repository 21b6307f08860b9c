"""Texts with holes: what is read, and what is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from limits import soon

from rulespec.engine.words.template import MAX_HOLES, Filled, fill, holes, parse_template

VALUES = {"a": Filled("corn"), "n": Filled("0", nothing=True), "{x in s} | {y}": Filled("both"), "p[q]": Filled("pile")}
VALUES["h"] = Filled("a hidden card", nothing=True, hidden=True)


@pytest.mark.parametrize(
    "text, shown",
    [
        ("plain", "plain"),
        ("gives {a}", "gives corn"),
        ("gives { a }!", "gives corn!"),
        ("{a}{a}", "corncorn"),
        ("gives {a}[, pays {n}]", "gives corn"),
        ("gives {n}[, of {a}]", "gives 0, of corn"),
        ("[{a} for {n}]", ""),
        ("[always]", "always"),
        ("is dealt {h}[: {h}], {a}", "is dealt a hidden card, corn"),
        ("{{a}} [[b]]", "{a} [b]"),
        ("{ {x in s} | {y}}", "both"),
        ("{p[q]}", "pile"),
    ],
)
def test_a_text_with_its_holes_filled(text: str, shown: str) -> None:
    assert fill(parse_template(text), VALUES.__getitem__).text == shown


@pytest.mark.parametrize(
    "text, message",
    [
        ("{a", "not closed"),
        ("a}", "has no `{` before it"),
        ("[a", "not closed"),
        ("a]", "before it"),
        ("[a [b]]", "cannot be nested"),
        ("{}", "a hole is empty"),
        ("{ }", "a hole is empty"),
        ("{ " + "{" * 7 + "a" + "}" * 8, "nested deeper"),
        ("{" + "a" * 300 + "}", "more than 200 characters"),
        ("{a}" * (MAX_HOLES + 1), f"more than {MAX_HOLES} holes"),
    ],
)
def test_a_text_that_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_template(text)


def test_a_hole_knows_where_it_begins() -> None:
    text = "gives { a }[, pays {n}]"
    assert [(hole.text, text[hole.at :][: len(hole.text)]) for hole in holes(parse_template(text))] == [
        ("a", "a"),
        ("n", "n"),
    ]


@pytest.mark.parametrize("char", "{}[]")
def test_megabytes_are_read_in_no_time(char: str) -> None:
    with soon():
        for text in (char * 1_000_000, "a" + char * 999_999, (char + "a") * 250):
            with suppress(ValueError):
                parse_template(text)
