"""A corrected number of the rules changes recorded games: a replay says so wherever one ends otherwise."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path

import pytest
from folders import ROOT

from rulespec.engine.logs.log_text import MAX_FOREIGN_BYTES, read_log_text
from rulespec.engine.logs.native import is_native, parse_log
from rulespec.engine.replay.replay import replay_native
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset

IMPERIAL = ("imperial", "imperial_2030", "imperial_asia")


def native_logs(games: Path) -> list[Path]:
    results = [path for name in IMPERIAL for path in sorted((games / name / "logs").rglob("*.jsonl*"))]
    return [path for path in results if is_native(read_log_text(path, str(path), MAX_FOREIGN_BYTES)[0])]


@cache
def ruleset(games: Path, ref: str) -> Ruleset:
    return load_ruleset(f"{games}/{ref}")


@pytest.mark.parametrize("step, least", [(10, (2, 2)), pytest.param(1, (30, 26), marks=pytest.mark.proof)])
@pytest.mark.proof
def test_a_cheaper_factory_is_reported_where_it_changes_a_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: int, least: tuple[int, int]
) -> None:
    games = Path(shutil.copytree(ROOT / "games", tmp_path / "games"))
    tables = games / "imperial" / "tables.yaml"
    text = tables.read_text("utf-8")
    assert "factory_cost: 5 money" in text
    tables.write_text(text.replace("factory_cost: 5 money", "factory_cost: 4 money"), "utf-8")
    legal = other = 0
    for path in native_logs(ROOT / "games")[::step]:
        name = str(path)
        log = parse_log(read_log_text(path, name, MAX_FOREIGN_BYTES)[0], name)
        before = replay_native(log, ruleset(ROOT / "games", log.header.ruleset))
        assert log.end is not None and before.other_end is None and before.divergence is None
        monkeypatch.setenv("RULESPEC_PATH", str(games))
        after = replay_native(log, ruleset(games, log.header.ruleset))
        monkeypatch.delenv("RULESPEC_PATH")
        if after.divergence is not None:
            continue
        legal += 1
        other += after.other_end is not None
        assert (after.other_end is not None) == (after.game.hash != before.game.hash), name
    assert legal >= least[0] and other >= least[1]
