"""The yardstick: python-chess in a separate process that works on request.

In separate processes, neither garbage collector has to traverse the other's objects. The environments are separate too:
python-chess is under the GPL, so no module of the project imports it.
"""

from __future__ import annotations

import gc
import json
import subprocess
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from bench.pairs import Sample, Slice

ROOT = Path(__file__).parent.parent
INTERPRETER = ROOT / "build" / "python-chess" / "bin" / "python"
"""The interpreter of python-chess's environment, which `make` sets up."""
TASKS = (
    *("playouts", "playouts_bare", "legal_moves", "push", "push_pop", "copy", "copy_stack", "zobrist"),
    *("same_games", "same_games_bare", "same_positions", "perft"),
)
"""The available tasks; see `bench.python_chess.tasks`."""
GAMES, EVERY, DEPTH = 5, 10, 3
"""The number of recorded games, the interval between sampled positions, and the depth of lines."""


class Yardstick(Protocol):
    """The protocol of a program with which the project is compared."""

    def slice(self, task: str, seconds: float) -> Slice:
        """A slice of one of `TASKS`."""

    def memory(self) -> dict[str, float]:
        """The bytes of a board, of a copy without the move stack, and of a game per move."""

    def games(self) -> list[list[str]]:
        """The moves of some random games, as `e2e4`."""


class Chess:
    """The yardstick python-chess, in another process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [str(INTERPRETER), "-m", "bench.python_chess", "tasks"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
        )

    def __enter__(self) -> Chess:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()

    def slice(self, task: str, seconds: float) -> Slice:
        """A slice of one of `TASKS`."""

        def run() -> Sample:
            answer = self._ask({"task": task, "seconds": seconds})
            return Sample(answer["count"], answer["seconds"])

        return run

    def memory(self) -> dict[str, float]:
        """The bytes of a board, of a copy without the move stack, and of a game per move."""
        results: dict[str, float] = self._ask({"task": "memory"})
        return results

    def games(self) -> list[list[str]]:
        """The moves of the games of `same_games`, as `e2e4`."""
        results: list[list[str]] = self._ask({"task": "games"})
        return results

    def _ask(self, question: dict[str, object]) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"the yardstick does not run: `make {INTERPRETER.relative_to(ROOT)}` installs it")
        return json.loads(line)


def bytes_of(make: Callable[[], object], number: int = 200) -> float:
    """The bytes that an object takes, measured by creating and keeping many."""
    make()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    rest = [make() for _ in range(number)]
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return taken / len(rest)
