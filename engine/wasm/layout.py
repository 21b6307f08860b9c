"""The memory of a module: registers, state, tables, work space, journal, options."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from rulespec.engine.program.limits import MAX_LISTED, MAX_NUMBER, MAX_VALUES
from rulespec.engine.wasm.runtime.registers import REGISTERS
from rulespec.engine.wasm.wasm_format import PAGE, Module
from rulespec.engine.wasm.widths import Widths
from rulespec.language.several import MAX_SEVERAL

JOURNAL_ENTRIES = 200_000
ENTRY = 24
"""Bytes per journal entry: address, old value, new value."""
OPTIONS_BYTES = 16 << 20
MAX_OPTIONS = 100_000
"""The maximum number of listed options per decision."""
MAX_BYTES = 256 << 20
"""The maximum size of a module's memory, in bytes."""
_FEW = 1 << 62 - (JOURNAL_ENTRIES.bit_length() + 32)
"""The bound for small changes: a full journal of them, each times a 32-bit number, has a 64-bit sum."""
BATCH = 64
"""The number of games played per call."""


class TooLargeError(Exception):
    """Raised for a program that needs more memory than a module may have."""


class Memory:
    """The layout of a module's memory.

    Args:
        module: the module that receives the contents.
        widths: the widths of the cells.
        start: the state before the first block runs.
        params: the maximum number of columns for an option's arguments.

    Attributes:
        state: the address of the first cell.
        wide: the address of the first cell with a multi-word value.
        ranks: cell with a multi-word value → its number among these cells.
        constants: the addresses of registers and areas by name, for the fixed functions.
        sight_weights: the numbers at `SIGHT_WEIGHTS`, which are written only by hosts that need view digests.
    """

    def __init__(self, module: Module, widths: Widths, start: Sequence[int], params: int) -> None:
        self._module = module
        self._next = 1024
        self.widths = widths
        self.cells = len(start)
        self.words = widths.words
        self.ranks: dict[int, int] = {}
        self.sight_weights: list[int] = []
        for at, wide in enumerate(widths.cells):
            if wide:
                self.ranks[at] = len(self.ranks)
        self._arrays: dict[tuple[int, ...], int] = {}
        self._sets: dict[tuple[int, tuple[int, ...]], int] = {}
        span = self.cells + len(self.ranks) * self.words
        self.state = self.room(8 * span)
        self.wide = self.state + 8 * self.cells
        self.end = self.state + 8 * span
        self.start = self.room(8 * span)
        self.module_data(self.start, self.encoded(start))
        self.weights = self.room(8 * span)
        self.readers = self.room(8 * span)
        self.marks = self.room(8 * span)
        changed = self.room(24 * span)
        stride = 8 * (2 + params)
        journal = self.room(ENTRY * JOURNAL_ENTRIES)
        options = self.room(OPTIONS_BYTES)
        self.constants = REGISTERS | {
            "STATE": self.state,
            "WIDE": self.wide,
            "STATE_END": self.end,
            "START": self.start,
            "WEIGHTS": self.weights,
            "READERS": self.readers,
            "MARKS": self.marks,
            "CHANGED": changed,
            "WORDS": self.words,
            "STRIDE": stride,
            "JOURNAL_BASE": journal,
            "JOURNAL_END": journal + ENTRY * (JOURNAL_ENTRIES - 1),
            "OPTIONS_BASE": options,
            "OPTIONS_END": options + OPTIONS_BYTES - stride,
            "MAX_OPTIONS": MAX_OPTIONS,
            "MAX_SEVERAL": MAX_SEVERAL,
            "PILES": 40 + 8 * max(1, self.words),
            "FEW": _FEW,
            "MAX_NUMBER": MAX_NUMBER,
            "MAX_VALUES": MAX_VALUES,
            "MAX_LISTED": MAX_LISTED,
        }

    def room(self, size: int) -> int:
        """The address of `size` unused bytes."""
        result = self._next
        self._next += -(-size // 8) * 8
        if self._next > MAX_BYTES:
            raise TooLargeError
        return result

    @property
    def pages(self) -> int:
        """The number of pages of memory."""
        return self._next // PAGE + 1

    def module_data(self, at: int, values: bytes) -> None:
        """Adds initial contents at an address."""
        self._module.data(at, values)

    def numbers(self, values: Sequence[int]) -> int:
        """The address of an array of constants, preceded by a copy of its last element for Python's index -1."""
        key = tuple(values)
        if key not in self._arrays:
            at = self.room(8 * (len(key) + 1))
            self._arrays[key] = at + 8
            self.module_data(at, words([*key[-1:], *key]))
        return self._arrays[key]

    def sets(self, values: Iterable[int], count: int) -> int:
        """The address of an array of constant sets of `count` words each, preceded by a copy of its last element."""
        key = tuple(values)
        if (count, key) not in self._sets:
            at = self.room(8 * count * (len(key) + 1))
            self._sets[count, key] = at + 8 * count
            self.module_data(at, b"".join(value.to_bytes(8 * count, "little") for value in (*key[-1:], *key)))
        return self._sets[count, key]

    def piles(self, size: int) -> int:
        """The address of a work area for enumerating the sets or bags over a kind of `size` entities."""
        return self.room(self.constants["PILES"] + 24 * size)

    def temporary(self) -> int:
        """The address of a temporary row, allocated statically because nothing is recursive."""
        return self.room(8 * self.words)

    def address(self, cell: int) -> int:
        """The address of a cell."""
        rank = self.ranks.get(cell)
        return self.state + 8 * cell if rank is None else self.wide + 8 * self.words * rank

    def cell(self, address: int) -> int:
        """The cell at an address."""
        if address < self.wide:
            return (address - self.state) // 8
        return self._ranked[(address - self.wide) // (8 * self.words)]

    @property
    def _ranked(self) -> list[int]:
        return list(self.ranks)

    def encoded(self, state: Sequence[int]) -> bytes:
        """A state in its memory form."""
        first = words([0 if self.widths.cells[at] else value for at, value in enumerate(state)])
        return first + b"".join(state[at].to_bytes(8 * self.words, "little") for at in self.ranks)


def words(values: Sequence[int]) -> bytes:
    """Numbers packed as 64-bit words; if a number does not fit with a sign, all of them are packed unsigned."""
    try:
        return struct.pack(f"<{len(values)}q", *values)
    except struct.error:
        return struct.pack(f"<{len(values)}Q", *(value if value >= 0 else value + (1 << 64) for value in values))
