"""Bots at Leduc poker, against random players and against an equilibrium that is computed here."""

from __future__ import annotations

from functools import cache
from statistics import fmean

import numpy as np
import pytest
from leduc import Equilibrium, Key, Public, Vector, decisions

from rulespec.engine.bots.bot_seats import BotSeats
from rulespec.engine.bots.named import open_bot
from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset

pytestmark = pytest.mark.proof

SEATS = ("A", "B")
BETS = {"fold": "f", "call": "c", "raise": "r"}
CARDS = ("jack_of_hearts", "jack_of_spades", "queen_of_hearts", "queen_of_spades", "king_of_hearts", "king_of_spades")
VALUE = -0.0856
"""Chips that the first seat wins in equilibrium; Lanctot and others: "OpenSpiel" (2019), and others."""


@cache
def equilibrium() -> Equilibrium:
    result = Equilibrium()
    result.improve(300)
    return result


def reached(public: Public, card: int) -> Game:
    """A game at a position, as seen by who decides there and holds a card."""
    other = next(c for c in range(len(CARDS)) if c not in (card, public.board))
    cards = [*([card, other] if public.seat == 0 else [other, card]), public.board]
    game, bets = Game(load_ruleset("leduc_poker"), SEATS), list(public.bets.replace("/", ""))
    while bets or (game.decision is not None and game.decision.by is None):
        dealt = game.decision is not None and game.decision.by is None
        wanted = CARDS[cards.pop(0)] if dealt else bets.pop(0)
        game.apply(next(o for o in game.legal_options if wanted in (BETS.get(o.name), *map(str, o.arguments.values()))))
    return game


def strategy(bot: str, seeds: int) -> dict[Key, Vector]:
    """The odds of a bot's picks, wherever it may have to decide."""
    search = open_search(Game(load_ruleset("leduc_poker"), SEATS))
    results: dict[Key, Vector] = {}
    for public in decisions():
        picks = np.zeros((len(CARDS), len(public.options)))
        for card in set(range(len(CARDS))) - {public.board}:
            game = reached(public, card)
            for seed in range(seeds):
                option, _ = BotSeats(game, {SEATS[public.seat]: open_bot(bot)}, seed * 64 + card, search).choose(game)
                picks[card, public.options.index(BETS[option.name])] += 1 / seeds
        results[public.key] = picks
    return results


def gains(bot: str, games: int) -> list[float]:
    """The chips that a bot wins of a random player, one at a time at each seat."""
    search = open_search(Game(load_ruleset("leduc_poker"), SEATS))
    results = list[float]()
    for number in range(games):
        game, seat = Game(load_ruleset("leduc_poker"), SEATS), SEATS[number % 2]
        bots, draws = BotSeats(game, {seat: open_bot(bot)}, number, search), Draws(7, number)
        while not game.is_over:
            by = game.decision.by if game.decision is not None else None
            option = bots.choose(game)[0] if by == seat else choose(game, draws)
            assert option is not None
            game.apply(option)
        result = game.result
        assert result is not None
        results.append(result.scores[seat] - 13)
    return results


def test_the_equilibrium_is_one() -> None:
    """Nobody wins much by leaving it, and it is worth to the first seat what is known."""
    solved = equilibrium()
    assert solved.worth(0) == pytest.approx(VALUE, abs=0.005)
    assert solved.worth(1) == pytest.approx(-solved.worth(0), abs=1e-9)
    assert 0 <= solved.worth(0, best=True) + solved.worth(1, best=True) < 0.02


def test_a_strategy_of_its_own_is_worth_nothing_to_an_equilibrium() -> None:
    solved = equilibrium()
    assert solved.answered({public.key: solved.average(public) for public in decisions()}) == pytest.approx(0, abs=1e-9)
    even = {public.key: np.full((len(CARDS), len(public.options)), 1 / len(public.options)) for public in decisions()}
    assert -1 < solved.answered(even) < -0.7


@pytest.mark.parametrize("bot, seeds, least", [("flat:64", 3, -0.5), ("mcts:200", 1, -0.5)])
def test_a_bot_beats_random_players_and_is_beaten_by_the_equilibrium(bot: str, seeds: int, least: float) -> None:
    """Bots that take no bet as evidence lose some chips to it; `docs/explanation/judging.md` has the figures."""
    assert fmean(gains(bot, 1_000)) > 0.5
    assert least < equilibrium().answered(strategy(bot, seeds)) < 0
