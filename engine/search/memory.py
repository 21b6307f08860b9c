"""The memory of a module, with room for rows of numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program.draws import threshold
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.weights import write_sight_weights, write_weights
from rulespec.engine.simulate.checked_playouts import INTERRUPT_RATE
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.layout import BATCH
from rulespec.engine.wasm.playouts import BUDGET, sow
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.roots import Ranks

_ROWS_BYTES = 4 << 20
"""The size of an input buffer for rows, in bytes."""
OUT_BYTES = 8 << 20
"""The size of an output buffer for rows, in bytes."""


class SearchMemory:
    """The memory of a module, with room for rows. Each thread needs its own.

    Args:
        wasm: the program with its machine code.
    """

    def __init__(self, wasm: WasmProgram) -> None:
        self.wasm = wasm
        self.constants = wasm.compiled.memory.constants
        self.instance = wasm.instance()
        write_weights(wasm, self.instance)
        write_sight_weights(wasm, self.instance)
        self.row = self.constants["ROW"]
        self.state = self.constants["STATE_END"] - self.constants["STATE"]
        """Bytes per snapshot."""
        self.most = max(1, min(BATCH, _ROWS_BYTES // self.row))
        """The maximum number of input rows."""
        self.rows = self.grow(self.row * max(2, self.most))
        self.options = self.grow(8 * (self.constants["MAX_OPTIONS"] + 1))
        self.room = out = max(OUT_BYTES, self.row + 16, self.constants["STRIDE"])
        """The size of the buffer for output rows, or for recorded decisions as input, in bytes."""
        self.out = self.grow(out)
        registers = {"ROWS": self.rows, "ANSWERS": self.options, "OUT": self.out, "OUT_END": self.out + out}
        registers["TRAIL_END"] = self.out + out // 8 * 8
        for register, value in (registers | {"RATE": threshold(INTERRUPT_RATE)}).items():
            self.set(register, value)
        self.instance.call("reset")
        self.ranks = Ranks(wasm.p)

    def grow(self, size: int) -> int:
        """Grows the memory by a number of bytes; returns the first new address.

        Raises:
            NoWasmtimeError: if there is not enough memory.
        """
        result = self.instance.grow(size)
        self.numbers = np.frombuffer(self.instance.memory, np.int64)
        return result

    def set(self, register: str, value: int) -> None:
        """Writes a register."""
        self.instance.numbers[self.constants[register] // 8] = value

    def set_at(self, at: int, word: int) -> None:
        """Writes an unsigned number to an address."""
        self.instance.unsigned[at // 8] = word

    def asks(self, rows: NDArray[np.int64], codes: Codes | None) -> bool:
        """Writes positions and option codes into the memory; returns whether they fit."""
        if len(rows) > self.most or (codes is not None and codes.size > self.constants["MAX_OPTIONS"]):
            return False
        self.write(self.rows, rows)
        if codes is not None:
            self.write(self.options, codes)
        self.set("CODES", 0 if codes is None else self.options)
        return True

    def get(self, register: str) -> int:
        """Reads a register."""
        return int(self.instance.numbers[self.constants[register] // 8])

    def read(self, at: int, count: int) -> NDArray[np.int64]:
        """A copy of `count` numbers from an address."""
        return self.numbers[at // 8 : at // 8 + count].copy()

    def write(self, at: int, values: NDArray[np.int64]) -> None:
        """Writes numbers to the addresses from `at` on."""
        self.numbers[at // 8 : at // 8 + values.size] = values.reshape(-1)

    def each(self, count: int, call: Callable[[], object]) -> list[int]:
        """Repeats a call until all rows are done; returns the rows that only Python can handle."""
        given_back = []
        for register in ("GAME", "NEXT", "PAUSED"):
            self.set(register, 0)
        while (done := self.get("GAME")) < count:
            self.set("BUDGET", BUDGET)
            try:
                call()
            except TrapError:
                given_back.append(done := self.get("GAME"))
                self.set("GAME", done + 1)
                self.set("NEXT", 0)
                self.set("PAUSED", 0)
        return given_back

    def sow(self, seed: int, first: int, period: int = 0) -> None:
        """Sets the seed and the game numbers of the next playouts: consecutive numbers from `first` on, which start
        over after `period` playouts unless `period` is 0.
        """
        sow(self.instance, self.constants, seed, range(first, first + self.most))
        self.set("PERIOD", period)

    def play(self, count: int, cap: int, value: int, times: int = 1, skip: int = 0) -> list[int]:
        """Plays `count` random games; returns the indices of those that only Python can play.

        Args:
            count: the number of games.
            cap: the number of decisions before a game is cut off.
            value: the number of the value used for cut-off games; a negative number means points.
            times: the number of games from each row.
            skip: the number of games to skip in the first row.
        """
        return self.each(count, lambda: self.instance.call("judged", count, cap, value, times, skip))

    def play_hashed(
        self, count: int, cap: int, value: int, times: int, skip: int
    ) -> tuple[list[int], NDArray[np.uint64]]:
        """Plays games like `play`, and also returns, game by game, the hashes after all decisions of the games that
        wasm could play.
        """
        given_back, words = self._play_trailed(count, cap, value, times, skip, 1)
        return given_back, words.view(np.uint64)

    def coded(self, row: NDArray[np.int64], seed: int, numbers: range, cap: int) -> Iterator[NDArray[np.int64] | None]:
        """The codes of random games from a row; None for a game that only Python can play."""
        width = self.constants["STRIDE"] // 8
        for at in range(0, len(numbers), self.most):
            own = numbers[at : at + self.most]
            self.write(self.rows, row)
            self.sow(seed, own.start)
            self.set("CODED", 1)
            try:
                given_back, words = self._play_trailed(len(own), cap, -1, self.most, 0, width)
            finally:
                self.set("CODED", 0)
            sizes = [0 if n in given_back else self.decisions(n) for n in range(len(own))]
            parts = np.split(words.reshape(-1, width), np.cumsum(sizes)[:-1])
            yield from (None if n in given_back else part for n, part in enumerate(parts))

    def _play_trailed(
        self, count: int, cap: int, value: int, times: int, skip: int, width: int
    ) -> tuple[list[int], NDArray[np.int64]]:
        """Games with `width` numbers per decision, except those that only Python can play."""
        results: list[NDArray[np.int64]] = []
        trapped: set[int] = set()

        def call() -> None:
            self.set("TRAIL", self.out)
            try:
                self.instance.call("judged", count, cap, value, times, skip)
            except TrapError:
                trapped.add(self.get("GAME"))
                raise
            finally:
                results.append(self.read(self.out, (self.get("TRAIL") - self.out) // 8))
                if self.get("GAME") in trapped:  # the notes of this game are useless
                    played = sum(self.decisions(n) for n in range(self.get("GAME")) if n not in trapped)
                    results[:] = [np.concatenate(results)[: width * played]]

        try:
            given_back = self.each(count, call)
        finally:
            self.set("TRAIL", 0)
        return given_back, np.concatenate([*results, np.empty(0, np.int64)])

    def decisions(self, number: int) -> int:
        """The number of decisions in a playout of the last batch, given its index."""
        return int(self.instance.numbers[(self.constants["RESULTS"] + self.constants["RESULT"] * number) // 8 + 1])

    def results(self, count: int) -> NDArray[np.int64]:
        """The results of `count` playouts, one row of numbers each, valid until the next playouts.

        The columns are status, decisions, ending, winners, ranks and values.
        """
        size, at = self.constants["RESULT"] // 8, self.constants["RESULTS"] // 8
        return self.numbers[at : at + size * count].reshape(count, size)
