"""The wasm machine: a program as WebAssembly, with a fallback machine for unsupported cases and faults."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from rulespec.engine.program import ir
from rulespec.engine.program.blanks import Unknown
from rulespec.engine.program.cells import Changes, Journal, State
from rulespec.engine.program.columns import option_columns
from rulespec.engine.program.long_values import handed_back, scored
from rulespec.engine.program.machine import Blind, Late, Listed, Listing, Lookups, Machine
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.program import WasmProgram
from rulespec.engine.wasm.state_memory import StateMemory, WasmState

_ROWS_KEPT = 50_000
_WORD = (1 << 64) - 1
_SLOTS = 2
"""Slots of a scoring expression: a player, and the member compared by a tiebreak."""
_put = list.__setitem__


class _Rows(dict[tuple[int, ...], Listed]):
    """Options by their rows in the buffer, cached because most games repeat them."""

    def __init__(self, wasm: WasmProgram) -> None:
        choices = [k for _, k in wasm.compiled.options]
        self._kinds = [*zip(choices, option_columns(wasm.p), strict=True)]

    def __missing__(self, row: tuple[int, ...]) -> Listed:
        if len(self) > _ROWS_KEPT:
            self.clear()
        choice, columns = self._kinds[row[0]]
        results = self[row] = (choice, columns.arguments(row), row[1])
        return results


class WasmBackend(StateMemory):
    """The machine that runs a program through WebAssembly. See `Machine` for the common methods.

    As in every machine, a state is a list; the memory of the module mirrors it (see `StateMemory`). Whole games are
    played in that memory (see `playouts`).

    Args:
        wasm: the program with its machine code.
        fallback: a function that makes the machine for unsupported cases, called on first use. It runs the same
            optimised program, so its states have the same cells.

    Attributes:
        p: the original program.
        wasm: the program with its machine code.
    """

    def __init__(self, wasm: WasmProgram, fallback: Callable[[], Machine]) -> None:
        self.p = wasm.p
        self._make_fallback = fallback
        self.wasm = wasm
        super().__init__(wasm)
        self._asked = False  # whether options were listed since the last decision; if so, they are for the next one
        constants = self._constants
        self._options, self._stride = constants["OPTIONS_BASE"] // 8, constants["STRIDE"] // 8
        self._first, self._arguments = constants["OPTIONS_BASE"], self._options + 2
        self._changes, self._by, self._end = constants["CHANGED"] // 8, constants["BY"] // 8, constants["OPTIONS"] // 8
        self._rows = _Rows(wasm)
        self._scored, self._sets = _functions(self.p, wide=self.compiled.memory.words > 0)
        options = enumerate(self.compiled.options)
        self._number_of = {self.p.decisions[d].choices[k].block: number for number, (d, k) in options}
        """The block that an option leads to → its number in the buffer."""
        self._columns = option_columns(self.p)
        self._stepped = self.instance.bound("stepped")
        self._asks = {name: self.instance.bound(name) for name in ("asks", "asks_others")}
        self.instance.call("reset")

    @cached_property
    def fallback(self) -> Machine:
        """The machine for unsupported cases."""
        return self._make_fallback()

    @cached_property
    def _view(self) -> memoryview | None:
        """The cells in memory; None where readers may write and restore them."""
        cells = self._numbers[self._first_cell : self._first_cell + len(self._start)]
        return None if self.compiled.supposes else cells.toreadonly()

    @cached_property
    def asked(self) -> Mapping[int, int]:
        """The blocks where a game waits for a decision, each with the decision's number."""
        return self.p.asked()

    def start(self) -> State:
        """A new state, as it is before the first block runs, with the sets of occupied places."""
        return WasmState(self._start, True)

    def write(self, state: State, values: Mapping[int, int]) -> Journal:
        """Writes values to cells and updates the sets of occupied places; returns the journal."""
        return self.fallback.write(state, values)

    @property
    def late(self) -> Late | None:
        """The interface for states that are updated when they are read; None if some cells exceed 64 bits."""
        return self if self._plain else None

    def run(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal:
        """Runs from a block to the next decision or the end of the game; a fault leaves the state unchanged."""
        end = self._ran(state, block, args)
        self.catch_up(state)
        if not end:
            return self._run_by_fallback(state, block, args)
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

    def run_without(self, state: State, unknown: Unknown, block: int, args: tuple[int, ...] = ()) -> Blind:
        """Runs with some cells unknown, on the fallback machine, which supports values of every kind."""
        return self.fallback.run_without(state, unknown, block, args)

    def run_late(self, state: State, block: int, args: tuple[int, ...] = ()) -> Journal | Changes:
        """Runs like `run`, but leaves the state to be updated when it is read."""
        if not isinstance(state, WasmState):
            return self.run(state, block, args)
        end = self._ran(state, block, args)
        if not end:
            state.catch_up()
            return self._run_by_fallback(state, block, args)
        changes = self._memory[8 * self._changes : 8 * end].tobytes()
        state.behind.append(changes)
        counter = self._numbers[self._counter]
        _put(state, ir.PC, counter)
        self._known = self.asked.get(counter, -1)
        return changes

    def _decider_by_fallback(self, state: State, decision: int) -> int:
        who = self.fallback.decider(state, decision)
        handed_back("python")
        return who

    def _broken_by_fallback(self, state: State, since: Sequence[Journal] | None) -> list[int]:
        broken = self.fallback.broken(state, since)
        handed_back("python")
        return broken

    def _run_by_fallback(self, state: State, block: int, args: tuple[int, ...]) -> Journal:
        journal = self.fallback.run(state, block, args)
        handed_back("python")
        return journal

    def cells(self, state: State) -> Sequence[int]:
        """The cells of a state, read directly from the memory if the memory holds this state."""
        if state is (held := self._held) and not held.written and self._view is not None:
            return self._view
        self.catch_up(state)
        return state

    def _ran(self, state: State, block: int, args: tuple[int, ...]) -> int:
        """Runs in memory; returns the end of the change list, or 0 if only Python can run this."""
        try:
            if state is not (held := self._held) or held.written:
                self._bring(state)
            numbers = self._numbers
            if args:
                option = self._number_of[block]
                for at, value in enumerate(self._columns[option].columns(args), self._arguments):
                    numbers[at] = value
            else:
                option = self._number_of.get(block, -1 - block)
            end = self._stepped(option, self._asked, 0)
        except TrapError:
            self._forget()
        except (OverflowError, ValueError, KeyError):  # a value outside the range of any cell
            self._held = None
        else:
            self._ready, self._asked = self._asked, False
            return end
        return 0

    def _tried(self, state: State, wasm: Callable[[], Any], python: Callable[[], Any]) -> Any:
        """The result from wasm, or else from Python."""
        try:
            self._bring(state)
            return wasm()
        except TrapError:
            self._forget()
        except (OverflowError, ValueError):
            self._held = None
        self.catch_up(state)
        return python()

    def decider(self, state: State, decision: int) -> int:
        """The deciding seat; -1 if chance decides."""
        if state is (held := self._held) and self._known == decision and not held.written:
            return self._numbers[self._by]
        result: int = self._tried(
            state, lambda: self.instance.call("who", decision), lambda: self._decider_by_fallback(state, decision)
        )
        return result

    def own(self, state: State, decision: int) -> Iterator[Listed]:
        """The legal options of the decider."""
        self._asked = True
        if self._ready and state is (held := self._held) and not held.written:
            return self._taken(self._numbers[self._end] // 8)
        result: Iterator[Listed] = self._tried(
            state, lambda: self._listed("asks", decision), lambda: _by_fallback(self.fallback.own(state, decision))
        )
        return result

    def listing(self, state: State, decision: int) -> Listing | None:
        """All options of the decider, listed in one call; None for cases that only Python supports."""
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
        """The legal options of other seats."""

        def python() -> Iterator[Listed]:
            return _by_fallback(self.fallback.interrupts(state, decision))

        result: Iterator[Listed] = self._tried(state, lambda: self._listed("asks_others", decision), python)
        return result

    def _listed(self, name: str, decision: int) -> Iterator[Listed]:
        """The options listed by a wasm function."""
        self._ready = False
        return self._taken(self._asks[name](decision, 0, 0) // 8)

    def _taken(self, end: int) -> Iterator[Listed]:
        """The options in the buffer up to a number."""
        rows = iter(self._numbers[self._options : end].tolist())
        return map(self._rows.__getitem__, zip(*[rows] * self._stride, strict=True))

    def is_legal(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> bool:
        """Whether an option with these arguments may be taken."""
        return self.fallback.is_legal(state, decision, choice, args)

    @property
    def lookups(self) -> Sequence[Lookups]:
        """For each decision, its pure look-up functions, taken from generated Python; they also work on the module's
        memory.
        """
        return self.fallback.lookups

    def standing(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> tuple[int, ...] | None:
        """The arguments, with each token replaced by the listed token that represents it; None if nothing changes."""
        return self.fallback.standing(state, decision, choice, args)

    def actor(self, state: State, decision: int, choice: int, args: tuple[int, ...]) -> int:
        """The seat that acts with an out-of-turn option."""
        return self.fallback.actor(state, decision, choice, args)

    def value(self, e: ir.Expr, state: State, args: tuple[int, ...] = ()) -> int:
        """The value of an expression; expressions for scores and position values are functions of the module."""
        if (name := self._scored.get(id(e))) is None or len(args) > _SLOTS:
            return self.fallback.value(e, state, args)
        slots = *args, *[0] * (_SLOTS - len(args))
        result: int = self._tried(
            state, lambda: self.instance.call(name, *slots), lambda: self.fallback.value(e, state, args)
        )
        return result & _WORD if id(e) in self._sets else result

    def broken(self, state: State, since: Sequence[Journal] | None = None) -> list[int]:
        """The indices of the broken invariants; if `since` is given, only invariants that read a cell changed in it are
        tested.
        """

        def whole() -> list[int]:
            results: list[int] = self.fallback.broken(state, None) if self.instance.call("broken", 1) else []
            return results

        results: list[int] = self._tried(state, whole, lambda: self._broken_by_fallback(state, since))
        return results


def _functions(p: ir.Program, *, wide: bool) -> tuple[dict[int, str], set[int]]:
    """The functions of scoring and position expressions, and which of these expressions are sets.

    With `wide`, sets have no functions: Python evaluates them.
    """
    sets = {id(t.source) for t in (p.scoring.tiebreaks if p.scoring is not None else ())}
    functions = {id(e): f"score{n}" for n, e in enumerate(scored(p)) if not (wide and id(e) in sets)}
    return functions, sets


def _by_fallback(listed: Iterator[Listed]) -> Iterator[Listed]:
    """Options that Python lists instead."""
    yield from listed
    handed_back("python")
