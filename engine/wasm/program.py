"""A program with its machine code, and the tables of the invariants that may read each cell."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rulespec.engine.passes.equations import linear_invariants
from rulespec.engine.passes.invariants import Invariants
from rulespec.engine.passes.pipeline import PASSES, Pass
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.wasm.compiler import Compiled, compile_program
from rulespec.engine.wasm.engine import Instance, loaded, wasmtime
from rulespec.engine.wasm.layout import words
from rulespec.engine.wasm.pieces import by_word, pieces


class WasmProgram:
    """A program with its machine code, shared by threads with separate instances.

    Args:
        p: the original program.
        passes: the passes to apply first, in order.
        steps: the step limit from one decision to the next.

    Attributes:
        p: the original program.
        compiled: the program as a module.
        passes, steps: the arguments.

    Raises:
        NoWasmError: if wasm cannot run the program.
        NoWasmtimeError: if wasmtime is missing.
    """

    def __init__(self, p: ir.Program, passes: Sequence[Pass] = PASSES, steps: int = MAX_STEPS) -> None:
        wasmtime()
        self.p = p
        self.passes = passes
        self.steps = steps
        self.compiled: Compiled = compile_program(p, passes, steps)
        self._module: Any = loaded(self.compiled.code)

    def instance(self) -> Instance:
        """A new instance of the module, with its own memory."""
        return Instance(self._module)

    @cached_property
    def readers(self) -> Readers:
        """The invariants that may read each cell."""
        return Readers(self.compiled)


class Readers:
    """Tables that list, for each cell, the invariants that may read it; they are identical in all memories of a
    program.

    The main table contains the address of a list for each cell, or 0 if no invariant reads the cell. A list starts with
    a length, followed by the number of each piece and the set of its members. Another length follows, and for each
    linear equation that contains the cell, the address of the equation's change and the cell's coefficient.
    """

    def __init__(self, compiled: Compiled) -> None:
        memory = compiled.memory
        readers, always = Invariants(compiled.asked, []).readers
        linear = linear_invariants(compiled.asked)
        equations = [of for members in linear.values() for of in members.values()]
        terms: dict[int, list[tuple[int, int]]] = {}
        for number, of in enumerate(equations):
            for cell, times in of.items():
                terms.setdefault(cell, []).append((number, times))
        every = pieces(compiled.asked)
        numbers = {(piece.invariant, piece.word): number for number, piece in enumerate(every)}
        flat: list[int] = []
        addresses: list[int] = []
        lists: dict[tuple[object, object], int] = {}
        result = [-1] * ((memory.end - memory.state) // 8)
        for cell in sorted(readers.keys() | terms.keys()):
            rows = [(one, mask) for one, mask in readers.get(cell, ()) if one not in linear]
            parts = tuple((numbers[one, word], part) for one, mask in rows for word, part in by_word(mask))
            key = parts, tuple(terms.get(cell, ()))
            if key not in lists:
                lists[key] = len(flat)
                flat += [len(parts), *(x for row in parts for x in row), len(key[1])]
                addresses += range(len(flat), len(flat) + 2 * len(key[1]), 2)
                flat += [x for row in key[1] for x in row]
            first = (memory.address(cell) - memory.state) // 8
            for word in range(memory.words if memory.widths.cells[cell] else 1):
                result[first + word] = lists[key]
        self._lists, self._addresses, self._equations = flat, addresses, len(equations)
        self._of_cells = result
        tested = always.keys() - linear.keys()
        self._always = words([piece.members if piece.invariant in tested else 0 for piece in every])
        self._at, self._always_at = memory.readers, memory.constants["ALWAYS"]

    def write(self, instance: Instance) -> None:
        """Writes the tables after the other contents of a memory."""
        changes = instance.grow(8 * (self._equations + len(self._lists) + 1))
        first = changes + 8 * self._equations
        lists = list(self._lists)
        for at in self._addresses:
            lists[at] = changes + 8 * lists[at]
        of_cells = words([0 if offset < 0 else first + 8 * offset for offset in self._of_cells])
        for at, content in ((first, words(lists)), (self._at, of_cells), (self._always_at, self._always)):
            instance.memory[at : at + len(content)] = content
