"""Results of searches, as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

NO_HASHES = np.empty(0, np.uint64)


class Expanded(NamedTuple):
    """The positions after all legal options of some positions.

    Attributes:
        rows: the positions afterwards, in the order of the positions before, and of their options.
        parents: for each of them the number of the position before.
        hashes: their hashes.
    """

    rows: NDArray[np.int64]
    parents: NDArray[np.int64]
    hashes: NDArray[np.uint64]


class Ends(NamedTuple):
    """Results of playouts; the first index is that of the playout.

    Attributes:
        ended: whether the game has come to its end; else it has been abandoned.
        decisions: the number of decisions.
        winners: for each seat whether it has won; of a playout that was abandoned, whether it leads.
        scores: the points of each seat; 0 if the ruleset has no scoring.
        hashes: the hash of the position after each decision, of the first playout, then of the next: so many as there
            are `decisions`. Empty if they have not been asked for.
    """

    ended: NDArray[np.bool_]
    decisions: NDArray[np.int64]
    winners: NDArray[np.bool_]
    scores: NDArray[np.int64]
    hashes: NDArray[np.uint64] = NO_HASHES


class End(NamedTuple):
    """The result of one playout: `winners` are numbers of seats, the rest is as in `Ends`."""

    ended: bool
    decisions: int
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    hashes: NDArray[np.uint64] = NO_HASHES
