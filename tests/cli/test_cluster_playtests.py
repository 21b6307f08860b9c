"""Playtests, sweeps and matches on clusters of this machine: the same rows, also where a worker is killed."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from commands import invoke
from folders import ROOT
from processes import process
from simulation import posix

pytestmark = [pytest.mark.proof, posix, pytest.mark.usefixtures("known_rulesets")]

ROWS = 30
"""Rows after which a worker is killed."""
BOTS = ("--players", 2, "--bots", "flat:64", "--beside", "", "--ladder", 0)
COMMANDS = {
    "rule": ("playtest", "nim", "nim+tall", *BOTS, "--pairs", 150),
    "sweep": ("playtest", "nim", "--sweep", "constants.stones=20..22", *BOTS, "--pairs", 80),
    "match": ("match", "flat:64", "flat:63", "nim+tall", "--players", 2, "--games", 200),
}


class Cluster:
    """A cluster: its address, and a function that lists the processes of its workers."""

    def __init__(self, address: str, workers: Callable[[], list[int]]) -> None:
        self.address = address
        self.workers = workers


@pytest.fixture
def dask(known_rulesets: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    try:
        yield Cluster(f"dask:{cluster.scheduler_address}", lambda: [w.process.pid for w in cluster.workers.values()])
    finally:
        cluster.close()


@pytest.fixture
def ray(known_rulesets: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    pytest.importorskip("ray")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *filter(None, sys.path)]))
    monkeypatch.setenv("RAY_ENABLE_UV_RUN_RUNTIME_ENV", "0")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    start = ["start", "--head", "--block", f"--port={port}", "--num-cpus=2", "--include-dashboard=false"]
    command = subprocess.Popen(
        [sys.executable, "-c", "from ray.scripts.scripts import main; main()", *start],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        until(lambda: command.poll() is None and reached(port))
        yield Cluster(f"ray:127.0.0.1:{port}", lambda: named(b"ray::PoolActor"))
    finally:
        os.killpg(command.pid, signal.SIGTERM)
        command.wait(60)


def reached(port: int) -> bool:
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def named(name: bytes) -> list[int]:
    """The processes of a name."""
    results = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().startswith(name):
                results.append(int(path.parent.name))
    return results


def until(done: Callable[[], bool], seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < end
        time.sleep(0.02)


def rows(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.jsonl"))}


def count(folder: Path) -> int:
    return sum(content.count(b"\n") for content in rows(folder).values())


@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.parametrize("kind", ["dask", "ray"])
def test_the_rows_are_the_same_where_a_worker_is_killed(
    kind: str, name: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    """A cluster that does not survive it says so, and the same command goes on."""
    cluster: Cluster = request.getfixturevalue(kind)
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    code, text, err = invoke(*COMMANDS[name], "--out", alone)
    assert code == 0, err
    args = (*COMMANDS[name], "--out", spread, "--cluster", cluster.address)
    with process(*args) as command:
        until(lambda: command.poll() is not None or count(spread) >= ROWS)
        assert command.poll() is None, command.communicate()
        os.kill(cluster.workers()[0], signal.SIGKILL)
        printed, err = command.communicate(timeout=300)
    if command.returncode:
        assert f"{spread} has the games so far, and the same command continues" in err, err
        code, printed, err = invoke(*args)
        assert code == 0, err
    assert rows(spread) == rows(alone)
    assert printed.splitlines()[-5:] == text.splitlines()[-5:]
    shutil.rmtree(spread)
