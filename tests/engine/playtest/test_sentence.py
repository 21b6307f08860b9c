"""The sentence on a rule: all answers, mixed over three questions, as texts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
import yaml
from folders import TESTS

from rulespec.engine.playtest.compared_numbers import Asked, length
from rulespec.engine.playtest.evidence import QuestionAnswer
from rulespec.engine.playtest.rule_trial import Answered
from rulespec.engine.playtest.sentence import otherwise, sentence, verdict

ANSWERS = {
    "more": QuestionAnswer("more", 120, 340.0, 300.0, 40.0, 12.25, 67.75, 15.0, None),
    "less": QuestionAnswer("less", 120, 0.25, 0.5, -0.25, -0.4, -0.1, 0.05, None),
    "none": QuestionAnswer("none", 120, 30.0, 30.5, -0.5, -3.2, 2.2, 5.0, None),
    "undecided": QuestionAnswer("undecided", 120, 33.0, 30.0, 3.0, -6.0, 12.0, 5.0, 1234),
    "far": QuestionAnswer("undecided", 120, 33.0, 30.0, 3.0, -6.0, 12.0, 3.0, None),
    "early": QuestionAnswer("undecided", 12, 33.0, 30.0, 3.0, None, None, 5.0, None),
    "equal": QuestionAnswer("equal", 120, 4.0, 4.0, 0.0, -0.1, 0.1, 1.0, None),
    "same": QuestionAnswer("same", 120, 4.0, 4.0, 0.0, -0.1, 0.1, 1.0, None),
}
CASES = yaml.safe_load((TESTS / "fixtures" / "playtest_sentences.yaml").read_text("utf-8"))


def answered(names: Sequence[str]) -> list[Answered]:
    results = []
    for text in names:
        title, _, name = text.rpartition(" ")
        share = name == "less"
        asked = Asked(title.partition(" of ")[0], title.partition(" of ")[0], title, share, length, 5.0, length, 0.95)
        results.append(Answered(asked, ANSWERS[name]))
    return results


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case["answers"]))
def test_the_sentence_says_what_the_answers_say(case: dict[str, list[str] | str]) -> None:
    same = case.get("same", False) is True
    pairs = max(ANSWERS[text.rpartition(" ")[2]].pairs for text in case["answers"])
    assert sentence(answered(list(case["answers"])), same, pairs, "flat:32") == case["says"]


def test_every_answer_is_in_a_case() -> None:
    assert {text.rpartition(" ")[2] for case in CASES for text in case["answers"]} == set(ANSWERS)


def test_each_answer_in_a_few_words() -> None:
    assert {name: verdict(answer) for name, answer in ANSWERS.items()} == {
        "more": "more",
        "less": "less",
        "none": "no difference that matters",
        "undecided": "undecided: about 1,300 pairs",
        "far": "undecided: no realistic number of pairs",
        "early": "undecided: at least 40 pairs",
        "equal": "equal in all 120 pairs",
        "same": "the rule never acted",
    }


def test_other_players_say_otherwise_where_the_bounds_leave_each_other_out() -> None:
    """An undecided number is not said otherwise by one that lies within its bounds; few games say nothing."""
    mine = answered(["Length more", "Margin undecided", "Wins less", "Points early"])
    theirs = answered(["Length none", "Margin none", "Wins none", "Points more"])
    assert otherwise(mine, theirs, "random") == (
        "Games of random say otherwise: no difference that matters in length (at most 3.2; 5.0 would matter)."
    )
    assert otherwise(theirs, theirs, "random") == ""
