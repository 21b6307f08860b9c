"""Searches of games that look the same equal searches of the view; a search of the game itself knows too much."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache

from rulespec.engine.game.game import Game
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.twins import particles
from rulespec.engine.search.uct import Estimate, uct
from rulespec.load import load_ruleset

kuhn = cache(lambda: load_ruleset("kuhn_poker"))


def hand(other: str) -> Game:
    """Ann has the queen, and is to act."""
    game = Game(kuhn(), ["Ann", "Bob"])
    for text in ("deal(queen)", f"deal({other})"):
        game.apply(game.parse(text))
    return game


def searched(game: Game, games: Callable[[Game], list[Game]]) -> list[list[Estimate]]:
    search = open_search(game, backend="python")
    return [uct(search, row, 30, 1) for row in search.rows(games(game))]


def alike(game: Game) -> list[Game]:
    return particles(game, "Ann", 6, random.Random(1))


def test_a_search_of_games_that_look_the_same_is_the_same() -> None:
    results = [
        searched(hand(card), lambda game: particles(game, "Ann", 6, random.Random(1))) for card in ("king", "jack")
    ]
    assert results[0] == results[1]
    assert len({str(estimates) for estimates in results[0]}) > 1


def test_a_search_of_the_game_itself_tells_what_is_hidden() -> None:
    results = [searched(hand(card), lambda game: [game]) for card in ("king", "jack")]
    assert results[0] != results[1]
