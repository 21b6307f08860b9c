"""Mutations of binary files that preserve much of their structure: checksums and offsets are repaired or forged."""

from __future__ import annotations

import bz2
import gzip
import random
import struct
import zlib
from collections.abc import Sequence
from functools import partial

from fuzz.base_mutate import mutated_base
from fuzz.mutate import MAX_BYTES
from fuzz.parquet_mutate import mutated_parquet
from fuzz.svg_mutate import mutated_svg

_SIZES = (0, 1, 2, 511, 512, 513, 10_000, 65_535, 1_000_000, 1 << 24, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 8 << 30)
_COUNTS = (1, 2, 15, 16, 17, 40, 400, 5_000)
_BLOCK = 512
_KINDS = b"01234567LKxXgSVMND\0A~\xff"
_NAMES = (
    *(b"g.jsonl", b"a\0b.jsonl", b"\xff\xfe.json", b"\xed\xa0\x80.jsonl", b"../../x.jsonl", b"/etc/passwd.json", b""),
    *(
        b"x/" * 60 + b"g.json",
        b"\x1b[2J.json",
        b"\xe2\x80\xae.jsonl",
        b".hidden.jsonl",
        b"g.jsonl/",
        b"\n::error::.json",
    ),
)
_KEYS = (
    b"path",
    b"size",
    b"linkpath",
    b"GNU.sparse.map",
    b"GNU.sparse.realsize",
    b"hdrcharset",
    b"",
    b"\xff",
    b"mtime",
)
_VALUES = (b"2", b"-1", b"99999999999999999999", b"long.jsonl", b"\0", b"", b"1.5", b"BINARY", b"a" * 5_000)

zipped = partial(gzip.compress, mtime=0)
"""Compresses with gzip, without a timestamp."""


class FileMutator:
    """A mutator of binary files.

    Args:
        rng: the source of all random choices.
        others: inputs whose parts are inserted; the list may grow.
    """

    def __init__(self, rng: random.Random, others: Sequence[bytes]) -> None:
        self.rng = rng
        self.others = others

    def __call__(self, data: bytes) -> bytes:
        """A variation of a file with one to three mutations."""
        for _ in range(self.rng.choice((1, 1, 1, 2, 3))):
            data = (self._bytes(data) if self.rng.random() < 0.3 else self._formed(data))[:MAX_BYTES]
        return data

    def _formed(self, data: bytes) -> bytes:
        """A mutation specific to the file format, as detected by the first bytes."""
        rng = self.rng
        if data[:2] == b"\x1f\x8b" or data[:3] == b"BZh":
            return self._packed(data)
        if data[:2] == b"PK":
            return self._zip(data)
        if data[-4:] == b"PAR1":
            return mutated_parquet(data, rng)
        if data[:6] == b"SQLite":
            return mutated_base(data, rng)
        if b"<svg" in data[:2_000]:
            return mutated_svg(data, rng)
        return self._tar(data) if len(data) >= _BLOCK else self._bytes(data)

    # --- bytes -----------------------------------------------------------------------------------

    def _bytes(self, data: bytes) -> bytes:
        """A mutation of bytes: bits flipped, a piece removed, copied or inserted, an end cut off, a number replaced."""
        rng = self.rng
        at, to = sorted((rng.randrange(len(data) + 1), rng.randrange(len(data) + 1)))
        to = min(to, at + rng.choice((1, 4, 16, 512, 100_000)))
        match rng.randrange(8):
            case 0 | 1:
                raw = bytearray(data or b"\0")
                for _ in range(rng.choice((1, 1, 3, 30))):
                    raw[rng.randrange(len(raw))] ^= 1 << rng.randrange(8)
                return bytes(raw)
            case 2:
                return data[:at] + data[to:]
            case 3:
                return data[:at] + data[at:to] * rng.choice((2, 3, 40)) + data[to:]
            case 4:
                other = rng.choice(self.others)
                start = rng.randrange(len(other) + 1)
                return data[:at] + other[start : start + to - at] + data[rng.choice((at, to)) :]
            case 5:
                return data[:at]
            case 6:
                return data[:at] + rng.choice((b"\0", b"\xff", b"\x80")) * (to - at) + data[to:]
            case _:
                size = rng.choice(("<H", "<I", ">I", "<Q"))
                number = struct.pack(size, rng.choice(_SIZES) % (1 << 8 * struct.calcsize(size)))
                return data[:at] + number + data[at + len(number) :]

    # --- archives --------------------------------------------------------------------------------

    def _packed(self, data: bytes) -> bytes:
        """A mutation of compressed content, or of its compression: several members, another method, two layers."""
        rng = self.rng
        pack = zipped if data[:2] == b"\x1f\x8b" else bz2.compress
        try:
            plain = zlib.decompressobj(31).decompress(data, MAX_BYTES) if pack is zipped else None
            plain = bz2.BZ2Decompressor().decompress(data, MAX_BYTES) if plain is None else plain
        except (zlib.error, OSError):
            return self._bytes(data)
        match rng.randrange(10):
            case 0:
                at = rng.randrange(len(plain) + 1)
                return pack(plain[:at]) + pack(b"") * rng.choice(_COUNTS) + pack(plain[at:])
            case 1:
                return pack(plain) + rng.choice((b"\0" * 600, b"tail", data, b"\x1f\x8b"))
            case 2:
                return pack(pack(plain))
            case 3:
                return (bz2.compress if pack is zipped else zipped)(plain)
            case 4:
                return pack(plain + b"\0" * rng.choice((1, 600, 100_000, 3_000_000)))
            case _:
                return pack(self._tar(plain) if rng.random() < 0.8 else self._bytes(plain))

    def _tar(self, data: bytes) -> bytes:
        """A mutation of a tar archive: members duplicated, moved or removed, extension headers, or header fields."""
        rng, at = self.rng, []
        place = 0
        while place + _BLOCK <= len(data) and data[place : place + _BLOCK].strip(b"\0"):
            at.append(place)
            digits = data[place + 124 : place + 136].split(b"\0")[0].strip()
            size = int(digits, 8) if digits and not digits.strip(b"01234567") else 0
            place += _BLOCK + -(-size // _BLOCK) * _BLOCK
        if not at:
            return self._bytes(data)
        first = rng.choice(at)
        end = next((p for p in at if p > first), place)
        member = data[first:end]
        match rng.randrange(8):
            case 0:
                return data[:first] + member * rng.choice(_COUNTS) + data[end:]
            case 1:
                return data[:first] + data[end:]
            case 2 | 3:
                return data[:first] + self._extension() * rng.choice(_COUNTS) + data[first:]
            case 4:
                large = _header(rng.choice(_NAMES), rng.choice(_KINDS), rng.choice(_SIZES))
                return data[:first] + large * rng.choice((1, 1, 50, 3_000)) + data[first:]
            case _:
                return data[:first] + self._field(member[:_BLOCK]) + member[_BLOCK:] + data[end:]

    def _extension(self) -> bytes:
        rng = self.rng
        kind = rng.choice(b"LKxXg")
        if kind in b"LK":
            body = rng.choice(_NAMES) + rng.choice((b"\0", b"", b"a" * 100_000))
        else:
            key, value = rng.choice(_KEYS), rng.choice(_VALUES)
            size = len(key) + len(value) + 4 + (len(value) > 90)
            body = b"%d %s=%s\n" % (rng.choice((size, size, size, 0, 10**9)), key, value)
            body *= rng.choice((1, 1, 30))
        size = rng.choice((len(body), len(body), len(body), rng.choice(_SIZES)))
        return _header(b"././@", kind, size) + body + bytes(-len(body) % _BLOCK)

    def _field(self, header: bytes) -> bytes:
        rng, raw = self.rng, bytearray(header)
        match rng.randrange(6):
            case 0:
                raw[124:136] = b"%011o\0" % (rng.choice(_SIZES) & 0o77777777777)
            case 1:
                number = rng.choice((-1, -512, -(1 << 63), 1 << 40, 1 << 80, 512))
                raw[124:136] = bytes([0xFF if number < 0 else 0x80]) + (number % (1 << 88)).to_bytes(11, "big")
            case 2:
                raw[156] = rng.choice(_KINDS)
            case 3:
                name = rng.choice(_NAMES)[:100]
                raw[: len(name)] = name
            case 4:
                raw[257:265] = rng.choice((b"ustar\x0000", b"ustar  \0", bytes(8), b"\xff" * 8))
            case _:
                at = rng.randrange(_BLOCK)
                raw[at : at + 12] = bytes(rng.randrange(256) for _ in raw[at : at + 12])
        return _summed(raw)

    def _zip(self, data: bytes) -> bytes:
        """A mutation of a zip archive: record fields, duplicate records, overlapping entries, and 64-bit numbers."""
        rng = self.rng
        kinds = {b"PK\3\4": (4, 6, 8, 14, 18, 22, 26, 28), b"PK\1\2": (6, 8, 10, 16, 20, 24, 28, 30, 32, 38, 42)}
        kinds[b"PK\5\6"] = (4, 8, 10, 12, 16, 20)
        mark = rng.choice([kind for kind in kinds if kind in data] or [b""])
        if not mark:
            return self._bytes(data)
        places = [p for p in range(len(data) - 3) if data[p : p + 4] == mark]
        at = rng.choice(places)
        raw = bytearray(data)
        match rng.randrange(6):
            case 0 if mark == b"PK\1\2":
                end = data.index(b"PK\5\6") if b"PK\5\6" in data[at:] else len(data)
                count = rng.choice(_COUNTS)
                entry = data[at : next((p for p in places if p > at), end)]
                raw[at:at] = entry * count
                return bytes(raw)
            case 1:
                name = rng.choice(_NAMES)
                raw[at + 46 : at + 46 + len(name)] = name
            case 2:
                extra = struct.pack("<HHQQQ", 1, 24, *(rng.choice(_SIZES) for _ in range(3)))
                raw[at + 30 : at + 30] = extra
            case _:
                field = at + rng.choice(kinds[mark])
                number = struct.pack("<I", rng.choice(_SIZES) % (1 << 32))[: rng.choice((2, 4))]
                raw[field : field + len(number)] = number
        return bytes(raw)


def _header(name: bytes, kind: int, size: int) -> bytes:
    raw = bytearray(_BLOCK)
    raw[: len(name[:100])] = name[:100]
    raw[100:136] = b"0000644\0" + b"0000000\0" * 2 + b"%011o\0" % (size & 0o77777777777)
    raw[156], raw[257:265] = kind, b"ustar\x0000"
    return _summed(raw)


def _summed(raw: bytearray) -> bytes:
    raw[148:156] = b"        "
    raw[148:156] = b"%06o\0 " % sum(raw)
    return bytes(raw)
