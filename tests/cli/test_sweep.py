"""Numbers that `rulespec playtest --sweep` changes: constants, settings, and facts of entities."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small
from commands import invoke
from folders import GAMES
from jsonschema import Draft202012Validator

from rulespec.cli.sweep import Sweep, change
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

HEAPS = str(GAMES / "gallery" / "nim")
QUICK = ("--players", 2, "--bots", "random", "--beside", "", "--ladder", 0, "--format", "json")
LONG = "a_constant_with_quite_a_long_name"
RULES = f"""
--- game.yaml
id: small
title: Small
version: "1.0"
players: {{kind: player, min: 1, max: 2}}
start: play
--- kinds.yaml
kinds: {{player: {{}}}}
--- tables.yaml
constants: {{{", ".join(f"{LONG}_{number}: 0" for number in range(12))}}}
--- rules/play.rules
procedure play():
    end game as done
"""


def test_a_fact_of_an_entity_is_swept() -> None:
    """Random games from a heap of two more matches are longer."""
    swept = "kinds.heap.entities.seven.size=6..9"
    code, text, err = invoke("playtest", HEAPS, "--sweep", swept, *QUICK, "--pairs", 60)
    assert code == 0, err
    report = json.loads(text)
    Draft202012Validator(load_schema("playtest")).validate(report)
    assert report["sweep"] == {"path": "kinds.heap.entities.seven.size", "values": [6, 7, 8, 9], "base": 7}
    lengths = {rule["name"]: rule["strengths"][0]["answers"][0]["difference"] for rule in report["rules"]}
    assert list(lengths) == ["seven.size=6", "seven.size=8", "seven.size=9"]
    assert lengths["seven.size=6"] < lengths["seven.size=9"]
    assert swept in report["command"]


@pytest.mark.proof  # 2 s
def test_a_target_is_met_by_facts() -> None:
    """The lengths of nim's heaps."""
    swept = [w for name in ("five", "seven") for w in ("--sweep", f"kinds.heap.entities.{name}.size=1..6")]
    args = (*swept, "--target", "length=5", "--target-games", 60, *QUICK, "--pairs", 2)
    code, text, err = invoke("playtest", HEAPS, *args)
    assert code == 0, err
    target = json.loads(text)["target"]
    assert target["paths"] == ["kinds.heap.entities.five.size", "kinds.heap.entities.seven.size"]
    assert abs(target["tried"][0]["mean"] - 5) < 0.5
    shown = invoke("playtest", HEAPS, *(each for each in args if each not in ("--format", "json")))[1]
    assert "five.size  seven.size  games  Length" in shown


@pytest.mark.parametrize(
    "path, why",
    [
        ("kinds.heep.entities.five.size", "there is no kind `heep`; did you mean `heap`?"),
        ("kinds.heap.entities.six.size", "there is no heap `six`; there are one, three, five, seven"),
        ("kinds.heap.entities.five.sice", "`heap` has no fact `sice`; did you mean `size`?"),
        ("kinds.heap.five.size", "not of the form"),
    ],
)
def test_what_is_no_fact_is_said(path: str, why: str) -> None:
    code, _, err = invoke("playtest", HEAPS, "--sweep", f"{path}=1..3", *QUICK, "--pairs", 2)
    assert code == 2 and why in " ".join(err.split())


def test_twelve_numbers_with_long_names_make_a_rule(tmp_path: Path) -> None:
    """Their names together are longer than an id may be, and other values still make another overlay."""
    ruleset = small(tmp_path / "small", RULES)
    sweeps = [Sweep("constants", f"{LONG}_{number}", range(1, 9)) for number in range(12)]
    paths = set()
    for last in (1, 2):
        overlay = change(sweeps, [1] * 11 + [last], ruleset, tmp_path).overlay
        assert overlay is not None
        constants = load_ruleset(f"{ruleset.folders[0]}+{overlay}").declarations.constants
        assert constants[f"{LONG}_11"].value == last
        paths.add(overlay)
    assert len(paths) == 2
