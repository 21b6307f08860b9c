"""Random games played to their end."""

from __future__ import annotations

from functools import cache
from zlib import crc32

from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset

cached = cache(load_ruleset)


def play_to_the_end(ref: str, players: int, settings: dict[str, str | int], number: int, cap: int) -> Game:
    """A random game within `cap` decisions, with all invariants checked after each."""
    game = Game(cached(ref), [f"P{i + 1}" for i in range(players)], settings)
    draws = Draws(crc32(f"{ref} {players} {settings}".encode()), number)
    while not game.is_over:
        assert game.ply < cap
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
        assert game.omniscient.broken_invariants() == [], (settings, game.history[-5:])
    return game
