"""Club games that break a law by a known fault of their site: they say so, and a replay can go on past it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from folders import GAMES
from recorded_games import IMPOSSIBLE, LOGS, WHOLE, dialect, name_of, ruleset

from rulespec.cli.main import cli
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.replay.replay import ReplayRequest, ReplayResult
from rulespec.engine.verify.audit import first_broken

TITLE = "a fight takes more units of a kind than are there"
ENDS_BEFORE = {"v002-standard-6p": 509}
"""The entry where the site then makes up a piece, which is another fault."""


def replay(*args: str | Path) -> Result:
    return CliRunner().invoke(cli, ["replay", *map(str, args)], catch_exceptions=False)


def past(path: Path) -> ReplayResult:
    return ReplayRequest(path, load=ruleset_of, past_known_faults=True).replay()


def ruleset_of(ref: str) -> Any:
    return ruleset(ref)


@pytest.mark.parametrize("path", IMPOSSIBLE, ids=name_of)
@pytest.mark.sampled(1)
def test_an_impossible_game_says_whose_fault_it_is(path: Path) -> None:
    result = replay(path)
    assert result.exit_code == 1
    assert f"this is a known fault of playimperial.club: {TITLE}; use --past-known-faults to continue" in result.output
    outcome = json.loads(replay(path, "--format", "json").output)
    assert outcome["divergence"]["known_fault"] == TITLE
    assert "known_faults" not in outcome


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize("path", IMPOSSIBLE, ids=name_of)
def test_an_impossible_game_goes_on_past_it(path: Path) -> None:
    first = ReplayRequest(path, load=ruleset_of).replay().divergence
    result = past(path)
    assert first is not None
    assert result.passed[0].foreign_index == first.foreign_index
    assert result.passed[0].title == TITLE
    if path.stem in ENDS_BEFORE:
        assert result.divergence is not None
        assert result.divergence.foreign_index == ENDS_BEFORE[path.stem]
        assert result.divergence.known_fault is None
    else:
        assert result.divergence is None
        assert result.game.result is not None
    assert first_broken(result) is None  # nothing is made up, and nothing gets lost


@pytest.mark.proof
def test_each_such_entry_is_marked() -> None:
    path = LOGS / "impossible" / "v006-auction-3p.json"
    text = replay(path, "--past-known-faults", "--moves").output
    assert "2 entries skipped as known faults of playimperial.club:" in text
    assert f"  entry 113, move 116: {TITLE}" in text
    assert text.count(f"known fault of playimperial.club: {TITLE}") == 2
    result = json.loads(replay(path, "--past-known-faults", "--format", "json").output)
    assert [f["foreign_index"] for f in result["known_faults"]] == [113, 152]
    assert {f["title"] for f in result["known_faults"]} == {TITLE}
    several = replay(path, path, "--past-known-faults").output
    assert several.count("2 entries skipped as known faults of playimperial.club, ended") == 2


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("path", WHOLE[:6], ids=name_of)
@pytest.mark.sampled(1)
def test_a_game_without_a_fault_is_the_same_with_what_passes_it(path: Path) -> None:
    plainly, result = ReplayRequest(path, load=ruleset_of).replay(), past(path)
    assert result.passed == []
    assert result.divergence is None
    assert result.game.result == plainly.game.result
    assert len(result.moves) == len(plainly.moves)


@pytest.mark.parametrize("option", ["--rules", "--under"])
def test_the_dialect_names_the_rules(option: str) -> None:
    result = replay(IMPOSSIBLE[0], "--past-known-faults", option, "imperial")
    assert result.exit_code == 2
    assert "needs the rules of the dialect" in result.output


def test_a_dialect_without_known_faults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from msgspec.structs import replace

    bare = replace(dialect(), known_faults=())
    monkeypatch.setattr("rulespec.engine.dialects.recognised.read_dialect", lambda _, **__: bare)
    with pytest.raises(DiagnosticsError) as error:
        past(IMPOSSIBLE[0])
    assert [d.code for d in error.value.diagnostics] == ["RS630"]


@pytest.mark.parametrize("log", ["imperial/logs/quickstart.jsonl", "tutorial/logs/random-2p.jsonl.gz"])
def test_a_native_log_has_no_known_faults(log: str) -> None:
    with pytest.raises(DiagnosticsError) as error:
        past(GAMES / log)
    assert [d.code for d in error.value.diagnostics] == ["RS630"]


@pytest.mark.proof  # 0.3 s
def test_an_overlay_without_the_option(monkeypatch: pytest.MonkeyPatch) -> None:
    from msgspec.structs import replace

    (fault,) = dialect().known_faults
    wrong = replace(dialect(), known_faults=(replace(fault, options=frozenset({"answer.no_such"})),))
    monkeypatch.setattr("rulespec.engine.dialects.recognised.read_dialect", lambda _, **__: wrong)
    with pytest.raises(DiagnosticsError) as error:
        past(IMPOSSIBLE[0])
    assert "with the option `answer.no_such`" in error.value.diagnostics[0].message
