"""Coverage of a house rule by games that were played without it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from commands import invoke
from folders import GAMES
from jsonschema import Draft202012Validator

from rulespec.schemas import load_schema

IDLE = """
id: idle
title: Nobody taxes
for: tutorial
version: "1.0"
"""
IDLE_RULES = """change option move of rondel:
    require goal != space.taxation "House rule: nobody taxes"
"""
WITHOUT_TAXATION, WITH_TAXATION = "random-2p-2.jsonl.gz", "random-3p-2.jsonl.gz"


def test_recorded_games_show_which_lines_of_a_house_rule_matter(tmp_path: Path) -> None:
    (tmp_path / "idle.yaml").write_text(IDLE, "utf-8")
    (tmp_path / "idle.rules").write_text(IDLE_RULES, "utf-8")
    logs = tmp_path / "logs"
    logs.mkdir()
    for name in (WITHOUT_TAXATION, WITH_TAXATION):
        shutil.copy(GAMES / "tutorial" / "logs" / name, logs)
    under = ("--under", f"+{tmp_path / 'idle.yaml'}", "--format", "json")
    code, out, _ = invoke("coverage", "tutorial", logs / WITHOUT_TAXATION, logs / WITH_TAXATION, *under)
    result = json.loads(out)
    Draft202012Validator(load_schema("coverage")).validate(result)
    (unit,) = result["units"]
    stopped = [(each["id"], each["reason"]) for each in result["tests"]["stopped"]]
    assert (code, stopped) == (0, [(WITH_TAXATION, "House rule: nobody taxes")])
    assert (unit["outcomes"]["holds"]["tests"], unit["outcomes"]["fails"]["tests"]) == (1, 1)
    code, out, _ = invoke("coverage", "tutorial", logs / WITHOUT_TAXATION, *under)
    assert json.loads(out)["units"][0]["outcomes"]["fails"]["tests"] == 0  # it never mattered there
    code, out, _ = invoke("coverage", "tutorial", logs, *under[:2])
    assert code == 0 and "2 recorded games" in out and "require" in out
