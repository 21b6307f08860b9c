"""One position that goes forth and back: for searches that grow a tree."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.search.ends import End
from rulespec.engine.search.replays import Codes
from rulespec.engine.simulate.playouts import CAP


class Walk(Protocol):
    """A position with the way back to where it has begun. Options are numbered as `Search` counts them."""

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
        """The legal options as codes: an option has the same one wherever it is legal; see `Search.legal`."""

    def weights(self) -> list[int]:
        """The weights of the options of chance, relative to each other."""

    def take(self, number: int) -> None:
        """Takes an option.

        Raises:
            IndexError: if there are not so many.
        """

    def undo(self) -> None:
        """Takes the last option back.

        Raises:
            IndexError: if there is none.
        """

    def go(self, row: ArrayLike) -> None:
        """Goes to another position, from which there is no way back."""

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> End:
        """Plays a random game from here, then goes back to where the walk has begun.

        Args:
            seed: the seed of chance.
            number: the number of the game that is drawn by this seed.
            cap: decisions after which the game is abandoned.
        """
