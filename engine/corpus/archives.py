"""Logs in archives, read one by one in memory without unpacking to disk; archive bombs are rejected."""

from __future__ import annotations

import bz2
import gzip
import io
import os
import zipfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import IO

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.documents.foreign_files import foreign, foreign_items, opened
from rulespec.engine.corpus.tar import ArchiveBounds, ArchiveTooLargeError, tar_members
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES
from rulespec.engine.logs.samples import is_log_name

MAX_RATIO = 250
"""The maximum compression ratio of what exceeds `FREE_BYTES`; the ratio of logs is about 20."""
FREE_BYTES = 100_000_000
MAX_PART = 20_000_000
"""The maximum number of bytes read from an archive at a time, for example for the directory of a zip."""
FREE_MEMBERS = 2_000
MEMBER_BYTES = 20
"""The minimum number of packed bytes per member beyond `FREE_MEMBERS`; a log that differs from the previous one takes
more.
"""
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1
_HELP = "pack the logs again, as .tar, .tar.gz, .tar.bz2, or as .zip without a password"


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of the logs in an archive, in order; an overlong log is truncated.

    Raises:
        DiagnosticsError: RS601 if the archive is unreadable, RS602 if it is too large.
    """
    with foreign(str(path), _HELP):
        file = opened(path)
    with file:
        size = os.fstat(file.fileno()).st_size
        bounds = ArchiveBounds(FREE_BYTES + MAX_RATIO * size, FREE_MEMBERS + size // MEMBER_BYTES, MAX_NATIVE_BYTES + 1)
        try:
            named = _zipped(file, bounds) if path.name.endswith(".zip") else _in_tar(path.name, file, bounds)
            yield from foreign_items(named, str(path), _HELP)
        except ArchiveTooLargeError:
            help_ = "split the logs into several archives or folders"
            raise failure("RS602", f"{shown(str(path))} is too large when unpacked", None, help_) from None


def _zipped(file: IO[bytes], bounds: ArchiveBounds) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(_InParts(file)) as archive:
        infos = archive.infolist()
        if len(infos) > bounds.members:
            raise ArchiveTooLargeError
        by_place = sorted(infos, key=lambda info: info.header_offset)
        if any(a.header_offset + a.compress_size > b.header_offset for a, b in pairwise(by_place)):
            raise ValueError("its members overlap")
        unpacked = 0
        for info in infos:
            if info.is_dir() or not is_log_name(info.filename):
                continue
            if info.flag_bits & _ENCRYPTED or info.compress_type not in _ZIP_METHODS:
                raise ValueError("one of its logs is encrypted, or uses an unsupported compression method")
            with archive.open(info) as member:
                data = member.read(bounds.member)
            unpacked += len(data)
            if unpacked > bounds.unpacked:
                raise ArchiveTooLargeError
            yield info.filename, data


def _in_tar(name: str, file: IO[bytes], bounds: ArchiveBounds) -> Iterator[tuple[str, bytes]]:
    plain: IO[bytes] = file
    if name.endswith((".gz", ".tgz")):
        plain = gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
    elif name.endswith(".bz2"):
        plain = bz2.BZ2File(file)
    for log, data in tar_members(plain, is_log_name, bounds):
        yield log.removeprefix("./"), data


class _InParts(io.RawIOBase):
    """A file read in small pieces, for instance for the directory of a zip."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes. Raises ArchiveTooLargeError if there are more than `MAX_PART`."""
        data = self._file.read(MAX_PART + 1 if size < 0 or size > MAX_PART else size)
        if len(data) > MAX_PART:
            raise ArchiveTooLargeError
        return data

    def seek(self, place: int, whence: int = 0, /) -> int:
        """Moves to an offset."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """The current offset."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Always True."""
        return True

    def readable(self) -> bool:
        """Always True."""
        return True
