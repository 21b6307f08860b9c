"""Arguments that users get wrong: each is a clear error, at once, and nothing is cut to fit."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from shipped import loaded

pytest.importorskip("pettingzoo", reason="environments need pettingzoo: pip install 'rulespec[rl]'")

import gymnasium

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.guests import Batch, Contract, SeatEnv, aec_env, cfr_plus, contract, tree

pytestmark = pytest.mark.usefixtures("known_rulesets")
HUGE = 10**30


def table() -> Contract:
    return contract(loaded("kuhn_poker")[0])


def env() -> Any:
    result = aec_env(loaded("connect_four")[0])
    result.reset(seed=1)
    return result


def ended() -> SeatEnv:
    """A seat whose game is over."""
    seat = SeatEnv(loaded("connect_four")[0])
    _, info = seat.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = seat.step(info["action_mask"].argmax())
    assert not info["action_mask"].any()
    return seat


def refused() -> SeatEnv:
    """A seat whose game an illegal action has ended."""
    seat = SeatEnv(loaded("connect_four")[0])
    seat.reset(seed=1)
    _, reward, over, _, info = seat.step(np.int64(41))
    assert (reward, over) == (-1.0, True) and not info["action_mask"].any()
    return seat


WRONG: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: contract("conect_four"), DiagnosticsError, "no ruleset `conect_four`"),
    (lambda: contract(7), TypeError, "`ruleset` must be a reference"),  # type: ignore[arg-type]
    (lambda: contract(loaded("kuhn_poker")[0], HUGE), DiagnosticsError, "2 to 3 players, not for that many"),
    (lambda: contract(loaded("kuhn_poker")[0], -1), DiagnosticsError, "not for -1"),
    (lambda: contract(loaded("kuhn_poker")[0], "2"), TypeError, "`players` must be a whole number, not '2'"),  # type: ignore[arg-type]
    (lambda: contract(loaded("kuhn_poker")[0], settings=["a"]), TypeError, "`settings` must be a mapping"),  # type: ignore[arg-type]
    (lambda: contract(loaded("kuhn_poker")[0], cap=HUGE), ValueError, "`cap` must be at most"),
    (lambda: env().reset(seed="a"), TypeError, "`seed` must be a whole number"),
    (lambda: env().observe("seat_9"), ValueError, "no agent 'seat_9': the agents are seat_0, seat_1"),
    (lambda: env().step("drop(a1)"), TypeError, r"`action` must be a whole number, not 'drop\(a1\)'"),
    (lambda: env().step(0.7), TypeError, "not 0.7"),
    (lambda: env().step(None), TypeError, "not None"),
    (lambda: SeatEnv(loaded("nim")[0], seat="A"), TypeError, "`seat` must be a whole number"),  # type: ignore[arg-type]
    (lambda: SeatEnv(loaded("nim")[0], bots=None), TypeError, "`bots` must be a text"),  # type: ignore[arg-type]
    (lambda: SeatEnv(loaded("nim")[0]).step(np.int64(0)), gymnasium.error.ResetNeeded, "call `reset` first"),
    (lambda: ended().step(0), gymnasium.error.ResetNeeded, "the game is over: call `reset` first"),
    (lambda: refused().step(0), gymnasium.error.ResetNeeded, "the game is over: call `reset` first"),
    (
        lambda: SeatEnv(loaded("nim")[0], render_mode="human"),
        ValueError,
        "no render mode 'human': choose `ansi` or None",
    ),
    (lambda: aec_env(loaded("nim")[0], render_mode="rgb_array"), ValueError, "no render mode 'rgb_array'"),
    (lambda: SeatEnv(loaded("nim")[0]).render(), gymnasium.error.ResetNeeded, "call `reset` first"),
    (lambda: Batch("kuhn_poker", 3), TypeError, "`table` must be a contract"),  # type: ignore[arg-type]
    (lambda: Batch(table(), 10**12), ValueError, "`number` must be at most"),
    (lambda: Batch(table(), 2).step([0.5, 1.2]), TypeError, "`actions` must be whole numbers"),
    (lambda: Batch(table(), 2).restart([-1], 1), ValueError, "no game -1: the games are 0 to 1"),
    (lambda: tree("kuhn_poker"), TypeError, "`game` must be a game"),  # type: ignore[arg-type]
    (lambda: cfr_plus(tree(table().game), -1), ValueError, "`rounds` must be at least 0"),
    (lambda: table().play().observation(-3), ValueError, "`seat` must be at least 0"),
    (lambda: table().play().memory(9), ValueError, "`seat` must be at most 1"),
]


@pytest.mark.parametrize("number", range(len(WRONG)))
def test_a_wrong_argument_is_named(number: int) -> None:
    ask, kind, message = WRONG[number]
    with pytest.raises(kind, match=message):
        ask()


@pytest.mark.parametrize("action", [-1, 42, HUGE, -HUGE])
def test_a_number_beyond_the_actions_is_an_illegal_action(action: int) -> None:
    """-1 would be the last action of the mask, as Python counts."""
    one = env()
    one.step(action)
    assert one.terminations == {"seat_0": True, "seat_1": True}
    assert one.rewards == {"seat_0": -1.0, "seat_1": 0}


@pytest.mark.proof  # OpenSpiel takes a second to import
@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"ruleset": "\ud800"}, "`ruleset` has half a character"),
        ({"ruleset": "games (old)/nim"}, r"`ruleset` must not contain `\(`"),
        ({"ruleset": "kuhn_poker", "cap": 10**12}, "`cap` must be at most"),
        ({"ruleset": "kuhn_poker", "settings": {"a": "\ud800"}}, "`settings` has half a character"),
    ],
)
def test_what_openspiel_cannot_be_told_is_named(arguments: dict[str, Any], message: str) -> None:
    pytest.importorskip("pyspiel", reason="needs open_spiel: pip install 'rulespec[rl]'")
    from rulespec.guests import load_game

    with pytest.raises(ValueError, match=message):
        load_game(**arguments)
