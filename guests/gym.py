"""One seat of a ruleset as a Gymnasium environment, with bots at the other seats.

Example::

    env = gymnasium.make(SEAT_ENV, ruleset="connect_four", bots="random")
    observation, info = env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rulespec.engine.bots.bot_seats import BotSeats
from rulespec.engine.bots.named import open_bot
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.open_search import open_search
from rulespec.engine.simulate.checked_playouts import CAP, choose
from rulespec.guests.action_game import IllegalActionError, Play, contract
from rulespec.guests.actions import Form
from rulespec.guests.aec import ILLEGAL, action_space, observation_space
from rulespec.guests.arguments import rendered, text, whole
from rulespec.guests.observations import Floats
from rulespec.typed import nodes as typed

RANDOM = "random"
SEAT_ENV = "rulespec/Seat-v0"
"""The name of the environment for `gymnasium.make`, once this module is imported."""


class SeatEnv(gymnasium.Env[Floats, np.int64]):
    """A seat of a table as an environment.

    Actions are those of the table's action space; `info["action_mask"]` marks the legal ones. An illegal action ends
    the game with the reward `ILLEGAL`. The final reward is the seat's return; all others are 0. Equal seeds give equal
    games, including the bots' choices, as in `rulespec simulate`.

    Args:
        ruleset: a checked ruleset, or a reference to one.
        players: the number of seats; None for the minimum.
        settings: the settings of the table.
        seat: the number of the seat, from 0.
        bots: the bot that plays the other seats, such as `random` or `flat:64`.
        form: `options` or `words`; None for options if they are few.
        cap: the number of decisions before a game is truncated.
        render_mode: `ansi`, or None.

    Raises:
        DiagnosticsError: if the ruleset has errors, or does not fit the number of seats or the settings.
        ValueError: if there is no such seat or render mode, or there are too many options for the form `options`.
        TypeError: if an argument has the wrong type.
        BotNameError: if there is no such bot.
    """

    metadata = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - the base class has it so

    def __init__(
        self,
        ruleset: str | typed.Ruleset,
        players: int | None = None,
        settings: Mapping[str, str | int] | None = None,
        seat: int = 0,
        bots: str = RANDOM,
        form: Form | None = None,
        cap: int = CAP,
        render_mode: str | None = None,
    ) -> None:
        table = contract(ruleset, players, settings, form=form, cap=cap)
        if not 0 <= (seat := whole("seat", seat)) < len(table.game.seats):
            raise ValueError(f"there is no seat {seat}: the seats are 0 to {len(table.game.seats) - 1}")
        self.table, self.seat, self.render_mode = table, seat, rendered(render_mode)
        self._bot = open_bot(text("bots", bots))
        self._random = bots == RANDOM
        self._search = None if self._random else open_search(table.game)
        self.observation_space = observation_space(table)
        self.action_space = action_space(table)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Floats, dict[str, Any]]:
        """Starts a game; returns the seat's first observation and the mask."""
        super().reset(seed=seed)
        chance = int(self.np_random.integers(2**63))
        self._draws, self._ended = Draws(chance), False
        self.play: Play = self.table.play()
        game = self.play.game
        others = {each: self._bot for number, each in enumerate(game.seats) if number != self.seat}
        self._bots = None if self._random else BotSeats(game, others, chance, self._search)
        self._go_on()
        return self._observation(), self._info()

    def step(self, action: SupportsIndex) -> tuple[Floats, float, bool, bool, dict[str, Any]]:
        """Plays an action, then plays on until the seat must decide again or the game is over.

        Raises:
            ResetNeeded: before the first `reset`, and after the end of a game.
            TypeError: if the action is not a whole number.
        """
        self._started()
        if self._ended or self.play.is_over:
            raise gymnasium.error.ResetNeeded("the game is over: call `reset` first")
        try:
            self.play.take(whole("action", action))
        except IllegalActionError:
            self._ended = True
            return self._observation(), ILLEGAL, True, False, {"action_mask": np.zeros_like(self.play.mask)}
        self._go_on()
        over, cut = self.play.game.is_over, self.play.cut
        reward = self.play.returns()[self.seat] if over else 0.0
        return self._observation(), reward, over, cut, self._info()

    def _started(self) -> None:
        if not hasattr(self, "play"):
            raise gymnasium.error.ResetNeeded("there is no game yet: call `reset` first")

    def _go_on(self) -> None:
        play = self.play
        play.draw(self._draws)
        while not play.is_over and play.seat != self.seat:
            if self._bots is None:
                option = choose(play.game, self._draws, interrupt_rate=0)
                assert option is not None  # `draw` reports a decision without options as a fault
            else:
                option, _ = self._bots.choose(play.game)
            play.apply(option)
            play.draw(self._draws)

    def _observation(self) -> Floats:
        return self.play.observation(self.seat)

    def _info(self) -> dict[str, Any]:
        mask: NDArray[np.int8] = self.play.mask
        return {"action_mask": mask}

    def render(self) -> str:
        """The game so far, as the seat sees it."""
        self._started()
        game = self.play.game
        return "\n".join(map(str, game.view(game.seats[self.seat]).history))


if SEAT_ENV not in gymnasium.registry:
    gymnasium.register(SEAT_ENV, entry_point="rulespec.guests.gym:SeatEnv")
