"""Results of searches as arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.search.recorded_rows import Codes

NO_HASHES = np.empty(0, np.uint64)
_NO_CODES = np.empty((0, 0), np.int64)


class Expanded(NamedTuple):
    """The positions after all legal options of some positions.

    Attributes:
        rows: the positions afterwards, in the order of the positions before, and of their options.
        parents: for each of them the number of the position before.
        hashes: their hashes.
        codes: the options that lead there, as `Search.codes` numbers them; empty if they have not been asked for.
    """

    rows: NDArray[np.int64]
    parents: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    codes: Codes = _NO_CODES


class Ends(NamedTuple):
    """Results of playouts; the first index is that of the playout.

    Attributes:
        ended: whether the game has ended; else it was cut off.
        decisions: the number of decisions.
        winners: for each seat whether it has won; of a playout that was cut off, whether it leads by points.
        scores: the points of each seat; 0 if the ruleset has no scoring.
        values: the value of the position to each seat where the playout was cut off; 0 where the game has ended.
        payoffs: for each seat its share of the win, from 0 to 1; of a playout that was cut off, the share that it may
            expect. In a game for points a number of them: 0 is the most that it can lose, 1 the most that it can win.
            They are whole numbers of parts of `payoffs.ONE`, so sums of them are exact.
        signal: whether the payoffs carry information. They do not if a playout was cut off and nobody is ahead.
        hashes: the hash of the position after each decision, of the first playout, then of the next: as many as
            `decisions` in all. Empty unless requested.
    """

    ended: NDArray[np.bool_]
    decisions: NDArray[np.int64]
    winners: NDArray[np.bool_]
    scores: NDArray[np.int64]
    values: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    signal: NDArray[np.bool_]
    hashes: NDArray[np.uint64] = NO_HASHES


class PlayoutEnd(NamedTuple):
    """The result of one playout: `winners` are numbers of seats, the rest is as in `Ends`."""

    ended: bool
    decisions: int
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    values: tuple[int, ...] = ()
    hashes: NDArray[np.uint64] = NO_HASHES
