"""Warnings of entities that look alike to people."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write

from rulespec.diagnostics.report import Report
from rulespec.engine.words.valid_words import check_words
from rulespec.load import load_ruleset

RULES = "procedure play():\n    for t in town:\n        if t == oak:\n            end game\n"


def warnings(folder: Path, kinds: str, **titles: str) -> list[str]:
    files = {"game.yaml": GAME, "kinds.yaml": kinds, "rules/play.rules": RULES}
    files |= {f"{name.replace('_', '.')}.yaml": text for name, text in titles.items()}
    report = Report()
    check_words(load_ruleset(str(write(folder, files))), report)
    return [d.message for d in report.diagnostics if d.code == "RS860"]


KINDS = "kinds: {town: {entities: {oak: {title: One}, elm: {title: Two}, ash: {}}}}"


@pytest.mark.parametrize(
    "first, second",
    [
        ("Elan", "Elan"),
        ("Elan", "elan"),
        ("Elan", "Élan"),
        ("New Elan", "NewElan"),
        ("Straße", "STRASSE"),
        ("ﬁr", "fir"),
    ],
)
def test_titles_that_differ_in_case_accents_and_blanks_alone_are_warned_of(
    first: str, second: str, tmp_path: Path
) -> None:
    for n, (kinds, titles) in enumerate(
        [
            (KINDS.replace("One", first).replace("Two", second), {}),
            (KINDS, {"titles": f"entities: {{town: {{oak: {first}, elm: {second}}}}}"}),
            (KINDS, {"titles_de": f"entities: {{town: {{oak: {first}, elm: {second}}}}}"}),
            (KINDS.replace("One", first), {"titles_de": f"entities: {{town: {{elm: {second}}}}}"}),
        ]
    ):
        (message,) = warnings(tmp_path / str(n), kinds, **titles)
        assert message.startswith("people cannot tell the town `elm` from `oak`")


def test_a_title_that_is_the_name_of_another_is_warned_of(tmp_path: Path) -> None:
    assert len(warnings(tmp_path, KINDS.replace("One", "ash"))) == 1


def test_another_language_does_not_repeat_the_warning(tmp_path: Path) -> None:
    kinds = KINDS.replace("Two", "one")
    assert len(warnings(tmp_path, kinds, titles_de="entities: {town: {ash: Esche}}")) == 1


@pytest.mark.parametrize("first, second", [("Elan", "Elen"), ("Elan 1", "Elan 2"), ("Elan", "Elan'")])
def test_other_titles_are_not(first: str, second: str, tmp_path: Path) -> None:
    assert warnings(tmp_path, KINDS.replace("One", first).replace("Two", second)) == []


SIDES = """kinds:
  side: {entities: {red: {}, blue: {}}}
  town:
    facts: {of: side}
    entities:
      oak: {of: red, title: Short}
      elm: {of: red, title: Long}
      ash: {of: blue, title: Short}
      fir: {of: blue, title: SECOND}
"""


def test_each_side_may_have_one_set_of_the_same_titles(tmp_path: Path) -> None:
    assert warnings(tmp_path / "same", SIDES.replace("SECOND", "Long")) == []
    assert len(warnings(tmp_path / "other", SIDES.replace("SECOND", "Wide"))) == 1
