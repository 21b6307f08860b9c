"""Memory, as counted by Python's allocator, of a game, of a copy, and of a decision that can be undone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from bench.figures import Bench, Figure
from bench.pairs import Spread
from bench.play import played
from bench.sections.loading import RULESETS
from bench.yardstick import bytes_of
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.game.seating import seat_names
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

CLONED = 400
"""The number of decisions in a game when it is copied."""


def run(bench: Bench) -> Iterator[Figure]:
    """Figures in bytes, identical in every run. Data that all games of a ruleset share is not counted."""
    theirs = bench.yardstick.memory()
    for ref in RULESETS[:1] if bench.quick else RULESETS:
        ruleset = load_ruleset(ref)
        players = min(4, ruleset.players[1])
        seats = seat_names(players, ruleset.seats)

        some = played(ruleset, players, 1, most=CLONED)
        new = bytes_of(partial(_again, ruleset, seats, []))
        yield _figure(bench, f"{ref}, {players} players: a game at its start", new, theirs["new"], "chess board")
        copy = bytes_of(some.copy)
        yield _figure(bench, f"{ref}: a clone after {CLONED} decisions", copy, theirs["copy"], "chess copy")
        each = (bytes_of(partial(_again, ruleset, seats, some.history), 10) - new) / some.ply
        yield _figure(bench, f"{ref}: each decision that can be taken back", each, theirs["move"], "chess move")


def _again(ruleset: typed.Ruleset, seats: tuple[str, ...], history: list[Option]) -> Game:
    game = Game(ruleset, seats)
    game.omniscient.numbers.begin()
    for option in history:
        game.apply(option)
    return game


def _figure(bench: Bench, name: str, ours: float, theirs: float, beside: str) -> Figure:
    return Figure(bench.section, name, Spread.of([ours]), "bytes", beside, Spread.of([ours / theirs]))
