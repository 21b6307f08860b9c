"""A writer of Thrift's compact protocol, the counterpart of `rulespec.engine.simulate.thrift`, with explicit types.

A field is a triple of number, kind and value. A list is a pair of the kind of its items and the items.
"""

from __future__ import annotations

from typing import Any

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)


def varint(number: int) -> bytes:
    result = bytearray()
    while number > 127:
        result.append(number & 127 | 128)
        number >>= 7
    return bytes([*result, number])


def zigzag(number: int) -> bytes:
    return varint((number << 1) ^ (number >> 63) if number < 0 else number << 1)


def written(fields: Any) -> bytes:
    """A struct as bytes; its fields need not be in order."""
    result, last = bytearray(), 0
    for number, kind, value in fields:
        step = number - last
        result += bytes([step << 4 | kind]) if 0 < step < 16 else bytes([kind]) + zigzag(number)
        result += _value(kind, value)
        last = number
    return bytes([*result, 0])


def _value(kind: int, value: Any) -> bytes:
    if kind in (I16, I32, I64):
        return zigzag(value)
    if kind == BINARY:
        return varint(len(value)) + bytes(value)
    if kind == STRUCT:
        return written(value)
    if kind in (LIST, SET):
        inner, items = value
        head = bytes([len(items) << 4 | inner]) if len(items) < 15 else bytes([0xF0 | inner]) + varint(len(items))
        return head + b"".join(_value(inner, item) for item in items)
    if kind in (BYTE, DOUBLE):
        return bytes(value)
    return b""  # the kind encodes the truth value


def read(data: bytes, at: int = 0) -> tuple[list[tuple[int, int, Any]], int]:
    """The fields of a struct, and the offset after it."""
    fields, last = [], 0
    while kind := data[at] & 15:
        step = data[at] >> 4
        at += 1
        if not step:
            number, at = _varint(data, at)
            step = (number >> 1 ^ -(number & 1)) - last
        last += step
        value, at = _read(data, at, kind)
        fields.append((last, kind, value))
    return fields, at + 1


def _read(data: bytes, at: int, kind: int) -> tuple[Any, int]:
    if kind in (TRUE, FALSE):
        return None, at
    if kind in (I16, I32, I64):
        number, at = _varint(data, at)
        return number >> 1 ^ -(number & 1), at
    if kind == BINARY:
        size, at = _varint(data, at)
        return data[at : at + size], at + size
    if kind == STRUCT:
        return read(data, at)
    if kind in (LIST, SET):
        head, at = data[at], at + 1
        size = head >> 4
        if size == 15:
            size, at = _varint(data, at)
        if size > len(data) - at or (size and head & 15 in (TRUE, FALSE)):  # damaged: no metadata has such a list
            raise ValueError("a list is longer than the data")
        items = []
        for _ in range(size):
            item, at = _read(data, at, head & 15)
            items.append(item)
        return (head & 15, items), at
    size = 8 if kind == DOUBLE else 1
    return data[at : at + size], at + size


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        result |= (byte & 127) << shift
        shift, at = shift + 7, at + 1
        if byte < 128:
            return result, at
