"""Games side by side: the same masks, observations, chance and ends as one by one."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from folders import RULESETS
from secret_games import SECRETIVE
from shipped import NAMES, loaded
from wide_arguments import wide_arguments

from rulespec.engine.program.draws import Draws
from rulespec.guests import Batch, Contract, IllegalActionError, contract
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")


def compared(table: Contract, number: int, seed: int) -> None:
    """Plays games side by side and one by one, with the same random actions."""
    batch, plays = Batch(table, number, seed), [table.play() for _ in range(number)]
    draws, rng = [Draws(seed, game) for game in range(number)], random.Random(seed)
    for play, own in zip(plays, draws, strict=True):
        play.draw(own)
    while (batch.seats >= 0).any():
        masks, observations = batch.masks(), batch.observations()
        actions = np.zeros(number, np.int64)
        for game, play in enumerate(plays):
            assert play.seat == batch.seats[game]
            if play.is_over:
                assert not masks[game].any() and not observations[game].any()
            else:
                assert np.array_equal(masks[game], play.mask)
                assert np.array_equal(observations[game], play.observation(play.seat))
                actions[game] = rng.choice(play.actions)
        rewards = batch.step(actions)
        for game, play in enumerate(plays):
            if not play.is_over:
                play.take(int(actions[game]))
                play.draw(draws[game])
                assert rewards[game].tolist() == play.returns()
    assert batch.cut.tolist() == [play.cut for play in plays]


def settings(name: str) -> dict[str, str]:
    """Those with which a game has secrets."""
    return {"hide_cash": "true"} if name in SECRETIVE and "hide_cash" in loaded(name)[0].settings else {}


@pytest.mark.parametrize("name", ["leduc_poker", "nim"])
def test_games_side_by_side_are_as_one_by_one(name: str) -> None:
    ruleset = loaded(name)[0]
    compared(contract(ruleset, ruleset.players[1], settings(name), cap=30), 3, 5)


def test_sets_and_bags_wider_than_a_word_have_all_of_their_words(tmp_path: Path) -> None:
    table = contract(wide_arguments(tmp_path), 2)
    assert "edge e69" in table.actions.names and "sort s19" in table.actions.names
    compared(table, 6, 4)


def test_plans_side_by_side_are_as_one_by_one() -> None:
    compared(contract(load_ruleset(str(RULESETS / "paddocks")), cap=80), 3, 6)


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_long_games_side_by_side_are_as_one_by_one(name: str) -> None:
    ruleset = loaded(name)[0]
    compared(contract(ruleset, None, settings(name), cap=300), 5, 9)


def test_games_begin_again() -> None:
    batch = Batch(contract(loaded("kuhn_poker")[0]), 3, seed=1)
    first = batch.observations()
    batch.step(batch.masks().argmax(axis=1))
    batch.restart([0, 1, 2], seed=1)
    assert np.array_equal(batch.observations(), first)


def test_an_illegal_action_of_one_game_changes_none() -> None:
    batch = Batch(contract(loaded("connect_four")[0]), 2)
    before = batch.rows.copy()
    with pytest.raises(IllegalActionError, match="in game 1"):
        batch.step([0, 41])
    with pytest.raises(ValueError, match="one action for each of 2 games"):
        batch.step([0])
    assert np.array_equal(batch.rows, before)
