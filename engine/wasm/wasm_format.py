"""The supported part of WebAssembly's binary format: functions over i64, one memory, no imports.

https://webassembly.github.io/spec/core/binary/
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from functools import lru_cache

I32, I64, F64 = b"\x7f", b"\x7e", b"\x7c"
VOID = b"\x40"
PAGE = 65_536
"""The size of a page of memory, in bytes."""

_NAMES = """
    i64.eqz eq ne lt_s lt_u gt_s gt_u le_s le_u ge_s ge_u
    f32.eq f32.ne f32.lt f32.gt f32.le f32.ge f64.eq f64.ne f64.lt f64.gt f64.le f64.ge
    i32.clz i32.ctz i32.popcnt i32.add i32.sub i32.mul i32.div_s i32.div_u i32.rem_s i32.rem_u
    i32.and i32.or i32.xor i32.shl i32.shr_s i32.shr_u i32.rotl i32.rotr
    clz ctz popcnt add sub mul div_s div_u rem_s rem_u and or xor shl shr_s shr_u rotl rotr
"""
OPCODES: dict[str, bytes] = {name: bytes([0x50 + i]) for i, name in enumerate(_NAMES.split())}
"""Opcodes by name; a name without a type is that of an i64 instruction."""
OPCODES |= {
    "unreachable": b"\x00",
    "return": b"\x0f",
    "drop": b"\x1a",
    "select": b"\x1b",
    "eqz": b"\x50",
    "i32.eqz": b"\x45",
    "wrap": b"\xa7",
    "extend": b"\xad",
    "float": b"\xb9",
    "truncate": b"\xb0",
    "f64.abs": b"\x99",
    "f64.add": b"\xa0",
    "f64.sub": b"\xa1",
    "f64.mul": b"\xa2",
    "copy": b"\xfc\x0a\x00\x00",
    "fill": b"\xfc\x0b\x00",
    "memory.grow": b"\x40\x00",
    "memory.size": b"\x3f\x00",
}


@lru_cache(maxsize=100_000)
def unsigned(value: int) -> bytes:
    """A nonnegative number in LEB128."""
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        out.append(low | (0x80 if value else 0))
        if not value:
            return bytes(out)


@lru_cache(maxsize=100_000)
def signed(value: int) -> bytes:
    """A number in signed LEB128."""
    out = bytearray()
    while True:
        value, low = value >> 7, value & 0x7F
        done = (value == 0 and not low & 0x40) or (value == -1 and low & 0x40)
        out.append(low if done else low | 0x80)
        if done:
            return bytes(out)


class Code:
    """The body of a function, written instruction by instruction.

    Args:
        module: the module of the function.
        params: the types of its parameters, which are its first locals.
    """

    def __init__(self, module: Module, params: Iterable[bytes] = ()) -> None:
        self.module = module
        self.out = bytearray()
        self._depth = 0
        self._params = len(tuple(params))
        self._locals: list[bytes] = []
        self._taken: list[tuple[int, int]] = []
        self._free: dict[int, list[int]] = {}

    def local(self, type_: bytes = I64) -> int:
        """A new local, reserved until the scope ends."""
        if type_ == I64:
            return self.locals(1)
        self._locals.append(type_)
        return self._params + len(self._locals) - 1

    def locals(self, count: int) -> int:
        """The first of `count` consecutive locals, reserved until the scope ends."""
        if free := self._free.get(count):
            result = free.pop()
        else:
            result = self._params + len(self._locals)
            self._locals += [I64] * count
        self._taken.append((count, result))
        return result

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A context that releases the i64 locals taken inside it."""
        begun = len(self._taken)
        yield
        for count, first in self._taken[begun:]:
            self._free.setdefault(count, []).append(first)
        del self._taken[begun:]

    def do(self, *names: str) -> None:
        """Emits instructions by name."""
        for name in names:
            self.out += OPCODES[name]

    def const(self, value: int) -> None:
        """Pushes a number."""
        assert -(1 << 63) <= value < 1 << 63, value
        self.out += b"\x42"
        self.out += signed(value)

    def const32(self, value: int) -> None:
        """Pushes a 32-bit number, such as an address."""
        self.out += b"\x41"
        self.out += signed(value)

    def get(self, local: int) -> None:
        """Pushes a local."""
        self.out += b"\x20"
        self.out += unsigned(local)

    def set(self, local: int) -> None:
        """Pops into a local."""
        self.out += b"\x21"
        self.out += unsigned(local)

    def tee(self, local: int) -> None:
        """Copies the top of the stack into a local."""
        self.out += b"\x22"
        self.out += unsigned(local)

    def get_all(self, first: int, count: int) -> None:
        """Pushes `count` consecutive locals."""
        for local in range(first, first + count):
            self.get(local)

    def set_all(self, first: int, count: int) -> None:
        """Pops into `count` consecutive locals; the top of the stack goes into the last one."""
        for local in reversed(range(first, first + count)):
            self.set(local)

    def load(self, offset: int = 0) -> None:
        """Replaces a 32-bit address with the number stored there."""
        self.out += b"\x29\x03"
        self.out += unsigned(offset)

    def store(self, offset: int = 0) -> None:
        """Pops a number and the 32-bit address below it, and stores the number there."""
        self.out += b"\x37\x03"
        self.out += unsigned(offset)

    def at(self, address: int) -> None:
        """Pushes the number at a constant address."""
        self.const32(0)
        self.load(address)

    def call(self, name: str) -> None:
        """Calls a function of the module, which may be defined later."""
        self.out += b"\x10"
        self.out += unsigned(self.module.index(name))

    def block(self) -> int:
        """Opens a block; a branch to it leaves it."""
        return self._open(b"\x02", VOID)

    def loop(self) -> int:
        """Opens a loop; a branch to it continues at its beginning."""
        return self._open(b"\x03", VOID)

    def if_(self, type_: bytes = VOID) -> int:
        """Opens a block that runs if the top of the stack (32 bits) is not zero."""
        return self._open(b"\x04", type_)

    def _open(self, opcode: bytes, type_: bytes) -> int:
        self.out += opcode
        self.out += type_
        self._depth += 1
        return self._depth

    def else_(self) -> None:
        """Starts the other branch of an `if`."""
        self.out += b"\x05"

    def end(self) -> None:
        """Closes the innermost block."""
        self.out += b"\x0b"
        self._depth -= 1

    def br(self, label: int) -> None:
        """Branches to an open block."""
        self.out += b"\x0c"
        self.out += unsigned(self._depth - label)

    def br_if(self, label: int) -> None:
        """Branches to a block if the top of the stack (32 bits) is not zero."""
        self.out += b"\x0d"
        self.out += unsigned(self._depth - label)

    def br_table(self, labels: list[int], other: int) -> None:
        """Branches to the block selected by an index (32 bits), or to a default block."""
        self.out += b"\x0e"
        self.out += unsigned(len(labels))
        for label in (*labels, other):
            self.out += unsigned(self._depth - label)

    def body(self) -> bytes:
        """The encoded body."""
        declared = b"".join(b"\x01" + type_ for type_ in self._locals)
        whole = unsigned(len(self._locals)) + declared + bytes(self.out) + b"\x0b"
        return unsigned(len(whole)) + whole


class Template(Code):
    """A function body shared by many modules, with gaps for function indices and constants that depend on the module.

    Args:
        params: the types of its parameters.
    """

    def __init__(self, params: Iterable[bytes]) -> None:
        super().__init__(Module(), params)
        self._gaps: list[tuple[int, str, bool]] = []

    def call(self, name: str) -> None:
        """Calls a function of the module."""
        self.out += b"\x10"
        self._gaps.append((len(self.out), name, True))

    def named(self, name: str) -> None:
        """Pushes a constant of the module by its name."""
        self.out += b"\x42"
        self._gaps.append((len(self.out), name, False))

    def filled(self, module: Module, constants: Mapping[str, int]) -> Code:
        """A copy for one module; the gaps are filled with the module's function indices and `constants` (by name)."""
        out, begun = bytearray(), 0
        for at, name, is_call in self._gaps:
            out += self.out[begun:at]
            out += unsigned(module.index(name)) if is_call else signed(constants[name])
            begun = at
        result = copy(self)
        result.module, result.out = module, out + self.out[begun:]
        return result


class Module:
    """A module under construction: functions by name, one memory and its initial contents."""

    def __init__(self) -> None:
        self._indices: dict[str, int] = {}
        self._defined: dict[str, tuple[bytes, bytes]] = {}
        self._exports: list[str] = []
        self._data: list[tuple[int, bytes]] = []

    def index(self, name: str) -> int:
        """The index of a function, even before its definition."""
        return self._indices.setdefault(name, len(self._indices))

    def define(self, name: str, code: Code, params: int, result: bytes = b"", *, export: bool = False) -> None:
        """Adds a function with `params` i64 parameters and the result types in `result`."""
        assert name not in self._defined, name
        self.index(name)
        type_ = b"\x60" + _vector([I64] * params) + unsigned(len(result)) + result
        self._defined[name] = (type_, code.body())
        if export:
            self._exports.append(name)

    def data(self, at: int, values: bytes) -> None:
        """Adds initial contents of the memory at an address."""
        if values.strip(b"\0"):
            self._data.append((at, values))

    def encoded(self, pages: int) -> bytes:
        """The binary module, with `pages` pages of memory."""
        missing = [name for name in self._indices if name not in self._defined]
        assert not missing, f"functions that are called and not defined: {', '.join(missing)}"
        results = [self._defined[name] for name in self._indices]
        types = list(dict.fromkeys(type_ for type_, _ in results))
        exports = [_name(name) + b"\x00" + unsigned(self._indices[name]) for name in self._exports]
        exports.append(_name("memory") + b"\x02\x00")
        data = [b"\x00\x41" + signed(at) + b"\x0b" + unsigned(len(x)) + x for at, x in self._data]
        return (
            b"\0asm"
            + struct.pack("<I", 1)
            + b"".join(
                [
                    _section(1, _vector(types)),
                    _section(3, _vector([unsigned(types.index(type_)) for type_, _ in results])),
                    _section(5, _vector([b"\x00" + unsigned(pages)])),
                    _section(7, _vector(exports)),
                    _section(10, _vector([body for _, body in results])),
                    _section(11, _vector(data)),
                ]
            )
        )


def custom_section(name: str, content: bytes) -> bytes:
    """A custom section, which may be appended to a module for other programs to read."""
    return _section(0, _name(name) + content)


def _vector(items: list[bytes]) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def _name(name: str) -> bytes:
    return unsigned(len(name)) + name.encode()


def _section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content
