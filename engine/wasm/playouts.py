"""Whole random games in a module's memory; a seed gives the same games as in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from operator import index
from struct import Struct
from typing import Literal, NamedTuple

from rulespec.engine.program.cells import State
from rulespec.engine.program.draws import Draws, threshold
from rulespec.engine.wasm.engine import Instance, TrapError
from rulespec.engine.wasm.layout import BATCH
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.roots import Ranks

BUDGET = 300_000_000
"""The step limit of one call, so that Ctrl-C works during long games."""
_KNOWN = 4_096
"""The maximum number of decoded results in the cache."""
_SELDOM, _FEW = 20, 3
"""The share of the decisions of a game that Python may take, as one in `_SELDOM`, and the number of further decisions;
if more are needed, Python plays the whole game.
"""
Decide = Callable[[State, Draws, int], Sequence[int] | None]
"""A function that takes the decision with this number at random; returns the cells after it, or None if the rules fault
or nothing is legal.
"""
Ended = Literal["over", "capped", "stuck", "broken", "trapped"]
_ENDS: tuple[Ended, ...] = ("over", "capped", "stuck", "broken")


class Played(NamedTuple):
    """The end of a playout.

    Attributes:
        how: "stuck" if nothing was legal, "broken" if an invariant was broken, "trapped" if only Python can continue.
        decisions: the number of decisions.
        ending: the content of the cell for the ending.
        won: the content of the cell for the winners.
        ranks: for each seat its points and tiebreaks, if the game ended.
    """

    how: Ended
    decisions: int = 0
    ending: int = 0
    won: int = 0
    ranks: Sequence[tuple[int, ...]] = ()


TRAPPED = Played("trapped")
"""The end of a game that only Python can play."""


class WasmGames:
    """A player of successive games in one memory, for one thread.

    Args:
        wasm: the program with its machine code.
        interrupt_rate: the probability of an option out of turn, if one is legal.
        checked: whether to test all invariants after every decision.
        decide: a function that takes the decisions that only Python can take; without it, such a game ends as
            "trapped".

    Attributes:
        program: the program.
        given_back: the number of decisions taken by Python.
    """

    def __init__(
        self, wasm: WasmProgram, interrupt_rate: float, *, checked: bool = True, decide: Decide | None = None
    ) -> None:
        compiled = wasm.compiled
        self.given_back = 0
        self._decide = decide
        self._occupancy = compiled.occupancy
        self.program = compiled.p
        self._memory = compiled.memory
        self._constants = compiled.memory.constants
        self._instance = wasm.instance()
        self._checked = checked and bool(compiled.asked.invariants)
        self._ranks = Ranks(compiled.p)
        self._head = Struct("<4q")
        self._known: dict[bytes, Played] = {}
        self._set("RATE", threshold(interrupt_rate))
        if self._checked:
            wasm.readers.write(self._instance)

    def _set(self, register: str, value: int) -> None:
        self._instance.numbers[self._constants[register] // 8] = value

    def _get(self, register: str) -> int:
        return int(self._instance.numbers[self._constants[register] // 8])

    def play(self, seed: int, numbers: range, cap: int) -> Iterator[Played]:
        """Plays games from the start of the program.

        Args:
            seed: the seed of chance.
            numbers: the indices of the games.
            cap: the number of decisions before a game is abandoned.

        Yields:
            The end of each game, in order.
        """
        known = self._known
        for row in self.rows(seed, numbers, cap):
            yield TRAPPED if row is None else known.get(row) or self.read(row)

    def rows(self, seed: int, numbers: range, cap: int) -> Iterator[bytes | None]:
        """Plays games like `play`, but yields the raw results from memory; None for a game that only Python can play.

        Equal rows mean equal results; `read` decodes them.
        """
        firsts = range(0, len(numbers), BATCH)
        # One list per call, without a generator between it and its reader, saves a fifth of a small game's time.
        return chain.from_iterable(
            chain.from_iterable(self._batch(seed, numbers[first : first + BATCH], cap) for first in firsts)
        )

    def _batch(self, seed: int, numbers: range, cap: int) -> Iterator[Sequence[bytes | None]]:
        """Plays up to `BATCH` games; yields the results of each call of the module."""
        sow(self._instance, self._constants, seed, numbers)
        self._set("GAME", 0)
        self._set("PAUSED", 0)
        done = mended = 0
        while done < len(numbers):
            trapped = False
            self._set("BUDGET", BUDGET)
            try:
                self._instance.call("games", len(numbers), cap, int(self._checked))
            except TrapError:
                trapped = True
            if done < self._get("GAME"):
                mended = 0
            size, first = self._constants["RESULT"], self._constants["RESULTS"]
            rows = bytes(self._instance.memory[first + size * done : first + size * (done := self._get("GAME"))])
            yield [rows[at : at + size] for at in range(0, len(rows), size)]
            if trapped and mended < _FEW + self._get("PLY") // _SELDOM and self._mended(Draws(seed, numbers[done])):
                mended += 1
            elif trapped:
                mended = 0
                yield (None,)
                done += 1
                self._set("GAME", done)
                self._set("PAUSED", 0)

    def _mended(self, draws: Draws) -> bool:
        """Lets Python take the pending decision; returns whether wasm can continue."""
        if self._decide is None or not self._get("DECIDING"):
            return False
        self._instance.call("undo", self._constants["JOURNAL_BASE"])
        cells = self._decide(self.state, draws, self.ply)
        if cells is None:
            return False
        self.given_back += 1
        instance, memory = self._instance, self._memory
        instance.memory[memory.state : memory.end] = memory.encoded(self._occupancy.start(cells))
        self._set("REWRITTEN", -1)
        self._set("PLY", self.ply + 1)
        self._set("PAUSED", 1)
        return True

    def read(self, row: bytes) -> Played:
        """The end of a game, from its raw result."""
        if (played := self._known.get(row)) is None:
            status, ply, ending, won = self._head.unpack_from(row)
            over = ending and status <= 1
            ranks = self._ranks.of(memoryview(row).cast("q").tolist()[4:]) if over else ()
            played = Played(_ENDS[status], ply, ending, won, ranks)
            if len(self._known) == _KNOWN:
                self._known.clear()
            self._known[row] = played
        return played

    @property
    def ply(self) -> int:
        """The number of decisions in the last game."""
        return self._get("PLY")

    @property
    def state(self) -> State:
        """The cells of the program at the end of the last game."""
        memory, instance = self._memory, self._instance
        first = memory.state // 8
        state = instance.numbers[first : first + len(self.program.cells)].tolist()
        for cell, bits in enumerate(memory.widths.bits[: len(state)]):
            if bits == 64:
                state[cell] = instance.unsigned[first + cell]
        for cell in memory.ranks:
            if cell < len(state):
                at = memory.address(cell)
                state[cell] = int.from_bytes(instance.memory[at : at + 8 * memory.words], "little")
        return state


def sow(instance: Instance, constants: Mapping[str, int], seed: int, numbers: range) -> None:
    """Sets the seed and game numbers of a batch; the module derives the random numbers."""
    instance.unsigned[constants["SEED"] // 8] = index(seed) & (1 << 64) - 1
    instance.numbers[constants["FIRST"] // 8] = numbers.start
    instance.numbers[constants["EACH"] // 8] = numbers.step
