"""The wasm machine of a program, with generated Python as its fallback."""

from __future__ import annotations

from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.program import WasmProgram


def python_of(wasm: WasmProgram) -> PythonBackend:
    """Generated Python with the same passes and the same step limit."""
    return PythonBackend(wasm.p, wasm.passes, steps=wasm.steps)


def wasm_machine(wasm: WasmProgram) -> WasmBackend:
    """The machine of a compiled program."""
    return WasmBackend(wasm, lambda: python_of(wasm))
