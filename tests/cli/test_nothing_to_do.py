"""Commands that find nothing to do say so, and do not end as if all were well."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small, split, write
from folders import RULESETS

from rulespec.cli.main import run

PLAY = """
procedure play():
    for p in player:
        decide act by p:
            option wait:
                pass
"""
GAME = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
overlays: [tall]
"""
LIST = """
--- rules.yaml
rules:
  - {id: ABC-01, text: Everybody waits.}
unreached:
"""
REASONS = """\
  - {at: variants/tall.rules, text: "option leap:", reason: nobody leaps}
  - {rule: ABC-02, reason: it is a matter of the table}
"""
OVERLAY = """
--- variants/tall.yaml
id: tall
title: Tall
for: small
version: "1"
rules:
  - {id: ABC-02, text: Tall people leap.}
--- variants/tall.rules
extend decision act:
    option leap:
        pass
"""
SCENARIO = """
--- scenarios/s.yaml
scenarios:
  - {id: S.1, title: All wait, when: ["A: wait", "B: wait"], rules: [ABC-01], also: [tall]}
"""


def ruleset(folder: Path, text: str) -> Path:
    return write(folder, split(text, "rules/play.rules"))


def test_a_test_of_nothing_has_not_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ruleset(tmp_path / "small", PLAY)
    assert run(["test", str(folder)]) == 2
    printed = capsys.readouterr()
    assert "nothing to test" in printed.out
    assert "passed" not in printed.out
    assert "--random 20" in printed.err
    assert run(["test", str(folder), "--format", "json"]) == 2
    assert json.loads(capsys.readouterr().out)["scenarios"] == {"passed": 0, "failed": 0}
    assert run(["test", str(folder), "--random", "2"]) == 0


def test_a_test_of_what_no_case_is_called_has_not_passed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ruleset(tmp_path / "small", PLAY + GAME + OVERLAY + SCENARIO)
    assert run(["test", str(folder), "--only", "S.1"]) == 0
    capsys.readouterr()
    assert run(["test", str(folder), "--only", "S.2"]) == 2
    assert "no scenario and no recorded game contains `S.2`" in capsys.readouterr().err


def test_a_broken_scenario_file_is_a_problem_and_not_nothing(tmp_path: Path) -> None:
    folder = ruleset(tmp_path / "small", PLAY + "--- scenarios/s.yaml\nscenarios: []\n")
    assert run(["test", str(folder)]) == 1


def test_a_ruleset_without_rules_of_its_own_is_not_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))
    small(tmp_path / "small", PLAY)
    game = 'id: other\ntitle: Other\nversion: "1.0"\nextends: small\n'
    write(tmp_path / "other", {"game.yaml": game})
    assert run(["coverage", "other"]) == 2
    printed = capsys.readouterr()
    assert "no rules of its own" in printed.err
    assert "100.0" not in printed.out
    write(tmp_path / "empty", {"game.yaml": game.replace("other", "empty"), "rules/none.rules": "# nothing yet\n"})
    assert run(["coverage", "empty"]) == 2
    assert "nothing to run" in capsys.readouterr().err


def test_measuring_without_a_test_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = ruleset(tmp_path / "small", PLAY)
    assert run(["coverage", str(folder)]) == 0
    assert "no test was run" in capsys.readouterr().out


@pytest.mark.parametrize("overlays", [[], ["--overlays"]])
def test_reasons_about_an_overlay_are_judged_when_it_is_run(
    overlays: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ruleset(tmp_path / "small", PLAY + GAME + LIST + REASONS + OVERLAY + SCENARIO)
    assert run(["coverage", str(folder), *overlays]) == 0, capsys.readouterr().err
    assert "RS841" not in capsys.readouterr().err
    (folder / "variants" / "tall.rules").write_text("extend decision act:\n    option hop:\n        pass\n", "utf-8")
    assert run(["coverage", str(folder), *overlays]) == (1 if overlays else 0)


@pytest.mark.parametrize(
    "reason, stale",
    [
        ('{at: rules/play.rules, text: "option leap:", reason: nobody leaps}', True),
        ('{at: variants/short.rules, text: "option leap:", reason: nobody leaps}', True),
        ('{at: variants/tall.rules, text: "option leap:", reason: nobody leaps}', False),
        ("{rule: ABC-01, reason: it is a matter of the table}", True),
        ("{rule: ABC-02, reason: it is a matter of the table}", False),
    ],
)
def test_other_reasons_for_nothing_are_stale_without_overlays(
    reason: str, stale: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = ruleset(tmp_path / "small", f"{PLAY}{GAME}{LIST}  - {reason}\n{OVERLAY}{SCENARIO}")
    assert run(["coverage", str(folder)]) == int(stale)
    assert ("RS841" in capsys.readouterr().err) is stale


@pytest.mark.parametrize(
    "args, message",
    [
        (["replay", "{empty}"], "contains no log"),
        (["replay", "{empty}", "--under", "imperial"], "contains no log"),
        (["identify", "{empty}"], "this is a folder"),
        (["identify", "{blank}"], "the log is empty"),
        (["simulate", "imperial", "--players", "3", "--games", "0"], "0 is not in the range"),
        (["validate", "{empty}"], "is not a ruleset"),
        (["test", "{empty}"], "is not a ruleset"),
        (["perft", "{nim}", "--check"], "write it with `rulespec perft"),
        (["coverage", "{nim}", "--playouts", "0"], "0 is not in the range"),
    ],
)
def test_commands_with_nothing_to_work_on(
    args: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "blank.jsonl").touch()
    places = {"empty": tmp_path / "empty", "blank": tmp_path / "blank.jsonl", "nim": RULESETS / "nim"}
    assert run([a.format(**places) for a in args]) == 2
    printed = capsys.readouterr()
    assert message in printed.out + printed.err


def test_nothing_between_a_ruleset_and_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", "imperial", "imperial"]) == 0
    assert "no difference" in capsys.readouterr().out
