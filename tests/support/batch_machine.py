"""A machine that plays in one memory by the functions of a batch, and checks their journal against the states."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import compress, count
from operator import ne
from typing import TypeVar

from wasm_machine import python_of

from rulespec.engine.game.position_hash import PRIME, change, weights, whole
from rulespec.engine.program import ir
from rulespec.engine.program.blanks import Unknown
from rulespec.engine.program.cells import Journal, State
from rulespec.engine.program.columns import option_columns
from rulespec.engine.program.long_values import handed_back
from rulespec.engine.program.machine import Blind, Listed, Lookups
from rulespec.engine.search.weights import write_weights
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.state_memory import StateMemory

_LONG = 150_000
"""The number of journal entries above which earlier ones are no longer undone."""
_WORD = 1 << 64
_OFTEN = 10
"""The interval of decisions that are undone and replayed."""

T = TypeVar("T")


class BatchMachine(StateMemory):
    """A machine that runs a program as batches do: options are listed in a buffer and played from it, with a journal.

    Generated Python takes over when the module traps. See `Machine` for the methods of all machines.

    Args:
        wasm: the program with its machine code.
    """

    listing = None
    late = None

    def __init__(self, wasm: WasmProgram) -> None:
        super().__init__(wasm)
        self.p, self.wasm = wasm.p, wasm
        self.fallback = python_of(wasm)
        self.asked = wasm.p.asked()
        self._columns = option_columns(wasm.p)
        write_weights(wasm, self.instance)
        self._weights = weights(len(wasm.p.cells), len(self._start))
        self._decisions = 0
        self.instance.call("reset")
        self._begun = self._bytes()
        self._cells: State = list(self._start)
        """The state currently in memory."""
        self._wide = [at for at, large in enumerate(self._large) if large]

    def run_without(self, state: State, unknown: Unknown, block: int, args: tuple[int, ...] = ()) -> Blind:
        """A run in which some cells are unknown."""
        return self.fallback.run_without(state, unknown, block, args)

    def start(self) -> State:
        """A new state, before the first block has run."""
        return list(self._start)

    # --- memory -----------------------------------------------------------------------------------

    def _get(self, register: str) -> int:
        return int(self._numbers[self._constants[register] // 8])

    def _set(self, register: str, value: int) -> None:
        self._numbers[self._constants[register] // 8] = value

    def _bytes(self) -> bytes:
        memory = self.compiled.memory
        return bytes(self._memory[memory.state : memory.end])

    def _hold(self, state: State) -> None:
        """Puts a state into memory, unless it is there already after a run in the same game."""
        if state != self._cells:
            self._begin(self.compiled.memory.encoded(state))
            self._cells = list(state)

    def _begin(self, encoded: bytes) -> None:
        """Undoes the whole journal, and starts from another state."""
        self.instance.call("undo", self._constants["JOURNAL_BASE"])
        assert self._bytes() == self._begun
        self._memory[self.compiled.memory.state : self.compiled.memory.end] = encoded
        self._begun = encoded

    def _values(self) -> list[int]:
        """The cells in memory."""
        values: list[int] = self._numbers[self._first_cell : self._first_cell + len(self._start)].tolist()
        for at in self._wide:
            values[at] = self._read(at)
        return values

    # --- options ----------------------------------------------------------------------------------

    def _asks(self, state: State, asks: Callable[[], T], python: Callable[[], T]) -> T:
        """The answer of the module, which must not change the state, or of Python after a trap."""
        self._hold(state)
        before, mark = self._bytes(), self._get("JOURNAL")
        try:
            answer = asks()
        except TrapError:
            self.instance.call("undo", mark)
        else:
            assert self._bytes() == before
            return answer
        assert self._bytes() == before
        result = python()  # usually a fault
        self.given_back += 1
        handed_back("python")
        return result

    def decider(self, state: State, decision: int) -> int:
        """The seat that decides; -1 for chance."""

        def asks() -> int:
            return int(self.instance.call("who", decision))

        return self._asks(state, asks, lambda: self.fallback.decider(state, decision))

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider, in order."""

        def asks() -> Iterator[Listed]:
            return iter(self._listed(decision, "own"))

        return self._asks(state, asks, lambda: iter(list(self.fallback.own(state, decision))))

    def interrupts(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of others, in order."""

        def asks() -> Iterator[Listed]:
            return iter(self._listed(decision, "others"))

        return self._asks(state, asks, lambda: iter(list(self.fallback.interrupts(state, decision))))

    def _listed(self, decision: int, *functions: str) -> list[Listed]:
        """The options in the buffer, after the given functions have listed them."""
        first, numbers, stride = self._constants["OPTIONS_BASE"], self._numbers, self._constants["STRIDE"] // 8
        self._set("OPTIONS", first)
        for name in functions:
            self.instance.call(name, decision)
        results = []
        for at in range(first // 8, self._get("OPTIONS") // 8, stride):
            _, choice = self.compiled.options[numbers[at]]
            row = numbers[at : at + stride].tolist()
            results.append((choice, self._columns[row[0]].arguments(row), row[1]))
        return results

    # --- decisions --------------------------------------------------------------------------------

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end; a fault leaves the state unchanged."""
        self._hold(state)
        if self._get("JOURNAL") > self._constants["JOURNAL_BASE"] + 24 * _LONG:
            self._begin(self._bytes())
        before, mark, hashed = self._bytes(), self._get("JOURNAL"), self._hash()
        try:
            take = self._taking(state, block, args)
            take()
        except TrapError:
            self.instance.call("undo", mark)
            assert self._bytes() == before
            journal = self.fallback.run(state, block, args)
            self.given_back += 1
            handed_back("python")
            return journal
        self._cells = self._values()
        journal = [x for at in compress(count(), map(ne, state, self._cells)) for x in (at, state[at])]
        state[:] = self._cells
        self._decisions += 1
        grown = self.instance.call("grown", mark) % _WORD
        assert grown == change(state, journal, self._weights) % PRIME
        if self._decisions % _OFTEN == 0:
            after = self._bytes()
            assert (hashed + grown) % PRIME == self._hash() == whole(state, self._weights)
            self.instance.call("undo", mark)
            assert self._bytes() == before
            take()
            assert self._bytes() == after
        return journal

    def _hash(self) -> int:
        return int(self.instance.call("whole_hash")) % _WORD

    def _taking(self, state: State, block: int, args: tuple[int, ...]) -> Callable[[], None]:
        """A function that plays an option from the buffer, or runs any other block."""
        asked = self.asked.get(state[ir.PC], -1)
        choices = self.p.decisions[asked].choices if asked >= 0 else ()
        if block not in [choice.block for choice in choices]:

            def run() -> None:
                self._set("LEFT", self.wasm.steps)
                self.instance.call("run", block)

            return run
        options = [(choices[choice].block, values) for choice, values, _ in self._listed(asked, "own", "others")]
        at = self._constants["OPTIONS_BASE"] + self._constants["STRIDE"] * options.index((block, args))

        def take() -> None:
            self.instance.call("take", at)

        return take

    # --- what Python answers ----------------------------------------------------------------------

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the broken invariants."""

        def asks() -> list[int]:
            if not self.instance.call("broken", 1):
                return []
            results = self.fallback.broken(state)
            assert results, "the module says that an invariant does not hold"
            return results

        return self._asks(state, asks, lambda: self.fallback.broken(state))

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Sets cells from outside the rules; returns the journal of the change."""
        return self.fallback.write(state, values)

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression."""
        return self.fallback.value(e, state, args)

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments is legal."""
        return self.fallback.is_legal(state, decision, choice, args)

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments of the listed representative with equivalent tokens; None if the option is itself listed."""
        return self.fallback.standing(state, decision, choice, args)

    @property
    def lookups(self) -> Sequence[Lookups]:
        """For each decision, functions that only read cells."""
        return self.fallback.lookups

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that plays an interrupt."""
        return self.fallback.actor(state, decision, choice, args)
