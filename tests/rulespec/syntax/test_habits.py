"""Habits from other languages are reported with the form of the rules language; written as the help says, it is sound.

The cases are in tests/fixtures/habits.txt.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from cases import write
from folders import RULESETS, TESTS
from lark_parser import stored

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset
from rulespec.syntax.habits import habit
from rulespec.syntax.keywords import BEGIN_EXPRESSIONS
from rulespec.syntax.parse_table import grammar
from rulespec.syntax.syntax_errors import expected_as_text

BASE = RULESETS / "errors"
FORMS = {
    "c": "def a(p: player) -> bool:\n    {}\n",
    "n": "def a(p: player) -> int:\n    {}\n",
    "s": "procedure a(p: player):\n    {}\n",
    "o": "procedure a(p: player):\n    decide x by p:\n        {}\n            set turns to 1\n",
    "r": "{}\n",
}


class Habit(NamedTuple):
    """A habit, a part of the help, and the text that the help proposes; each with the kind of text around it."""

    kind: str
    wrong: str
    help: str
    right: str

    def file(self, text: str) -> str:
        indent = {"r": "", "o": " " * 8}.get(self.kind, " " * 4)
        return FORMS[self.kind].format(text.replace(" ⏎ ", f"\n{indent}"))


def habits() -> list[Habit]:
    lines = (TESTS / "fixtures" / "habits.txt").read_text("utf-8").splitlines()
    return [Habit(*line.split(" ~ ")) for line in lines if not line.startswith("#")]


def diagnostics_of(folder: Path, rules: str) -> list[Diagnostic]:
    write(folder, {"rules/this.rules": rules}, BASE)
    report = Report()
    try:
        load_ruleset(str(folder), report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    return [d for d in report.diagnostics if d.severity is Severity.ERROR]


@pytest.mark.parametrize("case", habits(), ids=lambda case: case.wrong)
@pytest.mark.sampled(40)
def test_a_habit_is_told_the_way_out_which_is_sound(case: Habit, tmp_path: Path) -> None:
    result = diagnostics_of(tmp_path / "errors", case.file(case.wrong))
    assert any(case.help in d.help for d in result), result
    assert diagnostics_of(tmp_path / "errors", case.file(case.right)) == []


@pytest.mark.parametrize(
    "case", [h for h in habits() if h.kind in "cn" and "⏎" not in h.wrong], ids=lambda case: case.wrong
)
@pytest.mark.sampled(33)
def test_it_is_the_same_on_the_line_of_the_head(case: Habit, tmp_path: Path) -> None:
    result = diagnostics_of(tmp_path / "errors", case.file(case.wrong).replace(":\n    ", ": "))
    assert any(case.help in d.help for d in result), result


@pytest.mark.proof
def test_expected_tokens_have_the_names_that_authors_write() -> None:
    terminals = [t.name for t in stored().terminals if t.name not in ("COMMENT", "__IGNORE_0")]
    for name in terminals:
        for word in expected_as_text([name]).split("`")[1::2]:
            assert f'"{word}"' in grammar() or word in grammar(), (name, word)


def test_the_words_that_begin_an_expression_are_known() -> None:
    parser = stored()
    words = {t.pattern.value for t in parser.terminals if t.pattern.value.isalpha()} | {"min", "max"}
    begin = set(parser.parse_interactive("", start="expr").choices())  # type: ignore[no-untyped-call]
    accepted = {w for w in words if w.upper() in begin} | ({"min", "max"} if "MINMAX" in begin else set())
    assert accepted == BEGIN_EXPRESSIONS


def test_a_long_line_in_error_costs_little() -> None:
    line = "    set x to " + "any(x in s where " * 20_000
    assert isinstance(habit(["procedure a():", line], 2, len(line)), str)
    assert isinstance(habit(["procedure a():", line], 2, 20), str)


def test_a_name_as_long_as_a_file_takes_no_longer_to_tell() -> None:
    name = "spare" * 200_000  # with the square of its length it would take hours
    assert habit(["play:", f"  {name} {name}"], 2, 4 + len(name)) == ""
