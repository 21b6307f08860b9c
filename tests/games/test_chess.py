"""Chess: the numbers of positions that chess programs have published, and random games beside python-chess.

The games need python-chess, a program of its own (`bench.python_chess`). RULESPEC_CHESS=1 with the marker `proof`, as
in `make proof`: five moves deep, and a thousand games; without it all positions three moves deep, and a hundred.
"""

from __future__ import annotations

import os
import random
import re
from functools import cache

import pytest
from proofs import examples
from python_chess import ChessBoard, chess_board

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.option import Option
from rulespec.engine.wasm.playouts import WasmGames
from rulespec.load import load_ruleset

SEATS = ("white", "black")
MEN = {"k": "king", "q": "queen", "r": "rook", "b": "bishop", "n": "knight", "p": "pawn"}
RIGHTS = {"K": "white_short", "Q": "white_long", "k": "black_short", "q": "black_long"}
CASTLING = {"white_short": "e1g1", "white_long": "e1c1", "black_short": "e8g8", "black_long": "e8c8"}
SQUARES = [column + row for row in "12345678" for column in "abcdefgh"]

# Positions and numbers of the chess programming wiki, "Perft Results".
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
PERFT = {
    START: [20, 400, 8_902, 197_281, 4_865_609],
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": [48, 2_039, 97_862],
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": [14, 191, 2_812, 43_238],
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": [6, 264, 9_467],
    "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1": [6, 264, 9_467],
    "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": [44, 1_486, 62_379],
    "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": [46, 2_079, 89_890],
}
ALL = "RULESPEC_CHESS" in os.environ
QUICK, LONG = 2_500, 100_000
"""Lines that the ordinary tests count at most, and those without RULESPEC_CHESS."""

chess_rules = cache(load_ruleset)


def men_of(board: str) -> dict[str, str]:
    """The piles of the men on a board, by the square of each."""
    results: dict[str, str] = {}
    for row, text in zip("87654321", board.split("/"), strict=True):
        letters = re.sub(r"\d", lambda n: " " * int(n[0]), text)
        for column, letter in zip("abcdefgh", letters, strict=True):
            if letter != " ":
                results[column + row] = f"man[{SEATS[letter.islower()]}, {MEN[letter.lower()]}]"
    return results


def game_from(fen: str) -> Game:
    """A game that begins at a position in Forsyth-Edwards notation."""
    game = Game(chess_rules("chess"), SEATS)
    board, active, rights, passed, clock, _ = fen.split()
    for square, pile in men_of(START.split()[0]).items():
        game.omniscient.set_value(f"{pile}.at[{square}]", "0")
    for square, pile in men_of(board).items():
        game.omniscient.set_value(f"{pile}.at[{square}]", "1")
    game.omniscient.set_value("active", SEATS["wb".index(active)])
    game.omniscient.set_value("rights", "{" + ", ".join(RIGHTS[r] for r in rights if r in RIGHTS) + "}")
    game.omniscient.set_value("passed", "none" if passed == "-" else passed)
    game.omniscient.set_value("clock", clock)
    return game


def count(game: Game, depth: int) -> int:
    """The lines of so many moves."""
    if game.is_over:
        return 0
    if depth == 1:
        return len(game.legal_options)
    total = 0
    for option in list(game.legal_options):
        game.apply(option)
        total += count(game, depth - 1)
        game.undo()
    return total


def check(fen: str, depth: int) -> None:
    assert count(game_from(fen), depth) == PERFT[fen][depth - 1]


DEPTHS = [(fen, depth) for fen, numbers in PERFT.items() for depth in range(1, len(numbers) + 1)]


@pytest.mark.parametrize("fen, depth", [(f, d) for f, d in DEPTHS if PERFT[f][d - 1] < QUICK])
def test_lines_are_as_many_as_published(fen: str, depth: int) -> None:
    check(fen, depth)


@pytest.mark.proof
@pytest.mark.parametrize(
    "fen, depth", [(f, d) for f, d in DEPTHS if PERFT[f][d - 1] >= QUICK and (ALL or PERFT[f][d - 1] < LONG)]
)
def test_long_lines_are_as_many_as_published(fen: str, depth: int) -> None:
    check(fen, depth)


MOVES: dict[tuple[str, tuple[int, ...]], str] = {}
"""Options by name and arguments → moves as chess programs write them: from, to, and what a pawn becomes."""


def uci(option: Option) -> str:
    """A move as chess programs write it. Each option is written out once: a thousand games list ten million."""
    known = MOVES.get((option.name, option.args))
    if known is None:
        words: list[str] = re.findall(r"\w+", str(option))
        name = words.pop(0)
        into = {man: letter for letter, man in MEN.items()}
        known = CASTLING[words[0]] if name == "castle" else words[0] + words[1]
        known += into[words[2]] if name == "promote" else ""
        MOVES[option.name, option.args] = known
    return known


def play_beside(board: ChessBoard, rng: random.Random, back: float = 0) -> str:
    """A random game by both programs, which must agree at each position; returns how it ended.

    `back` is how often a side takes its last move back, so that positions are repeated.
    """
    game, says, played = Game(chess_rules("chess"), SEATS), board.say("new"), list[str]()
    while not game.is_over:
        assert game.decision is not None
        assert game.decision.by == SEATS[says["turn"]]
        options = game.legal_options
        number = len(options)  # lists them all: they are not listed again
        claims = [option for option in options if option.name == "claim"]
        assert len(claims) == says["claims"], says["fen"]
        moves = {uci(option): option for option in options if option not in claims}
        assert moves.keys() == {*says["legal"]}, says["fen"]
        assert len(moves) + len(claims) == number
        move = rng.choice(sorted(moves))
        if rng.random() < back and len(played) > 1:
            last = played[-2]
            move = last[2:4] + last[:2] if last[2:4] + last[:2] in moves else move
        game.apply(moves[move])
        says = board.say(move)
        played.append(move)
    result, end = game.result, board.say("end")
    assert result is not None
    if end["mate"]:
        assert (result.ending, result.winners) == ("mate", [SEATS[not says["turn"]]])
    else:
        assert (end[result.ending], result.winners) == (True, [])
    return str(result.ending)


@pytest.mark.proof  # 0.9 s
def test_random_games_are_those_of_python_chess() -> None:
    rng = random.Random("chess")
    with chess_board() as board:
        for _ in range(examples(4, 10)):
            play_beside(board, rng)
        assert play_beside(board, rng, back=0.9) == "fivefold"


def test_the_hash_knows_no_pawn_that_cannot_be_taken_in_passing() -> None:
    """FIDE 9.2.3: the position is the same if the same moves are possible."""
    hashes = []
    for moves in (("go(e2, e4)", "go(e7, e5)", "go(a2, a3)"), ("go(a2, a3)", "go(e7, e5)", "go(e2, e4)")):
        game = Game(chess_rules("chess"), SEATS)
        for move in moves:
            game.apply(next(option for option in game.legal_options if str(option) == move))
        hashes.append(game.hash)
    assert hashes[0] == hashes[1]


def test_nothing_is_remembered_before_a_move_that_cannot_be_taken_back() -> None:
    """Positions with the same men are one, whatever has been played before the last capture or pawn's move."""
    shuffled = ("go(g1, f3)", "go(g8, f6)", "go(f3, g1)", "go(f6, g8)", "go(e2, e4)")
    hashes = []
    for moves in (shuffled, shuffled[4:]):
        game = Game(chess_rules("chess"), SEATS)
        for move in moves:
            game.apply(next(option for option in game.legal_options if str(option) == move))
        hashes.append(game.hash)
    assert hashes[0] == hashes[1]


def test_random_games_are_played_in_wasm_to_their_ends() -> None:
    """None of their decisions is given back to Python because it may take too many steps."""
    pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")
    games = WasmGames(wasm_program(chess_rules("chess"), 2, {}), 0)
    assert {one.how for one in games.play(64, range(64), 10_000)} == {"over"}


@pytest.mark.proof
@pytest.mark.parametrize("hundred", range(10 if ALL else 1))  # for several processes
def test_many_random_games_are_those_of_python_chess(hundred: int) -> None:
    rng = random.Random(f"proof {hundred}")
    with chess_board() as board:
        endings = {play_beside(board, rng) for _ in range(100)}
        assert endings - {"fivefold"} == {"mate", "stalemate", "seventy_five_moves", "dead_position"}
        assert {play_beside(board, rng, back) for back in (0.3, 0.5, 0.7, 0.9) for _ in range(5)} >= {"fivefold"}
