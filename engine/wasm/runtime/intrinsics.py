"""The instructions called by runtime modules, defined in Python on a `bytearray`.

Each compiles to one or two WebAssembly instructions (`small_python`). Where WebAssembly integers differ from Python's,
`Int64` follows WebAssembly, and `load` returns only `Int64`:

* `+`, `-`, `*`, `<<` and `-x` wrap around at 64 bits;
* `>>` shifts zeros in, and shifts count modulo 64;
* `//`, `%` and `below` are unsigned; `<`, `<=`, `>` and `>=` are signed;
* addresses have 32 bits; an address outside the memory traps, as does division by zero.

Computations on literals alone are unbounded in Python, so tests pass numbers as `Int64`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn, TypeVar

from rulespec.engine.wasm.engine import TrapError

_Function = TypeVar("_Function", bound=Callable[..., object])
_WHOLE = 1 << 64
_HALF = 1 << 63
_ADDRESSES = (1 << 32) - 1

memory = bytearray()
"""The memory of the module; its owner replaces the contents."""


class Int64(int):
    """A signed 64-bit number with WebAssembly arithmetic."""

    def __new__(cls, value: int) -> Int64:
        """The number modulo 2^64."""
        return super().__new__(cls, (int(value) + _HALF) % _WHOLE - _HALF)

    def __add__(self, other: int) -> Int64:
        return Int64(int(self) + int(other))

    def __sub__(self, other: int) -> Int64:
        return Int64(int(self) - int(other))

    def __mul__(self, other: int) -> Int64:
        return Int64(int(self) * int(other))

    def __floordiv__(self, other: int) -> Int64:
        return Int64(_unsigned(self) // _divisor(other))

    def __mod__(self, other: int) -> Int64:
        return Int64(_unsigned(self) % _divisor(other))

    def __lshift__(self, other: int) -> Int64:
        return Int64(int(self) << int(other) % 64)

    def __rshift__(self, other: int) -> Int64:
        return Int64(_unsigned(self) >> int(other) % 64)

    def __and__(self, other: int) -> Int64:
        return Int64(int(self) & int(other))

    def __or__(self, other: int) -> Int64:
        return Int64(int(self) | int(other))

    def __xor__(self, other: int) -> Int64:
        return Int64(int(self) ^ int(other))

    def __rsub__(self, other: int) -> Int64:
        return Int64(other) - self

    def __rfloordiv__(self, other: int) -> Int64:
        return Int64(other) // self

    def __rmod__(self, other: int) -> Int64:
        return Int64(other) % self

    def __rlshift__(self, other: int) -> Int64:
        return Int64(other) << self

    def __rrshift__(self, other: int) -> Int64:
        return Int64(other) >> self

    def __neg__(self) -> Int64:
        return Int64(-int(self))

    def __invert__(self) -> Int64:
        return Int64(~int(self))

    __radd__, __rmul__, __rand__, __ror__, __rxor__ = __add__, __mul__, __and__, __or__, __xor__


def _unsigned(value: int) -> int:
    return int(value) % _WHOLE


def _divisor(value: int) -> int:
    if value == 0:
        trap()
    return _unsigned(value)


def _place(at: int, size: int) -> slice:
    first = int(at) & _ADDRESSES
    if first + size > len(memory):
        trap()
    return slice(first, first + size)


def exported(function: _Function) -> _Function:
    """Marks a function that the host calls."""
    return function


def trap() -> NoReturn:
    """Aborts the call because of a fault of the rules, or a case that only Python supports."""
    raise TrapError


def load(at: int) -> int:
    """The number at an address."""
    return Int64(int.from_bytes(memory[_place(at, 8)], "little"))


def store(at: int, value: int) -> None:
    """Writes a number to an address."""
    memory[_place(at, 8)] = _unsigned(value).to_bytes(8, "little")


def copy(to: int, source: int, size: int) -> None:
    """Copies `size` bytes; the areas may overlap."""
    count = int(size) & _ADDRESSES
    memory[_place(to, count)] = bytes(memory[_place(source, count)])


def fill(to: int, value: int, size: int) -> None:
    """Sets `size` bytes to a value."""
    count = int(size) & _ADDRESSES
    memory[_place(to, count)] = bytes([int(value) % 256]) * count


def below(a: int, b: int) -> int:
    """Whether `a` is less than `b`, both unsigned."""
    return _unsigned(a) < _unsigned(b)


def count(bits: int) -> int:
    """The number of 1 bits."""
    return Int64(_unsigned(bits).bit_count())


def lowest(bits: int) -> int:
    """The index of the lowest 1 bit; 64 if there is none."""
    value = _unsigned(bits)
    return Int64((value & -value).bit_length() - 1 if value else 64)


def leading(bits: int) -> int:
    """The number of leading 0 bits."""
    return Int64(64 - _unsigned(bits).bit_length())


def divided(a: int, b: int) -> int:
    """A signed quotient, rounded towards zero; traps if it does not fit into 64 bits."""
    if b == 0 or (a == -_HALF and b == -1):
        trap()
    quotient = abs(int(a)) // abs(int(b))
    return Int64(quotient if (a < 0) == (b < 0) else -quotient)
