"""Sentences of random games, one of each form, and what they may not be."""

from __future__ import annotations

import pytest

from rulespec.load import load_ruleset
from tools.sentences import sentences


def test_one_sentence_of_each_form_is_printed() -> None:
    result = list(sentences("nim", 2))
    assert ("question", "take matches from a heap") in result and ("end", "the last match is taken") in result
    takes = [text for sort, text in result if sort == "button" and text.startswith("Take")]
    assert len(takes) == 2, "one match, and several"


@pytest.mark.parametrize(
    "ref",
    [
        "nim",
        pytest.param("tetrarchia", marks=pytest.mark.proof),
        pytest.param("imperial", marks=pytest.mark.proof),
        pytest.param("shadow_of_the_emperor", marks=pytest.mark.proof),
        pytest.param("liars_dice", marks=pytest.mark.proof),
    ],
)
@pytest.mark.parametrize("language", [None, "other"])
def test_buttons_begin_with_a_capital_and_show_no_identifiers(ref: str, language: str | None) -> None:
    from rulespec.engine.words.words import Words

    others = Words(load_ruleset(ref)).languages[1:]
    if language is not None and not others:
        pytest.skip("it has one language")
    for sort, text in sentences(ref, 2, others[0] if language is not None else None):
        assert "_" not in text, (sort, text)
        if sort in ("button", "out of turn"):
            assert text[0].isupper() or not text[0].isalpha(), text
