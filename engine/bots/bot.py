"""The interface of bots: a situation goes in, a pick comes out."""

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
        listed: returns the codes of the options.
        known: whether the seat has seen its whole position, the only particle, whose legal options are then all its
            options.

    Attributes:
        search: searches positions of the game's ruleset, seats and settings.
        seat: the number of the seat.
        options: the number of its legal options.
        particles: a given number of positions indistinguishable for the seat from the actual one, as rows; a single one
            if nothing is hidden. The same number gives the same rows.
        draws: random numbers from the bot's seed and the seat's observations so far.
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
        """The codes of the options; None for all legal ones in the only particle."""
        return None if self._known else self.codes

    def after(self, number: int) -> NDArray[np.int64]:
        """The positions after every option: the first index is the option, the second the particle."""
        return followed(self.search, self.particles(number), self.codes)


class Pick(NamedTuple):
    """A bot's choice, with its reason.

    Attributes:
        option: its number among the seat's legal options.
        shares: for some options, by number, the bot's expected share of the win.
        silent: the share of playouts without information; see `Ends.signal`.
    """

    option: int
    shares: Mapping[int, float] = MappingProxyType({})
    silent: float = 0.0


class Bot(Protocol):
    """A program that plays; the same situation gives the same pick."""

    @property
    def name(self) -> str:
        """Its name, such as `flat:64`."""

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
