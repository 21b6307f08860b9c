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
        rows: the resulting positions, ordered by previous position, then by option.
        parents: for each of them, the index of the previous position.
        hashes: their hashes.
        codes: the options that lead there, as in `Search.codes`; empty unless requested.
    """

    rows: NDArray[np.int64]
    parents: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    codes: Codes = _NO_CODES


class Ends(NamedTuple):
    """Results of playouts; the first index is the playout.

    Attributes:
        ended: whether the game ended, rather than being cut off.
        decisions: the number of decisions.
        winners: for each seat, whether it won; in a cut-off playout, whether it leads by points.
        scores: the points of each seat; 0 if the ruleset has no scoring.
        values: for a cut-off playout, the value of the position to each seat; 0 for a finished game.
        payoffs: for each seat, its share of the win, from 0 to 1; in a cut-off playout, the expected share. In a game
            for points, 0 is the maximum loss, 1 the maximum gain. They are multiples of 1/`payoffs.ONE`, so sums are
            exact.
        signal: whether the payoffs are informative: false if a playout was cut off with nobody ahead.
        hashes: the hash of the position after each decision, playout by playout: `decisions` in total. Empty unless
            requested.
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
    """The result of one playout; `winners` are seat numbers, the other fields are as in `Ends`."""

    ended: bool
    decisions: int
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    values: tuple[int, ...] = ()
    hashes: NDArray[np.uint64] = NO_HASHES
