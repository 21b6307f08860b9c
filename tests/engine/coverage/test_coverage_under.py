"""Coverage of a house rule by games that were played without it."""

from __future__ import annotations

import json
from pathlib import Path

from commands import invoke
from folders import GAMES
from jsonschema import Draft202012Validator

from rulespec.schemas import load_schema

FOUR = """
id: four
title: Four factories
for: imperial
version: "1.0"
"""
FOUR_RULES = """change option build of construction:
    require count(r in region where r.home == n and factory.at[r] > 0) < 4 "House rule: four are enough"
"""


def test_recorded_games_show_which_lines_of_a_house_rule_matter(tmp_path: Path) -> None:
    (tmp_path / "four.yaml").write_text(FOUR, "utf-8")
    (tmp_path / "four.rules").write_text(FOUR_RULES, "utf-8")
    logs = GAMES / "imperial/logs/playimperial"
    both = (logs / "c000-standard-2p.json", logs / "d000-standard-4p.json")
    under = ("--under", f"+{tmp_path / 'four.yaml'}", "--format", "json")
    code, out, _ = invoke("coverage", "imperial", *both, *under)
    result = json.loads(out)
    Draft202012Validator(load_schema("coverage")).validate(result)
    (unit,) = result["units"]
    stopped = [(each["id"], each["reason"]) for each in result["tests"]["stopped"]]
    assert (code, stopped) == (0, [("c000-standard-2p.json", "House rule: four are enough")])
    assert {outcome: runs["tests"] for outcome, runs in unit["outcomes"].items()} == {"holds": 2, "fails": 1}
    code, out, _ = invoke("coverage", "imperial", both[1], *under)
    assert json.loads(out)["units"][0]["outcomes"]["fails"]["tests"] == 0  # it never mattered there
    code, out, _ = invoke("coverage", "imperial", logs, *under[:2])
    assert code == 0 and "19 recorded games" in out and "require" in out
