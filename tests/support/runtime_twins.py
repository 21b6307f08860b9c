"""The runtime twice: as Python modules over a `bytearray`, and compiled. Each call runs both and compares them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import small_heap
import wasmtime

from rulespec.engine.program.limits import MAX_LISTED, MAX_NUMBER, MAX_VALUES
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.runtime import intrinsics
from rulespec.engine.wasm.runtime.intrinsics import Int64
from rulespec.engine.wasm.runtime.registers import REGISTERS
from rulespec.engine.wasm.runtime.sources import MODULES, functions, meanings, stack_functions, stack_source
from rulespec.engine.wasm.small_python import compile_functions, parsed
from rulespec.engine.wasm.wasm_format import PAGE, Code, Module
from rulespec.language import arithmetic

PAGES = 1
ROOM = 0x8000
"""The start of the memory for tests, after the registers and the program's memory."""
LIMITS = {"MAX_LISTED": MAX_LISTED, "MAX_NUMBER": MAX_NUMBER, "MAX_VALUES": MAX_VALUES}
NAMES = (*MODULES, "stack")
ON_STACK = 16
"""The maximum number of words of a set on the stack."""


class _AllExported(Module):
    """A module that exports all its functions."""

    def define(self, name: str, code: Code, params: int, result: bytes = b"", *, export: bool = False) -> None:
        super().define(name, code, params, result, export=True)


def signed(value: int) -> int:
    """A number in its signed 64-bit representation."""
    return (value + (1 << 63)) % (1 << 64) - (1 << 63)


@cache
def _on_stack() -> ModuleType:
    """The functions for sets of the given number of words, in Python."""
    result = ModuleType("on_stack")
    result.__dict__.update(vars(intrinsics) | vars(import_module("rulespec.engine.wasm.runtime.stack")))
    for words in range(1, ON_STACK + 1):
        exec(stack_source(words), result.__dict__)  # noqa: S102 - our own source
    return result


class Twins:
    """The runtime with a program, by default `small_heap`, twice.

    Args:
        constants: the constants of the program that differ from those of `small_heap`.
        pages: the number of memory pages.
    """

    def __init__(self, constants: Mapping[str, int] | None = None, pages: int = PAGES) -> None:
        self._pages = pages
        self._constants = REGISTERS | LIMITS | small_heap.CONSTANTS | dict(constants or {})
        self._modules = [import_module(f"rulespec.engine.wasm.runtime.{name}") for name in NAMES]
        source = parsed(Path(small_heap.__file__).read_text("utf-8").partition("# --- compiled ---")[2])
        self._functions = {each.name: small_heap for each in source} | {
            each.name: module for name, module in zip(NAMES, self._modules, strict=True) for each in functions(name)
        }
        self._functions |= {each.name: arithmetic for each in meanings()}
        self._functions |= dict.fromkeys((name for name in vars(_on_stack()) if name[-1].isdigit()), _on_stack())
        compiled = _AllExported()
        for some in (source, meanings(), *map(functions, MODULES), stack_functions(ON_STACK)):
            compile_functions(some, compiled, self._constants)
        engine = wasmtime.Engine()
        self._store = wasmtime.Store(engine)
        instance = wasmtime.Instance(self._store, wasmtime.Module(engine, compiled.encoded(pages)), [])
        self._exports: Any = instance.exports(self._store)

    def clear(self, image: Mapping[int, Sequence[int]] | None = None) -> None:
        """Clears both memories, and writes numbers at some addresses."""
        for module in (*self._modules, small_heap):
            self._bind(module)
        intrinsics.memory[:] = bytes(self._pages * PAGE)
        for at, numbers in (image or {}).items():
            self._write(at, numbers)
        self._hand_over()

    def _bind(self, module: ModuleType) -> None:
        for name, value in self._constants.items():
            if hasattr(module, name):
                setattr(module, name, Int64(value))
        for name, owner in self._functions.items():
            if owner is small_heap and hasattr(module, name):
                setattr(module, name, getattr(small_heap, name))

    def write(self, at: int, numbers: Sequence[int]) -> None:
        """Writes numbers into both memories."""
        self._write(at, numbers)
        self._hand_over()

    def _write(self, at: int, numbers: Sequence[int]) -> None:
        data = b"".join((value % (1 << 64)).to_bytes(8, "little") for value in numbers)
        assert at + len(data) <= len(intrinsics.memory)
        intrinsics.memory[at : at + len(data)] = data

    def _hand_over(self) -> None:
        self._exports["memory"].write(self._store, intrinsics.memory)

    def read(self, at: int, count: int = 1) -> list[int]:
        """Signed numbers from an address on."""
        return [
            int.from_bytes(intrinsics.memory[i : i + 8], "little", signed=True) for i in range(at, at + 8 * count, 8)
        ]

    def register(self, name: str) -> int:
        """The number in a register."""
        return self.read(REGISTERS[name])[0]

    def registers(self, **values: int) -> None:
        """Writes registers."""
        for name, value in values.items():
            self._write(REGISTERS[name], [value])
        self._hand_over()

    def call(self, name: str, *args: int) -> int:
        """The result of a function, or 0; results, traps and memories of both runtimes are compared.

        Raises:
            TrapError: if both trap.
        """
        numbers = [signed(arg) for arg in args]
        results: list[int | None] = []
        try:
            results.append(int(getattr(self._functions[name], name)(*map(Int64, numbers)) or 0))
        except TrapError:
            results.append(None)
        try:
            results.append(self._exports[name](self._store, *numbers) or 0)
        except wasmtime.Trap:
            results.append(None)
        assert results[0] == results[1], (name, numbers, results)
        assert self._exports["memory"].read(self._store) == intrinsics.memory, (name, numbers)
        if results[0] is None:
            raise TrapError
        return results[0]

    def traps(self, name: str, *args: int) -> bool:
        """Whether a call traps."""
        try:
            self.call(name, *args)
        except TrapError:
            return True
        return False
