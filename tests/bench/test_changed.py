"""A commit beside an earlier one: which one that is, what is slower, and whose reason counts."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bench.changed import Compared, Worker, base_of, commit_of, compared, git, main, reasons, report
from bench.pairs import Sample, Slice, bounds_of_median
from bench.worker import JOBS

HOUR = 3600


class Clone:
    """A clone whose commits are made at hours of one's own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        git("init", "--quiet", "--initial-branch", "main", root=folder)

    def commit(self, hour: float) -> str:
        date = f"{int(1_700_000_000 + hour * HOUR)} +0000"
        names = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
        subprocess.run(
            ["git", *names, "commit", "--quiet", "--allow-empty", "--message", f"At {hour}"],
            cwd=self.folder,
            env={"PATH": "/usr/bin:/bin", "GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date},
            check=True,
        )
        return commit_of("HEAD", self.folder)


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    return Clone(tmp_path)


def test_a_branch_is_compared_with_the_commit_where_it_left_the_main_one(clone: Clone) -> None:
    clone.commit(0)
    left = clone.commit(10)
    git("update-ref", "refs/remotes/origin/main", left, root=clone.folder)
    clone.commit(11)
    assert base_of(clone.commit(12), clone.folder) == left


def test_the_main_branch_is_compared_with_the_landing_before(clone: Clone) -> None:
    clone.commit(0)
    before = clone.commit(3)
    clone.commit(7.5)
    head = clone.commit(8)
    git("update-ref", "refs/remotes/origin/main", head, root=clone.folder)
    assert base_of(head, clone.folder) == before


def test_a_young_clone_is_compared_with_its_first_commit(clone: Clone) -> None:
    first = clone.commit(0)
    clone.commit(1)
    assert base_of(clone.commit(2), clone.folder) == first


def test_a_clone_of_one_commit_has_nothing_to_compare(clone: Clone) -> None:
    head = clone.commit(0)
    with pytest.raises(LookupError, match="no commit before"):
        base_of(head, clone.folder)


def test_a_commit_that_is_named_and_unknown_is_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no-such-commit"]) == 2
    assert "nothing to compare HEAD with" in capsys.readouterr().out


@pytest.mark.parametrize(
    "ratios, verdict",
    [
        ([0.9] * 12 + [1.1] * 3, "slower"),
        ([0.9] * 11 + [1.1] * 4, "unclear"),
        ([0.96] * 15, "unclear"),
        ([0.98] * 15, "unclear"),
        ([0.98] * 9 + [1.1] * 6, "not slower"),
        ([0.96] * 9 + [1.1] * 6, "unclear"),
        ([1.2] * 15, "not slower"),
    ],
)
def test_slower_and_not_slower_are_both_shown_by_an_interval(ratios: list[float], verdict: str) -> None:
    assert Compared("view", tuple(ratios)).verdict == verdict


@pytest.mark.parametrize("many, share, at", [(15, 0.9, 4.9), (15, 0.95, 4.4), (6, 0.9, 1.7), (3, 0.9, 1), (1, 0.9, 1)])
def test_bounds_of_a_median_lie_between_values_of_some_rank(many: int, share: float, at: float) -> None:
    low, high = bounds_of_median(range(many, 0, -1), share)
    assert low == pytest.approx(at, abs=0.05)
    assert low + high == pytest.approx(many + 1)


def test_a_line_of_a_commit_says_why_a_job_is_slower() -> None:
    explained = reasons("End\n\nSlower: own replay: the end is compared: cell by cell\nSlower: view:\n\nOther\n")
    assert explained == {"own replay": "the end is compared: cell by cell"}
    slow = {job: Compared(job, (0.5,) * 15) for job in ("own replay", "view")}
    lines, failed = report(slow, explained)
    assert failed
    assert [line.split(":")[0] for line in lines] == ["own replay is slower", "view is slower"]
    assert report({"own replay": slow["own replay"]}, explained)[1] is False
    assert report({"view": "there is no log", "draw": Compared("draw", (1.0,) * 15)}, {}) == ([], False)
    assert report({}, {"viewing": "why"}) == (["there is no job `viewing`, which a line `Slower:` names"], False)


class Fixed(Worker):
    """A worker that answers without a process."""

    def __init__(self, each: float, missing: str = "") -> None:
        self.each, self.lacks, self.done = each, missing, 0

    def missing(self, job: str) -> str:
        return self.lacks

    def slice(self, times: int) -> Slice:
        def run() -> Sample:
            self.done += times
            return Sample(times, times * self.each)

        return run


@pytest.mark.parametrize("each", [0.03, 0.3, 0.4, 0.9, 4])
def test_each_half_of_a_pair_takes_a_second_at_least(each: float) -> None:
    ours, theirs = Fixed(each), Fixed(each / 2)
    result = compared("view", ours, theirs, 3)
    assert isinstance(result, Compared)
    assert result.ratios == pytest.approx((0.5,) * 3)
    assert ours.done == theirs.done
    assert 1 <= (theirs.done - 2) * theirs.each / 3 < 1 + theirs.each


def test_what_the_earlier_commit_lacks_is_not_comparable() -> None:
    assert compared("view", Fixed(1), Fixed(1, "ModuleNotFoundError")) == "ModuleNotFoundError"
    with pytest.raises(RuntimeError, match="view: ModuleNotFoundError"):
        compared("view", Fixed(1, "ModuleNotFoundError"), Fixed(1))


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[Worker]:
    """A worker in a checkout that has a package, and nothing that the jobs ask of it."""
    package = tmp_path / "checkout" / "rulespec"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "__main__.py").write_text("import sys\nprint('noise')\nsys.exit(sys.argv[1:] != ['games'])\n")
    worker = Worker(tmp_path / "checkout", tmp_path / "cache")
    yield worker
    worker.end()


def test_a_worker_runs_its_own_checkout_alone(worker: Worker) -> None:
    assert "No module named 'rulespec.engine'" in worker.missing("own replay")
    assert worker.missing("games") == ""
    sample = worker.slice(2)()
    assert sample.count == 2
    assert sample.seconds > 0
    assert "ValueError" in worker.missing("validate")
    assert "ValueError" in worker.missing("cold replay nim")


@pytest.mark.parametrize("job", JOBS)
@pytest.mark.proof
def test_jobs_do_something_here(job: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if "wasm" in job:
        pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    root = Path(__file__).parents[2]
    monkeypatch.chdir(tmp_path)
    packages = [sysconfig.get_path(name) for name in ("purelib", "platlib")]
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(root), *packages]))
    work: Any = JOBS[job](root)
    assert work() > 0


def test_the_worker_needs_nothing_but_python() -> None:
    worker = Path(__file__).parents[2] / "bench" / "worker.py"
    subprocess.run([sys.executable, "-I", "-S", str(worker), "."], input="", text=True, check=True)
