"""A bot: what it gets at a decision, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program.draws import Draws
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
        rows = self.particles(number)
        listed, parents = self.search.legal(rows)
        at = {(parent, *code): k for parent, k, code in _numbered(parents, listed)}
        wanted = [(parent, *code) for code in self.codes.tolist() for parent in range(len(rows))]
        after = self.search.apply(rows[np.tile(np.arange(len(rows)), len(self.codes))], [at[each] for each in wanted])
        return after.reshape(len(self.codes), len(rows), -1)


def _numbered(parents: NDArray[np.int64], codes: Codes) -> list[tuple[int, int, list[int]]]:
    """The number of the position and the number of the option there of each code, with the code."""
    firsts = np.searchsorted(parents, parents)
    numbers = np.arange(len(parents)) - firsts
    return list(zip(parents.tolist(), numbers.tolist(), codes.tolist(), strict=True))


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
