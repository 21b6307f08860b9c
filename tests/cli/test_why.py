"""`rulespec why`: questions about positions of logs and rulesets, as text and as JSON."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest
from commands import invoke, spoken
from folders import RULESETS
from jsonschema import Draft202012Validator

from rulespec.cli.main import run
from rulespec.schemas import load_schema

pytestmark = pytest.mark.usefixtures("known_rulesets")

SHORT = str(RULESETS / "nim" / "logs" / "short.jsonl")


def asked(*args: str) -> dict[str, Any]:
    """The answer to a question, which fits its schema."""
    code, out, err = invoke("why", *args, "--format", "json")
    assert code == 0, err
    data: dict[str, Any] = json.loads(out)
    Draft202012Validator(load_schema("why")).validate(data)
    return data


def test_a_refused_option_names_its_condition_with_values() -> None:
    data = asked(f"{SHORT}@3", "take(2)")
    assert (data["verdict"], data["reason"], data["ply"], data["for"]) == (
        "refused",
        "NIM-04: there are not so many stones",
        3,
        "all",
    )
    assert data["rules"] == ["NIM-04"]
    failed = data["conditions"][-1]
    assert (failed["op"], failed["text"], failed["value"]) == ("<=", "n <= stone.heap", False)
    assert [(part["text"], part["value"]) for part in failed["parts"]] == [("n", 2), ("stone.heap", 1)]
    assert failed["parts"][1]["name"] == "stone.heap" and failed["line"] == 12


def test_a_legal_option_has_all_its_conditions() -> None:
    data = asked(f"{SHORT}@2", "take(3)")
    assert data["verdict"] == "legal" and "reason" not in data
    assert [node["value"] for node in data["conditions"]] == [True, True]
    code, out = spoken("why", f"{SHORT}@2", "take(3)")
    assert code == 0 and "take(3): legal" in out and "n <= stone.heap: holds" in out and "stone.heap = 4" in out


def test_effects_have_their_statement_their_rule_and_their_numbers() -> None:
    data = asked(f"{SHORT}@2", "--effects")
    (statement,) = data["answers"]
    assert (data["subject"], statement["rules"], statement["owner"]) == (
        "Bob: take(2)",
        ["NIM-02"],
        "turn, option take",
    )
    assert statement["subject"] == "move n of stone from heap to hand[p]"
    assert statement["changes"] == [
        {"of": "stone.heap", "before": 6, "after": 4},
        {"of": "stone.hand[Bob]", "before": 0, "after": 2},
    ]
    assert statement["conditions"][0]["value"] == 2
    assert asked(f"{SHORT}@2", "--effects", "--of", "purse").get("answers", []) == []


def test_the_start_of_a_game_has_effects() -> None:
    data = asked("wager", "--players", "2", "--effects")
    assert data["subject"] == "the start of the game"
    assert [change["of"] for each in data["answers"] for change in each["changes"]] == ["round"]


def test_who_is_asked_and_who_is_not() -> None:
    assert asked(f"{SHORT}@1", "--asked")["verdict"] == "Bob"
    assert asked(f"{SHORT}@1")["question"] == "asked"
    data = asked(f"{SHORT}@1", "--not-asked", "Ann")
    assert (data["verdict"], data["answers"][0]["conditions"][0]["value"]) == ("Bob", "Bob")


def test_an_end_says_who_won_and_why() -> None:
    data = asked(SHORT)
    assert (data["question"], data["subject"], data["verdict"]) == ("end", "last_stone", ["Bob"])
    ended, *points = data["answers"]
    assert ended["subject"].startswith("end game as last_stone won by {p}") and ended["conditions"][0]["value"] == [
        "Bob"
    ]
    assert {each["subject"]: each["verdict"] for each in points} == {"Ann": 6, "Bob": 3}


def test_a_value_and_an_invariant_are_traced() -> None:
    data = asked(f"{SHORT}@2", "--value", "sum(stone.hand[p] for p in player)")
    parts = data["conditions"][0]["parts"]
    assert data["verdict"] == 5 and [part["name"] for part in parts] == ["p = Ann", "p = Bob"]
    data = asked(f"{SHORT}@2", "--invariant", "stones_stay")
    assert data["verdict"] is True and data["conditions"][0]["op"] == "=="


def test_nothing_is_legal_by_option_and_reason(tmp_path: Path) -> None:
    data = asked(f"{SHORT}@3", "--nothing")
    assert data["verdict"] == "legal"  # something is
    assert data["answers"][0]["subject"] == "take(1)"


def test_an_overlay_is_named_where_a_condition_comes_from(tmp_path: Path) -> None:
    head = "id: odd\ntitle: Odd numbers\nfor: nim\nversion: '1'\n"
    (tmp_path / "odd.yaml").write_text(head, "utf-8")
    rules = 'change option take of turn:\n    require n % 2 == 1 "ODD-01: an odd number"\n'
    (tmp_path / "odd.rules").write_text(rules, "utf-8")
    data = asked(f"nim+{tmp_path / 'odd.yaml'}", "take(2)", "--players", "2")
    assert (data["verdict"], data["rules"]) == ("refused", ["ODD-01"])
    overlays = [node.get("overlay") for node in data["conditions"]]
    assert overlays[-1] == "Odd numbers" and None in overlays
    assert data["conditions"][-1]["file"].endswith("odd.rules")
    code, out = spoken("why", f"nim+{tmp_path / 'odd.yaml'}", "take(2)", "--players", "2")
    assert code == 0 and "odd.rules:2 (Odd numbers)" in out


def test_hidden_values_end_the_trace() -> None:
    code, out = spoken("why", "wager", "--players", "2", "--value", "sum(p.cash / 1 money for p in player)")
    assert code == 0 and out.splitlines()[0] == "sum(p.cash / 1 money for p in player): ?"
    assert "4" not in out and out.count("?") >= 2
    code, out = spoken("why", "wager", "--players", "2", "--value", "A.cash / 1 money", "--for", "A")
    assert out.splitlines()[0] == "A.cash / 1 money: 4"
    code, out = spoken("why", "wager", "--players", "2", "--value", "B.cash / 1 money", "--omniscient")
    assert out.splitlines()[0] == "B.cash / 1 money: 4"


def test_the_divergence_of_a_replay_names_the_command(tmp_path: Path) -> None:
    log = tmp_path / "a log.jsonl"
    log.write_text(Path(SHORT).read_text("utf-8").replace("take(2)", "take(7)"), "utf-8")
    code, out, _ = invoke("replay", log)
    assert code == 1
    (line,) = [line for line in out.splitlines() if line.startswith("why ")]
    program, *args = shlex.split(line.removeprefix("why "))
    assert program == "rulespec"
    code, out = spoken(*args)
    assert code == 0 and "take(7): refused — NIM-03: one to three stones" in out


@pytest.mark.parametrize(
    "args, message",
    [
        ([f"{SHORT}@2", "sleep"], "RS873"),
        ([f"{SHORT}@2", "take(none)"], "RS873"),
        ([SHORT, "take(1)"], "the game is over"),
        ([f"{SHORT}@2", "--end"], "the game is not over"),
        ([f"{SHORT}@2", "--invariant", "stones_sty"], "did you mean `stones_stay`"),
        ([f"{SHORT}@2", "--not-asked", "Cid"], "there is no seat `Cid`"),
        ([f"{SHORT}@99"], "has 4 decisions, not 99"),
        ([f"{SHORT}@2", "take(1)", "--effects"], "several questions"),
        ([f"{SHORT}@2", "--of", "x"], "--of needs --effects"),
        ([f"{SHORT}@2", "--players", "3"], "need a ruleset"),
        ([f"{SHORT}@2", "--for", "Ann", "--omniscient"], "cannot be combined with"),
        (["nim@3", "--players", "2"], "need a recorded game"),
        (["nim"], "give --players N"),
        ([f"{SHORT}@2", "--value", "count("], "RS131"),
        ([f"{SHORT}@2", "--value", "1 / 0"], "RS310"),
        ([f"{SHORT}@2", "--value", "nowhere"], "RS221"),
    ],
)
def test_what_has_no_answer_is_said(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    code = run(["why", *args])
    assert code == 2 and message in capsys.readouterr().err
