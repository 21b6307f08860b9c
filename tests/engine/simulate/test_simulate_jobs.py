"""Many random games: equal for any number of processes and on a cluster, and after an interruption."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import FunctionType

import pytest
from commands import invoke
from deadlines import until
from folders import ROOT, RULESETS
from jsonschema import Draft202012Validator
from processes import HEEDS_CTRL_C, process
from simulation import WAGER, broken_nim, lacking, out, plan, played, posix, read

from rulespec.cli.main import run
from rulespec.engine.simulate.game_plans import GamePlan, Mistake, Outcome
from rulespec.engine.simulate.game_totals import Totals
from rulespec.engine.simulate.workers import ClusterError, play_on_workers
from rulespec.schemas import load_schema

pytestmark = pytest.mark.usefixtures("known_rulesets")


# --- the same games everywhere ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["2", "-1"])
def test_the_number_of_processes_makes_no_difference(jobs: str) -> None:
    args = (*WAGER, "--games", "60", "--format", "json")
    code, alone, _ = invoke(*args)
    assert code == 0
    code, together, err = invoke(*args, "--jobs", jobs)
    assert (code, err) == (0, "")
    data, other = json.loads(alone), json.loads(together)
    # Timing determines the machine for the rest: wasm takes over if Python was slow.
    assert {**data, "backend": ""} == {**other, "backend": ""}
    Draft202012Validator(load_schema("simulate")).validate(data)
    assert [row["game"] for row in data["playouts"]] == list(range(60))


def test_more_processes_than_games() -> None:
    assert [o.game for o in play_on_workers(plan(), range(7, 8), jobs=2)] == [7]
    assert list(play_on_workers(plan(), range(8, 8), jobs=2)) == []


@pytest.mark.proof
def test_processes_follow_to_another_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):
        shutil.copytree(RULESETS / "nim", tmp_path / name / name)
        monkeypatch.chdir(tmp_path / name)
        code, _, err = invoke("simulate", f"./{name}", "--players", "2", "--games", "4", "--jobs", "2")
        assert (code, err) == (0, "")


@pytest.mark.proof
def test_games_that_fail_are_told_alike(tmp_path: Path) -> None:
    folder = broken_nim(tmp_path)
    args = (
        "simulate",
        folder,
        "--players",
        "2",
        "--games",
        "20",
        "--format",
        "json",
        "--failures",
        tmp_path / "failed",
    )
    code, alone, _ = invoke(*args)
    logs = {p.name: p.read_bytes() for p in (tmp_path / "failed").iterdir()}
    shutil.rmtree(tmp_path / "failed")
    assert code == 1
    assert invoke(*args, "--jobs", "2")[:2] == (1, alone)
    assert {p.name: p.read_bytes() for p in (tmp_path / "failed").iterdir()} == logs
    data = json.loads(alone)
    assert {row["failure"]["place"] for row in data["playouts"] if row["failure"]} == {"nim/rules/play.rules:19:11"}
    assert len(data["shortest"]) == 1


@pytest.mark.proof  # 0.4 s
def test_joblib_is_imported_only_for_more_than_one_process() -> None:
    args = [*WAGER, "--games", "2"]
    program = f"import sys; from rulespec.cli.main import run; run({args}); sys.exit('joblib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, check=False).returncode == 0


def test_totals_take_no_more_memory_for_more_games() -> None:
    failed = Outcome(0, 2, 3, None, (), {}, Mistake("fault", "it is wrong", "RS703", "a.rules:1:1"))
    totals = Totals()
    for _ in range(1_000):
        totals.add(failed)
    assert (totals.failures, len(totals.failed), totals.mistakes) == (
        1_000,
        Totals.EXAMPLES,
        {("RS703", "a.rules:1:1"): 0},
    )


@pytest.mark.parametrize(
    "lengths, median", [([], 0), ([3], 3), ([3, 4], 3.5), ([1, 5, 5, 9], 5), ([1, 1, 1, 9], 1), ([9, 1, 2], 2)]
)
def test_the_median(lengths: list[int], median: float) -> None:
    totals = Totals()
    for length in lengths:
        totals.add(Outcome(0, 2, length, None, (), {}, None))
    assert totals.to_json()["decisions"]["median"] == median


# --- clusters ---------------------------------------------------------------------------------------------------------


# Warnings about resources that the library leaves open when closed.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.proof
def test_a_cluster_plays_the_same_games(dask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = (*WAGER, "--games", "40", "--format", "json")
    assert invoke(*args, "--cluster", f"dask:{dask}") == invoke(*args)
    shutil.copytree(RULESETS / "nim", tmp_path / "nim")
    monkeypatch.chdir(tmp_path)  # the cluster runs in another folder, so paths are sent as absolute ones
    nim = ("simulate", "./nim", "--players", "2", "--games", "5", "--format", "json")
    assert invoke(*nim, "--cluster", f"dask:{dask}") == invoke(*nim)


@pytest.mark.parametrize(
    "cluster, message",
    [
        ("dask:tcp://127.0.0.1:1", "cannot be reached: Connection refused"),
        ("dask:nobody", "`nobody` is not an address"),
        ("dask:tcp://[::", "is not an address"),
        ("spark:host:1", "dask:ADDRESS or ray:ADDRESS"),
        ("dask:", "dask:ADDRESS or ray:ADDRESS"),
    ],
)
def test_a_cluster_that_is_not_there(cluster: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    assert run([*WAGER, "--cluster", cluster]) == 2
    assert message in capsys.readouterr().err


def test_what_a_library_of_clusters_raises_is_a_fault_of_the_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ray itself raises a KeyError without nodes; one during a worker's game is a bug of the program."""

    def jobs(*_: object) -> None:
        raise KeyError("CPU")

    of_ray = FunctionType(jobs.__code__, {"__name__": "ray.util.joblib.ray_backend"})
    monkeypatch.setattr("joblib.Parallel.__call__", of_ray)
    with pytest.raises(ClusterError, match="has stopped: KeyError: 'CPU'"):
        list(play_on_workers(plan(), range(4), 2))
    monkeypatch.setattr("joblib.Parallel.__call__", jobs)
    with pytest.raises(KeyError):
        list(play_on_workers(plan(), range(4), 2))


@pytest.mark.parametrize("kind, extra", [("dask", "cluster"), ("ray", "ray")])
def test_a_cluster_needs_its_package(
    kind: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking(monkeypatch, "distributed", "ray")
    assert run([*WAGER, "--cluster", f"{kind}:127.0.0.1:1"]) == 2
    assert f"this needs {kind}: pip install 'rulespec[{extra}]'" in capsys.readouterr().err


@pytest.mark.proof
def test_processes_that_read_other_files_play_nothing() -> None:
    nim = plan("nim")
    mixed = GamePlan("wager", nim.ruleset, nim.ruleset_hash, nim.sources_hash, (2,), (), (), 1, 10, {}, "python")
    with pytest.raises(ClusterError, match="a different version of `wager`"):
        list(play_on_workers(mixed, range(3), jobs=2))


@pytest.mark.parametrize(
    "args, message",
    [
        (("--jobs", "0"), "0 processes play no games"),
        (("--jobs", "-2"), "not in the range"),
        (("--jobs", "many"), "not a valid integer"),
        (("--jobs", "2", "--cluster", "dask:host:1"), "omit --jobs"),
        (("--jobs", "2", "--players", "9"), "not for 9"),
        (("--out", "results.csv"), "ends in .jsonl or .parquet"),
        (("--out", "nowhere/results.jsonl"), "cannot be written: No such file"),
        (("--out", "nowhere/results.parquet"), "cannot be written: No such file"),
    ],
)
def test_wrong_usage(
    args: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*WAGER, *args]) == 2
    assert message in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- stopped ----------------------------------------------------------------------------------------------------------


def lines_of(path: Path) -> int:
    with suppress(OSError):
        return path.read_bytes().count(b"\n")
    return 0


def wait(path: Path, lines: int, command: subprocess.Popen[str]) -> None:
    """Waits until a file has the given number of lines."""
    until(lambda: lines_of(path) >= lines or command.poll() is not None)
    assert command.poll() is None, command.communicate()


def running(session: int) -> list[str]:
    """The processes of a session that are still running."""
    results = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, belongs = stat.read_text("utf-8").rpartition(")")[2].split()[:4]
            if int(belongs) == session and state != "Z":
                results.append(stat.parent.name)
    return results


@pytest.mark.proof  # 0.6 s
@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_goes_on_and_its_processes_end(how: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    args = (*WAGER, "--games", "1000000", "--jobs", "2", "--out", path)
    with process(*args) as command:
        wait(path, 20, command)
        if how is signal.SIGINT:
            os.killpg(command.pid, how)  # as a terminal does
        else:
            command.send_signal(how)
        _, err = command.communicate()
    if how is signal.SIGINT:
        assert command.returncode == 130
        assert f"stopped; {path} has the games so far, and the same command continues" in err
        assert "Traceback" not in err
    if Path("/proc/self/stat").exists():
        until(lambda: not running(command.pid))  # they check for their parent once per second
    result = read(path)
    assert len(result) >= 19
    assert result[:20] == played(20)[: len(result)]
    more = len(result) + 5
    assert invoke(*WAGER, "--games", more, "--out", path)[0] == 0
    assert [o.game for o in read(path)] == list(range(more))


@pytest.mark.proof  # 0.7 s
@posix
def test_ctrl_c_writes_the_last_part(tmp_path: Path) -> None:
    path, seen = out(tmp_path, "results.parquet"), tmp_path / "seen"
    program = f"""
import rulespec.engine.simulate.parquet, pathlib
add = rulespec.engine.simulate.parquet.ParquetResults.add
def noted(self, outcome):
    add(self, outcome)
    if outcome.game == 5:
        pathlib.Path({str(seen)!r}).touch()
rulespec.engine.simulate.parquet.ParquetResults.add = noted
from rulespec.cli.main import main
main()
"""
    args = [*WAGER, "--games", "1000000", "--out", str(path)]
    whole = [sys.executable, "-c", program, *args]
    with subprocess.Popen(whole, cwd=ROOT, stderr=subprocess.PIPE, preexec_fn=HEEDS_CTRL_C) as command:
        until(lambda: seen.exists() or command.poll() is not None)
        assert command.poll() is None
        command.send_signal(signal.SIGINT)
        command.communicate()
    assert command.returncode == 130
    result = read(path)
    assert len(result) > 5
    assert result[:6] == played(6)
