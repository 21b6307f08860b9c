"""Comparison of a commit's speed with that of an earlier commit, by alternating measurements.

    python -m bench.changed [BASE]

See docs/explanation/speed.md. Each commit is checked out into a separate folder and run by a separate process, with
this environment's Python and packages. The exit code is 0 if every slowdown is explained, 1 if one is not, and 2 for
wrong usage.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import statistics
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.pairs import Sample, Slice, alternate, bounds_of_median, speed_ratios
from bench.processes import ROOT
from bench.worker import JOBS

PAIRS, SECONDS, TURNS = 15, 1.0, 4
"""The number of pairs per job, the minimum of processor seconds per half of a pair, and the maximum number of turns per
half.
"""
LOST = 0.95
"""The threshold of the ratio: a job is slower if its whole confidence interval lies below."""
LANDING = 4 * 3600
"""The minimum age difference, in seconds, between a commit and its default base."""

_REASON = re.compile(r"^Slower: *(?P<job>[^:]+?) *: *(?P<why>\S.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Compared:
    """The speed of a job relative to that in the earlier commit: one ratio per pair."""

    job: str
    ratios: tuple[float, ...]

    @property
    def median(self) -> float:
        """The median ratio."""
        return statistics.median(self.ratios)

    def bounds(self, share: float) -> tuple[float, float]:
        """The confidence interval of the median."""
        return bounds_of_median(self.ratios, share)

    @property
    def verdict(self) -> str:
        """The verdict on the job: `slower`, `not slower`, or `unclear` between these."""
        if self.bounds(0.95)[1] < LOST:
            return "slower"
        return "not slower" if self.median >= 0.97 and self.bounds(0.9)[1] >= 1 else "unclear"

    def row(self) -> str:
        """The job's row in the table."""
        (low, high), (least, most) = self.bounds(0.9), self.bounds(0.95)
        spreads = f"{low:.3f} to {high:.3f} | {least:.3f} to {most:.3f}"
        return f"| {self.job} | {self.median:.3f}x | {spreads} | {self.verdict} |"


HEAD = "| job | speed | 90 % | 95 % | |\n| --- | --- | --- | --- | --- |"


def git(*args: str, root: Path = ROOT) -> str:
    """The output of a git command.

    Raises:
        LookupError: if the command fails, with git's message.
    """
    try:
        done = subprocess.run(["git", *args], cwd=root, capture_output=True, text=True)
    except OSError as error:
        raise LookupError(f"git cannot be run: {error.strerror}") from error
    if done.returncode:
        raise LookupError(done.stderr.strip() or f"git knows nothing of {args[-1]}")
    return done.stdout.strip()


def commit_of(name: str, root: Path = ROOT) -> str:
    """The commit to which a name resolves.

    Raises:
        LookupError: if there is no such commit.
    """
    return git("rev-parse", "--verify", f"{name}^{{commit}}", root=root)


def base_of(head: str, root: Path = ROOT) -> str:
    """The default commit to compare `head` with.

    This is the merge base with `origin/main`. On that branch itself, and without one, it is the newest commit older
    than `head` by at least `LANDING`, or else the oldest commit.

    Raises:
        LookupError: if the clone has no commit before `head`.
    """
    try:
        left = git("merge-base", "origin/main", head, root=root)
    except LookupError:
        left = head
    if left != head:
        return left
    dated = int(git("show", "--no-patch", "--format=%ct", head, root=root))
    before = git("rev-list", "--first-parent", "-1", f"--before={dated - LANDING}", head, root=root)
    oldest = git("rev-list", "--first-parent", head, root=root).splitlines()[-1]
    if (before or oldest) == head:
        raise LookupError("this clone has no commit before it")
    return before or oldest


def reasons(messages: str) -> dict[str, str]:
    """The reason why each job is slower, from lines `Slower: JOB: WHY` in commit messages."""
    return {found["job"]: found["why"] for found in _REASON.finditer(messages)}


class Worker:
    """A process that runs jobs in the checkout of one commit."""

    def __init__(self, checkout: Path, cache: Path) -> None:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("RULESPEC_")}
        kept.pop("PYTHONDONTWRITEBYTECODE", None)
        # A path to packages without `site`, which would let imports fall back to this checkout.
        paths = os.pathsep.join(dict.fromkeys([str(checkout), *map(sysconfig.get_path, ("purelib", "platlib"))]))
        env = kept | {"PYTHONPATH": paths, "RULESPEC_CACHE": str(cache), "PYTHONHASHSEED": "0"}
        cache.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-S", "-P", str(ROOT / "bench" / "worker.py"), str(checkout)],
            cwd=cache.parent,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, line: str) -> dict[str, Any]:
        """The process's answer to a line."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        stdin.write(f"{line}\n")
        stdin.flush()
        answer: dict[str, Any] = json.loads(stdout.readline() or '{"missing": "the process has ended"}')
        return answer

    def missing(self, job: str) -> str:
        """The reason why the checkout cannot run a job; "" if it can, in which case the job is prepared."""
        return str(self.ask(job).get("missing", ""))

    def slice(self, times: int) -> Slice:
        """A slice that runs the job the given number of times."""

        def run() -> Sample:
            answer = self.ask(str(times))
            if "missing" in answer:
                raise RuntimeError(answer["missing"])
            return Sample(answer["count"], answer["seconds"])

        return run

    def end(self) -> None:
        """Ends the process."""
        with self.process:
            assert self.process.stdin is not None
            self.process.stdin.close()


@contextmanager
def worker(commit: str, folder: Path) -> Iterator[Worker]:
    """A process for a commit, with its files and cache inside a folder."""
    checkout = folder / "checkout"
    checkout.mkdir(parents=True)
    archive = folder / "checkout.tar"
    git("archive", "--output", str(archive), commit)
    with tarfile.open(archive) as files:
        files.extractall(checkout, filter="tar")
    archive.unlink()
    tables = [sys.executable, "-m", "rulespec.syntax.parse_table"]
    subprocess.run(tables, cwd=checkout, env=os.environ | {"PYTHONPATH": str(checkout)}, check=True)
    result = Worker(checkout, folder / "cache")
    try:
        yield result
    finally:
        result.end()


def compared(job: str, ours: Worker, theirs: Worker, pairs: int = PAIRS) -> Compared | str:
    """A job compared between two commits in alternation, or the reason why they cannot be compared.

    Raises:
        RuntimeError: if our commit cannot run it.
    """
    if why := ours.missing(job):
        raise RuntimeError(f"{job}: {why}")
    if why := theirs.missing(job):
        return why
    each = min(one.slice(1)().seconds for one in (ours, theirs, ours, theirs))
    least = math.ceil(SECONDS / each)
    turns = min(range(min(TURNS, least), 0, -1), key=lambda turns: -least % turns)
    times = math.ceil(least / turns)
    taken = alternate([ours.slice(times), theirs.slice(times)], pairs, turns=turns, warm=False)
    return Compared(job, tuple(speed_ratios(*taken)))


def report(results: Mapping[str, Compared | str], explained: Mapping[str, str]) -> tuple[list[str], bool]:
    """Lines about slower jobs, and whether any slowdown is unexplained."""
    lines, failed = [], False
    for job, result in results.items():
        if isinstance(result, Compared) and result.verdict == "slower":
            why = explained.get(job)
            failed = failed or why is None
            lines.append(f"{job} is slower: {why or f'no commit has a line `Slower: {job}: WHY`'}")
    lines += [f"there is no job `{job}`, which a line `Slower:` names" for job in explained if job not in JOBS]
    return lines, failed


def main(args: Sequence[str] | None = None) -> int:
    """Compares the commits and prints the results."""
    parser = argparse.ArgumentParser(description="How fast a commit is beside an earlier one.")
    parser.add_argument(
        "base", nargs="?", help="the earlier commit; else where the branch began, or the landing before"
    )
    parser.add_argument("--head", default="HEAD", help="the later commit")
    parser.add_argument("--pairs", type=int, default=PAIRS, help="pairs of each job")
    parser.add_argument("--jobs", default=",".join(JOBS), help="of them, or `cold COMMAND`: any command of rulespec")
    chosen = parser.parse_args(args)
    try:
        head = commit_of(chosen.head)
        base = commit_of(chosen.base) if chosen.base else base_of(head)
    except LookupError as error:
        print(f"nothing to compare {chosen.head} with: {error}")
        return 2 if chosen.base else 0
    jobs = chosen.jobs.split(",")
    if unknown := [job for job in jobs if job not in JOBS and not job.startswith("cold ")]:
        parser.error(f"there is no job {', '.join(unknown)}; the jobs are {', '.join(JOBS)}, and cold COMMAND")
    print(git("log", "--no-walk=unsorted", "--format=%h %s", head, base).replace("\n", "\nbeside "))
    if chosen.head == "HEAD" and git("status", "--porcelain", "--untracked-files=no"):
        print("what is not committed is not measured")
    print(f"\n{HEAD}", flush=True)
    results: dict[str, Compared | str] = {}
    with (
        tempfile.TemporaryDirectory() as folder,
        worker(head, Path(folder, "head")) as ours,
        worker(base, Path(folder, "base")) as theirs,
    ):
        for job in jobs:
            result = results[job] = compared(job, ours, theirs, chosen.pairs)
            row = result.row() if isinstance(result, Compared) else f"| {job} | | | | not comparable: {result} |"
            print(row, flush=True)
    lines, failed = report(results, reasons(git("log", "--format=%B", f"{base}..{head}")))
    print("\n".join(["", *lines]).rstrip())
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
