"""The order of `make proof`: time-limited runs continue through all proofs, and a run without a limit runs all.

The commit determines where a run starts, since no other state is certain to survive between runs. Runs start
alternately with the proofs that `make test` samples from, and with one of the long proofs, each time at another of its
tests. In an existing checkout, `.pytest_cache/proofs` has the tests that passed in this round, and those come last.

    python tests/support/proofs.py order NAME...    the names of the proofs, in the order of this run
    python tests/support/proofs.py passed NAME...   ends the round of the first of these names
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pytest
from folders import ROOT

FOLDER = ROOT / ".pytest_cache" / "proofs"
GOLDEN = 0.6180339887
"""The fraction of a whole between the starts of two runs, which distributes any number of runs evenly."""


def examples(few: int, many: int) -> int:
    """The number of Hypothesis examples: `few` in `make test`, `many` in a proof."""
    return many if os.environ.get("RULESPEC_NEW") else few


def proofs_but(cases: Iterable[Any], *few: Any) -> list[Any]:
    """The cases of a parametrized test: a few also run in `make test`, the others only as proofs."""
    return [
        case if case in few else pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.proof)
        for case in cases
    ]


def start() -> int:
    """RULESPEC_PROOF_START, or the number of commits, or in a shallow clone the minute of the last commit."""
    if number := os.environ.get("RULESPEC_PROOF_START"):
        return int(number)
    if _git("rev-parse", "--is-shallow-repository") == "false":
        return int(_git("rev-list", "--count", "HEAD") or 0)
    return int(_git("log", "-1", "--format=%ct") or 0) // 60


def _git(*words: str) -> str:
    """The output of a git command; "" without git or a repository."""
    try:
        return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False).stdout.strip()
    except OSError:
        return ""


def order(names: Sequence[str], number: int, passed: Collection[str] = ()) -> list[str]:
    """The proofs in this run's order: the first one leads every second run, and those already passed come last."""
    first, *long = names
    begin = number // 2 % max(1, len(long))
    rest = long[begin:] + long[:begin]
    return sorted([first, *rest] if number % 2 == 0 else [*rest, first], key=lambda name: name in passed)


def turned(tests: Sequence[str], number: int, passed: Collection[str] = (), workers: int = 1) -> list[str]:
    """The tests of a proof in this run's order, rotated by the run's number; those already passed come last.

    Each worker starts with a separate part, in which tests already passed come last too.
    """
    begin = int(number * GOLDEN % 1 * len(tests))
    tests = [*tests[begin:], *tests[:begin]]
    parts = [[t for t in tests if t not in passed], [t for t in tests if t in passed]]
    return [test for at in range(workers) for part in parts for test in _share(part, at, workers)]


def _share(part: list[str], at: int, workers: int) -> list[str]:
    return part[len(part) * at // workers : len(part) * (at + 1) // workers]


def read(path: Path) -> frozenset[str]:
    """The names in a file of passed tests; a truncated line is ignored."""
    try:
        lines = path.read_text("utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return frozenset()
    return frozenset(json.loads(line) for line in lines if line.endswith("\n"))


def add(path: Path, name: str) -> None:
    """Adds a name to a file of passed tests."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(name) + "\n")


def end_round(name: str, names: Collection[str], folder: Path = FOLDER) -> None:
    """Records that a proof has passed; after the last proof, the round ends."""
    (folder / f"{name}.tests").unlink(missing_ok=True)
    add(folder / "proofs", name)
    if read(folder / "proofs") >= set(names):
        (folder / "proofs").unlink()


class ProofOrder:
    """A plugin that orders the tests of a proof, and records those that pass."""

    def __init__(self, name: str, folder: Path = FOLDER) -> None:
        self.path, self.start = folder / f"{name}.tests", start()
        self.failed: set[str] = set()

    def pytest_report_header(self) -> str:
        return f"proofs: begun at RULESPEC_PROOF_START={self.start}; passed in this round: {len(read(self.path))}"

    @pytest.hookimpl(trylast=True)  # after deselection
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        by_name = {item.nodeid: item for item in items}
        workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
        items[:] = [by_name[name] for name in turned(list(by_name), self.start, read(self.path), workers)]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if "PYTEST_XDIST_WORKER" in os.environ:  # the main process receives the report too
            return
        if report.failed:
            self.failed.add(report.nodeid)
        if report.when == "teardown" and report.nodeid not in self.failed:
            add(self.path, report.nodeid)


def main(words: Sequence[str]) -> None:
    """The command-line entry point."""
    if words[0] == "order":
        sys.stdout.write(" ".join(order(words[1:], start(), read(FOLDER / "proofs"))) + "\n")
    else:
        end_round(words[1], words[1:])


if __name__ == "__main__":
    main(sys.argv[1:])
