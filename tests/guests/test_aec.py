"""Environments of PettingZoo and Gymnasium: their own tests, for every ruleset, with warnings as errors."""

from __future__ import annotations

import numpy as np
import pytest
from learners import tables
from proofs import proofs_but
from shipped import NAMES, loaded

pytest.importorskip("pettingzoo", reason="environments need pettingzoo: pip install 'rulespec[rl]'")

import gymnasium
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from rulespec.engine.game.option import Option
from rulespec.engine.simulate.checked_playouts import play_out
from rulespec.guests import SEAT_ENV, IllegalActionError, RulesetEnv, SeatEnv, aec_env
from rulespec.guests.action_game import contract

pytestmark = pytest.mark.usefixtures("known_rulesets")
FEW = ["kuhn_poker", "backgammon"]
"""Rulesets that every run tries; proofs try all, with all numbers of players."""


def numbers(name: str) -> range:
    """The numbers of players of a shipped ruleset."""
    low, high = loaded(name)[0].players
    return range(low, high + 1)


def check(name: str, players: int, cycles: int, pairs: int) -> None:
    ruleset = loaded(name)[0]
    api_test(aec_env(ruleset, players), num_cycles=cycles)
    seed_test(lambda: aec_env(ruleset, players), num_cycles=pairs)


@pytest.mark.parametrize("name", FEW)
def test_environments_pass_the_tests_of_pettingzoo(name: str) -> None:
    check(name, loaded(name)[0].players[1], 10, 10)


@pytest.mark.proof
@pytest.mark.parametrize("name", NAMES)
def test_all_tables_pass_them_with_as_many_cycles_as_pettingzoo_has(name: str) -> None:
    for players in numbers(name):
        check(name, players, 1_000, 500)


@pytest.mark.parametrize("name", proofs_but(NAMES, *FEW))
def test_the_first_and_the_last_seat_of_all_tables_pass_the_checks_of_gymnasium(name: str) -> None:
    for players in numbers(name):
        for seat in {0, players - 1}:
            ruleset = loaded(name)[0]
            env = gymnasium.make(SEAT_ENV, ruleset=ruleset, players=players, seat=seat, cap=100, render_mode="ansi")
            check_env(env.unwrapped)


def test_gymnasium_makes_a_seat_of_rules_that_call_themselves() -> None:
    """It copies what it is given, and procedures of a ruleset may refer to one another."""
    ruleset = loaded("dominion")[0]
    assert gymnasium.make(SEAT_ENV, ruleset=ruleset).unwrapped.table.game.ruleset is ruleset  # type: ignore[attr-defined]


def test_the_end_is_worth_to_each_agent_what_it_has_won() -> None:
    env = aec_env(loaded("connect_four")[0])
    env.reset(seed=1)
    rewards: dict[str, float] = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, info = env.last()
        rewards[agent] += reward
        over = termination or truncation
        env.step(None if over else int(info["action_mask"].argmax()))
    assert rewards == {"seat_0": -1.0, "seat_1": 1.0}


def test_an_illegal_action_ends_the_game_and_costs_its_agent() -> None:
    env = aec_env(loaded("connect_four")[0])
    env.reset(seed=1)
    env.step(0)
    env.step(41)  # above nothing
    ends = {}
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        ends[agent] = (reward, termination, truncation)
        env.step(None)
    assert ends == {"seat_0": (0, True, True), "seat_1": (-1.0, True, True)}
    raw = RulesetEnv(contract(loaded("connect_four")[0]))
    raw.reset(seed=1)
    with pytest.raises(IllegalActionError):
        raw.step(41)


def test_a_long_game_is_truncated() -> None:
    env = aec_env(loaded("chess")[0], cap=3)
    env.reset(seed=1)
    while not any(env.truncations.values()):
        assert not any(env.terminations.values())
        env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    assert set(env.rewards.values()) == {0.0} and "chess" in str(env.unwrapped)


def test_chance_draws_as_in_simulate() -> None:
    """The seed is the game: if seats take the options of a playout, chance takes those of it, too."""
    table = contract(loaded("kuhn_poker")[0])
    for number in range(4):
        playout = play_out(table.play().game, 7, number)
        env = RulesetEnv(table)
        env.reset(seed=7)
        for _ in range(number):
            env.reset()
        taken: list[Option] = playout.game.history
        while not env.play.is_over:
            option = taken[env.play.game.ply]
            (action,) = table.actions.sequence(env.play.game.omniscient.numbers.asked, option.kind.choice, option.args)
            env.step(action)
        assert env.play.game.history == taken


def test_bots_play_the_other_seats() -> None:
    env = SeatEnv(loaded("connect_four")[0], seat=1, bots="greedy")
    _, info = env.reset(seed=3)
    first = [str(option) for option in env.play.game.history]
    _, again = env.reset(seed=3)
    assert [str(option) for option in env.play.game.history] == first and len(first) == 1
    assert np.array_equal(info["action_mask"], again["action_mask"])
    with pytest.raises(ValueError, match="no seat 2"):
        SeatEnv(loaded("connect_four")[0], seat=2)
    _, reward, terminated, truncated, _ = env.step(41)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert "drop" in env.render()


def test_all_tables_are_tried() -> None:
    assert [len(table.game.seats) for table in tables("kuhn_poker")] == [2, 3]
