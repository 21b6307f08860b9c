"""Search in wasm: rows of numbers go into the memory of a module, and what comes of them is read from there."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from queue import SimpleQueue

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.replays import Codes, Replayed
from rulespec.engine.search.results import End, Ends, Expanded
from rulespec.engine.search.search import Search
from rulespec.engine.search.walk import Walk
from rulespec.engine.search.wasm_replay import WasmReplay
from rulespec.engine.search.wasm_walk import WasmWalk
from rulespec.engine.simulate.playouts import CAP
from rulespec.engine.wasm.engine import NoWasmtimeError

_COUNT, _DECIDER, _HASH = range(3)
"""The functions of the module that look at rows."""


class WasmSearch(Search):
    """Positions as rows, in wasm; see `Search`. One thread may use it at a time.

    Raises:
        NoWasmtimeError, NoWasmError: if the program cannot be carried out in wasm.
    """

    backend = "wasm"

    def __init__(self, game: Game, *, interrupts: bool = False) -> None:
        super().__init__(game, interrupts=interrupts)
        self._wasm = wasm_program(game.ruleset, self.seats, game.settings)
        self._memories = [SearchMemory(self._wasm)]

    def _parts(self, rows: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Puts rows into the memory, as many as find room at a time; each with the number of the first."""
        memory = self._memories[0]
        for first in range(0, len(rows), memory.most):
            part = rows[first : first + memory.most]
            memory.write(memory.rows, part)
            yield first, part

    def _look(
        self, rows: NDArray[np.int64], what: int, python: Callable[[NDArray[np.int64]], NDArray[np.int64]]
    ) -> NDArray[np.int64]:
        memory, rows = self._memories[0], self._checked(rows)
        result = np.empty(len(rows), np.int64)
        for first, part in self._parts(rows):
            count = len(part)
            look = (count, what, int(self.interrupts))
            given_back = memory.each(count, lambda look=look: memory.instance.call("look", *look))  # type: ignore[misc]
            result[first : first + count] = memory.read(memory.options, count)
            if given_back:
                result[first : first + count][given_back] = python(part[given_back])
        return result

    def deciders(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of each position's deciding seat."""
        return self._look(rows, _DECIDER, super().deciders)

    def counts(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The number of legal options."""
        return self._look(rows, _COUNT, super().counts)

    def hashes(self, rows: NDArray[np.int64]) -> NDArray[np.uint64]:
        """The hashes of positions."""
        python = super().hashes
        return self._look(rows, _HASH, lambda some: python(some).view(np.int64)).view(np.uint64)

    def apply(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        """The positions after an option of each."""
        memory, rows = self._memories[0], self._checked(rows)
        numbers = self._numbers(rows, options)
        result = np.empty_like(rows)
        for first, part in self._parts(rows):
            count = len(part)
            memory.write(memory.options, numbers[first : first + count])
            call = (count, int(self.interrupts))
            given_back = memory.each(count, lambda call=call: memory.instance.call("advance", *call))  # type: ignore[misc]
            result[first : first + count] = memory.read(memory.rows, part.size).reshape(part.shape)
            if given_back:
                place = numbers[first : first + count][given_back]
                result[first : first + count][given_back] = super().apply(part[given_back], place)
        return result

    def expand(self, rows: NDArray[np.int64]) -> Expanded:
        """The positions after all legal options of positions."""
        memory, rows = self._memories[0], self._checked(rows)
        results: list[NDArray[np.int64]] = []
        others: list[Expanded] = []

        def call() -> None:
            memory.set("OUT", memory.out)
            try:
                memory.instance.call("expand", count, int(self.interrupts))
            finally:
                done = (memory.get("OUT") - memory.out) // 8
                after = memory.read(memory.out, done).reshape(-1, self.columns + 2)
                after[:, self.columns] += first
                results.append(after)

        for first, part in self._parts(rows):
            count = len(part)
            given_back = np.array(memory.each(count, call), np.int64)
            if len(given_back):
                python = super().expand(part[given_back])
                others.append(python._replace(parents=first + given_back[python.parents]))
                results = [one[~np.isin(one[:, self.columns], first + given_back)] for one in results]
        whole = np.concatenate([np.empty((0, self.columns + 2), np.int64), *results])
        result = Expanded(
            np.ascontiguousarray(whole[:, : self.columns]),
            whole[:, self.columns].copy(),
            whole[:, self.columns + 1].copy().view(np.uint64),
        )
        if not others:
            return result
        every = [result, *others]
        parents = np.concatenate([one.parents for one in every])
        order = np.argsort(parents, kind="stable")
        hashes = np.concatenate([one.hashes for one in every])
        return Expanded(np.concatenate([one.rows for one in every])[order], parents[order], hashes[order])

    def playouts(
        self, rows: NDArray[np.int64], seed: int, *, cap: int = CAP, jobs: int = 1, hashes: bool = False
    ) -> Ends:
        """Plays a random game from each position."""
        rows = self._checked(rows)
        memories = self._memories_for(jobs)
        jobs = len(memories)
        free: SimpleQueue[SearchMemory] = SimpleQueue()
        for memory in memories:
            free.put(memory)
        size = self._memories[0].most

        def play(first: int) -> list[End | None]:
            memory = free.get()
            try:
                memory.sow(seed, first)
                return self._part(memory, rows[first : first + size], cap, hashes)
            finally:
                free.put(memory)

        firsts = range(0, len(rows), size)
        if jobs == 1:
            ends = [end for first in firsts for end in play(first)]
        else:
            with ThreadPoolExecutor(jobs) as threads:
                ends = [end for part in threads.map(play, firsts) for end in part]
        return self._ends(
            [
                self.playout(row, seed, n, cap, hashes) if end is None else end
                for n, (row, end) in enumerate(zip(rows, ends, strict=True))
            ]
        )

    def _memories_for(self, threads: int) -> list[SearchMemory]:
        """A memory for each thread; for fewer threads if there is not enough room for so many."""
        with suppress(NoWasmtimeError):
            while len(self._memories) < threads:
                self._memories.append(SearchMemory(self._wasm))
        return self._memories[:threads]

    def _part(self, memory: SearchMemory, rows: NDArray[np.int64], cap: int, hashes: bool) -> list[End | None]:
        """Plays from some rows; None where only Python can."""
        memory.write(memory.rows, rows)
        seen = None
        if hashes:
            given_back, seen = memory.play_hashed(len(rows), cap)
        else:
            given_back = memory.play(len(rows), cap)
        results: list[End | None] = []
        at = 0
        for number, _ in enumerate(rows):
            if number in given_back:
                results.append(None)
                continue
            first, at = at, at + memory.decisions(number)
            end = memory.end(self, number)
            results.append(end if seen is None else end._replace(hashes=seen[first:at]))
        return results

    def _replayed(self, games: list[Codes], row: NDArray[np.int64], hashes: bool) -> Replayed:
        return WasmReplay(self, self._memories[0], games, row, hashes).replayed()

    def walk(self, row: ArrayLike) -> Walk:
        """A position that goes forth and back; in Python where there is not enough memory for one more."""
        try:
            return WasmWalk(self, self._wasm, row)
        except NoWasmtimeError:
            return super().walk(row)
