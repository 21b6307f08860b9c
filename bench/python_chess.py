"""A separate program around python-chess: the tasks of the yardstick, the games of PGN files, and a reference board.

    build/python-chess/bin/python -m bench.python_chess tasks
    build/python-chess/bin/python -m bench.python_chess pgn FILE…
    build/python-chess/bin/python -m bench.python_chess write COUNT SEED
    build/python-chess/bin/python -m bench.python_chess board

python-chess is under the GPL, so no other module imports it or this program; benchmarks and proofs start it in an
environment set up by `make build/python-chess/bin/python`. `tasks` reads lines `{"task": …, "seconds": …}`; `board`
reads the moves of a game, `new` before the next game and `end` after the last one, and prints the position after each
line.
"""

from __future__ import annotations

import gc
import json
import random
import sys
from collections.abc import Callable, Iterator

import chess
import chess.pgn
import chess.polyglot

from bench.pairs import timed
from bench.yardstick import DEPTH, EVERY, GAMES, bytes_of


def tasks() -> dict[str, Callable[[], int]]:
    """The tasks by name, each as a function that does a part of the task and returns the number of repetitions.

    * playouts: moves of random games until `is_game_over()`, listing all legal moves at each;
    * playouts_bare: the same, but the end is derived from the legal moves, the move clock and the pieces, which saves a
      third of the time;
    * legal_moves: lists of legal moves;
    * push: moves of recorded games;
    * push_pop: a move and its undo;
    * copy: `copy(stack=False)`;
    * copy_stack: copies with the move stack;
    * zobrist: hashes of positions;
    * same_games: the moves of `games`, listing all legal moves and calling `is_game_over()` at each;
    * same_games_bare: the same, without that call;
    * same_positions: lists of legal moves at every tenth position of these games;
    * perft: the lines of three moves from the start.
    """
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
    """The games of `tasks`, generated before anything else."""
    rng, result = random.Random(1), []
    for _ in range(GAMES):
        board = chess.Board()
        while not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        result.append([move.uci() for move in board.move_stack])
    return result


def _memory() -> dict[str, float]:
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


def serve() -> None:
    """Performs the tasks requested on standard input, one per line."""
    known = tasks()
    for line in sys.stdin:
        question = json.loads(line)
        if question["task"] in ("memory", "games"):
            print(json.dumps(_memory() if question["task"] == "memory" else _games()), flush=True)
            continue
        gc.collect()
        sample = timed(known[question["task"]], question["seconds"])()
        print(json.dumps({"count": sample.count, "seconds": sample.seconds}), flush=True)


def games_in(path: str) -> Iterator[dict[str, object]]:
    """The games in a file, each with its moves such as `e2e4` and `a7a8q`, and all lines of its tree from the start."""
    with open(path, encoding="utf-8-sig") as file:  # noqa: PTH123 - as such programs do
        while (game := chess.pgn.read_game(file)) is not None:
            if game.errors:
                raise SystemExit(f"{path}: {game.errors}")
            lines: list[str] = []
            left = [(node, "") for node in game.variations]
            while left:
                node, before = left.pop()
                line = f"{before} {node.move.uci()}".strip()
                lines.append(line)
                left += [(inner, line) for inner in node.variations]
            yield {"moves": [move.uci() for move in game.mainline_moves()], "lines": sorted(lines)}


def random_games(count: int, seed: str) -> Iterator[str]:
    """The texts of random games, over or broken off after at most 300 moves."""
    rng = random.Random(seed)
    for _ in range(count):
        board, plies = chess.Board(), rng.randrange(300)
        while len(board.move_stack) < plies and not board.is_game_over():
            board.push(rng.choice(list(board.legal_moves)))
        yield f"{chess.pgn.Game.from_board(board)}\n\n"


def play() -> None:
    """Plays the moves from standard input, and prints the position after each."""
    board = chess.Board()
    for line in sys.stdin:
        word = line.strip()
        if word == "end":
            print(json.dumps(_end(board)), flush=True)
            continue
        if word == "new":
            board = chess.Board()
        else:
            board.push_uci(word)
        says = {
            "legal": [move.uci() for move in board.legal_moves],
            "claims": board.is_repetition(3) or board.halfmove_clock >= 100,
            "turn": int(not board.turn),
            "fen": board.fen(),
        }
        print(json.dumps(says), flush=True)


def _end(board: chess.Board) -> dict[str, bool]:
    return {
        "mate": board.is_checkmate(),
        "dead_position": board.is_insufficient_material(),
        "stalemate": board.is_stalemate(),
        "fivefold": board.is_fivefold_repetition(),
        "seventy_five_moves": board.is_seventyfive_moves(),
    }


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["tasks"]:
            serve()
        case ["pgn", *paths]:
            sys.stdout.write(json.dumps([list(games_in(path)) for path in paths]))
        case ["write", count, seed]:
            sys.stdout.writelines(random_games(int(count), seed))
        case ["board"]:
            play()
        case _:
            raise SystemExit(__doc__)
