"""Walks: positions at which tree searches take and undo options."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.program import ir
from rulespec.engine.search.payoffs import Ends, Expanded, Payoffs, PlayoutEnd
from rulespec.engine.search.recorded_rows import Coder, Codes
from rulespec.engine.simulate.checked_playouts import CAP

CHANCE, NOBODY = -1, -2
"""The deciders that are not seats: chance, and nobody after the end of the game."""


class Walk(Protocol):
    """A position with an undo history back to its start. Options are numbered as in `Search.counts`."""

    @property
    def count(self) -> int:
        """The number of legal options; 0 when the game is over."""

    @property
    def decider(self) -> int:
        """The number of the deciding seat, `CHANCE`, or `NOBODY` when the game is over."""

    @property
    def hash(self) -> int:
        """The hash of the position."""

    @property
    def row(self) -> NDArray[np.int64]:
        """The position as a row."""

    @property
    def codes(self) -> Codes:
        """The legal options as codes, which do not depend on the position; see `Search.legal`."""

    def weights(self) -> list[int]:
        """The relative weights of chance options."""

    def take(self, number: int) -> None:
        """Takes an option.

        Raises:
            IndexError: if there is no such option.
        """

    def undo(self) -> None:
        """Undoes the last option.

        Raises:
            IndexError: if there is no option to undo.
        """

    def go(self, row: ArrayLike) -> None:
        """Goes to another position, and clears the undo history."""

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> PlayoutEnd:
        """Plays a random game from the current position, then returns to the start of the walk.

        Args:
            seed: the seed of chance.
            number: the number of the game for this seed.
            cap: the number of decisions before the game is abandoned.
        """


class Positions(Protocol):
    """The part of a search that bots use; see `Search`."""

    @property
    def value(self) -> object | None:
        """The position value; None if the ruleset declares none."""

    @property
    def payoffs(self) -> Payoffs:
        """The computation of each seat's payoff at the end of a playout."""

    @property
    def program(self) -> ir.Program:
        """The program."""

    @property
    def coder(self) -> Coder:
        """The numbering of options, for codes."""

    def legal(self, rows: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
        """The legal options of positions, as codes, and the index of each option's position."""

    def apply(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        """The positions after one option from each."""

    def expand(self, rows: NDArray[np.int64]) -> Expanded:
        """The positions after all legal options."""

    def playouts(self, rows: NDArray[np.int64], seed: int, *, times: int = 1, cap: int = CAP, period: int = 0) -> Ends:
        """The results of random games played from each position."""

    def walk(self, row: ArrayLike) -> Walk:
        """A walk that starts at a row."""
