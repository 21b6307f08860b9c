"""A walk in a module's memory."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rulespec.engine.game.position_hash import PRIME
from rulespec.engine.search.memory import SearchMemory
from rulespec.engine.search.payoffs import PlayoutEnd
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.search import PythonWalk, Search
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.program import WasmProgram

_WORD = (1 << 64) - 1


class WasmWalk:
    """A walk in wasm; see `Walk`. Python takes over from the same position if a case is unsupported.

    Args:
        search: the search to which the walk belongs.
        wasm: the program with its machine code.
        row: the start position.
        value: the number of the position value; -1 means points.
    """

    def __init__(self, search: Search, wasm: WasmProgram, row: ArrayLike, value: int) -> None:
        self._search = search
        self._value = value
        self._memory = SearchMemory(wasm)
        self._call = self._memory.instance.call
        self._interrupts = int(search.interrupts)
        self._start = self._memory.rows
        self._row = self._memory.rows + self._memory.row  # the second row is for playouts
        self._memory.set("ROWS", self._row)
        self._stride = self._memory.constants["STRIDE"]
        self._options = self._memory.constants["OPTIONS_BASE"]
        self._marks: list[int] = []  # the end of the journal before each option taken
        self._sums: list[int | None] = [None]  # the hashes along the walk; None if unknown
        self._count: int | None = None
        self.go(row)

    def go(self, row: ArrayLike) -> None:
        """Moves to another position."""
        self._memory.write(self._start, np.asarray(row, np.int64))
        self._back()

    def _back(self) -> None:
        """Returns to the start of the walk."""
        self._call("restored", self._start)
        self._marks, self._sums, self._count = [], [None], None

    def _python(self) -> PythonWalk:
        return PythonWalk(self._search, self.row)

    def _asked(self, name: str, *args: int) -> int:
        """The result of a module function that leaves the state unchanged.

        Raises:
            TrapError: if it traps; its hypothetical changes are then undone.
        """
        mark = self._memory.get("JOURNAL")
        try:
            return self._call(name, *args)
        except TrapError:
            self._call("undo", mark)
            raise

    @property
    def count(self) -> int:
        """The number of legal options."""
        if self._count is None:
            try:
                self._count = self._asked("listed", self._interrupts)
            except TrapError:
                return self._python().count
        return self._count

    @property
    def decider(self) -> int:
        """The deciding seat."""
        try:
            return self._asked("decider")
        except TrapError:
            return self._python().decider

    @property
    def hash(self) -> int:
        """The hash of the position."""
        result = self._sums[-1]
        if result is None:
            if self._marks and (before := self._sums[-2]) is not None:
                result = (before + (self._call("grown", self._marks[-1]) & _WORD)) % PRIME
            else:
                result = self._call("whole_hash") & _WORD
            self._sums[-1] = result
        return result

    @property
    def row(self) -> NDArray[np.int64]:
        """The position as a row."""
        self._call("saved", self._row)
        return self._memory.read(self._row, self._search.columns)

    @property
    def codes(self) -> Codes:
        """The legal options as codes."""
        try:
            by = self._call("decider")
            size = self._stride // 8
            listed = self._memory.read(self._options, self._call("listed", self._interrupts) * size).reshape(-1, size)
        except TrapError:
            return self._python().codes
        return self._search.coder.of_listed(listed, by)

    def weights(self) -> list[int]:
        """The weights of the options."""
        try:
            self._asked("weigh", self._interrupts)
            return list(map(int, self._memory.read(self._memory.options, self.count)))
        except TrapError:
            return self._python().weights()

    def take(self, number: int) -> None:
        """Takes an option."""
        if not 0 <= number < (count := self.count):
            raise IndexError(f"there is no option {number}: only {count} are legal")
        mark = self._memory.get("JOURNAL")
        try:
            if self._count is None:
                raise TrapError
            self._call("take", self._options + self._stride * number)
        except TrapError:
            self._call("undo", mark)
            walk = self._python()
            walk.take(number)
            self._memory.write(self._row, walk.row)
            self._call("moved", self._row)
        self._marks.append(mark)
        self._sums.append(None)
        self._count = None

    def undo(self) -> None:
        """Undoes the last option."""
        if not self._marks:
            raise IndexError("there is no decision to take back")
        self._call("undo", self._marks.pop())
        self._sums.pop()
        self._count = None

    def playout(self, seed: int, number: int = 0, cap: int = CAP) -> PlayoutEnd:
        """Plays a random game from the current position, then returns to the start of the walk."""
        self._call("saved", self._row)
        self._memory.sow(seed, number)
        try:
            if self._memory.play(1, cap, self._value):
                raise TrapError
            size = self._memory.constants["RESULT"] // 8
            status, decisions, _, won, *flat = self._memory.results(1)[0].tolist()
            result = self._search.end(status == 0, decisions, won, self._memory.ranks.of(flat))
            if status:
                result = result._replace(values=tuple(flat[size - 4 - self._search.seats :]))
        except TrapError:
            result = self._search.playout(self._memory.read(self._row, self._search.columns), seed, number, cap)
        self._back()
        return result
