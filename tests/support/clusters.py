"""Local clusters, for tests of distributed runs."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from deadlines import until
from folders import ROOT


@pytest.fixture
def dask(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a local Dask cluster."""
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None)
    try:
        yield cluster.scheduler_address
    finally:
        cluster.close()


class Cluster:
    """A cluster: its address, and a function that lists the processes of its workers."""

    def __init__(self, address: str, workers: Callable[[], list[int]]) -> None:
        self.address = address
        self.workers = workers


@pytest.fixture(params=["dask", "ray"])
def cluster(request: pytest.FixtureRequest, known_rulesets: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    """A cluster of each kind, with two workers."""
    with contextmanager(_dask if request.param == "dask" else _ray)(monkeypatch) as result:
        yield result


def _dask(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    try:
        yield Cluster(f"dask:{cluster.scheduler_address}", lambda: [w.process.pid for w in cluster.workers.values()])
    finally:
        cluster.close()


def _ray(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
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
    """The processes with a name."""
    results = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if path.read_bytes().startswith(name):
                results.append(int(path.parent.name))
    return results
