"""Mutations of Parquet files: values in the footer and in page headers, with offsets and lengths repaired."""

from __future__ import annotations

import random
from typing import Any

import fuzz.support  # noqa: F401 - helpers of the tests
from fuzz.mutate import MAX_BYTES

from thrift_writer import BINARY, BYTE, DOUBLE, FALSE, I16, I32, I64, LIST, SET, STRUCT, TRUE, read, written  # isort: skip

Fields = list[tuple[int, int, Any]]
_NUMBERS = (
    0,
    1,
    -1,
    2,
    3,
    7,
    8,
    127,
    20_000,
    20_001,
    4_000_000,
    60_000_000,
    (1 << 31) - 1,
    -(1 << 31),
    1 << 40,
    -(1 << 62),
)
_TEXTS = (b"", b"x", b"\xff", b"\0", b"schema", b"options", b"y" * 10_000, b"{}", b"[" * 50_000)
_COUNTS = (0, 2, 3, 20, 400, 20_000)
_PAGE = 2


def mutated_parquet(data: bytes, rng: random.Random) -> bytes:
    """The file with a mutated footer or page header; unchanged if it has none that is readable."""
    size = int.from_bytes(data[-8:-4], "little")
    body, footer = data[: -8 - size], data[-8 - size : -8]
    try:
        fields, _ = read(footer)
        if rng.random() < 0.5:
            body, fields = _with_page(body, fields, rng)
        else:
            fields = _changed(fields, rng)
        footer = written(fields)
    except (IndexError, ValueError, TypeError, KeyError, StopIteration, RecursionError):
        return data[: rng.randrange(len(data) + 1)] + data[-8:]
    length = rng.choice((len(footer),) * 9 + (rng.choice(_NUMBERS) % (1 << 32),))
    return body + footer + length.to_bytes(4, "little") + rng.choice((b"PAR1",) * 20 + (b"PARE",))


def _with_page(body: bytes, fields: Fields, rng: random.Random) -> tuple[bytes, Fields]:
    """Appends a copy of a column with a mutated page header, and points the footer to it."""
    (group, *_) = (value for number, _, value in fields if number == 4)
    columns = next(value for number, _, value in group[1][0] if number == 1)[1]
    column = rng.choice(columns)
    meta = next(value for number, _, value in column if number == 3)
    known = {number: value for number, _, value in meta}
    start = min(known[9], known.get(11) or known[9])
    chunk = body[start : start + known[7]]
    pages, at = [], 0
    while at < len(chunk):
        header, after = read(chunk, at)
        packed = next(value for number, _, value in header if number == 3)
        pages.append((header, chunk[after : after + packed]))
        at = after + packed
    chosen = rng.randrange(len(pages))
    header, content = pages[chosen]
    pages[chosen] = (_changed(header, rng), content)
    if rng.random() < 0.1:
        pages *= rng.choice((2, 50, 12_000))
    result, places = b"", []
    for header, content in pages[:12_000]:
        places.append(len(body) + len(result))
        result += written(header) + content
    moved = {9: places[min(len(places) - 1, 1 if 11 in known else 0)], 11: places[0], 7: len(result)}
    meta[:] = [(number, kind, moved.get(number, value)) for number, kind, value in meta]
    return body + result, fields


def _changed(fields: Fields, rng: random.Random) -> Fields:
    """The fields with one mutation at any depth."""
    if not fields:
        return [(rng.randrange(1, 12), I32, rng.choice(_NUMBERS))]
    at = rng.randrange(len(fields))
    number, kind, value = fields[at]
    chance = rng.random()
    result = list(fields)
    if chance < 0.05:
        del result[at]
    elif chance < 0.1:
        result.insert(at, fields[rng.randrange(len(fields))])
    elif chance < 0.13:
        result[at] = (rng.choice((rng.randrange(1, 14), -3, 30_000)), kind, value)
    elif chance < 0.16:
        result[at] = (number, *_deep(rng.choice((3, 30, 3_000))))
    else:
        result[at] = (number, kind, _other(kind, value, rng))
    return result


def _other(kind: int, value: Any, rng: random.Random) -> Any:
    if kind in (I16, I32, I64):
        return rng.choice((*_NUMBERS, value + 1, value - 1, value * 2))
    if kind == BINARY:
        return rng.choice((*_TEXTS, value[: len(value) // 2], value * 2))
    if kind == STRUCT:
        return _changed(value, rng)
    if kind in (LIST, SET):
        inner, items = value
        if items and rng.random() < 0.7:
            at = rng.randrange(len(items))
            return inner, [*items[:at], _other(inner, items[at], rng), *items[at + 1 :]]
        if items and rng.random() < 0.5:
            at = rng.randrange(len(items))
            size = len(written(items[at])) if inner == STRUCT else 9
            count = min(rng.choice(_COUNTS), MAX_BYTES // size)
            return inner, [*items[:at], *[items[at]] * count, *items[at + 1 :]]
        return rng.choice(((inner, items[:-1]), (STRUCT, [[]] * rng.choice(_COUNTS)), (BYTE, [b"\0"] * 9)))
    return bytes(8 if kind == DOUBLE else 1) if kind not in (TRUE, FALSE) else value


def _deep(depth: int) -> tuple[int, Any]:
    """Nested structs."""
    fields: Fields = []
    for _ in range(depth):
        fields = [(1, STRUCT, fields)]
    return STRUCT, fields
