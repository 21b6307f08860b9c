"""Members of a tar archive, read in a single forward pass without recursion; every byte counts towards the limits.

Python's `tarfile` recurses for each extension header, and materialises the holes of sparse files. Here, the cost of a
member is bounded by `MAX_EXTENSIONS` headers and its bytes in the archive.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import IO

from msgspec import Struct

from rulespec.errors import RulespecError

BLOCK = 512
MAX_EXTENSIONS = 16
"""The maximum number of consecutive headers with details of the next member, such as long names and attributes."""
MAX_EXTENSION = 1_000_000
"""The maximum size of such a header in bytes."""
MAX_NAME = 4_096
"""The maximum length of a member's name, in characters."""

_REGULAR = b"\x0007"  # the types NUL, 0 and 7
_WITHOUT_DATA = b"123456"  # links, devices, folders, pipes: their size is ignored
_LONG_NAME, _LONG_LINK, _SPARSE, _ATTRIBUTES, _FOR_ALL = b"L", b"K", b"S", b"xX", b"g"
_SPARSE_KEY = "GNU.sparse."


class DamagedTarError(ValueError):
    """Raised for a damaged archive."""


class ArchiveTooLargeError(RulespecError):
    """Raised for an archive that exceeds its limits."""


class ArchiveBounds(Struct, frozen=True):
    """The limits for an archive.

    Attributes:
        unpacked: the maximum size of all members, read or skipped, in bytes.
        members: the maximum number of members.
        member: the maximum number of bytes to read from each member.
    """

    unpacked: int
    members: int
    member: int


def tar_members(stream: IO[bytes], wanted: Callable[[str], bool], bounds: ArchiveBounds) -> Iterator[tuple[str, bytes]]:
    """The name and the first bytes of each regular member with a wanted name.

    Args:
        stream: the unpacked archive, with `tell` and forward `seek`.
        wanted: a function that decides by name whether to read a member.
        bounds: the limits.

    Raises:
        DamagedTarError: if the stream is not a tar archive, is truncated, or contains sparse files.
        ArchiveTooLargeError: if the archive exceeds the limits, or a header is too large.
    """
    for_all: dict[str, str] = {}
    for number, (header, own) in enumerate(_headers(stream, for_all), 1):
        if number > bounds.members:
            raise ArchiveTooLargeError
        attributes = for_all | own
        if header[156:157] == _SPARSE or any(key.startswith(_SPARSE_KEY) for key in attributes):
            raise DamagedTarError("it contains a sparse file: pack that as an ordinary file")
        kind, size = header[156:157], _number(header[124:136])
        if "size" in own:
            size = _decimal(own["size"])
        name = attributes.get("path") or _name(header)
        if len(name) > MAX_NAME:
            raise DamagedTarError("one of its names is too long")
        after = stream.tell() + (0 if kind in _WITHOUT_DATA else -(-size // BLOCK) * BLOCK)
        if after > bounds.unpacked:
            raise ArchiveTooLargeError
        if kind in _REGULAR and not name.endswith("/") and wanted(name):
            data = stream.read(min(size, bounds.member))
            if len(data) < min(size, bounds.member):
                raise DamagedTarError("it is truncated")
            yield name, data
        _go_to(stream, after)


def _headers(stream: IO[bytes], for_all: dict[str, str]) -> Iterator[tuple[bytes, dict[str, str]]]:
    """The headers of members, each with the attributes given by preceding headers, for the member or for all."""
    own: dict[str, str] = {}
    extensions = 0
    while (header := _header(stream, first=stream.tell() == 0)) is not None:
        kind = header[156:157]
        if kind not in (_LONG_NAME, _LONG_LINK, _FOR_ALL) and kind not in _ATTRIBUTES:
            yield header, own
            own, extensions = {}, 0
            continue
        extensions += 1
        size = _number(header[124:136])
        if extensions > MAX_EXTENSIONS or size > MAX_EXTENSION:
            raise ArchiveTooLargeError
        data = stream.read(-(-size // BLOCK) * BLOCK)[:size]
        if len(data) < size:
            raise DamagedTarError("it is truncated")
        if kind == _LONG_NAME:
            own["path"] = _text(data)
        elif kind != _LONG_LINK:
            (for_all if kind == _FOR_ALL else own).update(_attributes(data))


def _header(stream: IO[bytes], *, first: bool) -> bytes | None:
    """The next header; None at the end, marked by zeros or by the end of the stream."""
    header = stream.read(BLOCK)
    if len(header) < BLOCK and (header or first):
        raise DamagedTarError("it is truncated")
    if not header.strip(b"\0"):
        return None
    written = _number(header[148:156])
    if written != _sum(header) and written != _sum(header, signed=True):
        raise DamagedTarError("one of its headers is damaged")
    return header


def _sum(header: bytes, *, signed: bool = False) -> int:
    """The checksum of a header, with its checksum field as blanks; old programs summed signed bytes."""
    data = header[:148] + b" " * 8 + header[156:]
    return sum(data) - (256 * sum(byte > 127 for byte in data) if signed else 0)


def _number(field: bytes) -> int:
    """A number in a header: octal digits, or binary with the first bit set."""
    if field[0] == 0o200:
        return int.from_bytes(field[1:], "big")
    digits = field.split(b"\0")[0].strip(b" ")
    if digits.strip(b"01234567"):  # also 0o377, which begins a negative number
        raise DamagedTarError("one of its numbers is invalid")
    return int(digits or b"0", 8)


def _decimal(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20):
        raise DamagedTarError("one of its numbers is invalid")
    return int(text)


def _name(header: bytes) -> str:
    name, prefix = _text(header[:100]), _text(header[345:500])
    return f"{prefix}/{name}" if header[257:263] == b"ustar\0" and prefix else name


def _text(data: bytes) -> str:
    return data.split(b"\0")[0].decode("utf-8", "replace")


def _attributes(data: bytes) -> dict[str, str]:
    """The attributes of an extended header: lines of a length in bytes, a key and a value."""
    results: dict[str, str] = {}
    at = 0
    while at < len(data) and data[at]:
        digits, blank, _ = data[at : at + 20].partition(b" ")
        size = int(digits) if blank and digits.isdigit() else 0
        line = data[at : at + size]
        key, equals, value = line[len(digits) + 1 :].partition(b"=")
        if size <= len(digits) + 1 or len(line) < size or not equals or not value.endswith(b"\n"):
            raise DamagedTarError("the attributes of a member are damaged")
        results[key.decode("utf-8", "replace")] = value[:-1].decode("utf-8", "replace")
        at += size
    return results


def _go_to(stream: IO[bytes], place: int) -> None:
    """Skips the rest of a member."""
    if place > stream.tell():
        stream.seek(place - 1)
        if not stream.read(1):
            raise DamagedTarError("it is truncated")
