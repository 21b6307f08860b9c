"""The yardstick: python-chess, in a process of its own that works when it is asked to.

In a process of its own, so that neither has the objects of the other in its memory: the garbage collector goes through
all there are. Run as `python -m bench.yardstick`, it reads lines `{"task": …, "seconds": …}`.
"""

from __future__ import annotations

import gc
import json
import random
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol

from bench.pairs import Sample, Slice, timed

ROOT = Path(__file__).parent.parent
TASKS = (
    *("playouts", "playouts_bare", "legal_moves", "push", "push_pop", "copy", "copy_stack", "zobrist"),
    *("same_games", "same_games_bare", "same_positions", "perft"),
)
"""The tasks that can be asked for; see `tasks`."""
GAMES, EVERY, DEPTH = 5, 10, 3
"""The number of recorded games, the interval between sampled positions, and the depth of lines."""


class Yardstick(Protocol):
    """Something to measure beside."""

    def slice(self, task: str, seconds: float) -> Slice:
        """A slice of one of `TASKS`."""

    def memory(self) -> dict[str, float]:
        """Bytes of a board, of a copy without the moves before it, and of a game for each move."""

    def games(self) -> list[list[str]]:
        """The moves of some random games, as `e2e4`."""


class Chess:
    """python-chess in another process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bench.yardstick"],
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
        """Bytes of a board, of a copy without the moves before it, and of a game for each move."""
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
            raise RuntimeError("the yardstick does not run: is python-chess installed? pip install -e '.[bench]'")
        return json.loads(line)


# --- in the other process --------------------------------------------------------------------


def tasks() -> dict[str, Callable[[], int]]:
    """Task → what does some of it and says how many it has done.

    playouts: moves of random games, until `is_game_over()`, with all legal moves listed at each. playouts_bare: the end
    is seen from there being no legal move, and from the clock and the pieces, which saves a third of the time.
    legal_moves: lists. push: moves of recorded games. push_pop: a move, and taking it back. copy: `copy(stack=False)`.
    copy_stack: with the moves before. zobrist: hashes of positions. same_games: the moves of `games`, with all legal
    moves listed at each, and `is_game_over()` asked; same_games_bare: not asked. same_positions: lists, at every tenth
    position of these games. perft: the lines of three moves from the start.
    """
    import chess
    import chess.polyglot

    rng = random.Random(1)

    def playout(bare: bool) -> chess.Board:
        board = chess.Board()
        while bare or not board.is_game_over():
            moves = list(board.legal_moves)
            if bare and (not moves or board.halfmove_clock >= 150 or board.is_insufficient_material()):
                break
            board.push(rng.choice(moves))
        return board

    games = [list(playout(False).move_stack) for _ in range(GAMES)]
    positions: list[chess.Board] = []
    for game in games:
        board = chess.Board()
        for number, move in enumerate(game):
            if number % max(1, len(game) // 10) == 0:
                positions.append(board.copy())
            board.push(move)
    firsts = [(board, next(iter(board.legal_moves))) for board in positions]

    def push() -> int:
        for game in games:
            board = chess.Board()
            for move in game:
                board.push(move)
        return sum(map(len, games))

    def push_pop() -> int:
        for board, move in firsts:
            board.push(move)
            board.pop()
        return len(firsts)

    def each(do: Callable[[chess.Board], object]) -> Callable[[], int]:
        def run() -> int:
            for board in positions:
                do(board)
            return len(positions)

        return run

    def same_games(bare: bool) -> int:
        for game in games:
            board = chess.Board()
            for move in game:
                assert bare or not board.is_game_over()
                list(board.legal_moves)
                board.push(move)
        return sum(map(len, games))

    tenth: list[chess.Board] = []
    for game in games:
        board = chess.Board()
        for number, move in enumerate(game):
            if number % EVERY == 0:
                tenth.append(board.copy())
            board.push(move)

    def same_positions() -> int:
        for board in tenth:
            list(board.legal_moves)
        return len(tenth)

    def lines(board: chess.Board, depth: int) -> int:
        if depth == 1:
            return int(board.legal_moves.count())
        result = 0
        for move in board.legal_moves:
            board.push(move)
            result += lines(board, depth - 1)
            board.pop()
        return result

    return {
        "same_games": lambda: same_games(False),
        "same_games_bare": lambda: same_games(True),
        "same_positions": same_positions,
        "perft": lambda: lines(chess.Board(), DEPTH),
        "playouts": lambda: playout(False).ply(),
        "playouts_bare": lambda: playout(True).ply(),
        "legal_moves": each(lambda board: list(board.legal_moves)),
        "push": push,
        "push_pop": push_pop,
        "copy": each(lambda board: board.copy(stack=False)),
        "copy_stack": each(lambda board: board.copy()),
        "zobrist": each(chess.polyglot.zobrist_hash),
    }


def _games() -> list[list[str]]:
    """The games of `tasks`, which makes them first of all."""
    import chess

    rng, result = random.Random(1), []
    for _ in range(GAMES):
        board = chess.Board()
        while not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        result.append([move.uci() for move in board.move_stack])
    return result


def _memory() -> dict[str, float]:
    import chess

    rng = random.Random(1)
    played = chess.Board()
    while moves := list(played.legal_moves):
        played.push(rng.choice(moves))
        if len(played.move_stack) == 400:
            break
    moves = list(played.move_stack)

    def again() -> chess.Board:
        board = chess.Board()
        for move in moves:
            board.push(move)
        return board

    return {
        "new": bytes_of(chess.Board),
        "copy": bytes_of(lambda: played.copy(stack=False)),
        "move": bytes_of(again, 10) / len(moves),
    }


def bytes_of(make: Callable[[], object], number: int = 200) -> float:
    """Bytes that something takes which is made many times and kept."""
    make()
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    rest = [make() for _ in range(number)]
    gc.collect()
    taken = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return taken / len(rest)


def serve() -> None:
    """Does what is asked for, line by line."""
    known = tasks()
    for line in sys.stdin:
        question = json.loads(line)
        if question["task"] in ("memory", "games"):
            print(json.dumps(_memory() if question["task"] == "memory" else _games()), flush=True)
            continue
        gc.collect()
        sample = timed(known[question["task"]], question["seconds"])()
        print(json.dumps({"count": sample.count, "seconds": sample.seconds}), flush=True)


if __name__ == "__main__":
    serve()
