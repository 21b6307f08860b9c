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
from rulespec.engine.program.journal import Journal, State
from rulespec.engine.program.machine import Listed
from rulespec.engine.python.backend import PythonBackend

_EVERYTHING = 300
"""Cells written from outside after which all are copied: that takes as long."""
_ROWS_KEPT = 50_000
_put = list.__setitem__


class NativeState(list[int]):
    """A state that knows which of its cells were written from outside, since the memory of a module was the same."""

    __slots__ = ("written",)

    def __init__(self, cells: Sequence[int]) -> None:
        super().__init__(cells)
        self.written: list[Any] = []

    def __setitem__(self, at: SupportsIndex | slice, value: Any) -> None:
        self.written.append(at)
        super().__setitem__(at, value)

    def copy(self) -> NativeState:
        """An independent copy."""
        return NativeState(self)


def _written(state: State) -> list[Any]:
    """The cells of a state that the memory holds which were written from outside."""
    assert isinstance(state, NativeState)
    return state.written


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
        self._constants = memory.constants
        self._start = self.compiled.occupancy.start(self.p.start)
        self._held: State | None = None
        """The state that the memory holds."""
        self._decider: tuple[int, int] | None = None
        """Its decision and who takes it, if that is known."""
        self._asked = False  # whether options have been asked for since the last decision: then for the next one, too
        self._ready = False  # whether those of the open decision have been listed
        self._options, self._stride = memory.constants["OPTIONS_BASE"] // 8, memory.constants["STRIDE"] // 8
        self._cells, self._values = memory.constants["CHANGED"] // 8, memory.constants["CHANGED_TO"] // 8
        self._large = [bits >= WORD or wide for bits, wide in zip(memory.widths.bits, memory.widths.cells, strict=True)]
        self._plain = not any(self._large)
        self._rows = _Rows(native)
        options = enumerate(self.compiled.options)
        self._numbers = {self.p.decisions[d].choices[k].block: number for number, (d, k) in options}
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
        return NativeState(self._start)

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells and updates the sets of occupied places; returns the journal of it."""
        return self.python.write(state, values)

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end; a fault leaves the state as it was."""
        try:
            if state is not self._held or _written(state):
                self._bring(state)
            option = self._numbers[block] if args else self._numbers.get(block, -1)
            first, numbers = self._options + 2, self.instance.numbers
            for at, value in enumerate(args, first):
                numbers[at] = value
            journal = self._changed(state, self._stepped(block, option, self._asked))
        except TrapError:
            self._forget()
        except (OverflowError, ValueError, KeyError):  # a value that no cell of the rules has
            self._held = None
        else:
            self._decider = (self.asked.get(state[ir.PC], -1), self._get("BY"))
            self._ready, self._asked = self._asked, False
            return journal
        return self.python.run(state, block, args)

    def _get(self, register: str) -> int:
        return int(self.instance.numbers[self._constants[register] // 8])

    def _forget(self) -> None:
        """Takes back what a call has written that came to no end."""
        self.given_back += 1
        self.instance.call("undo", self._constants["JOURNAL_BASE"])
        self._decider = None

    def _tried(self, state: State, native: Callable[[], Any], python: Callable[[], Any]) -> Any:
        """What is found natively, or else by Python."""
        try:
            self._bring(state)
            return native()
        except TrapError:
            self._forget()
        except (OverflowError, ValueError):
            self._held = None
        return python()

    def _bring(self, state: State) -> None:
        """Lets the memory hold a state."""
        if state is not self._held or _written(state):
            self._ready = False
        if state is self._held:
            assert isinstance(state, NativeState)
            written = state.written
            if not written:
                return
            if len(written) < _EVERYTHING and all(isinstance(at, int) for at in written):
                self._held = None
                self._write(state, written)
                self._held = state
                written.clear()
                self._decider = None
                return
        memory, instance = self.compiled.memory, self.instance
        self._held = self._decider = None
        found = array("q", state).tobytes() if self._plain else memory.encoded(state)
        instance.memory[memory.state : memory.state + len(found)] = found
        instance.numbers[self._constants["JOURNAL"] // 8] = self._constants["JOURNAL_BASE"]
        if isinstance(state, NativeState):
            state.written.clear()
            self._held = state

    def _write(self, state: State, cells: Sequence[int]) -> None:
        """Copies some cells into the memory."""
        memory, instance = self.compiled.memory, self.instance
        for cell in cells:
            at = memory.address(cell)
            if not self._large[cell]:
                instance.numbers[at // 8] = state[cell]
            elif memory.widths.cells[cell]:
                instance.memory[at : at + 8 * memory.words] = state[cell].to_bytes(8 * memory.words, "little")
            else:
                instance.unsigned[at // 8] = state[cell]

    def _changed(self, state: State, count: int) -> Journal:
        """Takes over the cells that have changed, so many; returns the journal of them."""
        numbers, first, values = self.instance.numbers, self._cells, self._values
        journal: Journal = numbers[first : first + 2 * count].tolist()
        if self._plain:
            for cell, value in zip(journal[::2], numbers[values : values + count].tolist(), strict=True):
                _put(state, cell, value)
            return journal
        memory = self.compiled.memory
        found: Journal = []
        for cell in dict.fromkeys(memory.cell(memory.state + 8 * at) for at in journal[::2]):
            found += (cell, state[cell])
            _put(state, cell, self._read(cell))
        return found

    def _read(self, cell: int) -> int:
        """The value of a cell in the memory."""
        memory = self.compiled.memory
        at = memory.address(cell)
        if memory.widths.cells[cell]:
            return int.from_bytes(self.instance.memory[at : at + 8 * memory.words], "little")
        if memory.widths.bits[cell] == 64:
            return int(self.instance.unsigned[at // 8])
        return int(self.instance.numbers[at // 8])

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""
        if (
            (known := self._decider) is not None
            and state is self._held
            and known[0] == decision
            and not _written(state)
        ):
            return known[1]
        found: int = self._tried(
            state, lambda: self.instance.call("who", decision), lambda: self.python.decider(state, decision)
        )
        return found

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider."""
        self._asked = True
        if self._ready and state is self._held and not _written(state):
            return self._taken(self._get("OPTIONS") // 8 - self._options)
        found: Iterator[Listed] = self._tried(
            state, lambda: self._listed("asks", decision), lambda: self.python.own(state, decision)
        )
        return found

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

    def _taken(self, size: int) -> Iterator[Listed]:
        """The options in the buffer, which take so many numbers."""
        rows = iter(self.instance.numbers[self._options : self._options + size].tolist())
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
