"""Search in wasm: rows go into a module's memory, and results come out."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property, partial
from queue import SimpleQueue
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.program import ir
from rulespec.engine.program.taint import Taint
from rulespec.engine.search.comparing import Compared, SearchQuestion
from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.option_tree import Grown
from rulespec.engine.search.payoffs import Ends, Expanded, PlayoutEnd
from rulespec.engine.search.recorded_rows import Codes, NoteKinds, Replayed
from rulespec.engine.search.search import Search
from rulespec.engine.search.sight import Sight
from rulespec.engine.search.walk import Walk
from rulespec.engine.search.wasm_decisions import WasmDecisions
from rulespec.engine.search.wasm_replay import WasmReplay
from rulespec.engine.search.wasm_walk import WasmWalk
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.engine.wasm.roots import Ranks

_CORES = os.cpu_count() or 1
_COUNT, _DECIDER, _HASH = range(3)
"""The numbers in the module of the kinds of answers about rows."""


_InPython = Callable[[NDArray[np.int64]], NDArray[np.int64]]
"""A computation in Python for the rows that the module leaves to it."""
_NONE_SEEN = np.empty(0, np.uint64)


class _Written(NamedTuple):
    """A function of the module, with the location and count of its results per row."""

    function: str
    arguments: tuple[int, ...]
    place: int
    size: int


class SearchPlayouts(NamedTuple):
    """The results of playouts in wasm, as in `Ends`; `given_back` lists the indices of playouts left to Python."""

    ended: NDArray[np.bool_]
    decisions: NDArray[np.int64]
    winners: NDArray[np.bool_]
    scores: NDArray[np.int64]
    values: NDArray[np.int64]
    given_back: list[int]
    hashes: NDArray[np.uint64]


def _numbered(p: ir.Program, value: ir.PositionValue) -> int:
    """The number of a value in a program, found by a value of another form of that program."""
    return [each.name for each in p.values].index(value.name)


def _leaders(ranks: NDArray[np.int64], numbers: Ranks) -> NDArray[np.bool_]:
    """For each seat, whether it leads; the last index of `ranks` runs over the numbers of a seat's rank."""
    if not ranks.size:
        return np.zeros(ranks.shape[:2], np.bool_)
    leaders: NDArray[np.bool_] = ranks[:, :, 0] == ranks[:, :, 0].max(axis=1, keepdims=True)
    if ranks.shape[2] > 1:
        for number in np.flatnonzero(leaders.sum(axis=1) > 1).tolist():
            of_rank = numbers.of(ranks[number].reshape(-1).tolist())
            leaders[number] = [rank == max(of_rank) for rank in of_rank]
    return leaders


class WasmSearch(Search):
    """A wasm search over positions stored as rows; see `Search`. Only one thread may use it at a time.

    Attributes:
        given_back: the number of decisions (`compared`, `grown`) that could not be made in one call.

    Raises:
        NoWasmtimeError, NoWasmError: if wasm cannot run the program.
    """

    backend = "wasm"

    def __init__(self, game: Game, *, interrupts: bool = False, value: str = "") -> None:
        super().__init__(game, interrupts=interrupts, value=value)
        self._wasm = wasm_program(game.ruleset, self.seats, game.settings)
        self._memories = [SearchMemory(self._wasm)]
        self._value = -1 if self.value is None else _numbered(self._wasm.p, self.value)
        self.given_back = 0

    @cached_property
    def _decisions(self) -> WasmDecisions | None:
        return None if self.interrupts else WasmDecisions(self, self._memories[0], self._value)

    def compared(self, question: SearchQuestion) -> Compared:
        """Compares the options of a seat by playing random games after each of them, in one call if possible."""
        result = None if self._decisions is None else self._decisions.compared(question)
        self.given_back += result is None
        return super().compared(question) if result is None else result

    def grown(self, question: SearchQuestion) -> Grown:
        """Grows a tree of a seat's options by playing random games, in one call if possible."""
        result = None if self._decisions is None else self._decisions.grown(question)
        self.given_back += result is None
        return super().grown(question) if result is None else result

    @cached_property
    def follows(self) -> bool:
        """Whether a seat's observations can be followed; False if the set of seats that may decide reveals private
        state.
        """
        taint = Taint(self.program)
        return not any(d.among is not None and taint.told_by(d.among) for d in self.program.decisions)

    def sight(self, seat: int) -> Sight:
        """The view of a seat."""
        return Sight(self._memories[0], seat)

    def observations(self, rows: NDArray[np.int64], seat: int) -> NDArray[np.int64]:
        """A seat's observations of positions, one row each."""
        return self.sight(seat).observations(self._checked(rows))

    def _parts(self, rows: NDArray[np.int64], most: int = 0) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Batches of rows written into the memory, each with the index of its first row."""
        memory = self._memories[0]
        size = min(most or memory.most, memory.most)
        for first in range(0, len(rows), size):
            part = rows[first : first + size]
            memory.write(memory.rows, part)
            yield first, part

    def _look(self, rows: NDArray[np.int64], what: int, python: _InPython) -> NDArray[np.int64]:
        look = _Written("look", (what, int(self.interrupts)), self._memories[0].options, 1)
        return self._each(look, rows, lambda some: python(some)[:, None])[:, 0]

    def _each(self, written: _Written, rows: NDArray[np.int64], python: _InPython) -> NDArray[np.int64]:
        """The numbers that a function of the module writes for each row."""
        memory, rows, size = self._memories[0], self._checked(rows), written.size
        result = np.empty((len(rows), size), np.int64)
        for first, part in self._parts(rows, max(1, memory.room // (8 * max(1, size)))):
            call = partial(memory.instance.call, written.function, len(part), *written.arguments)
            given_back = memory.each(len(part), call)
            some = memory.read(written.place, len(part) * size).reshape(-1, size)
            if given_back:
                some[given_back] = python(part[given_back])
            result[first : first + len(part)] = some
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

    def values(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """The value of each position to each seat."""
        return self._valued(rows, self._value, self.seats, super().values)

    def measured(self, rows: NDArray[np.int64], value: ir.PositionValue) -> NDArray[np.int64]:
        """A value of the program at each position, for each seat or each entity of its kind."""
        return self._valued(rows, _numbered(self._wasm.p, value), value.size, partial(super().measured, value=value))

    def _valued(self, rows: NDArray[np.int64], which: int, size: int, python: _InPython) -> NDArray[np.int64]:
        self._memories[0].set("OUT", self._memories[0].out)
        return self._each(_Written("valued", (which, size), self._memories[0].out, size), rows, python)

    def legal(self, rows: NDArray[np.int64]) -> tuple[Codes, NDArray[np.int64]]:
        """The legal options of positions as codes."""
        listed, others = self._listed_out("coded", rows, self._memories[0].constants["STRIDE"] // 8 + 1)
        results = [(listed[:, 1:], listed[:, 0])]
        if len(others):
            codes, parents = super().legal(rows[others])
            results.append((codes, others[parents]))
        parents = np.concatenate([of for _, of in results])
        order = np.argsort(parents, kind="stable")
        return np.concatenate([codes for codes, _ in results])[order], parents[order]

    def apply(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        """The positions after one option from each."""
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

    def _expanded(self, rows: NDArray[np.int64]) -> Expanded:
        listed, others = self._listed_out("expand", rows, self.columns + 2)
        at = self.columns
        result = Expanded(np.ascontiguousarray(listed[:, :at]), listed[:, at].copy(), listed[:, at + 1].view(np.uint64))
        if not len(others):
            return result
        python = super()._expanded(rows[others])
        every = [result, python._replace(parents=others[python.parents])]
        parents = np.concatenate([one.parents for one in every])
        order = np.argsort(parents, kind="stable")
        hashes = np.concatenate([one.hashes for one in every])
        return Expanded(np.concatenate([one.rows for one in every])[order], parents[order], hashes[order])

    def _listed_out(
        self, function: str, rows: NDArray[np.int64], width: int
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The numbers written by a function for each option of the positions, and the positions left to Python.

        Args:
            function: the function of the module.
            rows: positions.
            width: the count of numbers per option, including the index of the position.
        """
        memory, rows = self._memories[0], self._checked(rows)
        parent = 0 if function == "coded" else self.columns
        results: list[NDArray[np.int64]] = []
        others: list[int] = []

        def call() -> None:
            memory.set("OUT", memory.out)
            try:
                memory.instance.call(function, count, int(self.interrupts))
            finally:
                after = memory.read(memory.out, (memory.get("OUT") - memory.out) // 8).reshape(-1, width)
                after[:, parent] += first
                results.append(after)

        for first, part in self._parts(rows):
            count = len(part)
            others += [first + number for number in memory.each(count, call)]
        listed = np.concatenate([np.empty((0, width), np.int64), *results])
        return listed[~np.isin(listed[:, parent], others)], np.array(others, np.int64)

    def playouts(
        self,
        rows: NDArray[np.int64],
        seed: int,
        *,
        times: int = 1,
        cap: int = CAP,
        jobs: int = 1,
        hashes: bool = False,
        period: int = 0,
    ) -> Ends:
        """Plays random games from each position."""
        rows = self._checked(rows)
        count, size = times * len(rows), self._memories[0].most
        firsts = range(0, count, size)
        memories = self._memories_for(min(jobs, _CORES, max(1, len(firsts))))
        jobs = len(memories)
        free: SimpleQueue[SearchMemory] = SimpleQueue()
        for memory in memories:
            free.put(memory)

        def play(first: int) -> SearchPlayouts:
            memory, last = free.get(), min(first + size, count) - 1
            try:
                memory.sow(seed, first, period)
                memory.write(memory.rows, rows[first // times : last // times + 1])
                return self._play(memory, range(first, last + 1), times, cap, hashes)
            finally:
                free.put(memory)

        if jobs == 1:
            parts = [play(first) for first in firsts]
        else:
            with ThreadPoolExecutor(jobs) as threads:
                parts = list(threads.map(play, firsts))
        given_back = [number for part in parts for number in part.given_back]
        own = period or count
        others = [self.playout(rows[n // times], seed, n % own, cap, hashes) for n in given_back]
        return self._results(parts, given_back, others)

    def _memories_for(self, threads: int) -> list[SearchMemory]:
        """One memory per thread, with fewer threads if memory is short."""
        with suppress(NoWasmtimeError):
            while len(self._memories) < threads:
                self._memories.append(SearchMemory(self._wasm))
        return self._memories[:threads]

    def _play(self, memory: SearchMemory, numbers: range, times: int, cap: int, hashes: bool) -> SearchPlayouts:
        """Plays some playouts from rows in memory."""
        first, count, seen = numbers.start, len(numbers), _NONE_SEEN
        if hashes:
            given_back, seen = memory.play_hashed(count, cap, self._value, times, first % times)
        else:
            given_back = memory.play(count, cap, self._value, times, first % times)
        results = memory.results(count)
        width = results.shape[1]
        ranks = results[:, 4 : width - self.seats].reshape(count, self.seats, (width - 4) // self.seats - 1)
        ended, won = results[:, 0] == 0, results[:, 3, None]
        named = won >> np.minimum(np.arange(self.seats), 63) & 1 > 0
        winners = np.where(ended[:, None] & (won >= 0), named, _leaders(ranks, memory.ranks))
        scores = ranks[:, :, 0].copy() if ranks.size else np.zeros((count, self.seats), np.int64)
        values = np.where(ended[:, None], 0, results[:, width - self.seats :])
        return SearchPlayouts(
            ended, results[:, 1].copy(), winners, scores, values, [first + n for n in given_back], seen
        )

    def _results(self, parts: Sequence[SearchPlayouts], given_back: list[int], others: list[PlayoutEnd]) -> Ends:
        """The results of all playouts, merged from wasm and Python."""
        none = self.ends([])
        ended = np.concatenate([none.ended, *(part.ended for part in parts)])
        decisions = np.concatenate([none.decisions, *(part.decisions for part in parts)])
        winners = self.payoffs.whole(np.concatenate([none.winners, *(part.winners for part in parts)]))
        scores = np.concatenate([none.scores, *(part.scores for part in parts)])
        values = np.concatenate([none.values, *(part.values for part in parts)])
        hashes = np.concatenate([_NONE_SEEN, *(part.hashes for part in parts)])
        if others:
            some = self.ends(others)
            for mine, theirs in ((ended, some.ended), (winners, some.winners), (scores, some.scores)):
                mine[given_back] = theirs
            values[given_back] = some.values
            if len(some.hashes):
                decisions[given_back] = 0
                hashes = np.insert(hashes, np.repeat(np.cumsum(decisions)[given_back], some.decisions), some.hashes)
            decisions[given_back] = some.decisions
        return Ends(ended, decisions, winners, scores, values, *self.payoffs.of(ended, winners, scores, values), hashes)

    def _replayed(self, games: list[Codes], row: NDArray[np.int64], notes: NoteKinds) -> Replayed:
        return WasmReplay(self, self._memories[0], games, row, notes, self._value).replayed()

    def coded(self, seed: int, first: int, count: int, cap: int = CAP) -> list[Codes]:
        """Plays random games from the start and returns their decisions as codes."""
        games = self._memories[0].coded(self.rows([restarted(self.table)])[0], seed, range(first, first + count), cap)
        return [self._coded(seed, first + n, cap) if own is None else own for n, own in enumerate(games)]

    def walk(self, row: ArrayLike) -> Walk:
        """A walk that starts at a row; it is in Python if memory is short."""
        try:
            return WasmWalk(self, self._wasm, row, self._value)
        except NoWasmtimeError:
            return super().walk(row)
