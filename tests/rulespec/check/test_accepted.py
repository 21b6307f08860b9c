"""Warnings that are accepted where they stand: with a reason, counted, never for secrets, never for a base."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import split, write
from commands import invoke
from jsonschema import Draft202012Validator

from rulespec.cli.validate import check
from rulespec.diagnostics.report import Report
from rulespec.schemas import load_schema

WORLD = "\n--- kinds.yaml\nstate:\n  n: {type: int 0..9}\n"
UNUSED = "def spare() -> int:\n    7\n"
PLAY = """\
procedure play():
    decide nap by first(player):
        option sleep:
            set n to 1
    if n == 1:
        end game as done
"""


def laid(folder: Path, text: str) -> None:
    """Writes a ruleset that is one text."""
    write(folder, split(text, "rules/play.rules"))


def checked(folder: Path, rules: str) -> Report:
    """The findings about a small ruleset with these rules."""
    laid(folder / "small", f"{WORLD}--- rules/play.rules\n{rules}")
    report = Report()
    check(str(folder / "small"), report)
    return report


def codes(report: Report) -> list[str]:
    return [d.code for d in report.diagnostics if d.span is not None and d.span.file.endswith("play.rules")]


def test_the_warning_is_there_without_a_comment(tmp_path: Path) -> None:
    assert codes(checked(tmp_path, f"{PLAY}\n{UNUSED}")) == ["RS405"]


@pytest.mark.parametrize(
    "rules",
    [
        UNUSED.replace("int:", "int:    # accept: RS405 the next edition has it"),
        f"# accept: RS405 the next edition has it\n{UNUSED}",
        f"# accept: RS405: the next edition has it\n# a word more\n{UNUSED}",
    ],
)
def test_an_accepted_warning_is_counted_and_not_shown(rules: str, tmp_path: Path) -> None:
    report = checked(tmp_path, f"{PLAY}\n{rules}")
    assert codes(report) == [] and report.ok
    (accepted,) = report.accepted
    assert (accepted.warning.code, accepted.reason) == ("RS405", "the next edition has it")


@pytest.mark.parametrize(
    "comment, code",
    [
        ("# accept: RS405", "RS875"),
        ("# accept:", "RS875"),
        ("# accept: unused", "RS875"),
        ("# accept: RS999 no such code", "RS875"),
        ("# accept: RS343 nobody will look", "RS875"),
        ("# accept: RS740 nobody will look", "RS875"),
        ("# accept: RS711 the game may be stuck", "RS875"),
        ("# accept: RS404 another warning", "RS876"),
    ],
)
def test_what_cannot_be_accepted_is_an_error(comment: str, code: str, tmp_path: Path) -> None:
    report = checked(tmp_path, f"{PLAY}\n{comment}\n{UNUSED}")
    assert sorted(codes(report)) == ["RS405", code] and not report.ok and report.accepted == []


def test_a_warning_that_is_gone_leaves_an_error(tmp_path: Path) -> None:
    report = checked(tmp_path, f"# accept: RS405 the next edition has it\n{PLAY}")
    assert codes(report) == ["RS876"]


def test_errors_are_not_accepted(tmp_path: Path) -> None:
    report = checked(tmp_path, f"{PLAY}    set n to nowhere    # accept: RS221 soon\n")
    assert "RS221" in codes(report) and report.accepted == []


def test_a_text_is_no_comment(tmp_path: Path) -> None:
    report = checked(tmp_path, PLAY.replace("play():\n", 'play():\n    "see # accept: RS405 in the manual"\n'))
    assert codes(report) == []


OVERLAY = "\n--- variants/more.yaml\nid: more\ntitle: More\nfor: small\nversion: '1.0'\n--- variants/more.rules\n"


def test_an_overlay_accepts_nothing_for_its_base_and_no_comment_of_the_base_is_idle_there(tmp_path: Path) -> None:
    own = "# accept: RS405 for later\ndef other() -> int:\n    8\n"
    laid(tmp_path / "small", f"{WORLD}--- rules/play.rules\n{PLAY}\n{UNUSED}{OVERLAY}# accept: RS405 the base\n{own}")
    report = Report()
    check(f"{tmp_path / 'small'}+more", report)
    assert [a.warning.span.file.rpartition("/")[2] for a in report.accepted if a.warning.span] == ["more.rules"]
    text = f"{WORLD}--- rules/play.rules\n{PLAY}\n# accept: RS405 the overlay has it\n{UNUSED}"
    used = "replace procedure play():\n    set n to spare()\n"
    laid(tmp_path / "other" / "small", f"{text}{OVERLAY}{used}")
    report = Report()
    check(f"{tmp_path / 'other' / 'small'}+more", report)
    assert "RS876" not in [d.code for d in report.diagnostics]


def test_the_output_counts_what_is_accepted(tmp_path: Path) -> None:
    laid(tmp_path / "small", f"{WORLD}--- rules/play.rules\n{PLAY}\n# accept: RS405 the next edition has it\n{UNUSED}")
    code, out, _ = invoke("validate", tmp_path / "small", "--no-play")
    assert code == 0 and "1 warning accepted" in out
    data = json.loads(invoke("validate", tmp_path / "small", "--no-play", "--format", "json")[1])
    Draft202012Validator(load_schema("diagnostics")).validate(data)
    (accepted,) = data["rulesets"][0]["accepted"]
    assert (accepted["diagnostic"]["code"], accepted["reason"]) == ("RS405", "the next edition has it")


SPOKEN = """\
scenarios:
  - id: N.1
    title: It ends
    when: ["A: sleep"]
    then: {ended: done}
"""


def test_neither_tests_nor_pictures_show_what_is_accepted(tmp_path: Path) -> None:
    rules = f"{PLAY}\n# accept: RS405 the next edition has it\n{UNUSED}\ndef odd() -> int:\n    9\n"
    laid(tmp_path / "small", f"{WORLD}--- scenarios/n.yaml\n{SPOKEN}--- rules/play.rules\n{rules}")
    code, out, err = invoke("test", tmp_path / "small")
    assert code == 0 and "passed · 1 scenario · 0 recorded games · 1 warning" in out
    data = json.loads(invoke("test", tmp_path / "small", "--format", "json")[1])
    assert [d["message"] for d in data["diagnostics"]] == ["the definition `odd` is never used"]
    drawn = invoke("draw", tmp_path / "small", "--players", 2, "--out", tmp_path / "small.svg")
    assert drawn[0] == 0
    for text in (out + err, drawn[1] + drawn[2]):
        assert "`odd`" in text and "`spare`" not in text
