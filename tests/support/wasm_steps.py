"""A game that is played in the memory of a module and by Python side by side, compared after every step."""

from __future__ import annotations

import random
from dataclasses import dataclass

from wasm_machine import wasm_machine

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.position_hash import PRIME, change, weights, whole
from rulespec.engine.program import ir
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.program.machine import Listed
from rulespec.engine.search.weights import write_weights
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.program import WasmProgram

_LONG = 150_000
"""Entries of the journal from which on what lies behind is not taken back."""
_WORD = 1 << 64
_RATE = 20
"""One of so many decisions is taken by somebody else, where that is legal; one of ten is taken back and taken again."""


@dataclass
class Counted:
    """The extent of a comparison.

    Attributes:
        decisions: decisions that both have taken.
        faults: those in which the rules are at fault.
        given_back: those that only Python can carry out.
    """

    games: int = 0
    decisions: int = 0
    faults: int = 0
    given_back: int = 0


class Steps:
    """Plays games in wasm, in one memory as a batch does, and in Python.

    Args:
        wasm: the program with its machine code.
        counted: what has been compared is added to it.
    """

    def __init__(self, wasm: WasmProgram, counted: Counted) -> None:
        self.machine = wasm_machine(wasm)
        self.python = self.machine.fallback
        self.counted = counted
        self.instance = self.machine.instance
        self.memory = self.machine.compiled.memory
        self._constants = self.memory.constants
        write_weights(wasm, self.instance)
        self._weights = weights(len(wasm.p.cells), self.memory.cells)

    def get(self, register: str) -> int:
        return int(self.instance.numbers[self._constants[register] // 8])

    def set(self, register: str, value: int) -> None:
        self.instance.numbers[self._constants[register] // 8] = value

    def play(self, rng: random.Random, plies: int) -> None:
        """Plays a game of at most so many decisions, and takes it back."""
        self.counted.games += 1
        self.state = self.python.start()
        self.instance.call("reset")
        if not self._run(self.python.p.main, (), -1):
            return
        self._cut_off()
        self.same(with_hash=True)
        for _ in range(plies):
            asked = self.python.asked.get(self.state[ir.PC])
            if asked is None or not self._decision(asked, rng):
                break
        self.instance.call("undo", self._constants["JOURNAL_BASE"])
        assert self._bytes() == self._begun

    def _decision(self, asked: int, rng: random.Random) -> bool:
        """Compares the options and takes one; whether the game goes on."""
        rows = self._options(asked)
        if not rows:
            return False
        own = [row for row in rows if row[1][2] < 0]
        at, (choice, args, _) = rng.choice(rows if rng.randrange(_RATE) == 0 or not own else own)
        if self.get("JOURNAL") > self._constants["JOURNAL_BASE"] + 24 * _LONG:
            self._cut_off()
        block = self.python.p.decisions[asked].choices[choice].block
        if not self._run(block, args, at):
            return False
        self.same(with_hash=rng.randrange(10) == 0)
        return True

    def _options(self, asked: int) -> list[tuple[int, Listed]]:
        """The legal options, each with its address in the buffer."""
        first = self._constants["OPTIONS_BASE"]
        self.set("OPTIONS", first)
        try:
            own = list(self.python.own(self.state, asked))
            others = list(self.python.interrupts(self.state, asked))
            who = self.python.decider(self.state, asked)
        except ProgramFaultError:
            self.counted.faults += 1
            try:
                self.instance.call("own", asked)
                self.instance.call("others", asked)
                self.instance.call("who", asked)
            except TrapError:
                return []
            raise AssertionError("the rules are at fault, and wasm does not stop") from None
        try:
            self.instance.call("own", asked)
            assert self._rows(first) == own
            self.instance.call("others", asked)
            assert self._rows(first) == [*own, *others]
            assert self.instance.call("who", asked) == who
        except TrapError:
            self.counted.given_back += 1
            return []
        return [(first + i * self._constants["STRIDE"], one) for i, one in enumerate([*own, *others])]

    def _rows(self, first: int) -> list[Listed]:
        """The options in the buffer from an address on."""
        numbers, compiled, result = self.instance.numbers, self.machine.compiled, []
        for at in range(first // 8, self.get("OPTIONS") // 8, self._constants["STRIDE"] // 8):
            decision, choice = compiled.options[numbers[at]]
            count = len(compiled.p.decisions[decision].choices[choice].params)
            result.append((choice, tuple(numbers[at + 2 : at + 2 + count]), int(numbers[at + 1])))
        return result

    def _run(self, block: int, args: tuple[int, ...], at: int) -> bool:
        """Carries out an option by both; whether the game goes on."""
        before, mark = self._bytes(), self.get("JOURNAL")
        known, hashed = list(self.state), self.instance.call("whole_hash") % _WORD
        try:
            self._in_wasm(block, at)
            trapped = False
        except TrapError:
            self.instance.call("undo", mark)
            assert self._bytes() == before
            trapped = True
        try:
            journal = self.python.run(self.state, block, args)
        except (ProgramFaultError, DiagnosticsError):
            assert trapped, "the rules are at fault, and wasm does not stop"
            assert self.state == known
            self.counted.faults += 1
            return False
        if trapped:
            self.counted.given_back += 1
            self._go_on()
            return True
        self.counted.decisions += 1
        grown = self.instance.call("grown", mark) % _WORD
        assert grown == change(self.state, journal, self._weights) % PRIME
        if at >= 0 and self.counted.decisions % 10 == 0:
            after = self._bytes()
            assert (hashed + grown) % PRIME == self.instance.call("whole_hash") % _WORD
            self.instance.call("undo", mark)
            assert self._bytes() == before
            self._in_wasm(block, at)
            assert self._bytes() == after
        return True

    def _go_on(self) -> None:
        """Takes over the position from Python."""
        self.instance.memory[self.memory.state : self.memory.end] = self.memory.encoded(self.state)
        self._cut_off()

    def _cut_off(self) -> None:
        """Fixes the moves so far: they cannot be taken back any more."""
        self.set("JOURNAL", self._constants["JOURNAL_BASE"])
        self._begun = self._bytes()

    def _in_wasm(self, block: int, at: int) -> None:
        if at < 0:
            self.set("LEFT", self.machine.wasm.steps)
            self.instance.call("run", block)
        else:
            self.instance.call("take", at)

    def _bytes(self) -> bytes:
        return bytes(self.instance.memory[self.memory.state : self.memory.end])

    def same(self, *, with_hash: bool) -> None:
        """Both have the same cells; with `with_hash`, the same hash and the same invariants hold."""
        assert self._bytes() == self.memory.encoded(self.state)
        if with_hash:
            assert self.instance.call("whole_hash") % _WORD == whole(self.state, self._weights)
            try:
                broken = bool(self.python.broken(self.state))
            except ProgramFaultError:
                return
            try:
                assert bool(self.instance.call("broken", 1)) == broken
            except TrapError:
                self.counted.given_back += 1
