"""Bots at Leduc poker, against random players and against an equilibrium that is computed here."""

from __future__ import annotations

import random
from functools import cache
from statistics import fmean

import pytest
from leduc import Equilibrium, Public

from rulespec.engine.bots.named import open_bot
from rulespec.engine.bots.seats import BotSeats
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.simulate.playouts import choose
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


def public(game: Game) -> tuple[Public, int]:
    """The position as both see it, and the card of who decides."""
    position, cards, decides = Public(), list[int](), SEATS.index(str(game.decision and game.decision.by))
    for option in game.history:
        if option.name == "deal":
            cards.append(CARDS.index(str(option.arguments["c"])))
        elif option.name == "turn":
            position = Public(CARDS.index(str(option.arguments["c2"])), position.bets + "/", position.paid)
        else:
            position = position.after(BETS[option.name])
    return position, cards[decides]


def taken(game: Game, rng: random.Random) -> Option:
    """An option of the equilibrium."""
    position, card = public(game)
    (name,) = rng.choices(position.options, equilibrium().average(position)[card].tolist())
    return next(option for option in game.legal_options if BETS[option.name] == name)


def gains(bot: str, games: int, other: str) -> list[float]:
    """The chips that a bot wins of the other, one at a time at each seat."""
    search = open_search(Game(load_ruleset("leduc_poker"), SEATS))
    results = list[float]()
    for number in range(games):
        game, seat = Game(load_ruleset("leduc_poker"), SEATS), SEATS[number % 2]
        bots = BotSeats(game, {seat: open_bot(bot)}, number, search)
        rng, draws = random.Random(number), Draws(7, number)
        while not game.is_over:
            by = game.decision.by if game.decision is not None else None
            if by == seat:
                option: Option | None = bots.choose(game)[0]
            elif by is None or other == "random":
                option = choose(game, draws)
            else:
                option = taken(game, rng)
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


@pytest.mark.parametrize("bot", ["flat:64", "mcts:200"])
def test_a_bot_beats_random_players_and_is_beaten_by_the_equilibrium(bot: str) -> None:
    """Bots that take no bet as evidence lose some chips to it; `docs/explanation/judging.md` has the figures."""
    assert fmean(gains(bot, 1_000, "random")) > 0.5
    assert fmean(gains(bot, 1_000, "equilibrium")) < 0
