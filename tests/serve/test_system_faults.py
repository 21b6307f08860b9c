"""Each call that writes to the disk fails in turn, for all that confirms anything: a restart finds what was confirmed.

`tests/support/faults.c` lets calls fail, `fault_scenarios.py` has what is tried, and `fault_runs.py` runs it.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from fault_scenarios import SCENARIOS
from folders import ROOT, TESTS

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or shutil.which("cc") is None, reason="calls fail by a library, which `cc` makes on Linux"
)
STORES = ("store", "new_store", "store_of_version_1", "damaged_store")
LIMITED = ("store", "replaced", "replace_together", "signing_key")
"""The scenarios that run with little memory: pyarrow, which writes parts, may end the process then."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library that lets calls fail."""
    path = tmp_path_factory.mktemp("faults") / "faults.so"
    source = TESTS / "support" / "faults.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", path, source, "-ldl"], check=True)
    return path


def faults(library: Path, *args: str) -> list[dict[str, Any]]:
    """Runs with faults; none of them may lose anything."""
    folders = os.pathsep.join((str(ROOT), str(TESTS / "support")))
    env = {**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": folders}
    words = [sys.executable, "-m", "fault_runs", *args]
    done = subprocess.run(words, env=env, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0 and not done.stderr, done.stderr[-2_000:]
    results = [json.loads(line) for line in done.stdout.splitlines()]
    assert [run for run in results if run["wrong"]] == []
    return results


def table(results: list[dict[str, Any]]) -> str:
    """Scenario, call, kind, the numbers of the calls, what people got, what was confirmed, what a restart found."""

    def what(run: dict[str, Any]) -> tuple[str, ...]:
        last = run["messages"][-1].rpartition(": ")[2] if run["messages"] else ""
        said = f"{len(run['messages'])} times {last}" if last else "killed" if run["kind"] == "kill" else "no message"
        return run["scenario"], run["call"], run["kind"], said, f"{run['confirmed']} confirmed", run["after"]

    lines = []
    for key, group in groupby(results, what):
        numbers = [run["n"] for run in group]
        scenario, call, kind, *rest = key
        at = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]}-{numbers[-1]}"
        lines.append(" | ".join((scenario, call, kind, at, *rest)))
    return "\n".join(lines) + "\n"


FEW = (
    *("store:pwrite:io:12", "store:pwrite:kill:12", "store:fdatasync:no_space:5", "store:memory:ulimit:30"),
    *("replaced:rename:io:1", "replace_together:rename:kill:2", "replace_together:fsync:io:7"),
    *("corpus_parts:write:full:2", "signing_key:link:no_space:1"),
)


def test_a_fault_of_the_system_loses_nothing(library: Path) -> None:
    """One of each kind; the call is seen, and people hear of it."""
    results = faults(library, *FEW)
    assert len(results) == len(FEW)
    silent = [run for run in results if not run["messages"] and run["kind"] != "kill"]
    assert [run["scenario"] for run in silent] == ["signing_key"]
    assert all(run["place"] or run["call"] == "memory" for run in results)


@pytest.mark.proof
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_no_fault_of_the_system_loses_anything(scenario: str, library: Path) -> None:
    """All calls, each in each way, until a run comes to no further one."""
    results = faults(library, scenario)
    sys.stdout.write(table(results))
    calls = {run["call"] for run in results}
    assert {"open", "close"} <= calls and (scenario not in STORES or {"pwrite", "fdatasync"} <= calls)


@pytest.mark.proof
@pytest.mark.parametrize("scenario", LIMITED)
def test_no_bound_of_memory_loses_anything(scenario: str, library: Path) -> None:
    results = faults(library, scenario, "--memory")
    sys.stdout.write(table(results))
    assert not results[-1]["messages"], "the last one has all that it needs"
