"""Whole random games in the memory of a module: the same games by seed as Python plays."""

from __future__ import annotations

import hashlib
import random
import struct
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from typing import Literal, NamedTuple

from rulespec.engine.program.journal import State
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.layout import BATCH, words
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.roots import Ranks

STEPS_OF_RANDOM = 2**53
BUDGET = 300_000_000
"""Steps of a call, so that a program that plays long games can be interrupted."""
_SELDOM, _FEW = 20, 3
"""Python carries out one of so many decisions of a game, and some more; where there are others, it plays the game."""
Decide = Callable[[State, random.Random], Sequence[int] | None]
"""Takes a random decision: the cells after it; None if the rules are at fault, or nothing is legal."""
Ended = Literal["over", "capped", "stuck", "broken", "trapped"]
_ENDS: tuple[Ended, ...] = ("over", "capped", "stuck", "broken")


class Played(NamedTuple):
    """The end of a playout.

    Attributes:
        how: "stuck": nothing was legal; "broken": an invariant was; "trapped": only Python can tell.
        decisions: the number of decisions.
        ending: the cell of the ending.
        won: the cell of the winners.
        ranks: for each seat its points and what breaks ties, if the game has ended.
    """

    how: Ended
    decisions: int = 0
    ending: int = 0
    won: int = 0
    ranks: Sequence[tuple[int, ...]] = ()


class WasmGames:
    """Games that are played one after the other in one memory; a thread of its own needs another one.

    Args:
        wasm: the program with its machine code.
        interrupt_rate: the probability of an option out of turn, where one is legal.
        checked: whether all invariants are tested after every decision.
        decide: takes in Python a decision that only Python can take; without it a game with such is "trapped".

    Attributes:
        program: the program.
        given_back: how many decisions Python has taken.
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
        self._set("RATE", ceil(interrupt_rate * STEPS_OF_RANDOM))
        if self._checked:
            wasm.readers.write(self._instance)

    def _set(self, register: str, value: int) -> None:
        self._instance.numbers[self._constants[register] // 8] = value

    def _get(self, register: str) -> int:
        return int(self._instance.numbers[self._constants[register] // 8])

    def play(self, seeds: Sequence[str], cap: int, stop: Callable[[], bool] = lambda: False) -> Iterator[Played]:
        """Plays games from the start of the program on.

        Args:
            seeds: for each game what Python's `random.Random` would be given.
            cap: the number of decisions after which a game is abandoned.
            stop: asked now and then whether to leave the games that have not ended.

        Yields:
            How each game came to its end, in their order.
        """
        for first in range(0, len(seeds), BATCH):
            yield from self._batch(seeds[first : first + BATCH], cap, stop)
            if stop():
                return

    def _batch(self, seeds: Sequence[str], cap: int, stop: Callable[[], bool]) -> Iterator[Played]:
        instance, constants = self._instance, self._constants
        for number, seed in enumerate(seeds):
            key = seed_words(seed)
            content = words([len(key), *key])
            at = constants["KEYS"] + constants["KEY"] * number
            instance.memory[at : at + len(content)] = content
        self._set("GAME", 0)
        self._set("PAUSED", 0)
        done = mended = 0
        while done < len(seeds):
            trapped = False
            self._set("BUDGET", BUDGET)
            try:
                instance.call("games", len(seeds), cap, int(self._checked))
            except TrapError:
                trapped = True
            if done < self._get("GAME"):
                mended = 0
            for number in range(done, done := self._get("GAME")):
                yield self._result(number)
            if trapped and mended < _FEW + self._get("PLY") // _SELDOM and self._mended(seeds[done]):
                mended += 1
            elif trapped:
                mended = 0
                yield Played("trapped")
                done += 1
                self._set("GAME", done)
                self._set("PAUSED", 0)
            if stop():
                return

    def _mended(self, seed: str) -> bool:
        """Lets Python take the decision that was under way; whether the game goes on in wasm."""
        begun = self._get("BEGUN")
        if self._decide is None or begun < 0:  # it has not begun, or has ended
            return False
        self._instance.call("undo", self._constants["JOURNAL_BASE"])
        rng = _Counting(seed)
        for _ in range(begun):
            rng.random()
        cells = self._decide(self.state, rng)
        if cells is None:
            return False
        self.given_back += 1
        instance, memory, constants = self._instance, self._memory, self._constants
        instance.memory[memory.state : memory.end] = memory.encoded(self._occupancy.start(cells))
        _, twister, _ = rng.getstate()
        at = constants["TWISTER"] // 8
        for number, word in enumerate(twister):  # the last one is TWISTER_AT
            instance.numbers[at + number] = word
        registers = {"DRAWN": rng.drawn, "PLY": self._get("PLY") + 1, "PAUSED": 1}
        for name, value in registers.items():
            self._set(name, value)
        return True

    def _result(self, number: int) -> Played:
        numbers, constants = self._instance.numbers, self._constants
        first = (constants["RESULTS"] + constants["RESULT"] * number) // 8
        status, ply, ending, won = numbers[first : first + 4]
        if not ending or status > 1:
            return Played(_ENDS[status], ply, ending, won)
        flat = numbers[first + 4 : first + constants["RESULT"] // 8].tolist()
        return Played(_ENDS[status], ply, ending, won, self._ranks.of(flat))

    @property
    def ply(self) -> int:
        """The number of decisions of the last game."""
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


class _Counting(random.Random):
    """Counts the numbers that are drawn."""

    def __init__(self, seed: str) -> None:
        self.drawn = 0
        super().__init__(seed)

    def random(self) -> float:
        """The next number."""
        self.drawn += 1
        return super().random()


def seed_words(seed: str) -> list[int]:
    """The words of 32 bits that Python's `random.Random` is seeded with, given a text."""
    data = seed.encode()
    key = (data + hashlib.sha512(data).digest()).lstrip(b"\0")
    key = bytes(-len(key) % 4) + key
    return list(struct.unpack(f">{len(key) // 4}I", key))[::-1]
