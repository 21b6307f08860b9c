"""A ruleset as a PettingZoo AEC environment, in which agents act in turn.

Example::

    env = aec_env("connect_four")
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        over = termination or truncation
        env.step(None if over else env.action_space(agent).sample(info["action_mask"]))
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium.spaces import Box, Discrete, Space
from pettingzoo.utils.env import AECEnv
from pettingzoo.utils.wrappers import OrderEnforcingWrapper, TerminateIllegalWrapper

from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.guests.action_game import Contract, Play, contract
from rulespec.guests.actions import Form
from rulespec.guests.arguments import rendered, whole
from rulespec.guests.observations import Floats
from rulespec.typed import nodes as typed

ILLEGAL = -1.0
"""The reward for an illegal action, which ends the game."""


def observation_space(table: Contract) -> Space[Any]:
    """The observation space of a table."""
    return Box(table.sight.low, table.sight.high, dtype=np.float32)


def action_space(table: Contract) -> Space[Any]:
    """The action space of a table."""
    return Discrete(table.actions.size)


class RulesetEnv(AECEnv[str, Floats, int]):  # type: ignore[misc]  # PettingZoo has no types
    """A table as a PettingZoo environment. Agents are `seat_0`, `seat_1`, … in seat order.

    An agent's mask is `infos[agent]["action_mask"]`; it is all 0 while the agent is not to act. The last reward is the
    return (`Returns`), and all other rewards are 0; a game that reaches the cap is truncated. Chance is determined by
    the seed, as in `rulespec simulate`. Options out of turn are not offered.

    Args:
        table: the contract of the table.
        render_mode: `ansi`, or None.
    """

    def __init__(self, table: Contract, render_mode: str | None = None) -> None:
        super().__init__()
        self.metadata = {"name": table.game.ruleset.ref, "render_modes": ["ansi"], "is_parallelizable": False}
        self.render_mode = rendered(render_mode)
        self.table = table
        self.possible_agents = [f"seat_{number}" for number in range(len(table.game.seats))]
        self.observation_spaces = {agent: observation_space(table) for agent in self.possible_agents}
        self.action_spaces: dict[str, Space[Any]] = {agent: action_space(table) for agent in self.possible_agents}
        self._seed, self._number = secrets.randbits(63), -1

    def observation_space(self, agent: str) -> Space[Any]:
        """The observation space of an agent."""
        return self.observation_spaces[self._known(agent)]

    def action_space(self, agent: str) -> Space[Any]:
        """The action space of an agent."""
        return self.action_spaces[self._known(agent)]

    def _known(self, agent: str) -> str:
        if agent not in self.possible_agents:
            raise ValueError(f"there is no agent {str(agent)[:60]!a}: the agents are {', '.join(self.possible_agents)}")
        return agent

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Starts a game: the first game of a seed, or the next game of the current seed."""
        if seed is not None:
            self._seed, self._number = whole("seed", seed), -1
        self._number += 1
        self._draws = Draws(self._seed, self._number)
        self.play: Play = self.table.play()
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.agent_selection = self.agents[0]
        self._go_on()

    def step(self, action: int | None) -> None:
        """Plays an action of the selected agent; the action is None if the agent's game is over.

        Raises:
            IllegalActionError: if the action is illegal; the game is then unchanged.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        self.play.take(-1 if action is None else int(action))
        self._cumulative_rewards[agent] = 0.0
        self._go_on()
        self._accumulate_rewards()

    def _go_on(self) -> None:
        """Draws from chance, then selects the next agent, or sets the rewards of a finished game."""
        self.play.draw(self._draws)
        none = np.zeros(self.table.actions.size, np.int8)
        self.infos: dict[str, dict[str, Any]] = {agent: {"action_mask": none.copy()} for agent in self.agents}
        if not self.play.is_over:
            self.agent_selection = self.possible_agents[self.play.seat]
            self.infos[self.agent_selection] = {"action_mask": self.play.mask}
            return
        ends = self.truncations if self.play.cut else self.terminations
        ends.update(dict.fromkeys(self.agents, True))
        self.rewards = dict(zip(self.possible_agents, self.play.returns(), strict=True))

    def observe(self, agent: str) -> Floats:
        """The observation of an agent."""
        return self.play.observation(self.possible_agents.index(self._known(agent)))

    def render(self) -> str:
        """The game so far, as public text."""
        return "\n".join(map(str, self.play.game.view(None).history))

    def close(self) -> None:
        """Does nothing, because no resources are held."""

    def __str__(self) -> str:
        return str(self.metadata["name"])


class _IllegalEnds(TerminateIllegalWrapper):  # type: ignore[misc]
    """PettingZoo's wrapper for illegal actions, extended to numbers outside the action space."""

    def step(self, action: int | None) -> None:
        """Plays an action; an illegal one ends the game.

        Raises:
            TypeError: if it is not a whole number, unless the game is over.
        """
        agent = self.agent_selection
        if not (self.terminations[agent] or self.truncations[agent]):
            action = whole("action", action)
            if not 0 <= action < self.action_space(agent).n:
                self.observe(agent)
                action, self._prev_info = 0, {"action_mask": np.zeros(1, np.int8)}
        super().step(action)


def aec_env(
    ruleset: str | typed.Ruleset,
    players: int | None = None,
    settings: Mapping[str, str | int] | None = None,
    *,
    form: Form | None = None,
    cap: int = CAP,
    render_mode: str | None = None,
) -> Any:
    """The environment of a table, in which an illegal action ends the game.

    Args:
        ruleset: a checked ruleset, or a reference to one.
        players: the number of seats; None for the minimum.
        settings: the settings of the table.
        form: `options` or `words`; None for options if they are few.
        cap: the number of decisions before a game is truncated.
        render_mode: `ansi`, or None.

    Raises:
        DiagnosticsError: if the ruleset has errors, or does not fit the number of seats or the settings.
        ValueError: if there are too many options for the form `options`, or there is no such render mode.
        TypeError: if an argument has the wrong type.
    """
    env = RulesetEnv(contract(ruleset, players, settings, form=form, cap=cap), render_mode)
    return OrderEnforcingWrapper(_IllegalEnds(env, illegal_reward=ILLEGAL))
