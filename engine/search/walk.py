"""One position that moves to and fro, for tree searches."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.program import ir
from rulespec.engine.search.payoffs import Payoffs
from rulespec.engine.search.recorded_rows import Coder, Codes
from rulespec.engine.search.result_arrays import Ends, Expanded, PlayoutEnd
from rulespec.engine.simulate.checked_playouts import CAP

CHANCE, NOBODY = -1, -2
"""Deciders that are not seats: chance; nobody, as the game is over."""


class Walk(Protocol):
    """A position with the way back to its beginning. Options are numbered as in `Search.counts`."""

    @property
    def count(self) -> int:
        """The number of legal options; 0 when the game is over."""

    @property
    def decider(self) -> int:
        """The number of the seat that decides, `CHANCE`, or `NOBODY` when the game is over."""

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
        """The weights of the options of chance, relative to each other."""

    def take(self, number: int) -> None:
        """Takes an option.

        Raises:
            IndexError: if there is no such option.
        """

    def undo(self) -> None:
        """Takes the last option back.

        Raises:
            IndexError: if there is none.
        """

    def go(self, row: ArrayLike) -> None:
        """Goes to another position, without a way back."""

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> PlayoutEnd:
        """Plays a random game from here, and returns to the beginning of the walk.

        Args:
            seed: the seed of chance.
            number: the number of the game that is drawn by this seed.
            cap: decisions after which the game is abandoned.
        """


class Positions(Protocol):
    """The part of a search that bots ask; see `Search`."""

    @property
    def value(self) -> object | None:
        """The value of positions; None: there is none."""

    @property
    def payoffs(self) -> Payoffs:
        """The worth of ends to each seat."""

    @property
    def program(self) -> ir.Program:
        """The program."""

    @property
    def coder(self) -> Coder:
        """The numbers of options, for codes."""

    def legal(self, rows: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
        """The legal options of positions, as codes; with each the number of its position."""

    def apply(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        """The positions after an option of each."""

    def expand(self, rows: NDArray[np.int64]) -> Expanded:
        """The positions after all legal options of positions."""

    def playouts(self, rows: NDArray[np.int64], seed: int, *, times: int = 1, cap: int = CAP, period: int = 0) -> Ends:
        """Random games from each position."""

    def walk(self, row: ArrayLike) -> Walk:
        """A position that goes forth and back, from a row on."""
