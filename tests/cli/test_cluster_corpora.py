"""Corpora on clusters of this machine: the rows of one process, also where a worker or the command is killed."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from clusters import Cluster
from commands import invoke
from corpora import logs
from deadlines import DEADLINE, until
from folders import RULESETS
from processes import process
from simulation import posix

from bench.foreign_logs import write

pytestmark = [pytest.mark.proof, posix, pytest.mark.usefixtures("known_rulesets")]

LOGS = 40
"""More than the thirty at which a cluster was seen to come to other rows."""


def rows(out: Path, *args: object) -> bytes:
    code, _, err = invoke("replay", *args, "--out", out)
    assert code in (0, 1, 2) and out.exists(), err
    return out.read_bytes()


def test_rows_are_the_same_in_one_process_in_two_and_on_a_cluster(
    tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Foreign logs, and native ones under rules of one's own, which go along as a bundle."""
    shutil.copytree(RULESETS / "wager", tmp_path / "mine")
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "logs" / "foreign", LOGS)
    logs(tmp_path / "logs" / "native", "./mine", LOGS)
    alone = rows(tmp_path / "one.jsonl", "logs")
    assert alone.count(b"\n") == 1 + 2 * LOGS
    assert rows(tmp_path / "two.jsonl", "logs", "--jobs", 2) == alone
    assert rows(tmp_path / "cluster.jsonl", "logs", "--cluster", cluster.address) == alone


@pytest.mark.parametrize("what", ["worker", "command"])
def test_the_same_command_goes_on_after_a_kill(what: str, tmp_path: Path, cluster: Cluster) -> None:
    logs(tmp_path / "logs", number=1_000)
    alone = rows(tmp_path / "alone.jsonl", tmp_path / "logs")
    out = tmp_path / "rows.jsonl"
    args = (tmp_path / "logs", "--cluster", cluster.address)
    with process("replay", *args, "--out", out) as command:
        until(lambda: command.poll() is not None or (out.exists() and out.read_bytes().count(b"\n") > 5))
        assert command.poll() is None, command.communicate()
        os.kill(cluster.workers()[0] if what == "worker" else command.pid, signal.SIGKILL)
        command.communicate(timeout=DEADLINE)
    assert rows(out, *args) == alone
