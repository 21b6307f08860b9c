"""A program with its machine code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from rulespec.engine.passes.pipeline import PASSES, Pass
from rulespec.engine.program import ir
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.wasm.compiler import Compiled, compile_program
from rulespec.engine.wasm.engine import Instance, loaded, wasmtime
from rulespec.engine.wasm.readers import Readers


class WasmProgram:
    """A program with its machine code, which several threads may run, each in an instance of its own.

    Args:
        p: the program as it was lowered.
        passes: the passes to apply first, in order.
        steps: the most steps from one decision to the next.

    Attributes:
        p: the program as it was given.
        compiled: the program as a module.
        passes, steps: as given.

    Raises:
        NoWasmError: if the program cannot be carried out in wasm.
        NoWasmtimeError: if wasmtime is not installed.
    """

    def __init__(self, p: ir.Program, passes: Sequence[Pass] = PASSES, steps: int = MAX_STEPS) -> None:
        wasmtime()
        self.p = p
        self.passes = passes
        self.steps = steps
        self.compiled: Compiled = compile_program(p, passes, steps)
        self._module: Any = loaded(self.compiled.code)

    def instance(self) -> Instance:
        """A memory of its own for the module."""
        return Instance(self._module)

    @cached_property
    def readers(self) -> Readers:
        """Which invariants may read a cell."""
        return Readers(self.compiled)
