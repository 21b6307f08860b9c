"""The native machine: a program as WebAssembly. What it cannot do, or what is at fault, Python does instead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rulespec.engine.native.engine import TrapError
from rulespec.engine.native.layout import ENTRY
from rulespec.engine.native.program import NativeProgram
from rulespec.engine.program import ir
from rulespec.engine.program.journal import Journal, State
from rulespec.engine.program.machine import Listed
from rulespec.engine.python.backend import PythonBackend


class NativeBackend:
    """Runs a program through WebAssembly. See `Machine` for the methods of all machines.

    A state is a list here, as for every machine, and copied into the memory of the module for each call. What plays
    whole games stays in there: see `playouts`.

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
        return self._start.copy()

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Puts values into cells and updates the sets of occupied places; returns the journal of it."""
        return self.python.write(state, values)

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end; a fault leaves the state as it was."""

        def run() -> Journal:
            instance, constants = self.instance, self._constants
            for cell, value in zip(self._arguments.get(block, ()), args, strict=True):
                instance.call("put", self.compiled.memory.address(cell), value)
            instance.numbers[constants["LEFT"] // 8] = self.native.steps
            instance.call("run", block)
            return self._changed(state)

        journal: Journal = self._tried(state, run, lambda: self.python.run(state, block, args))
        return journal

    @cached_property
    def _arguments(self) -> dict[int, tuple[int, ...]]:
        return self.p.arguments()

    def _tried(self, state: State, native: Callable[[], Any], python: Callable[[], Any]) -> Any:
        """What is found natively, or else by Python."""
        instance, constants = self.instance, self._constants
        base = constants["JOURNAL_BASE"]
        try:
            self._load(state)
        except (OverflowError, ValueError):  # a value that no cell of the rules has
            return python()
        instance.numbers[constants["JOURNAL"] // 8] = base
        instance.numbers[constants["OPTIONS"] // 8] = constants["OPTIONS_BASE"]
        try:
            return native()
        except TrapError:
            self.given_back += 1
            return python()

    def _load(self, state: State) -> None:
        """Copies a state into the memory."""
        memory = self.compiled.memory
        found = memory.encoded(state)
        self.instance.memory[memory.state : memory.state + len(found)] = found

    def _changed(self, state: State) -> Journal:
        """Takes over the cells that have changed; returns the journal of them."""
        memory, numbers, constants = self.compiled.memory, self.instance.numbers, self._constants
        top = numbers[constants["JOURNAL"] // 8]
        entries = numbers[constants["JOURNAL_BASE"] // 8 : top // 8 : ENTRY // 8]
        journal: Journal = []
        for cell in dict.fromkeys(map(memory.cell, entries)):
            journal += (cell, state[cell])
            state[cell] = self._read(cell)
        return journal

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
        found: int = self._tried(
            state, lambda: self.instance.call("who", decision), lambda: self.python.decider(state, decision)
        )
        return found

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider."""
        found: Iterator[Listed] = self._tried(
            state, lambda: self._listed("own", decision), lambda: self.python.own(state, decision)
        )
        return found

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others."""
        found: Iterator[Listed] = self._tried(
            state, lambda: self._listed("others", decision), lambda: self.python.interrupts(state, decision)
        )
        return found

    def _listed(self, name: str, decision: int) -> Iterator[Listed]:
        self.instance.call(name, decision)
        return iter(self.rows(self._constants["OPTIONS_BASE"]))

    def rows(self, first: int) -> list[Listed]:
        """The options in the buffer from an address on."""
        numbers, constants = self.instance.numbers, self._constants
        top = numbers[constants["OPTIONS"] // 8]
        found = []
        for at in range(first // 8, top // 8, constants["STRIDE"] // 8):
            decision, choice = self.compiled.options[numbers[at]]
            count = len(self.p.decisions[decision].choices[choice].params)
            found.append((choice, tuple(numbers[at + 2 : at + 2 + count]), numbers[at + 1]))
        return found

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
