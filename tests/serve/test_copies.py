"""Copies to try things out: of a game with secrets they are never the real one."""

from __future__ import annotations

import pytest
from secret_games import DECIDED, twins

from rulespec.bundles.rules import bundle_of
from rulespec.engine.game.game import Game
from rulespec.serve.past_process import PastGame, alike, game_of

pytestmark = pytest.mark.usefixtures("known_rulesets")


def past(game: Game) -> PastGame:
    """The past of a game, whose choices of rounds have salts that only one side knows."""
    for step in game.omniscient.numbers.steps:
        step.salt = f"{id(game):032x}"
    return PastGame.of("t", bundle_of(game.ruleset), game)


@pytest.mark.parametrize("ref", DECIDED)
@pytest.mark.sampled(1)
def test_games_that_look_the_same_to_a_seat_have_the_same_copies(ref: str) -> None:
    pairs = twins(ref, range(6), 10)
    assert pairs
    for game, twin, seat in pairs[:1]:
        assert game.hash != twin.hash or past(game).decisions != past(twin).decisions
        copies = [alike(past(game), seat, seed) for seed in range(4)]
        assert copies == [alike(past(twin), seat, seed) for seed in range(4)]
        assert not any(one.salt for decisions in copies for one in decisions)
        assert len({*copies}) > 1, "what is hidden is drawn"
        other = past(game)
        view = game_of(PastGame(other.game, other.bundle, other.names, other.settings, copies[0])).view(seat)
        assert (view.memory, view.state) == (game.view(seat).memory, game.view(seat).state)
