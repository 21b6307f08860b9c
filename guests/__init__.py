"""Adapters that connect any ruleset to other systems: learning environments, other engines, agents.

Example::

    from rulespec.guests import aec_env

    env = aec_env("connect_four")

The names below are imported on first use; most of them need `pip install 'rulespec[rl]'`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rulespec.guests.action_game import Contract, IllegalActionError, Play, contract
    from rulespec.guests.actions import ActionSpace
    from rulespec.guests.aec import RulesetEnv, aec_env
    from rulespec.guests.batch import Batch
    from rulespec.guests.gym import SEAT_ENV, SeatEnv
    from rulespec.guests.observations import Observations
    from rulespec.guests.spiel import load_game
    from rulespec.guests.trajectories import game_of, trajectory
    from rulespec.guests.trees import CfrPlus, GameTree, cfr_plus, tree

__all__ = [
    "SEAT_ENV",
    "ActionSpace",
    "Batch",
    "CfrPlus",
    "Contract",
    "GameTree",
    "IllegalActionError",
    "Observations",
    "Play",
    "RulesetEnv",
    "SeatEnv",
    "aec_env",
    "cfr_plus",
    "contract",
    "game_of",
    "load_game",
    "trajectory",
    "tree",
]

_HOMES = {
    "action_game": "Contract IllegalActionError Play contract",
    "actions": "ActionSpace",
    "aec": "RulesetEnv aec_env",
    "batch": "Batch",
    "gym": "SEAT_ENV SeatEnv",
    "observations": "Observations",
    "spiel": "load_game",
    "trajectories": "game_of trajectory",
    "trees": "CfrPlus GameTree cfr_plus tree",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}
_EXTRA = {"gymnasium", "numpy", "pettingzoo", "pyspiel"}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'rulespec.guests' has no attribute {name!r}")
    try:
        result = globals()[name] = getattr(import_module(f"rulespec.guests.{_HOME[name]}"), name)
    except ModuleNotFoundError as error:
        library = (error.name or "").partition(".")[0]
        if library not in _EXTRA:
            raise
        message = f"`{name}` needs {library}: pip install 'rulespec[rl]'"
        raise ModuleNotFoundError(message, name=error.name) from None
    return result


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
