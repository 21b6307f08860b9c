"""python-chess as a separate program, in an environment set up by `make build/python-chess/bin/python`."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from bench.yardstick import INTERPRETER, ROOT


def command(*words: object) -> list[str]:
    """The command of the program; the test is skipped if the environment is missing."""
    if not INTERPRETER.is_file():
        pytest.skip(f"python-chess is not set up: make {INTERPRETER.relative_to(ROOT)}")
    return [str(INTERPRETER), "-m", "bench.python_chess", *map(str, words)]


def games_in(paths: Sequence[Path]) -> list[list[dict[str, Any]]]:
    """The games in each file: `moves`, and all `lines` of its tree, as `e2e4`."""
    run = subprocess.run(command("pgn", *paths), capture_output=True, text=True, check=True, cwd=ROOT)
    results: list[list[dict[str, Any]]] = json.loads(run.stdout)
    return results


def random_games(count: int, seed: str) -> str:
    """Random games as the program writes them, in one PGN."""
    run = subprocess.run(command("write", count, seed), capture_output=True, text=True, check=True, cwd=ROOT)
    return run.stdout


class ChessBoard:
    """A board in the program; its answers to `new` and to moves have `legal`, `claims`, `turn` and `fen`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def say(self, word: str) -> dict[str, Any]:
        """The answer to `new`, a move or `end`."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(f"{word}\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer


@contextmanager
def chess_board() -> Iterator[ChessBoard]:
    """A board for one test."""
    pipe = subprocess.PIPE
    with subprocess.Popen(command("board"), stdin=pipe, stdout=pipe, text=True, cwd=ROOT) as process:
        yield ChessBoard(process)
        assert process.stdin is not None
        process.stdin.close()
