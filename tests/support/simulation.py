"""Many random games of a small ruleset, as commands and as result files."""

from __future__ import annotations

import os
import shutil
import sys
from functools import cache
from pathlib import Path

import pytest
from folders import RULESETS

from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.open_results import open_results
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

WAGER = ("simulate", "wager", "--players", "2-3", "--seed", "1")
FORMATS = ["results.jsonl", "results.parquet"]

posix = pytest.mark.skipif(os.name != "posix", reason="asks for POSIX: locks, signals")


@cache
def ruleset(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


def plan(ref: str = "wager") -> GamePlan:
    return GamePlan.of(ref, ruleset(ref), [2, 3], 1)


def played(number: int) -> list[Outcome]:
    return [Outcome.of(plan().play(ruleset("wager"), n)) for n in range(number)]


def read(path: Path) -> list[Outcome]:
    with open_results(path, plan()) as results:
        return list(results.recorded())


def write(path: Path, outcomes: list[Outcome]) -> None:
    with open_results(path, plan()) as results:
        assert list(results.recorded()) == []
        for outcome in outcomes:
            results.add(outcome)


def lacking(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Simulates missing packages."""
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


def broken_nim(tmp_path: Path) -> Path:
    """Nim with an invariant that fails, in a temporary folder."""
    folder = tmp_path / "nim"
    shutil.copytree(RULESETS / "nim", folder)
    rules = folder / "rules" / "play.rules"
    rules.write_text(rules.read_text("utf-8").replace("+ stone.heap == stones", "< 5"), "utf-8")
    return folder


def out(tmp_path: Path, name: str) -> Path:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    return tmp_path / name
