"""The interface of bots: a bot maps a situation to a pick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program.draws import Draws
from rulespec.engine.search.comparing import followed
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.search import Search


class Situation:
    """A decision from the deciding seat's view, without hidden information.

    Args:
        listed: a function that returns the codes of the options.
        known: whether the seat sees the whole position; the actual position is then the only particle.

    Attributes:
        search: a search over positions of the game's ruleset, seats and settings.
        seat: the number of the seat.
        options: the number of the seat's legal options.
        particles: a function that returns the requested number of positions that the seat cannot distinguish from the
            actual one, as rows; a single row if nothing is hidden. Equal numbers give equal rows.
        draws: the source of random numbers, derived from the bot's seed and the seat's observations so far.
    """

    def __init__(
        self,
        search: Search,
        seat: int,
        options: int,
        listed: Callable[[], Codes],
        particles: Callable[[int], NDArray[np.int64]],
        draws: Draws,
        *,
        known: bool = False,
    ) -> None:
        self.search, self.seat, self.options = search, seat, options
        self.particles, self.draws = particles, draws
        self._listed, self._known = listed, known

    @cached_property
    def codes(self) -> Codes:
        """The legal options of the seat, in order, as codes."""
        return self._listed()

    @property
    def named(self) -> Codes | None:
        """The codes of the options; None if the seat sees the whole position, which then implies the options."""
        return None if self._known else self.codes

    def after(self, number: int) -> NDArray[np.int64]:
        """The positions after every option; the first index is the option, the second the particle."""
        return followed(self.search, self.particles(number), self.codes)


class Pick(NamedTuple):
    """A bot's choice, with its reason.

    Attributes:
        option: the index among the seat's legal options.
        shares: option index → the bot's expected share of the win, for some options.
        silent: the share of playouts that carried no information; see `Ends.signal`.
    """

    option: int
    shares: Mapping[int, float] = MappingProxyType({})
    silent: float = 0.0


class Bot(Protocol):
    """A program that plays; it picks the same option in equal situations."""

    @property
    def name(self) -> str:
        """The name of the bot, such as `flat:64`."""

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
