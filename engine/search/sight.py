"""Observations of many positions by a seat, and games continued along its observations, computed in wasm."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.wasm.engine import TrapError

_NOTES = 3
"""The number of notes after each decision of a continued game."""


class Followed(NamedTuple):
    """Continued games; the first index is the game.

    Attributes:
        rows: their positions after the last decision, or after the first contradiction.
        codes: their decisions, with all open columns filled.
        reached: the number of decisions that agree with the observations.
        odds: for each decision, the weights of the option taken, of all options that agree with the observations, and
            of all options; an option of a seat weighs 1.
    """

    rows: NDArray[np.int64]
    codes: Codes
    reached: NDArray[np.int64]
    odds: NDArray[np.int64]


class Sight:
    """A seat's view of many positions.

    Args:
        memory: the memory of a module.
        seat: the number of the seat.
    """

    def __init__(self, memory: SearchMemory, seat: int) -> None:
        self._memory = memory
        self._seat = seat
        constants = memory.constants
        self._width = constants["STRIDE"] // 8
        self._columns = memory.row // 8
        sights = (constants["SIGHTS_END"] - constants["SIGHTS"]) // 16
        self.size = sights + (constants["COUNTS_END"] - constants["COUNTS"]) // 8

    def digests(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Digests of the seat's views; equal views have equal digests."""
        results = [np.empty(0, np.int64)]
        for first in range(0, len(rows), self._memory.most):
            count = self._put(rows[first : first + self._memory.most])
            self._each("sighted", count)
            results.append(self._memory.read(self._memory.options, count))
        return np.concatenate(results)

    def observations(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The observations of positions, one row each: the named cells (`OPEN` if hidden), then the public counts."""
        memory, results = self._memory, [np.empty(0, np.int64)]
        memory.set("OUT", memory.out)
        most = max(1, min(memory.most, memory.room // (8 * max(1, self.size))))
        for first in range(0, len(rows), most):
            count = self._put(rows[first : first + most])
            self._each("observed", count)
            results.append(memory.read(memory.out, count * self.size))
        return np.concatenate(results).reshape(len(rows), self.size)

    def follow(self, rows: NDArray[np.int64], codes: Codes, looks: NDArray[np.int64], seed: int) -> Followed:
        """Continues games along a seat's observations, each up to its first contradiction.

        Args:
            rows: the positions from which the games continue.
            codes: for each game, its decisions, with `OPEN` in every column to be drawn.
            looks: the decisions as seen by the seat, with `OPEN` in every hidden column; after each decision comes a
                digest of the seat's view at that point.
            seed: the seed of the draws; game n has the draws of game n of the seed.
        """
        games, steps, _ = codes.shape
        rows, reached = rows.copy(), np.zeros(games, np.int64)
        filled = np.zeros((games, steps, self._width + _NOTES), np.int64)
        filled[:, :, : self._width] = codes
        memory, size = self._memory, 8 * (self._width + _NOTES) * steps
        looks_at = memory.out
        base = looks_at + 8 * looks.size
        most = min(memory.most, (memory.room - 8 * looks.size) // max(1, size))
        if most < 1:
            raise NotFoundError("the history is too long to be followed in wasm")
        for first in range(0, games, most):
            part = slice(first, min(first + most, games))
            count = self._put(rows[part])
            memory.write(looks_at, looks)
            memory.write(base, filled[part])
            starts = base + size * np.arange(count)
            memory.write(memory.options, np.stack([starts, starts + size, np.full(count, looks_at)], axis=1))
            memory.sow(seed, first)
            self._each("follow", count)
            rows[part] = memory.read(memory.rows, count * self._columns).reshape(count, -1)
            filled[part] = memory.read(base, filled[part].size).reshape(count, steps, -1)
            ends = memory.read(memory.options, 3 * count).reshape(count, 3)[:, 0]
            reached[part] = (ends - starts) // max(1, size // max(1, steps))
        return Followed(rows, filled[:, :, : self._width], reached, filled[:, :, self._width :])

    def _put(self, rows: NDArray[np.int64]) -> int:
        self._memory.write(self._memory.rows, rows)
        return len(rows)

    def _each(self, function: str, count: int) -> None:
        def call() -> None:
            try:
                self._memory.instance.call(function, count, self._seat)
            except TrapError:
                self._memory.instance.call("undo", self._memory.constants["JOURNAL_BASE"])
                raise

        if self._memory.each(count, call) and function != "follow":
            raise NotFoundError("only Python can say what the seat sees")
