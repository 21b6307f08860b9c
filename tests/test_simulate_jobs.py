"""Many random games: the same in any number of processes and on a cluster, and in a file that survives a stop."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

import rulespec.engine.simulate.parquet
import rulespec.engine.simulate.results
from rulespec.cli.main import cli, run
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.simulate.json_lines import JsonLinesResults
from rulespec.engine.simulate.open_results import open_results
from rulespec.engine.simulate.parquet import ParquetResults
from rulespec.engine.simulate.plan import Mistake, Outcome, Plan
from rulespec.engine.simulate.totals import Totals
from rulespec.engine.simulate.workers import ClusterError, play_on_workers
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.typed import nodes as typed

ROOT = Path(__file__).parent.parent
RULESETS = Path(__file__).parent / "rulesets"
WAGER = ("simulate", "wager", "--players", "2-3", "--seed", "1")
FORMATS = ["results.jsonl", "results.parquet"]

posix = pytest.mark.skipif(os.name != "posix", reason="asks for POSIX: locks, signals")


@pytest.fixture(autouse=True)
def known_rulesets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(RULESETS))


def invoke(*args: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, [str(a) for a in args])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def process(*args: object) -> subprocess.Popen[str]:
    """A command in a process of its own, with a group of its own as at a terminal."""
    return subprocess.Popen(
        [sys.executable, "-m", "rulespec.cli.main", *map(str, args)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=HEEDS_CTRL_C,
    )


def heeds_ctrl_c() -> None:
    """A shell that has put the tests into the background has them ignore it, and so would their processes."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


HEEDS_CTRL_C = heeds_ctrl_c if sys.platform != "win32" else None


@cache
def ruleset(ref: str) -> typed.Ruleset:
    return load_ruleset(ref)


def plan(ref: str = "wager") -> Plan:
    return Plan.of(ref, ruleset(ref), [2, 3], 1)


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
    """As where packages are not installed."""
    for name in names:
        monkeypatch.setitem(sys.modules, name, None)


# --- the same games everywhere ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("jobs", ["2", "-1"])
def test_the_number_of_processes_makes_no_difference(jobs: str) -> None:
    args = (*WAGER, "--games", "60", "--format", "json")
    code, alone, _ = invoke(*args)
    assert code == 0
    assert invoke(*args, "--jobs", jobs) == (0, alone, "")
    data = json.loads(alone)
    Draft202012Validator(load_schema("simulate")).validate(data)
    assert [row["game"] for row in data["playouts"]] == list(range(60))


def test_more_processes_than_games() -> None:
    assert [o.game for o in play_on_workers(plan(), range(7, 9), jobs=3)] == [7, 8]
    assert list(play_on_workers(plan(), range(9, 9), jobs=3)) == []


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


def broken_nim(tmp_path: Path) -> Path:
    """Nim with an invariant that breaks, in a folder that may be anywhere."""
    folder = tmp_path / "nim"
    shutil.copytree(RULESETS / "nim", folder)
    rules = folder / "rules" / "play.rules"
    rules.write_text(rules.read_text("utf-8").replace("+ stone.heap == stones", "< 5"), "utf-8")
    return folder


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


@pytest.fixture
def dask(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a cluster on this machine."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None)
    try:
        yield cluster.scheduler_address
    finally:
        cluster.close()


# What the library itself leaves open when it is closed.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_cluster_plays_the_same_games(dask: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    args = (*WAGER, "--games", "40", "--format", "json")
    assert invoke(*args, "--cluster", f"dask:{dask}") == invoke(*args)
    shutil.copytree(RULESETS / "nim", tmp_path / "nim")
    monkeypatch.chdir(tmp_path)  # the cluster runs in another folder, and a path is sent as an absolute one
    nim = ("simulate", "./nim", "--players", "2", "--games", "5", "--format", "json")
    assert invoke(*nim, "--cluster", f"dask:{dask}") == invoke(*nim)


@pytest.mark.parametrize(
    "cluster, told",
    [
        ("dask:tcp://127.0.0.1:1", "cannot be reached: Connection refused"),
        ("dask:nobody", "`nobody` is no address"),
        ("dask:tcp://[::", "is no address"),
        ("spark:host:1", "dask:ADDRESS or ray:ADDRESS"),
        ("dask:", "dask:ADDRESS or ray:ADDRESS"),
    ],
)
def test_a_cluster_that_is_not_there(cluster: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("distributed")
    assert run([*WAGER, "--cluster", cluster]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("kind, extra", [("dask", "cluster"), ("ray", "ray")])
def test_a_cluster_needs_its_package(
    kind: str, extra: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking(monkeypatch, "distributed", "ray")
    assert run([*WAGER, "--cluster", f"{kind}:127.0.0.1:1"]) == 2
    assert f"this needs {kind}: pip install 'rulespec[{extra}]'" in capsys.readouterr().err


def test_processes_that_read_other_files_play_nothing() -> None:
    nim = plan("nim")
    mixed = Plan("wager", nim.ruleset, nim.ruleset_hash, (2,), 1, 10, {}, "python")
    with pytest.raises(ClusterError, match="another version of `wager`"):
        list(play_on_workers(mixed, range(3), jobs=2))


@pytest.mark.parametrize(
    "args, told",
    [
        (("--jobs", "0"), "0 processes play no games"),
        (("--jobs", "-2"), "not in the range"),
        (("--jobs", "many"), "not a valid integer"),
        (("--jobs", "2", "--cluster", "dask:host:1"), "leave --jobs out"),
        (("--jobs", "2", "--players", "9"), "not for 9"),
        (("--out", "results.csv"), "ends in .jsonl or .parquet"),
        (("--out", "nowhere/results.jsonl"), "cannot be written: No such file"),
        (("--out", "nowhere/results.parquet"), "cannot be written: No such file"),
    ],
)
def test_wrong_usage(
    args: tuple[str, ...],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run([*WAGER, *args]) == 2
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- results in a file ------------------------------------------------------------------------------------------------


def out(tmp_path: Path, name: str) -> Path:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    return tmp_path / name


@pytest.mark.parametrize("name", FORMATS)
def test_a_run_in_pieces_is_the_run(name: str, tmp_path: Path) -> None:
    path, args = out(tmp_path, name), (*WAGER, "--format", "json", "--out")
    for games, jobs in ((7, 1), (7, 1), (30, 2), (31, 1)):
        assert invoke(*args, path, "--games", games, "--jobs", jobs)[0] == 0
    assert read(path) == played(31)
    whole, pieces = invoke(*WAGER, "--format", "json", "--games", 31)[1], invoke(*args, path, "--games", 31)[1]
    Draft202012Validator(load_schema("simulate")).validate(json.loads(pieces))
    assert json.loads(pieces) == json.loads(whole) | {"playouts": [], "out": str(path)}
    assert invoke(*WAGER, "--games", 31, "--out", path)[2] == f"{path}: goes on after 31 games\n"


@pytest.mark.parametrize("name", FORMATS)
def test_games_that_fail_are_recorded(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, folder = out(tmp_path, name), broken_nim(tmp_path)
    args = ("simulate", folder, "--players", "2", "--format", "json", "--games")
    assert invoke(*args, "20", "--out", path)[0] == 1
    monkeypatch.chdir(tmp_path)  # where the rules are is said in the same way in each folder
    code, text, _ = invoke(*args, "25", "--out", path)
    assert code == 1
    assert json.loads(text)["totals"] == json.loads(invoke(*args, "25")[1])["totals"]
    assert len(json.loads(text)["shortest"]) == 1


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "args, told",
    [
        (("--seed", "2"), "`seed` is `1`, not `2`"),
        (("--cap", "9"), "`cap` is `5000`, not `9`"),
        (("--players", "2"), "`players` is `[2, 3]`, not `[2]`"),
        (("--option", "gifts=off"), "`options` is"),
        (("--games", "4"), "has more than 4 games already"),
    ],
)
def test_other_games_are_not_added(
    name: str, args: tuple[str, ...], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = out(tmp_path, name)
    write(path, played(5))
    before = read(path)
    assert run([*WAGER, "--out", str(path), *args]) == 2
    err = capsys.readouterr().err
    assert told in err
    assert "name another file" in err.lower()
    assert read(path) == before


@pytest.mark.parametrize("name", FORMATS)
def test_games_that_come_out_otherwise_now_are_not_gone_on_with(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = out(tmp_path, name)
    *some, last = played(5)
    write(path, [*some, replace(last, decisions=last.decisions + 1)])
    assert run([*WAGER, "--out", str(path)]) == 2
    assert "game 4 in" in capsys.readouterr().err


@posix
@pytest.mark.parametrize("name", FORMATS)
def test_two_programs_do_not_write_the_same_results(name: str, tmp_path: Path) -> None:
    path = out(tmp_path, name)
    with open_results(path, plan()), pytest.raises(SaveError, match="is being written by another program"):
        open_results(path, plan())
    assert not path.exists()  # nothing was written


def test_parquet_needs_its_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lacking(monkeypatch, "pyarrow")
    rulespec.engine.simulate.parquet.schema.cache_clear()
    assert run([*WAGER, "--out", str(tmp_path / "results.parquet")]) == 2
    assert "pip install 'rulespec[parquet]'" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


# --- JSON Lines, cut and damaged --------------------------------------------------------------------------------------


def test_cut_at_any_byte_the_whole_lines_count_and_the_run_goes_on(tmp_path: Path) -> None:
    path, outcomes = tmp_path / "results.jsonl", played(3)
    write(path, outcomes)
    whole = path.read_bytes()
    for cut in range(len(whole)):
        path.write_bytes(whole[:cut])
        with JsonLinesResults(path, plan()) as results:
            found = list(results.recorded())
            lines = whole[:cut].count(b"\n")
            assert found == outcomes[: max(0, lines - 1)], cut
            torn = lines > 0 and not whole[:cut].endswith(b"\n")
            assert [w.code for w in results.warnings] == ["RS603"] * torn, cut
            for outcome in outcomes[len(found) :]:
                results.add(outcome)
        assert path.read_bytes() == whole, cut


ROW = json.loads(json.dumps(Outcome(1, 3, 14, "closing", ("A",), {"A": 6, "B": 4, "C": 4}, None).to_json()))


@pytest.mark.parametrize(
    "line, code",
    [
        ("nonsense", "RS604"),
        ("[" * 100_000, "RS604"),
        ("[]", "RS607"),
        ("9" * 5_000, "RS604"),
        ({**ROW, "game": 7}, "RS607"),
        ({**ROW, "game": True}, "RS607"),
        ({**ROW, "players": 2}, "RS607"),
        ({**ROW, "decisions": -1}, "RS607"),
        ({**ROW, "decisions": 10**9}, "RS607"),
        ({**ROW, "decisions": 1.5}, "RS607"),
        ({**ROW, "winners": ["Z"]}, "RS607"),
        ({**ROW, "winners": [["A"]]}, "RS607"),
        ({**ROW, "scores": {"A": 10**30}}, "RS607"),
        ({**ROW, "scores": {"Z": 1}}, "RS607"),
        ({**ROW, "failure": {"kind": "fault"}}, "RS607"),
        ({**ROW, "failure": 1}, "RS607"),
        ({**ROW, "more": 1}, "RS607"),
        ({"game": 1}, "RS607"),
        ("x" * 2_000_000, "RS602"),
    ],
)
def test_a_damaged_line_is_told_with_a_way_out(
    line: Any, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, played(3))
    lines = path.read_text("utf-8").splitlines()
    lines[2] = line if isinstance(line, str) else json.dumps(line)
    path.write_text("\n".join(lines) + "\n", "utf-8")
    before = path.read_bytes()
    assert run([*WAGER, "--out", str(path)]) == 2
    err = capsys.readouterr().err
    assert f"error[{code}]" in err
    assert f"{path}:3:1" in err
    assert "keep the first 2 lines" in err
    assert path.read_bytes() == before
    path.write_text("\n".join(lines[:2]) + "\n", "utf-8")
    assert invoke(*WAGER, "--games", "3", "--out", path)[0] == 0
    assert read(path) == played(3)


@pytest.mark.parametrize(
    "data, told",
    [
        (b"hello", "no file of results of these games"),
        (b"hello\n", "no results of games"),
        (b"[1]\n", "no results of games"),
        (b"{}\n", "no results of games"),
        (b'{"rulespec_results": 2}\n', "version `2`"),
        (b'{"rulespec_results": true}\n', "version `true`"),
        (b'{"rulespec_results": 1}\n', "holds other games"),
        (b'{"rulespec_log": 1, "ruleset": "wager"}\n', "no results of games"),
        (gzip.compress(b"hello", mtime=0), "no file of results of these games"),
        (b"\0" * 100, "no file of results of these games"),
    ],
)
def test_a_file_that_holds_something_else_stays_as_it_is(
    data: bytes, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "results.jsonl"
    path.write_bytes(data)
    assert run([*WAGER, "--out", str(path)]) == 2
    assert told in capsys.readouterr().err
    assert path.read_bytes() == data


@posix
def test_what_is_no_file_is_not_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    (tmp_path / "file.parquet").write_text("hello", "utf-8")
    for name, told in (("pipe", "is not a file"), ("folder", "cannot be written")):
        with pytest.raises(SaveError, match=told):
            JsonLinesResults(tmp_path / f"{name}.jsonl", plan())
    pytest.importorskip("pyarrow")
    with pytest.raises(SaveError, match="is a file"):
        ParquetResults(tmp_path / "file.parquet", plan())


def test_a_full_disk_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, outcomes = tmp_path / "results.jsonl", played(3)
    write(path, outcomes[:2])
    before = path.read_bytes()
    write_ = os.write

    def full(file: int, data: bytes) -> int:
        if data.startswith(b'{"game": 2'):
            return write_(file, data[:9])
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch, JsonLinesResults(path, plan()) as results:
        assert list(results.recorded()) == outcomes[:2]
        patch.setattr("rulespec.engine.simulate.json_lines.os.write", full)
        with pytest.raises(SaveError, match="No space left on device"):
            results.add(outcomes[2])
    assert path.read_bytes() == before


# --- Parquet ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results in three parts: games 0 to 3, 4 to 7, 8 and 9."""
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(rulespec.engine.simulate.parquet, "PART_ROWS", 4)
    path = tmp_path / "results.parquet"
    write(path, played(10))
    return path


def test_parts_are_one_table(parts: Path) -> None:
    from pyarrow import parquet

    names = ["games-0000000000.parquet", "games-0000000004.parquet", "games-0000000008.parquet"]
    assert sorted(p.name for p in parts.iterdir()) == names
    table = parquet.read_table(parts)
    assert table["game"].to_pylist() == list(range(10))
    assert table.schema.equals(rulespec.engine.simulate.parquet.schema())
    header = json.loads(parquet.read_schema(parts / names[0]).metadata[b"rulespec_results"])
    assert header == rulespec.engine.simulate.results.header(plan())


def test_a_part_is_written_after_a_while(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = out(tmp_path, "results.parquet")
    monkeypatch.setattr(rulespec.engine.simulate.parquet, "PART_SECONDS", 0.0)
    write(path, played(3))
    assert len(list(path.iterdir())) == 3


def test_a_part_that_was_being_written_does_not_count(parts: Path) -> None:
    (parts / "games-0000000008.parquet").rename(parts / ".games-0000000008.writing")
    assert read(parts) == played(8)
    assert len(list(parts.iterdir())) == 2


@pytest.mark.parametrize("data", [b"", b"hello", b"PAR1" + b"\0" * 100 + b"PAR1", None])
def test_a_damaged_part_is_told_with_a_way_out(parts: Path, data: bytes | None) -> None:
    part = parts / "games-0000000004.parquet"
    part.write_bytes(data if data is not None else part.read_bytes()[:-40])
    with pytest.raises(DiagnosticsError) as error:
        read(parts)
    assert error.value.diagnostics[0].code == "RS601"
    assert "delete games-0000000004.parquet and all parts after it" in error.value.diagnostics[0].help


def test_a_part_that_is_missing_is_told(parts: Path) -> None:
    (parts / "games-0000000004.parquet").unlink()
    with pytest.raises(DiagnosticsError, match="a part is missing"):
        read(parts)


def test_a_table_of_something_else_is_no_part(parts: Path) -> None:
    import pyarrow
    from pyarrow import parquet

    parquet.write_table(pyarrow.table({"a": [1]}), parts / "games-0000000000.parquet")
    with pytest.raises(DiagnosticsError, match="other columns"):
        read(parts)


# --- stopped ----------------------------------------------------------------------------------------------------------


def lines_of(path: Path) -> int:
    with suppress(OSError):
        return path.read_bytes().count(b"\n")
    return 0


def until(path: Path, lines: int, command: subprocess.Popen[str]) -> None:
    """Waits until so many lines stand in a file."""
    while lines_of(path) < lines:
        assert command.poll() is None, command.communicate()
        time.sleep(0.02)


def running(session: int) -> list[str]:
    """The processes of a session that still run."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, _, _, belongs = stat.read_text("utf-8").rpartition(")")[2].split()[:4]
            if int(belongs) == session and state != "Z":
                found.append(stat.parent.name)
    return found


@posix
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_a_run_that_is_stopped_goes_on_and_its_processes_end(how: signal.Signals, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    args = (*WAGER, "--games", "1000000", "--jobs", "2", "--out", path)
    with process(*args) as command:
        until(path, 20, command)
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
        while running(command.pid):  # they look for their parent once a second
            time.sleep(0.1)
    found = read(path)
    assert len(found) >= 19
    assert found[:20] == played(20)[: len(found)]
    more = len(found) + 5
    assert invoke(*WAGER, "--games", more, "--out", path)[0] == 0
    assert [o.game for o in read(path)] == list(range(more))


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
        while not seen.exists():
            assert command.poll() is None
            time.sleep(0.02)
        command.send_signal(signal.SIGINT)
        command.communicate()
    assert command.returncode == 130
    found = read(path)
    assert len(found) > 5
    assert found[:6] == played(6)
