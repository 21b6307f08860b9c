"""The number of processes and threads: never more than there is work, or than the machine has cores."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import joblib
import pytest
from commands import invoke
from folders import GAMES
from simulation import broken_nim, plan

from rulespec.engine.game.game import Game
from rulespec.engine.search import wasm_search
from rulespec.engine.simulate import wasm
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.game_totals import Totals
from rulespec.engine.simulate.workers import on_workers, play_on_workers
from rulespec.load import load_ruleset
from rulespec.typed.nodes import Ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")
LOG = GAMES / "tutorial" / "logs" / "nobody-invests.jsonl"
CORES = 6


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of processes that each run asks for, on a machine of six cores; its work is done in this one."""
    asked: list[int] = []
    parallel = joblib.Parallel

    def counted(n_jobs: int, **how: Any) -> Any:
        asked.append(n_jobs)
        return parallel(n_jobs=1, **how)

    monkeypatch.setattr(joblib, "Parallel", counted)
    monkeypatch.setattr(joblib, "cpu_count", lambda: CORES)
    return asked


@pytest.mark.parametrize(
    "calls, jobs, wanted", [(1, 1_000, []), (1, -1, []), (3, 1_000, [3]), (50, 1_000, [6]), (50, -1, [6]), (50, 2, [2])]
)
def test_there_are_never_more_processes_than_calls_or_cores(
    calls: int, jobs: int, wanted: list[int], processes: list[int]
) -> None:
    assert list(on_workers(abs, ((-n,) for n in range(calls)), jobs)) == [*range(calls)]
    assert processes == wanted


def test_more_calls_than_processes_are_all_made_in_their_order(processes: list[int]) -> None:
    assert [each.game for each in play_on_workers(plan(), range(3, 23), 4)] == [*range(3, 23)] and processes == [4]


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize(
    "args",
    [
        ("migrate", LOG, "--to", "tutorial"),
        ("replay", "one"),
        ("corpus", "import", LOG, "--out", "store"),
        ("corpus", "replay", "games"),
        ("corpus", "measures", "games"),
        ("corpus", "find", "games", "true"),
    ],
)
def test_one_piece_of_work_needs_no_process(
    args: tuple[object, ...], processes: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "one").mkdir()
    shutil.copy(LOG, "one")
    assert "games" not in args or invoke("corpus", "import", LOG, "--out", "games")[0] == 0
    alone = invoke(*args)
    shutil.rmtree("store", ignore_errors=True)
    assert invoke(*args, "--jobs", 1_000) == alone and alone[0] == 0 and processes == []


@pytest.mark.parametrize(
    "args",
    [
        ("simulate", "nim", "--players", 2, "--backend", "python", "--games", 1),
        ("simulate", "nim", "--players", 2, "--backend", "python", "--games", 3),
        ("match", "random", "random", "nim", "--players", 2, "--games", 3),
    ],
)
def test_a_few_games_need_a_few_processes(args: tuple[object, ...], processes: list[int]) -> None:
    assert invoke(*args, "--jobs", 1_000)[0] == 0 and all(number <= int(str(args[-1])) for number in processes)


@pytest.mark.parametrize("command", [("migrate", LOG, "--to", "tutorial"), ("replay", LOG), ("simulate", "nim")])
def test_no_process_at_all_is_wrong_usage(command: tuple[object, ...]) -> None:
    code, _, err = invoke(*command, "--jobs", 0)
    assert code == 2 and "0 processes" in err


def test_there_are_never_more_threads_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wasmtime")
    asked: list[int] = []
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    monkeypatch.setattr(wasm, "ROUND", 2)
    players = wasm._players

    def counted(plan: GamePlan, ruleset: Ruleset, threads: int) -> list[wasm.WasmOutcomes]:
        asked.append(threads)
        return players(plan, ruleset, threads)

    monkeypatch.setattr(wasm, "_players", counted)
    nim = load_ruleset("nim")
    for jobs, games, threads in ((1_000, 12, 2), (-1, 12, 2), (1_000, 2, 1), (1, 12, 1)):
        outcomes = list(wasm.play_in_wasm(plan("nim"), nim, range(games), jobs))
        assert [each.game for each in outcomes] == [*range(games)] and asked.pop() == threads


@pytest.mark.sampled(1)
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("broken", [False, True])
def test_totals_of_equal_results_are_those_of_single_games(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int, broken: bool
) -> None:
    """Rounds grow with how short games are; games that fail stand for themselves."""
    pytest.importorskip("wasmtime")
    monkeypatch.setattr(wasm, "_DECISIONS", 3_000)
    ref = str(broken_nim(tmp_path)) if broken else "wager"
    ruleset, games = load_ruleset(ref), 700
    ruled = GamePlan.of(ref, ruleset, [2] if broken else [2, 3], 3, backend="wasm", cap=12)
    one, other, equal = Totals(ruled.called, ruled.teams), Totals(ruled.called, ruled.teams), list[int]()
    for outcome in wasm.play_in_wasm(ruled, ruleset, range(games), jobs):
        one.add(outcome)
    for outcome, times in wasm.tallied_in_wasm(ruled, ruleset, range(games), jobs):
        other.add(outcome, times)
        equal.append(times)
        assert times == 1 or outcome.failure is None
    assert one.to_json() == other.to_json() and one.failed == other.failed and one.mistakes == other.mistakes
    assert sum(equal) == games and (max(equal) == 1) == broken and bool(one.failures) == broken
    assert one.capped == other.capped


def test_playouts_have_never_more_memories_than_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("wasmtime")
    monkeypatch.setattr(wasm_search, "_CORES", 3)
    game = Game(load_ruleset("nim"), ["A", "B"])
    search = wasm_search.WasmSearch(game)
    search.playouts(search.rows([game] * 4), 1, jobs=1_000)
    assert len(search._memories) == 1
    search.playouts(search.rows([game]), 1, times=10 * search._memories[0].most, jobs=1_000)
    assert len(search._memories) == 3
