"""Rows of a corpus: equal for any number of processes, on a cluster, under other rules, and after interruption."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from commands import invoke
from corpora import logs, tar
from deadlines import until
from folders import ROOT, RULESETS
from jsonschema import Draft202012Validator
from msgspec.structs import replace
from processes import process
from simulation import posix

from rulespec.engine.corpus.log_rows import FirstRefusal, LogRow
from rulespec.engine.corpus.logs import Corpus
from rulespec.engine.corpus.replays import ReplayPlan, plan_of, replayed, row_of
from rulespec.engine.corpus.totals import CauseTotals
from rulespec.engine.simulate.workers import ClusterError
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema

pytestmark = pytest.mark.usefixtures("known_rulesets")


def rows(plan: ReplayPlan, *paths: Path, jobs: int = 1, away: bool = False) -> list[LogRow]:
    return list(replayed(plan_of(plan, away=away), Corpus(paths).logs(), jobs))


def printed(*args: object) -> tuple[int, Any]:
    code, out, _ = invoke("replay", *args, "--format", "json")
    data = json.loads(out)
    Draft202012Validator(load_schema("corpus")).validate(data)
    return code, data


@pytest.mark.proof  # 0.7 s
def test_a_row_for_each_log(tmp_path: Path) -> None:
    logs(tmp_path)
    code, data = printed(tmp_path)
    assert code == 2, "one cannot be read"
    verdicts = [row["verdict"] for row in data["logs"]]
    assert verdicts == ["legal", "legal", "legal", "unreadable", "legal", "legal"]
    assert data["logs"][3]["error"].startswith("RS6")
    assert [row["ended"] for row in data["logs"]][2] is None, "its end is cut off"
    first = data["logs"][0]
    assert (first["players"], first["ruleset"], {*first["scores"]}) == (3, "wager", {"A", "B", "C"})
    assert data["totals"]["verdicts"] == {"legal": 5, "unreadable": 1}
    code, out, _ = invoke("replay", tmp_path)
    assert (code, out.count("g3.jsonl: unreadable")) == (2, 1)
    assert "6 logs: 5 legal, 1 unreadable" in out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("args", [("--under", "wager"), ("--over-time", "3")])
def test_processes_and_archives_make_no_difference(args: tuple[str, ...], tmp_path: Path) -> None:
    files = logs(tmp_path / "logs")
    archive = tar(tmp_path / "logs.tar.gz", files)
    alone = printed(tmp_path / "logs", "--jobs", "1", *args, "--out", tmp_path / "one.jsonl")
    assert (
        printed(tmp_path / "logs", "--jobs", "2", *args, "--out", tmp_path / "two.jsonl")[1]["totals"]
        == (alone[1]["totals"])
    )
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()
    packed = printed(archive, *args, "--jobs", "2")[1]["logs"]
    lines = [json.loads(line) for line in (tmp_path / "one.jsonl").read_text("utf-8").splitlines()[1:]]
    assert [row | {"log": ""} for row in packed] == [row | {"log": ""} for row in lines]


def test_seats_have_no_names_of_people(tmp_path: Path) -> None:
    text = logs(tmp_path, number=1)[0].read_text("utf-8")
    header, *rest = text.splitlines()
    named = json.loads(header)
    named["seats"] = {seat: f"Person {seat}" for seat in named["seats"]}
    people = {"A": "Adelaide", "B": "Beatrix", "C": "Cunigunde"}
    named["seats"] = {people[seat]: people[seat] for seat in named["seats"]}
    lines = [json.dumps(named)]
    for line in rest:
        for seat, name in people.items():
            line = line.replace(f'"{seat}"', f'"{name}"')
        lines.append(line)
    (tmp_path / "g0.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    result = invoke("replay", tmp_path, "--format", "json", "--over-time", "2")[1]
    assert '"verdict": "legal"' in result
    assert not any(name in result for name in people.values())


def test_measures_over_time(tmp_path: Path) -> None:
    logs(tmp_path, number=1)
    (row,) = rows(ReplayPlan(every=3), tmp_path)
    (last,) = rows(ReplayPlan(), tmp_path)
    places = sorted({r.decision for r in row.measures})
    assert places == [*range(0, row.decisions, 3), *([row.decisions])]
    assert tuple(r for r in row.measures if r.decision == row.decisions) == last.measures


@pytest.mark.parametrize("name", ["rows.jsonl", "rows.parquet"])
@pytest.mark.sampled(1)
def test_a_stopped_run_goes_on(name: str, tmp_path: Path) -> None:
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    logs(tmp_path / "logs")
    whole, part = tmp_path / f"whole.{name}", tmp_path / name
    assert invoke("replay", tmp_path / "logs", "--out", whole)[0] == 2
    if name.endswith("jsonl"):
        lines = whole.read_bytes().splitlines(keepends=True)
        for cut in range(len(lines)):
            part.write_bytes(b"".join(lines[:cut]) + lines[cut][:5])
            code, out, err = invoke("replay", tmp_path / "logs", "--out", part)
            assert (code, f"continues after {cut - 1} log" in err) == (2, cut > 1), err
            assert part.read_bytes() == whole.read_bytes(), cut
            assert "6 logs: 5 legal" in out
    else:
        shutil.copytree(whole, part)
        code, _, err = invoke("replay", tmp_path / "logs", "--out", part, "--jobs", "2")
        assert (code, "continues after 6 logs" in err) == (2, True)
    assert "contains other games" in invoke("replay", tmp_path / "logs", "--out", part, "--under", "wager")[2]
    (tmp_path / "logs" / "g5.jsonl").unlink()
    code, _, err = invoke("replay", tmp_path / "logs", "--out", part)
    assert (code > 0, "contains other games" in err) == (True, True), "the corpus is another one"


@posix
@pytest.mark.proof
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_killed_command_goes_on(jobs: str, tmp_path: Path) -> None:
    logs(tmp_path / "logs", number=60)
    args = ("replay", tmp_path / "logs", "--jobs", jobs, "--out")
    assert invoke(*args, tmp_path / "whole.jsonl")[0] == 2
    part = tmp_path / "part.jsonl"
    command = process(*args, part)
    until(lambda: command.poll() is not None or (part.exists() and part.read_bytes().count(b"\n") >= 5))
    assert command.poll() is None
    command.send_signal(signal.SIGKILL)
    command.communicate()
    assert invoke(*args, part)[0] == 2
    assert part.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


def test_a_row_that_comes_out_otherwise_is_refused(tmp_path: Path) -> None:
    logs(tmp_path / "logs", number=2)
    out = tmp_path / "rows.jsonl"
    invoke("replay", tmp_path / "logs", "--out", out)
    text = out.read_text("utf-8")
    out.write_text(text.replace('"decisions": ', '"decisions": 1'), "utf-8")
    code, _, err = invoke("replay", tmp_path / "logs", "--out", out)
    assert (code > 0, "is not the result of its replay" in err) == (True, True)


@pytest.mark.parametrize("under", ["./wager", "./wager+./mine.yaml"])
@pytest.mark.sampled(1)
def test_rules_of_ones_own_go_along_as_a_bundle(under: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A remote worker has neither the files named by a plan nor those of a log."""
    home, away = tmp_path / "home", tmp_path / "away"
    away.mkdir()
    shutil.copytree(RULESETS / "wager", home / "wager")
    monkeypatch.setenv("RULESPEC_PATH", str(home))
    (home / "mine.yaml").write_text('id: mine\ntitle: Mine\nfor: wager\nversion: "1.0"\nchanges: {}\n', "utf-8")
    logs(home / "logs", number=2)
    monkeypatch.chdir(home)
    plan = ReplayPlan(under=under)
    expected = rows(plan, Path("logs"))
    assert all(row.under is not None and not row.under.error for row in expected)
    sent = plan_of(plan, away=True)
    assert [rules.bundle is not None for rules in sent.known] == [True]
    from rulespec.engine.corpus.replays import _load, _sent_along

    tasks = [(sent, log, _sent_along(sent, log)) for log in Corpus([Path("logs")]).logs()]
    assert tasks[0][2] is not None
    monkeypatch.chdir(away)
    monkeypatch.setenv("RULESPEC_PATH", str(away))
    _load.cache_clear()
    assert "RS617" in row_of(*tasks[0][:2]).error, "without them it could not be read"
    assert [row_of(*task) for task in tasks] == expected
    monkeypatch.chdir(home)
    with pytest.raises(ClusterError, match="may lack the overlay's file"):
        plan_of(ReplayPlan(under="+./mine.yaml"), away=True)


def test_rules_that_many_logs_carry_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(RULESETS / "wager", tmp_path / "mine")
    (tmp_path / "games").mkdir()
    for log in logs(tmp_path / "plain", str(tmp_path / "mine"), number=3):
        assert invoke("log", log, "--bundle", "--out", tmp_path / "games" / log.name)[0] == 0
    shutil.rmtree(tmp_path / "mine")
    read = []

    def load(*args: Any, **how: Any) -> Any:
        read.append(args)
        return load_ruleset(*args, **how)

    monkeypatch.setattr("rulespec.bundles.rules.load_ruleset", load)
    assert [row.verdict for row in rows(ReplayPlan(), tmp_path / "games")] == ["legal"] * 3
    assert len(read) <= 1, "or not at all: they are remembered"


def test_a_worker_of_another_version_is_refused(tmp_path: Path) -> None:
    logs(tmp_path, number=1)
    with pytest.raises(ClusterError, match=r"not 0\.0: install"):
        rows(replace(ReplayPlan(), version="0.0"), tmp_path)


# Warnings about resources that the library leaves open when closed.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::DeprecationWarning", "ignore::UserWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.proof
def test_a_cluster_makes_no_difference(dask: str, tmp_path: Path) -> None:
    logs(tmp_path / "logs", number=12)
    args = (tmp_path / "logs", "--under", "wager")
    assert printed(*args, "--cluster", f"dask:{dask}") == printed(*args, "--jobs", "2")


def test_flags_of_one_game_do_not_go_with_many(tmp_path: Path) -> None:
    logs(tmp_path, number=1)
    for flag in (("--moves",), ("--at", "3"), ("--check",), ("--until", "2"), ("--for", "A")):
        code, _, err = invoke("replay", tmp_path, *flag)
        assert (code, "cannot be combined with" in err) == (2, True), flag
    assert invoke("replay", tmp_path, "--jobs", "2", "--cluster", "dask:a:1")[0] == 2


def test_many_logs_need_no_numpy(tmp_path: Path) -> None:
    logs(tmp_path / "logs", number=2)
    out = tmp_path / "rows.jsonl"
    program = f"""
import sys
sys.modules["numpy"] = None
from rulespec.cli.main import run
sys.exit(run(["replay", {str(tmp_path / "logs")!r}, "--out", {str(out)!r}]))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "2 legal" in done.stdout, done


def test_one_log_imports_nothing_of_corpora(tmp_path: Path) -> None:
    (log,) = logs(tmp_path, number=1)
    heavy = "('rulespec.engine.corpus', 'pyarrow', 'multiprocessing', 'joblib', 'asyncio', 'concurrent.futures')"
    program = f"""
import sys
from rulespec.cli.main import run
assert run(["replay", {str(log)!r}]) == 0
sys.exit(str([name for name in {heavy} if name in sys.modules] or 0))
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.stderr.strip() in ("", "0"), done.stderr


def test_causes_are_bounded_and_grouped_by_the_line_of_the_rules() -> None:
    causes = CauseTotals()
    for number in range(3):
        causes.add(FirstRefusal(number, "line 2", f"only {number} are left", ("A-1",), "a/b.rules:3:5"), f"g{number}")
    causes.add(FirstRefusal(1, "line 2", "it is over", (), ""), "g3")
    first, second = causes.to_json()
    assert (first["logs"], first["log"], first["written"]) == (3, "g0", "a/b.rules:3:5")
    assert (second["logs"], second["reason"]) == (1, "it is over")
