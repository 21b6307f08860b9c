"""Dominion: its openings have the shares that anybody can work out."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import pytest

from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

HAND = 5


@pytest.fixture(scope="module")
def dominion() -> typed.Ruleset:
    return load_ruleset("dominion")


def test_five_and_two_coins_open_one_game_of_six(dominion: typed.Ruleset) -> None:
    """All first hands, each with its odds: five Coppers, or two, leave the other number for the second turn."""
    game = Game(dominion, ["A", "B"])
    odds: dict[int, Fraction] = dict.fromkeys(range(2, HAND + 1), Fraction(0))

    def draw(left: int, coppers: int, share: Fraction) -> None:
        if not left:
            odds[coppers] += share
            return
        weights = [game.omniscient.numbers.weight(each.kind.choice, each.args) for each in game.legal_options]
        for option, weight in zip(list(game.legal_options), weights, strict=True):
            game.apply(option)
            draw(left - 1, coppers + (str(option) == "drawn(copper)"), share * Fraction(weight, sum(weights)))
            game.undo()

    draw(HAND, 0, Fraction(1))
    assert odds == {k: Fraction(comb(7, k) * comb(3, HAND - k), comb(10, HAND)) for k in range(2, 6)}
    assert odds[5] + odds[2] == Fraction(1, 6)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.sampled(1)
def test_no_card_is_lost(dominion: typed.Ruleset, players: int) -> None:
    """Wherever cards go within calls of calls, there are as many as in the box."""
    game = Game(dominion, [f"P{i}" for i in range(players)])
    draws = Draws(players)
    places = "copy[c].supply + copy[c].table + copy[c].trash"
    each = "sum(copy[c].deck[p] + copy[c].hand[p] + copy[c].discard[p] for p in player)"
    whole = game.omniscient.value(f"sum({places} + {each} for c in card)")
    for _ in range(300):
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
    assert game.omniscient.value(f"sum({places} + {each} for c in card)") == whole
