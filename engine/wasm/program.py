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
    """A program with its machine code, shared by threads with separate instances.

    Args:
        p: the original program.
        passes: the passes to apply first, in order.
        steps: the step limit from one decision to the next.

    Attributes:
        p: the original program.
        compiled: the program as a module.
        passes, steps: as in the arguments.

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
