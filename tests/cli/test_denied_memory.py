"""A process that may take too few addresses for wasm plays in Python; asked for wasm, it says why."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from folders import GAMES, RULESETS

from rulespec.cli.main import run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="addresses are limited on Linux only")

QUICKSTART = str(GAMES / "imperial" / "logs" / "quickstart.jsonl")
SIMULATE = ["simulate", "nim", "--games", "200"]
_RUN = """
import resource, sys
from rulespec.cli.main import run
limit = int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
sys.exit(run(sys.argv[2:]))
"""
NONE, ONE = 3_000_000_000, 6_000_000_000
"""Bytes of addresses: with room for no memory of wasm, and for one."""


def ran(limit: int, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", _RUN, str(limit), *command], capture_output=True, text=True)


def games(output: str) -> list[str]:
    """The printed text, without the time that it took."""
    first, *others = output.split("\n")
    return [first.rpartition(" · ")[0], *others]


@pytest.mark.proof
def test_python_plays_instead() -> None:
    done, free = ran(NONE, *SIMULATE), ran(NONE, *SIMULATE, "--backend", "python")
    assert done.returncode == 0
    assert "wasm" not in done.stdout.split("\n")[0]
    assert games(done.stdout) == games(free.stdout)


@pytest.mark.parametrize(
    "command",
    [
        [*SIMULATE, "--backend", "wasm"],
        ["perft", "nim", "--depth", "1", "--backend", "wasm"],
        ["replay", QUICKSTART, "--backend", "wasm"],
        ["test", "nim", "--backend", "wasm"],
    ],
    ids=lambda command: str(command[0]),
)
@pytest.mark.sampled(1)
def test_a_command_that_needs_it_says_why(command: list[str]) -> None:
    done = ran(NONE, *command)
    assert done.returncode == 2
    assert done.stderr.startswith("Error: wasmtime cannot run here: mmap failed to reserve ")


@pytest.mark.proof
def test_there_are_as_many_threads_as_there_is_room_for() -> None:
    done = ran(ONE, *SIMULATE, "--jobs", "4")
    assert done.returncode == 0
    assert "wasm" in done.stdout.split("\n")[0]
    assert games(done.stdout) == games(ran(ONE, *SIMULATE, "--backend", "python").stdout)


@pytest.mark.proof  # 0.6 s
def test_a_comparison_has_room_for_one_after_the_other() -> None:
    done = ran(ONE, *SIMULATE, "--against", "nim")
    assert done.returncode == 0
    assert "wasm" in done.stdout.split("\n")[0]


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_no_memory_is_one_message(
    error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fails(*_: object) -> None:
        raise error

    monkeypatch.setattr("rulespec.cli.serve._serve", fails)
    assert run(["serve", str(RULESETS / "nim"), "--players", "2", "--store", str(tmp_path / "t.db")]) == 2
    assert capsys.readouterr() == ("", "Error: there is not enough memory\n")
