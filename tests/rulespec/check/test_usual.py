"""Usual answers to decisions, on which no game depends."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small

from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset

STALL = """
--- kinds.yaml
kinds:
  player: {state: {cash: {type: int}}}
  stall: {state: {sold: {type: int}}, entities: {fish: {}, fruit: {}}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- rules/play.rules
procedure play():
    for p in player:
        decide turn by p:
            option buy(s in stall):
                set s.sold to s.sold + 1
            option wait:
                pass
    end game
"""
WITHOUT = """
--- variants/free.yaml
id: free
title: Free
for: small
version: "1.0"
--- variants/free.rules
replace procedure play():
    end game
"""


def reported(folder: Path, usual: str, ref: str = "") -> list[tuple[str, str]]:
    """The usual answers that are reported, in a ruleset where `turn` has the options `wait` and `buy(s)`."""
    small(folder, STALL.replace("start: play\n", f"start: play\noverlays: [free]\nusual: {usual}\n") + WITHOUT)
    report = Report()
    load_ruleset(f"{folder}{ref}", report)
    return [(d.message, d.help) for d in report.diagnostics if d.code == "RS728"]


def test_an_option_without_parameters_is_a_usual_answer(tmp_path: Path) -> None:
    assert reported(tmp_path, "{turn: wait}") == []
    assert load_ruleset(str(tmp_path)).declarations.usual == {"turn": "wait"}


@pytest.mark.parametrize(
    "usual, message, hint",
    [
        ("{trun: wait}", "there is no decision `trun`", "did you mean `turn`?"),
        (
            "{turn: buy}",
            "`turn` has no option `buy` without parameters",
            "write `wait`",
        ),
        (
            "{turn: leap}",
            "`turn` has no option `leap` without parameters",
            "write `wait`",
        ),
    ],
)
def test_others_are_reported(usual: str, message: str, hint: str, tmp_path: Path) -> None:
    [(said, help_)] = reported(tmp_path, usual)
    assert said == message and hint in help_
    assert load_ruleset(str(tmp_path)).declarations.usual == {}


def test_an_overlay_may_do_without_a_decision_that_has_a_usual_answer(tmp_path: Path) -> None:
    assert reported(tmp_path, "{turn: wait}", "+free") == []
    assert load_ruleset(f"{tmp_path}+free").declarations.usual == {}


def test_no_game_depends_on_them(tmp_path: Path) -> None:
    small(tmp_path / "plain", STALL)
    reported(tmp_path / "usual", "{turn: wait}")
    assert load_ruleset(str(tmp_path / "plain")).hash == load_ruleset(str(tmp_path / "usual")).hash
