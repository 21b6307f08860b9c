"""A wasm machine of a program, with generated Python as its fallback."""

from __future__ import annotations

from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.program import WasmProgram


def wasm_machine(wasm: WasmProgram) -> WasmBackend:
    """The machine of a program that is compiled; its fallback has the same passes and the same bound."""
    return WasmBackend(wasm, lambda: PythonBackend(wasm.p, wasm.passes, steps=wasm.steps))
