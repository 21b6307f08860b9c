"""`rulespec explain REF NAME`: options and rules with the lines that overlays have changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from cases import write
from click.testing import CliRunner, Result
from folders import RULESETS

from rulespec.cli.main import cli
from rulespec.load import load_ruleset
from rulespec.pages.rules_page import rules_page

HOUSE = """\
id: house
title: "At most three factories, and a Swiss Bank may always force"
for: imperial
version: "1.0"
"""
RULES = """\
change option build of construction:
    require count(r in region where r.home == n and factory.at[r] > 0) < 3 "HSE-01: three are enough"

change option force of forced_stop: remove "IMP-SWB-05"
"""


@pytest.fixture
def house(tmp_path: Path) -> str:
    (tmp_path / "house.yaml").write_text(HOUSE, "utf-8")
    (tmp_path / "house.rules").write_text(RULES, "utf-8")
    return f"imperial+{tmp_path}/house.yaml"


def explain(*words: str) -> Result:
    return CliRunner().invoke(cli, ["explain", *words])


def test_a_condition_is_shown_with_its_overlay(house: str) -> None:
    lines = explain(house, "build").output.splitlines()
    assert lines[0].startswith("option `build` of `construction`  ") and lines[0].endswith("factory.rules:6")
    assert [line.strip() for line in lines if line.endswith("  # house")] == [
        'require count(r in region where r.home == n and factory.at[r] > 0) < 3 "HSE-01: three are enough"  # house'
    ]
    assert sum("require" in line for line in lines) == 5


@pytest.mark.proof  # 0.4 s
def test_what_is_taken_out_is_shown_with_its_overlay(house: str) -> None:
    for name in ("force", "forced_stop", "forced_stop.force", "advance"):
        text = explain(house, name).output
        assert text.count("house removes: require n.treasury >= total_interest(n) ") == 1, name


def test_a_guard_is_shown_with_an_option_that_needs_it() -> None:
    lines = explain("tetrarchia", "calm").output.splitlines()
    assert "        needs settled(passing)" in lines
    assert any(line.startswith("guard `settled`  ") for line in lines)
    assert '        require not passing "TET-MOV-06, TET-AMB-06: he has to move on"' in lines


def test_the_option_of_each_draft_that_no_file_has() -> None:
    paddocks = str(RULESETS / "paddocks")
    for name, drafts in (
        ("withdraw", ("fences", "purchases")),
        ("fences", ("fences",)),
        ("fences.withdraw", ("fences",)),
        ("withdraw of purchases", ("purchases",)),
    ):
        lines = [line for line in explain(paddocks, name).output.splitlines() if line.startswith("option `withdraw`")]
        places = [line.rpartition("/")[2].partition(":")[0] for line in lines]
        assert [line.split("`")[3] for line in lines] == [*drafts] and set(places) == {"play.rules"}, lines
    assert explain("nim", "withdraw").exit_code == 2


def test_a_ruleset_alone_has_its_decisions_with_their_options() -> None:
    (line,) = explain("nim").output.splitlines()
    assert re.fullmatch(r"turn  take  .*games/gallery/nim/rules/play\.rules:9", line)
    lines = explain("acquire").output.splitlines()
    offering = [line for line in lines if "  (" not in line]
    assert [line.split("  ")[0] for line in offering] == ["ending", "placing", "purchase", "shares"]
    assert "place_tile, place_none" in offering[1]
    assert [line.split()[:2] for line in lines if line not in offering] == [
        ["draws", "(roll)"],
        ["first_tile", "(roll)"],
        ["founding", "(choose)"],
        ["larger_chain", "(choose)"],
    ]


def test_a_roll_is_a_decision_that_is_shown_whole() -> None:
    lines = explain("backgammon", "dice").output.splitlines()
    assert re.fullmatch(r"`roll dice`  .*backgammon/rules/play\.rules:8", lines[0])
    assert lines[1:] == ["    roll dice(a in 1 .. 6, b in a .. 6) weight 1 if a == b else 2"]
    (line,) = (each for each in explain("backgammon").output.splitlines() if each.startswith("opening"))
    assert line.split()[1] == "(roll)"


def test_a_name_that_is_not_there() -> None:
    for words, hint in {
        ("imperial", "biuld"): "did you mean `build`?",
        ("nim", "qqqq"): "list the decisions and their options with `rulespec explain nim`",
        ("RS22",): "there is no code or ruleset `RS22`; did you mean",
    }.items():
        result = explain(*words)
        assert result.exit_code == 2 and hint in result.output


def test_what_a_word_is_about_has_the_tables_and_constants_of_the_name() -> None:
    lines = explain("imperial", "start money").output.splitlines()
    assert any(line.startswith("  table `start_money`  ") for line in lines)
    lines = explain("imperial", "tax cap").output.splitlines()
    (capped,) = [line for line in lines if line.startswith("  constant")]
    assert capped.split() == ["constant", "`tax_cap`", "is", "`25", "money`"]


def test_a_rule_cited_where_it_is_applied_is_found_there(tmp_path: Path) -> None:
    files = {
        "game.yaml": 'id: at\ntitle: At\nversion: "1.0"\nplayers: {kind: player, min: 2, max: 2}\nstart: play\n',
        "rules/play.rules": """\
procedure play():
    "ATG-01: the game ends at once."
    for p in player:
        "ATG-02: whoever is first wins."
        end game as over won by {p}
""",
    }
    lines = explain(str(write(tmp_path / "at", files)), "ATG-02").output.splitlines()
    assert lines[1].split("  ")[1:] == ["procedure `play`", "ATG-02: whoever is first wins."]
    assert lines[2].endswith("rules/play.rules:4")
    page = rules_page(load_ruleset(str(tmp_path / "at")))
    assert "whoever is first wins" in page
