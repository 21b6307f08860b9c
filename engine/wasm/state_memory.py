"""The state held in a module's memory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Any, SupportsIndex

from rulespec.engine.program import ir
from rulespec.engine.program.cells import Changes, Journal, State, journal_of, restore, write_changes
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.widths import WORD

_EVERYTHING = 300
"""The number of cells written from outside at which copying all cells is as fast."""
_put = list.__setitem__


def _is_cell(at: object) -> bool:
    return isinstance(at, int)


class WasmState(list[int]):
    """A state that records the cells written from outside since it last equalled the module's memory.

    Until its first run, it is `fresh`: equal to the module's initial state except for these cells. `behind` lists the
    changes that runs have made since it was last read (see `Late`).
    """

    __slots__ = ("behind", "fresh", "written")

    def __init__(self, cells: Sequence[int], fresh: bool = False) -> None:
        super().__init__(cells)
        self.fresh = fresh
        self.written: list[Any] = []
        self.behind: list[Changes] = []

    def __setitem__(self, at: SupportsIndex | slice, value: Any) -> None:
        self.written.append(at)
        super().__setitem__(at, value)

    def copy(self) -> WasmState:
        """An independent copy."""
        self.catch_up()
        result = WasmState(self, self.fresh)
        if self.fresh:
            result.written += self.written
        return result

    def catch_up(self) -> None:
        """Applies the pending changes made by runs."""
        if self.behind:
            for changes in self.behind:
                write_changes(self, changes)
            self.behind.clear()


class StateMemory:
    """The memory of a module, which mirrors the state used in the last call.

    A call with that state copies only the cells written from outside; a call with another state copies all cells.

    Args:
        wasm: the program with its machine code.

    Attributes:
        compiled: the program as a module.
        instance: the module with the memory.
        given_back: the number of calls that failed.
    """

    def __init__(self, wasm: WasmProgram) -> None:
        self.compiled = wasm.compiled
        self.instance = wasm.instance()
        self.given_back = 0
        memory = self.compiled.memory
        self._constants = memory.constants
        self._memory, self._numbers = self.instance.memory, self.instance.numbers
        self._start = self.compiled.occupancy.start(wasm.p.start)
        self._held: WasmState | None = None
        """The state that the memory holds."""
        self._known = -1
        """The decision whose decider the memory holds, or -1."""
        self._ready = False
        """Whether the memory holds the options of that decision."""
        self._large = [bits >= WORD or wide for bits, wide in zip(memory.widths.bits, memory.widths.cells, strict=True)]
        self._plain = not any(self._large)
        self._counter = memory.address(ir.PC) // 8
        self._first_cell = memory.state // 8
        self._room = 0, 0  # the address and the size of additional memory
        self._cell_of = {
            (memory.address(at) - memory.state) // 8 + word: at
            for at, large in enumerate(self._large)
            if large
            for word in range(memory.words if memory.widths.cells[at] else 1)
        }
        """Words of cells with values beyond signed 64-bit numbers → the cell."""

    def catch_up(self, state: State) -> None:
        """Brings a state up to date."""
        if isinstance(state, WasmState):
            state.catch_up()

    def take_back(self, state: State, noted: Journal | Changes) -> None:
        """Undoes the last run; if its changes were never read, only the memory is changed."""
        if not isinstance(state, WasmState) or isinstance(noted, list):
            self.catch_up(state)
            restore(state, journal_of(noted))
            return
        if unseen := bool(state.behind) and state.behind[-1] is noted:
            state.behind.pop()
        else:
            state.catch_up()
        journal = journal_of(noted)
        if state is not self._held or state.written:
            restore(state, journal)
            return
        numbers, first = self._numbers, self._first_cell
        for i in range(len(journal) - 2, -1, -2):
            at, value = journal[i], journal[i + 1]
            numbers[first + at] = value
            if not unseen or at == ir.PC:
                _put(state, at, value)
        self._written_outside()
        self._ready, self._known = False, -1

    def _bring(self, state: State) -> None:
        """Loads a state into the memory, unless it is there."""
        if state is (held := self._held) and not held.written:
            return
        self._held, self._ready, self._known = None, False, -1
        if not isinstance(state, WasmState):
            self._bring_whole(state)
            return
        state.catch_up()
        written = state.written
        if (state is not held and not state.fresh) or len(written) >= _EVERYTHING or not all(map(_is_cell, written)):
            self._bring_whole(state)
        else:
            if state is not held:
                self.instance.call("reset")
            self._write(state, written)
        state.fresh = False
        written.clear()
        self._held = state

    def _bring_whole(self, state: State) -> None:
        """Copies all cells of a state into the memory."""
        memory = self.compiled.memory
        result = array("q", state).tobytes() if self._plain else memory.encoded(state)
        self._memory[memory.state : memory.state + len(result)] = result
        self._numbers[self._constants["JOURNAL"] // 8] = self._constants["JOURNAL_BASE"]
        self._written_outside()

    def _write(self, state: State, cells: Sequence[int]) -> None:
        """Copies some cells into the memory."""
        memory, instance = self.compiled.memory, self.instance
        for cell in cells:
            at = memory.address(cell)
            if not self._large[cell]:
                self._numbers[at // 8] = state[cell]
            elif memory.widths.cells[cell]:
                instance.memory[at : at + 8 * memory.words] = state[cell].to_bytes(8 * memory.words, "little")
            else:
                instance.unsigned[at // 8] = state[cell]
        if cells:
            self._written_outside()

    def _written_outside(self) -> None:
        """Lets the module keep no set from before."""
        self._numbers[self._constants["REWRITTEN"] // 8] = -1

    def _read(self, cell: int) -> int:
        """The value of a cell in the memory."""
        memory = self.compiled.memory
        at = memory.address(cell)
        if memory.widths.cells[cell]:
            return int.from_bytes(self.instance.memory[at : at + 8 * memory.words], "little")
        if memory.widths.bits[cell] == 64:
            return int(self.instance.unsigned[at // 8])
        return int(self._numbers[at // 8])

    def take_all(self, state: State, codes: bytes, budget: int) -> int:
        """Takes recorded decisions in one call of the module.

        Args:
            state: the position; it changes only if all decisions are legal.
            codes: the decisions, in the form that `runtime/replay` reads.
            budget: their total step limit.

        Returns:
            The number of legal decisions, up to the first one not among the listed options; -1 if the step limit is
            exceeded.
        """
        instance, width, row = self.instance, self._constants["STRIDE"], self._room_for(len(codes))
        numbers, first = instance.numbers, row + self._constants["ROW"]
        try:
            self._bring(state)
            instance.memory[first : first + len(codes)] = codes
            numbers[row // 8 - 2], numbers[row // 8 - 1] = first, first + len(codes)
            registers = {"ROWS": row, "ANSWERS": row - 16, "GAME": 0, "PAUSED": 0, "BUDGET": budget}
            for register, value in registers.items():
                numbers[self._constants[register] // 8] = value
            instance.call("saved", row)
            instance.call("replay", 1, 0, 0)
        except TrapError:  # at a decision that Python may be able to take
            self._forget()
        except (OverflowError, ValueError):  # a value outside the range of any cell
            pass
        self._held, self._ready, self._known = None, False, -1
        taken = (numbers[row // 8 - 2] - first) // width
        if width * taken == len(codes):
            _put(state, slice(None), self._all_cells())
            return taken
        return -1 if numbers[self._constants["PAUSED"] // 8] else taken

    def _all_cells(self) -> list[int]:
        """The values of all cells in the memory."""
        if self._plain:
            return self._numbers[self._first_cell : self._first_cell + len(self._start)].tolist()
        return [*map(self._read, range(len(self._start)))]

    def _room_for(self, size: int) -> int:
        """The address of a row, with room for two numbers before it and `size` bytes after it.

        Raises:
            NoWasmtimeError: if there is not enough memory.
        """
        needed = 16 + self._constants["ROW"] + size
        if needed > self._room[1]:
            self._room = self.instance.grow(needed), -(-needed // 65_536) * 65_536
        return self._room[0] + 16

    def _taken_over(self, state: State, changes: Journal, values: list[int]) -> Journal:
        """Applies changes that include values beyond plain numbers; returns their journal."""
        journal: Journal = []
        for at, before, value in zip(changes[::2], changes[1::2], values, strict=True):
            cell = self._cell_of.get(at)
            if cell is None:
                journal += (at, before)
                _put(state, at, value)
            elif (whole := self._read(cell)) != state[cell]:  # otherwise an earlier word of the cell has updated it
                journal += (cell, state[cell])
                _put(state, cell, whole)
        return journal

    def _forget(self) -> None:
        """Undoes the writes of an unfinished call."""
        self.given_back += 1
        self.instance.call("undo", self._constants["JOURNAL_BASE"])
        self._known = -1
