"""The gallery's chess compared with python-chess: the same games, positions and lines of play."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from bench.figures import Bench, Figure
from bench.pairs import timed
from bench.yardstick import DEPTH, EVERY
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

_MEN = {"queen": "q", "rook": "r", "bishop": "b", "knight": "n"}
_CASTLING = {"white_short": "e1g1", "white_long": "e1c1", "black_short": "e8g8", "black_long": "e8c8"}
Played = list[int]
"""A game as the index of each move among the legal ones."""


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of decisions, lists of legal moves, and lines of play per second; both programs do the same work."""
    ruleset = load_ruleset("chess")
    games = [_numbered(ruleset, moves) for moves in bench.yardstick.games()]
    positions = [game for moves in games for game in _positions(ruleset, moves)]

    def play() -> int:
        for moves in games:
            game = Game(ruleset, ruleset.seats)
            for number in moves:
                options = game.legal_options
                game.apply(options[number])
        return sum(map(len, games))

    def lists() -> int:
        for game in positions:
            list(game.legal_options)
        return len(positions)

    def lines() -> int:
        return _lines(Game(ruleset, ruleset.seats), DEPTH)

    for task in ("same_games", "same_games_bare"):
        yield bench.beside_chess("chess, a random game", timed(play, bench.seconds), "decisions", task)
    yield bench.beside_chess("chess, legal moves", timed(lists, bench.seconds), "lists", "same_positions")
    yield bench.beside_chess("chess, perft", timed(lines, bench.seconds), "lines", "perft")


def _numbered(ruleset: typed.Ruleset, moves: Sequence[str]) -> Played:
    game, result = Game(ruleset, ruleset.seats), []
    for move in moves:
        options = list(game.legal_options)
        result.append(next(n for n, option in enumerate(options) if _uci(option) == move))
        game.apply(options[result[-1]])
    return result


def _positions(ruleset: typed.Ruleset, moves: Played) -> Iterator[Game]:
    game = Game(ruleset, ruleset.seats)
    for ply, number in enumerate(moves):
        if ply % EVERY == 0:
            yield game.copy()
        game.apply(game.legal_options[number])


def _lines(game: Game, depth: int) -> int:
    if game.is_over:
        return 0
    if depth == 1:
        return len(game.legal_options)
    result = 0
    for option in list(game.legal_options):
        game.apply(option)
        result += _lines(game, depth - 1)
        game.undo()
    return result


def _uci(option: Option) -> str:
    """A move in UCI notation."""
    words: list[str] = re.findall(r"\w+", str(option))
    name = words.pop(0)
    if name == "castle":
        return _CASTLING[words[0]]
    return words[0] + words[1] + (_MEN[words[2]] if name == "promote" else "")
