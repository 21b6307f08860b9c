"""Perft in wasm: the whole tree in one memory, including undo and hash."""

from __future__ import annotations

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.numbered import every_option
from rulespec.engine.search.weights import write_weights
from rulespec.engine.verify.perft import LIMIT, Perft, digest, named
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.program import WasmProgram

_MOST_LEAVES = 7_000_000
"""The maximum number of leaf hashes in memory."""
_BUDGET = 1 << 36
"""The step limit of an option, about a minute; Python, which can be interrupted, counts longer ones."""


def wasm_perft(game: Game, depth: int, *, limit: int = LIMIT) -> Perft | None:
    """The result of `perft`, computed in wasm; None if only Python supports the case.

    Args:
        game: the game; its position is unchanged afterwards.
        depth: the number of consecutive options.
        limit: the maximum number of nodes.

    Raises:
        NoWasmtimeError: if wasmtime is missing, or has too little memory.
    """
    game.omniscient.numbers.begin()
    if not depth or game.is_over:
        return None
    try:
        wasm = wasm_program(game.ruleset, len(game.seats), game.settings)
        result = _Counting(wasm, game, min(limit, _MOST_LEAVES)).counted(depth)
    except (NoWasmError, TrapError):
        return None
    return result if result.complete or limit <= _MOST_LEAVES else None


class _Counting:
    """A perft from one position in a separate memory."""

    def __init__(self, wasm: WasmProgram, game: Game, limit: int) -> None:
        self._game = game
        self._instance = wasm.instance()
        self._constants = wasm.compiled.memory.constants
        state = wasm.compiled.occupancy.start(game.omniscient.numbers.cells)
        self._write(self._constants["STATE"], wasm.compiled.memory.encoded(state))
        write_weights(wasm, self._instance)
        leaves = self._instance.grow(8 * (limit + 1))
        self._leaves = leaves
        registers = {"JOURNAL": self._constants["JOURNAL_BASE"], "OPTIONS": self._constants["OPTIONS_BASE"]}
        registers |= {"LIMIT": limit, "LEAVES": leaves, "LEAVES_END": leaves + 8 * limit, "COMPLETE": 1}
        for name, value in registers.items():
            self._set(name, value)
        self._set("HASH", self._instance.call("whole_hash"))

    def _write(self, at: int, content: bytes) -> None:
        self._instance.memory[at : at + len(content)] = content

    def _set(self, register: str, value: int) -> None:
        self._instance.numbers[self._constants[register] // 8] = value

    def _get(self, register: str) -> int:
        return int(self._instance.numbers[self._constants[register] // 8])

    def counted(self, depth: int) -> Perft:
        """The counts below the position."""
        instance, result = self._instance, Perft(depth)
        names = [named(option) for option in every_option(self._game)]
        asked = self._game.omniscient.numbers.asked
        first = self._get("OPTIONS")
        instance.call("own", asked)
        instance.call("others", asked)
        rows = range(first, self._get("OPTIONS"), self._constants["STRIDE"])
        for name, row in zip(names, rows, strict=True):
            if self._get("NODES") >= self._get("LIMIT"):
                self._set("COMPLETE", 0)
                break
            self._set("BUDGET", _BUDGET)
            leaves = instance.call("descend", row, depth)
            result.leaves += leaves
            result.divide[name] = leaves
        result.nodes, result.ended = self._get("NODES"), self._get("ENDED")
        result.complete = bool(self._get("COMPLETE"))
        import numpy  # lazily: it requires the extra

        hashes = instance.memory[self._leaves : self._get("LEAVES")]
        states, counts = numpy.unique(numpy.frombuffer(hashes, "<u8"), return_counts=True)
        result.distinct = len(states)
        result.hash = digest(zip(map("{:016x}".format, states.tolist()), counts.tolist(), strict=True))
        return result
