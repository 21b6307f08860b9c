"""A bounded reader of Thrift's compact protocol, which Parquet footers and page headers use.

A struct becomes a mapping from field numbers to values; texts are bytes.
"""

from __future__ import annotations

from typing import Any

MAX_DEPTH = 20
"""The maximum nesting of structs and lists."""
MAX_VALUES = 50_000
"""The maximum number of values in a struct, including nested ones."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)
_BITS = {_I16: 16, _I32: 32, _I64: 64}


class ThriftError(ValueError):
    """Raised for bytes that are not a struct, and for a struct that is too large."""


def read_struct(data: bytes) -> tuple[dict[int, Any], int]:
    """The struct at the start of the data, and its length in bytes.

    Raises:
        ThriftError: if the data does not start with a struct, or it is too large.
    """
    reader = _Reader(data)
    try:
        return reader.struct(0), reader.at
    except IndexError:
        raise ThriftError("it is truncated") from None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.at = 0
        self._data = data
        self._values = 0

    def struct(self, depth: int) -> dict[int, Any]:
        """The struct at the current offset."""
        if depth > MAX_DEPTH:
            raise ThriftError("it is nested too deeply")
        results: dict[int, Any] = {}
        field = 0
        while (head := self._byte()) & 15:
            field = field + (head >> 4) if head >> 4 else self._number(16)
            kind = head & 15
            if field in results:  # another reader would skip one of another type
                raise ThriftError("it repeats a field")
            results[field] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, depth)
        if head:
            raise ThriftError("it has a field without a type")
        return results

    def _value(self, kind: int, depth: int) -> Any:
        self._values += 1
        if self._values > MAX_VALUES:
            raise ThriftError(f"it has more than {MAX_VALUES:,} values")
        if kind in _BITS:
            return self._number(_BITS[kind])
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind == _BINARY:
            return self._bytes(self._size())
        if kind in (_LIST, _SET):
            return self._list(depth + 1)
        if kind in (_TRUE, _FALSE, _BYTE):  # in a list
            return self._byte()
        if kind == _DOUBLE:
            return self._bytes(8)
        raise ThriftError("it has a value of an unsupported type")  # Parquet has no maps

    def _list(self, depth: int) -> list[Any]:
        head = self._byte()
        size = self._size() if head >> 4 == 15 else head >> 4
        if depth > MAX_DEPTH or size > MAX_VALUES:
            raise ThriftError("it has a list that is too long, or is nested too deeply")
        return [self._value(head & 15, depth) for _ in range(size)]

    def _byte(self) -> int:
        byte = self._data[self.at]
        self.at += 1
        return byte

    def _bytes(self, size: int) -> bytes:
        self.at += size
        if self.at > len(self._data):
            raise ThriftError("it is truncated")
        return self._data[self.at - size : self.at]

    def _size(self) -> int:
        return self._varint(32)

    def _number(self, bits: int) -> int:
        number = self._varint(64)
        number = number >> 1 ^ -(number & 1)
        if not -(1 << bits - 1) <= number < 1 << bits - 1:
            raise ThriftError("one of its numbers is too large")  # other readers would truncate it to its low bits
        return number

    def _varint(self, bits: int) -> int:
        result = shift = 0
        while True:
            byte = self._byte()
            result |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                break
            if shift > 63:
                raise ThriftError("one of its numbers is too large")
        if result >> bits:
            raise ThriftError("one of its numbers is too large")
        return result
