"""A game small enough to be hand-written, as a program for the runtime and as a reference in Python.

Two seats take up to three pieces from a heap in turn; taking the last piece wins. The other seat may add a piece, three
times per game. After a turn that leaves a multiple of three, chance takes up to two pieces; if chance leaves an even
heap, the seat to move may pass, and otherwise the game continues automatically.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from rulespec.engine.program.draws import Draws, word
from rulespec.engine.wasm.runtime.arithmetic import charge
from rulespec.engine.wasm.runtime.intrinsics import load, store, trap
from rulespec.engine.wasm.runtime.journal import occupied, put
from rulespec.engine.wasm.runtime.program import OPEN, PLACES, STATE, STRIDE, UNSEEN
from rulespec.engine.wasm.runtime.registers import LISTED_END, OPTIONS, ROW_TAKEN

CELLS = 8
"""The cells: block, over, winners, turn, heap, amount, a set that is nonempty while pieces remain, and added pieces."""
PC, OVER, WINNERS, TURN, HEAP, AMOUNT, SOME, ADDED = range(CELLS)
RULES = 6
BLOCKS = 8
MODULUS = 2**64 - 59
CONSTANTS = {
    "STATE": 0x400,
    "STATE_END": 0x400 + 8 * CELLS,
    "RULES_END": 0x400 + 8 * RULES,
    **{name: 0x400 + 0x40 * i for i, name in enumerate(("START", "WEIGHTS", "SIGNS", "READERS", "MARKS"), 1)},
    **{name: 0x600 + 0x40 * i for i, name in enumerate(("PLACES", "HOUSES", "ASKED", "FUNCTIONS", "ENTRIES"))},
    **{name: 0x740 + 0x40 * i for i, name in enumerate(("OTHERWISE", "RETURNS", "USUAL", "SAMES"))},
    "TAKES": 0x840,
    "MEMBERS": 0x900,
    "ALWAYS": 0x920,
    "EVERY": 0x940,
    "MOVED": 0x960,
    "MOVED_END": 0x970,
    "VALUES_READ": 0x1A08,
    "SIGHT_OF": 0x1A40,
    "SAVED_CALLS": 0x1AC0,
    "DEPTHS": 0x1B00,
    "CHANGED": 0xA40,
    "SIGHTS": 0xE40,
    "SIGHTS_END": 0xE40 + 16 * 3,
    "SIGHT_WEIGHTS": 0xE80,
    "COUNTS": 0xD40,
    "COUNTS_END": 0xD40 + 8 * 3,
    "SUMS": 0xD40 + 8,
    "SUMS_END": 0xD40 + 8 * 3,
    "QUESTIONS": 0xD80,
    "TELLING": 0xDC0,
    "WEIGHED": 0xDE0,
    "UNSEEN": 0xE00,
    "OPEN": OPEN,
    "RANK": 1,
    "RANK_PARTS": 0x1C00,
    "SORTED": 0xB00,
    "RESULTS": 0xC00,
    "RESULT": 64,
    "SEATS": 2,
    "JOURNAL_BASE": 0x1000,
    "JOURNAL_END": 0x1000 + 24 * 99,
    "OPTIONS_BASE": 0x2000,
    "OPTIONS_END": 0x3000,
    "STRIDE": 24,
    "MAX_OPTIONS": 50,
    "MAX_SEVERAL": 300,
    "PILES": 40 + 8 * 3,
    "WORDS": 2,
    "FEW": 1 << 20,
    "STEPS": 20,
    "UNBOUNDED": 1 << 60,
    "MAIN": 0,
    "INVARIANTS": 1,
    "ROW": 8 * (RULES + 1),
}
_C = CONSTANTS
_LISTS = 0x980
_OF_PLACES = 0xF00
_OF_POINTS = 0xA20
_OF_VALUES = 0x1AC0
_HIDDEN = 0x1B00
WEIGHT_OF = [0, 2**64 - 60, 1, 2**63 + 7, 2**40 + 5, 2**64 - 1000, 0, 77]
OF_SIGHTS = [word(6, sight) for sight in range(3)]
PLACE_WEIGHTS = [word(7, heap) for heap in range(32)]
SIGNED = [1, 1, 0, 1, 1, 1, 0, 1]


def image(heap: int) -> dict[int, list[int]]:
    """The initial memory of the program."""
    return {
        _C["START"]: [0, 0, 0, 0, heap, 0, int(heap > 0), 0],
        _C["WEIGHTS"]: WEIGHT_OF,
        _C["SIGNS"]: SIGNED,
        _C["READERS"] + 8 * HEAP: [_LISTS + 32],
        _C["PLACES"] + 8 * HEAP: [_LISTS],
        _LISTS: [1, _C["STATE"] + 8 * SOME, 1],
        _LISTS + 32: [1, 0, 1],
        _C["ASKED"]: [-1, 0, -1, 1, -1, 2, -1, -1],
        _C["FUNCTIONS"]: list(range(BLOCKS)),
        _C["ENTRIES"]: [10 * block for block in range(BLOCKS)],
        _C["OTHERWISE"] + 8 * 5: [6],
        _C["SAMES"]: [0, 1, 2, 3],
        _C["TAKES"]: [2, 1, _C["STATE"] + 8 * AMOUNT, -1 - 4, 1, 0, 7, 0, 0, 6, 0, 0],
        _C["EVERY"]: [1],
        _C["SIGHTS"]: [_C["UNSEEN"], _C["STATE"] + 8 * HEAP, _C["UNSEEN"] + 8, _C["STATE"] + 8 * TURN],
        _C["SIGHTS"] + 32: [_C["UNSEEN"], _C["STATE"] + 8 * ADDED],
        _C["SIGHT_WEIGHTS"]: [OF_SIGHTS[0], _OF_PLACES, _HIDDEN, OF_SIGHTS[1], 0, 0, OF_SIGHTS[2], 0, _HIDDEN],
        _C["SIGHT_OF"] + 8 * HEAP: [_C["SIGHT_WEIGHTS"]],
        _C["SIGHT_OF"] + 8 * TURN: [_C["SIGHT_WEIGHTS"] + 24],
        _C["SIGHT_OF"] + 8 * ADDED: [_C["SIGHT_WEIGHTS"] + 48],
        _HIDDEN: [2] * 32,
        _OF_PLACES: PLACE_WEIGHTS,
        _C["COUNTS"]: [_LISTS + 64, _LISTS + 96, _LISTS + 120],
        _LISTS + 64: [1, _C["STATE"] + 8 * TURN, 3, 2],
        _LISTS + 96: [2, 1, _C["STATE"] + 8 * ADDED],
        _LISTS + 120: [3, _C["STATE"] + 8 * HEAP, 1, 2],
        _C["QUESTIONS"]: [0, 1, 0],
        _C["TELLING"]: [1, 0, 0],
        _C["WEIGHED"]: [1, 1, 1],
        _C["VALUES_READ"] - 8: [_OF_POINTS, _OF_VALUES, _OF_VALUES, _OF_POINTS],
        _OF_POINTS: [1, _C["STATE"], _C["RULES_END"]],
        _OF_VALUES: [1, _C["STATE"] + 8 * HEAP, _C["STATE"] + 8 * AMOUNT],
        _C["MOVED"]: [8 * RULES, _C["STATE"] + 8 * ADDED],
    }


class Heap(Struct):
    """The reference implementation of the game."""

    heap: int
    decision: int = 0
    turn: int = 0
    amount: int = 0
    added: int = 0
    winners: int = 0

    def own(self) -> list[tuple[int, int, int]]:
        """The options of the decider: number, seat and argument."""
        if self.decision == 0:
            return [(0, -1, n) for n in range(1, min(3, self.heap) + 1)]
        if self.decision == 1:
            return [(1, -1, n) for n in range(3)]
        return [(3, -1, 0)] if self.decision == 2 else []

    def others(self) -> list[tuple[int, int, int]]:
        """The options out of turn."""
        return [(2, 1 - self.turn, 0)] if self.decision == 0 and self.added < 3 else []

    def take(self, option: tuple[int, int, int]) -> None:
        """Applies an option."""
        number, _, n = option
        if number == 0:
            self.heap, self.amount = self.heap - n, n
            if self.heap == 0:
                self.winners, self.decision = 1 << self.turn, -1
            elif self.heap % 3 == 0:
                self.decision = 1
            else:
                self.turn, self.decision = 1 - self.turn, 0
        elif number == 1:
            self.heap = max(1, self.heap - n)
            if self.heap % 2 == 0:
                self.decision = 2
            else:
                self.turn, self.decision = 1 - self.turn, 0
        elif number == 2:
            self.heap, self.added = self.heap + 1, self.added + 1
        else:
            self.turn, self.decision = 1 - self.turn, 0

    def cells(self) -> list[int]:
        """The values of the program's cells."""
        block = {0: 1, 1: 3, 2: 5, -1: 7}[self.decision]
        over = int(self.decision < 0)
        return [block, over, self.winners, self.turn, self.heap, self.amount, int(self.heap > 0), self.added]

    def row(self) -> list[int]:
        """The position as a row of the search."""
        return [*self.cells()[:RULES], self.added]

    def hash(self) -> int:
        """The hash of the position."""
        return sum(value * weight for value, weight in zip(self.cells(), WEIGHT_OF, strict=True)) % MODULUS

    def decider(self) -> int:
        """The deciding seat: -1 for chance, -2 at the end."""
        return {0: self.turn, 1: -1, 2: self.turn, -1: -2}[self.decision]

    def copy(self) -> Heap:
        """A copy of the position."""
        return Heap(self.heap, self.decision, self.turn, self.amount, self.added, self.winners)

    def after(self, option: tuple[int, int, int]) -> Heap:
        """The position after an option."""
        result = self.copy()
        result.take(option)
        return result

    def leaves(self, depth: int) -> Iterator[int]:
        """The position hashes of perft leaves."""
        for option in [*self.own(), *self.others()]:
            reached = self.after(option)
            if depth == 1:
                yield reached.hash()
            else:
                yield from reached.leaves(depth - 1)

    def play(
        self, draws: Draws, cap: int, rate: float, bound: int | None = None, *, weighing: bool = False
    ) -> tuple[int, int]:
        """Plays on with random numbers; returns the status used by modules, and the number of decisions."""
        for ply in range(cap):
            if self.decision < 0:
                return 0, ply
            options = self.own()
            if draws.happens(2 * ply, rate) and self.others():
                option = self.others()[draws.below(2 * ply + 1, len(self.others()))]
            elif self.decision == 1 or weighing:
                option = options[draws.weighted(2 * ply + 1, list(map(weight_of, options)))]
            else:
                option = options[draws.below(2 * ply + 1, len(options))]
            self.take(option)
            if bound is not None and self.heap >= bound:
                return 3, ply
        return (0 if self.decision < 0 else 1), cap


def weight_of(option: tuple[int, int, int]) -> int:
    """The weight of an option."""
    return option[2] + 1 if option[0] < 2 else 1


# --- compiled ---
def go(function: int, entry: int) -> int:
    """Runs a block of the game."""
    if entry != 10 * function:
        trap()
    charge(1)
    if function == 0:
        return -2 - 1
    before = load(STATE + 32)
    if function == 2:
        put(STATE + 32, before - load(STATE + 40))
    if function == 4:
        rest = before - load(load(ROW_TAKEN) + 16)
        put(STATE + 32, rest if rest > 0 else 1)
    if function == 7:
        put(STATE + 32, before + 1)
        put(STATE + 56, load(STATE + 56) + 1)
    occupied(load(PLACES + 32), before, load(STATE + 32))
    if function == 7:
        return -2 - 1
    if function == 2 and load(STATE + 32) == 0:
        put(STATE + 8, 1)
        put(STATE + 16, 1 << load(STATE + 24))
        put(STATE, 7)
        return -1
    if function == 2 and load(STATE + 32) % 3 == 0:
        return -2 - 3
    if function == 4:
        return -2 - 5
    put(STATE + 24, 1 - load(STATE + 24))
    return -2 - 1


def who(number: int) -> int:
    """The seat of the current decision."""
    return -1 if number == 1 else load(STATE + 24)


def listed_one(number: int, by: int, argument: int) -> None:
    """Writes an option to the buffer."""
    to = load(OPTIONS)
    if to > load(LISTED_END):
        trap()
    store(to, number)
    store(to + 8, by)
    store(to + 16, argument)
    store(OPTIONS, to + STRIDE)


def list_own(number: int) -> None:
    """Lists the options of the decider."""
    n = 0
    if number == 0:
        while n < 3 and n < load(STATE + 32):
            n = n + 1
            listed_one(0, -1, n)
    if number == 1:
        while n < 3:
            listed_one(1, -1, n)
            n = n + 1
    if number == 2 and load(STATE + 32) % 2 == 0:
        listed_one(3, -1, 0)


def list_others(number: int) -> None:
    """Lists the options of the other seat."""
    if number == 0 and load(STATE + 56) < 3:
        listed_one(2, 1 - load(STATE + 24), 0)


def weight(number: int, option: int) -> int:
    """The weight of an option."""
    if load(STATE + 40) > 3:  # no turn takes so many: only a test writes this
        return 0
    return load(option + 16) + 1 if load(option) < 2 else 1


def holds(number: int, members: int) -> int:
    """Whether the invariant holds: the heap is small enough."""
    return load(STATE + 32) < 9


def worth(to: int, which: int) -> None:
    """Writes the value of the heap to one seat and its negative to the other, scaled by the value's index."""
    store(to, load(STATE + 32) * (which + 2))
    store(to + 8, 0 - load(STATE + 32) * (which + 2))


def ranks(row: int) -> None:
    """Writes two numbers of a result."""
    store(row, load(STATE + 40))
    store(row + 8, load(STATE + 56))


def sees(seat: int) -> None:
    """Writes whether the heap is hidden from a seat; only the first one sees it."""
    store(UNSEEN, seat)
