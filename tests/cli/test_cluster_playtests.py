"""Playtests, sweeps and matches on clusters of this machine: the same rows, also where a worker is killed."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest
from clusters import Cluster
from commands import invoke
from deadlines import DEADLINE, until
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


def rows(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*.jsonl"))}


def count(folder: Path) -> int:
    return sum(content.count(b"\n") for content in rows(folder).values())


@pytest.mark.parametrize("name", COMMANDS)
def test_the_rows_are_the_same_where_a_worker_is_killed(name: str, tmp_path: Path, cluster: Cluster) -> None:
    """A cluster that does not survive it says so, and the same command goes on."""
    alone, spread = tmp_path / "alone", tmp_path / "spread"
    code, text, err = invoke(*COMMANDS[name], "--out", alone)
    assert code == 0, err
    args = (*COMMANDS[name], "--out", spread, "--cluster", cluster.address)
    with process(*args) as command:
        until(lambda: command.poll() is not None or count(spread) >= ROWS)
        assert command.poll() is None, command.communicate()
        os.kill(cluster.workers()[0], signal.SIGKILL)
        printed, err = command.communicate(timeout=DEADLINE)
    if command.returncode:
        assert f"{spread} has the games so far, and the same command continues" in err, err
        code, printed, err = invoke(*args)
        assert code == 0, err
    assert rows(spread) == rows(alone)
    assert printed.splitlines()[-5:] == text.splitlines()[-5:]
    shutil.rmtree(spread)
