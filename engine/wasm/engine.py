"""A small interface to wasmtime: load a module, call its functions, read its memory.

wasmtime's own function calls take 70 microseconds; the unchecked calls made here take one.
"""

from __future__ import annotations

import atexit
import ctypes
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from rulespec.engine.wasm.layout import MAX_BYTES
from rulespec.errors import RulespecError

_BEYOND = 64 << 20
"""Bytes by which a module's memory may grow."""


class NoWasmtimeError(RulespecError):
    """Raised if wasmtime, or the memory that it needs, is not available."""


class TrapError(Exception):
    """Raised for a trap in a module: a fault of the rules, or a case that only Python supports."""


def wasmtime() -> Any:
    """The module `wasmtime`.

    Raises:
        NoWasmtimeError: if it is missing, or not available for this machine.
    """
    try:
        import wasmtime as found
        from wasmtime import _bindings, _ffi  # noqa: F401
    except (ImportError, OSError, RuntimeError):
        raise NoWasmtimeError("this needs wasmtime: pip install 'rulespec[wasm]'") from None
    return found


@cache
def _engine() -> Any:
    result = wasmtime()
    config = result.Config()
    config.consume_fuel = False  # the code counts its own steps
    return _registered(result.Engine(config))


_open: weakref.WeakSet[Any] = weakref.WeakSet()
"""Objects of wasmtime that are still in use."""


@atexit.register
def _close() -> None:
    """Closes all instances before the interpreter's shutdown, which would make wasmtime complain."""
    for each in list(_open):
        each.close()


def _registered(result: Any) -> Any:
    _open.add(result)
    return result


@contextmanager
def _making() -> Iterator[None]:
    """Explains why wasmtime cannot create an object.

    Each memory takes 4 GiB of addresses, which a process may be denied, and a newer wasmtime may lack a function used
    here: not all of them are part of the documented interface.
    """
    try:
        yield
    except (wasmtime().WasmtimeError, AttributeError) as error:
        raise NoWasmtimeError(f"wasmtime cannot run here: {' '.join(str(error).split())[:200]}") from None


def loaded(code: bytes) -> Any:
    """The machine code of a module, which several instances can share.

    Raises:
        NoWasmtimeError: if wasmtime is missing, or memory is short.
    """
    with _making():
        return _registered(wasmtime().Module(_engine(), code))


class Instance:
    """A module with its own memory, for one thread.

    Args:
        module: a module from `loaded`.

    Attributes:
        memory: the memory as bytes; a new object after it grows.
        numbers: the memory as 64-bit numbers.

    Raises:
        NoWasmtimeError: if memory is short, or this wasmtime version lacks a function we call.
    """

    def __init__(self, module: Any) -> None:
        self._functions: dict[str, Any] = {}
        with _making():
            self._open(module)

    def _open(self, module: Any) -> None:
        result = wasmtime()
        from wasmtime import _ffi as ffi

        self._ffi: Any = result._bindings
        self._store = _registered(result.Store(_engine()))
        self._store.set_limits(memory_size=MAX_BYTES + _BEYOND, instances=1, tables=0, memories=1)
        self._exports = result.Instance(self._store, module, []).exports(self._store)
        self._context = ctypes.c_void_p(ctypes.addressof(self._store._context().contents))
        self._values = (self._ffi.wasmtime_val_raw_t * 5)()
        self._numbers = (ctypes.c_int64 * 10).from_buffer(self._values)
        self._trap = ctypes.c_void_p()
        # A function of the same library without conversion of arguments, which took half of a call.
        self._call_unchecked = ffi.dll["wasmtime_func_call_unchecked"]
        self._call_unchecked.restype = ctypes.c_void_p
        self._fixed = (ctypes.byref(self._values), ctypes.c_size_t(5), ctypes.byref(self._trap))
        self._look()

    def _look(self) -> None:
        memory = self._exports["memory"]
        size = memory.data_len(self._store)
        raw = (ctypes.c_ubyte * size).from_address(ctypes.addressof(memory.data_ptr(self._store).contents))
        self.memory = memoryview(raw).cast("B")
        self.numbers = self.memory.cast("q")
        self.unsigned = self.memory.cast("Q")

    def grow(self, size: int) -> int:
        """Grows the memory by `size` bytes; returns the address of the first new byte.

        Raises:
            NoWasmtimeError: if memory is short.
        """
        memory = self._exports["memory"]
        first = int(memory.data_len(self._store))
        with _making():
            memory.grow(self._store, -(-size // 65_536))
        self._look()
        return first

    def call(self, name: str, *args: int) -> int:
        """Calls a function with integer arguments.

        Raises:
            TrapError: if it traps.
        """
        function = self._functions.get(name)
        if function is None:
            function = self._function(name)
        for i, arg in enumerate(args):
            self._numbers[2 * i] = arg
        error = self._call_unchecked(self._context, function, *self._fixed)
        if error or self._trap.value:
            self._stopped(error)
        result: int = self._numbers[0]
        return result

    def _function(self, name: str) -> Any:
        result = self._functions[name] = ctypes.byref(self._exports[name]._func)
        return result

    def bound(self, name: str) -> Callable[[int, int, int], int]:
        """A fast form of `call` for one function with up to three arguments."""
        function, trap = self._function(name), self._trap
        numbers = memoryview(self._numbers).cast("B").cast("q")  # faster than the array itself
        call, context, (values, count, to_trap) = self._call_unchecked, self._context, self._fixed

        def bound(one: int, two: int, three: int) -> int:
            numbers[0], numbers[2], numbers[4] = one, two, three
            if (error := call(context, function, values, count, to_trap)) or trap.value:
                self._stopped(error)
            return numbers[0]

        return bound

    def _stopped(self, error: Any) -> None:
        if self._trap.value:
            self._ffi.wasm_trap_delete(ctypes.cast(self._trap, ctypes.POINTER(self._ffi.wasm_trap_t)))
            self._trap.value = None
        if error:
            self._ffi.wasmtime_error_delete(ctypes.cast(error, ctypes.POINTER(self._ffi.wasmtime_error_t)))
        raise TrapError
