"""The native machine: a program as WebAssembly. What it cannot do, or what is at fault, Python does instead."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, SupportsIndex

from rulespec.engine.native.engine import TrapError
from rulespec.engine.native.program import NativeProgram
from rulespec.engine.native.widths import WORD
from rulespec.engine.program import ir
from rulespec.engine.program.journal import Changes, Journal, State, write_changes
from rulespec.engine.program.machine import Late, Listed, Listing
from rulespec.engine.python.backend import PythonBackend

_EVERYTHING = 300
"""Cells written from outside after which all are copied: that takes as long."""
_ROWS_KEPT = 50_000
_put = list.__setitem__


def _is_cell(at: object) -> bool:
    return isinstance(at, int)


class NativeState(list[int]):
    """A state that knows which of its cells were written from outside, since the memory of a module was the same.

    Until it is run it is `fresh`: but for these cells it is the state in which a module begins. What runs have changed
    since somebody looked at it last is `behind` (see `Late`).
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

    def copy(self) -> NativeState:
        """An independent copy."""
        self.catch_up()
        found = NativeState(self, self.fresh)
        if self.fresh:
            found.written += self.written
        return found

    def catch_up(self) -> None:
        """Takes over what runs have changed."""
        if self.behind:
            for changes in self.behind:
                write_changes(self, changes)
            self.behind.clear()


class _Rows(dict[tuple[int, ...], Listed]):
    """Options by their rows in the buffer: most games ask for the same ones again and again."""

    def __init__(self, native: NativeProgram) -> None:
        self._kinds = [(k, 2 + len(native.p.decisions[d].choices[k].params)) for d, k in native.compiled.options]

    def __missing__(self, row: tuple[int, ...]) -> Listed:
        if len(self) > _ROWS_KEPT:
            self.clear()
        choice, end = self._kinds[row[0]]
        found = self[row] = (choice, row[2:end], row[1])
        return found


class NativeBackend:
    """Runs a program through WebAssembly. See `Machine` for the methods of all machines.

    A state is a list here, as for every machine. The memory of the module holds the same as the one that was run last:
    of that, what was written from outside is copied for a call, of others everything. What plays whole games stays in
    there: see `playouts`.

    Args:
        native: the program with its machine code.

    Attributes:
        p: the program as it was lowered.
        native: the program with its machine code.
        given_back: how many calls Python has answered, because the rules are at fault or only Python can tell.
    """

    def __init__(self, native: NativeProgram) -> None:
        self.p = native.p
        self.native = native
        self.compiled = native.compiled
        self.instance = native.instance()
        self.given_back = 0
        memory = self.compiled.memory
        self._constants = constants = memory.constants
        self._memory, self._numbers = self.instance.memory, self.instance.numbers
        self._start = self.compiled.occupancy.start(self.p.start)
        self._held: NativeState | None = None
        """The state that the memory holds."""
        self._known = -1
        """Its decision, if the memory holds who takes it."""
        self._asked = False  # whether options have been asked for since the last decision: then for the next one, too
        self._ready = False  # whether those of the open decision have been listed
        self._options, self._stride = constants["OPTIONS_BASE"] // 8, constants["STRIDE"] // 8
        self._first, self._arguments = constants["OPTIONS_BASE"], self._options + 2
        self._changes, self._by, self._end = constants["CHANGED"] // 8, constants["BY"] // 8, constants["OPTIONS"] // 8
        self._large = [bits >= WORD or wide for bits, wide in zip(memory.widths.bits, memory.widths.cells, strict=True)]
        self._plain = not any(self._large)
        self._counter = memory.address(ir.PC) // 8
        self._cell_of = {
            (memory.address(at) - memory.state) // 8 + word: at
            for at, large in enumerate(self._large)
            if large
            for word in range(memory.words if memory.widths.cells[at] else 1)
        }
        """The words of cells whose values are not always numbers of 64 bits with a sign → the cell."""
        self._rows = _Rows(native)
        options = enumerate(self.compiled.options)
        self._number_of = {self.p.decisions[d].choices[k].block: number for number, (d, k) in options}
        """The block that an option leads to → its number in the buffer."""
        self._stepped = self.instance.bound("stepped")
        self._asks = {name: self.instance.bound(name) for name in ("asks", "asks_others")}
        self.instance.call("reset")

    @cached_property
    def python(self) -> PythonBackend:
        """The machine that does what this one cannot. Its states have the same cells."""
        return PythonBackend(self.p, self.native.passes, steps=self.native.steps)

    @cached_property
    def asked(self) -> Mapping[int, int]:
        """The blocks in which a game waits, each with the number of its decision."""
        return self.p.asked()

    def start(self) -> State:
        """A new state before the first block has run, with the sets of occupied places."""
        return NativeState(self._start, True)

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells and updates the sets of occupied places; returns the journal of it."""
        return self.python.write(state, values)

    @property
    def late(self) -> Late | None:
        """Runs that leave a state behind; None where not every cell is a number of 64 bits."""
        return self if self._plain else None

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end; a fault leaves the state as it was."""
        end = self._ran(state, block, args)
        self.catch_up(state)
        if not end:
            return self.python.run(state, block, args)
        journal: Journal = self._numbers[self._changes : end].tolist()
        values = journal[2::3]
        del journal[2::3]
        cells = journal[::2]
        if self._plain or self._cell_of.keys().isdisjoint(cells):
            any(map(_put.__get__(state), cells, values))
        else:
            journal = self._taken_over(state, journal, values)
        self._known = self.asked.get(state[ir.PC], -1)
        return journal

    def run_late(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal | Changes:
        """As `run`, but the state is left behind."""
        if not isinstance(state, NativeState):
            return self.run(state, block, args)
        end = self._ran(state, block, args)
        if not end:
            state.catch_up()
            return self.python.run(state, block, args)
        changes = self._memory[8 * self._changes : 8 * end].tobytes()
        state.behind.append(changes)
        counter = self._numbers[self._counter]
        _put(state, ir.PC, counter)
        self._known = self.asked.get(counter, -1)
        return changes

    def catch_up(self, state: State) -> None:
        """Brings a state up to date."""
        if isinstance(state, NativeState):
            state.catch_up()

    def _ran(self, state: State, block: int, args: tuple[int, ...]) -> int:
        """Runs in the memory; returns where what has changed ends among its numbers, or 0 where only Python can run."""
        try:
            if state is not (held := self._held) or held.written:
                self._bring(state)
            numbers = self._numbers
            if args:
                option = self._number_of[block]
                for at, value in enumerate(args, self._arguments):
                    numbers[at] = value
            else:
                option = self._number_of.get(block, -1 - block)
            end = self._stepped(option, self._asked, 0)
        except TrapError:
            self._forget()
        except (OverflowError, ValueError, KeyError):  # a value that no cell of the rules has
            self._held = None
        else:
            self._ready, self._asked = self._asked, False
            return end
        return 0

    def _taken_over(self, state: State, changes: Journal, values: list[int]) -> Journal:
        """Takes over what has changed where not every value is a number of its own; returns the journal of it."""
        journal: Journal = []
        for at, before, value in zip(changes[::2], changes[1::2], values, strict=True):
            cell = self._cell_of.get(at)
            if cell is None:
                journal += (at, before)
                _put(state, at, value)
            elif (whole := self._read(cell)) != state[cell]:  # else by a word before, of the same cell
                journal += (cell, state[cell])
                _put(state, cell, whole)
        return journal

    def _forget(self) -> None:
        """Takes back what a call has written that came to no end."""
        self.given_back += 1
        self.instance.call("undo", self._constants["JOURNAL_BASE"])
        self._known = -1

    def _tried(self, state: State, native: Callable[[], Any], python: Callable[[], Any]) -> Any:
        """What is found natively, or else by Python."""
        try:
            self._bring(state)
            return native()
        except TrapError:
            self._forget()
        except (OverflowError, ValueError):
            self._held = None
        self.catch_up(state)
        return python()

    def _bring(self, state: State) -> None:
        """Lets the memory hold a state."""
        if state is (held := self._held) and not held.written:
            return
        self._held, self._ready, self._known = None, False, -1
        if not isinstance(state, NativeState):
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
        found = array("q", state).tobytes() if self._plain else memory.encoded(state)
        self._memory[memory.state : memory.state + len(found)] = found
        self._numbers[self._constants["JOURNAL"] // 8] = self._constants["JOURNAL_BASE"]

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

    def _read(self, cell: int) -> int:
        """The value of a cell in the memory."""
        memory = self.compiled.memory
        at = memory.address(cell)
        if memory.widths.cells[cell]:
            return int.from_bytes(self.instance.memory[at : at + 8 * memory.words], "little")
        if memory.widths.bits[cell] == 64:
            return int(self.instance.unsigned[at // 8])
        return int(self._numbers[at // 8])

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""
        if state is (held := self._held) and self._known == decision and not held.written:
            return self._numbers[self._by]
        found: int = self._tried(
            state, lambda: self.instance.call("who", decision), lambda: self.python.decider(state, decision)
        )
        return found

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider."""
        self._asked = True
        if self._ready and state is (held := self._held) and not held.written:
            return self._taken(self._numbers[self._end] // 8)
        found: Iterator[Listed] = self._tried(
            state, lambda: self._listed("asks", decision), lambda: self.python.own(state, decision)
        )
        return found

    def listing(self, state: State, decision: int) -> Listing | None:
        """All options of the decider at once; None where only Python can list."""
        self._asked = True
        numbers = self._numbers
        if self._ready and self._known == decision and state is (held := self._held) and not held.written:
            who = numbers[self._by]
        else:
            who = self.decider(state, decision)
            try:
                self._bring(state)
                self._asks["asks"](decision, 0, 0)
            except TrapError:
                self._forget()
                return None
            except (OverflowError, ValueError):
                self._held = None
                return None
            self._ready = self._held is state and self.asked.get(state[ir.PC], -1) == decision
        return decision, who, self._memory[self._first : numbers[self._end]].tobytes()

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others."""
        found: Iterator[Listed] = self._tried(
            state, lambda: self._listed("asks_others", decision), lambda: self.python.interrupts(state, decision)
        )
        return found

    def _listed(self, name: str, decision: int) -> Iterator[Listed]:
        """The options that a function lists."""
        self._ready = False
        return self._taken(self._asks[name](decision, 0, 0) // 8)

    def _taken(self, end: int) -> Iterator[Listed]:
        """The options in the buffer up to a number."""
        rows = iter(self._numbers[self._options : end].tolist())
        return map(self._rows.__getitem__, zip(*[rows] * self._stride, strict=True))

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        return self.python.is_legal(state, decision, choice, args)

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments with which an option is listed instead, as its tokens are alike; None if it is itself."""
        return self.python.standing(state, decision, choice, args)

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that takes an interrupt."""
        return self.python.actor(state, decision, choice, args)

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression."""
        return self.python.value(e, state, args)

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the invariants that do not hold; with `since`, of those only that read a changed cell."""

        def whole() -> list[int]:
            found: list[int] = self.python.broken(state, None) if self.instance.call("broken", 1) else []
            return found

        found: list[int] = self._tried(state, whole, lambda: self.python.broken(state, since))
        return found
