"""Faults of rules are reported by every command that runs them, and no command fails because of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import split, write

from rulespec.cli.main import run

ENDLESS = """
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 2, max: 2}
start: play
--- kinds.yaml
state:
  turns: {type: int 0..9}
--- rules/play.rules
procedure play():
    repeat at most 900000:
        for p in player:
            set turns to 1 if turns == 0 else 0
    end game
"""


@pytest.mark.parametrize(
    "command",
    [
        ["draw", "{ref}", "--out", "{folder}/x.svg"],
        ["play", "{ref}", "--players", "2"],
        ["simulate", "{ref}", "--players", "2", "--games", "1"],
        ["perft", "{ref}", "--players", "2", "--depth", "1"],
    ],
    ids=lambda command: command[0],
)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_a_fault_of_the_rules_is_told(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "small"
    write(folder, split(ENDLESS, "game.yaml"))
    code = run([part.format(ref=folder, folder=tmp_path) for part in command])
    note = "".join(capsys.readouterr())
    assert code == 1
    assert "no decision within 5,000,000 steps" in note
