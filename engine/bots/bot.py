"""A bot: what it gets at a decision, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program.draws import Draws
from rulespec.engine.search.comparing import followed
from rulespec.engine.search.replays import Codes
from rulespec.engine.search.search import Search


class Situation(NamedTuple):
    """A decision as the seat knows it that is asked. There is nothing hidden in it.

    Attributes:
        search: searches positions of the game's ruleset, seats and settings.
        seat: the number of the seat.
        codes: the legal options of the seat, in their order, as codes.
        particles: so many positions that the seat cannot tell from the one that it is in, as rows; fewer where nothing
            is hidden, which is one. The same number gives the same rows.
        draws: random numbers that depend on the seed of the bot and on what the seat has seen so far.
    """

    search: Search
    seat: int
    codes: Codes
    particles: Callable[[int], NDArray[np.int64]]
    draws: Draws

    def after(self, number: int) -> NDArray[np.int64]:
        """The positions after every option: the first index is that of the option, the second of the particle."""
        return followed(self.search, self.particles(number), self.codes)


class Pick(NamedTuple):
    """An option that a bot takes, and why.

    Attributes:
        option: its number among the legal options of the seat.
        shares: for some options, by number, the share of the win that the bot expects of them.
        silent: the share of the playouts that say nothing; see `Ends.signal`.
    """

    option: int
    shares: Mapping[int, float] = MappingProxyType({})
    silent: float = 0.0


class Bot(Protocol):
    """A player that is a program. The same situation gives the same pick."""

    @property
    def name(self) -> str:
        """Its name, such as `flat:64`."""

    def pick(self, situation: Situation) -> Pick:
        """Chooses one of several options."""
