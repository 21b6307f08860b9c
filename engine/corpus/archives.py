"""Logs in archives, read one by one in memory: nothing is unpacked to disk, and bombs are refused."""

from __future__ import annotations

import bz2
import gzip
import io
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES
from rulespec.engine.logs.samples import is_log_name

MAX_RATIO = 250
"""Unpacked bytes for each packed one, beyond `FREE_BYTES`; logs come to some 20."""
FREE_BYTES = 1_000_000_000
MAX_MEMBERS = 1_000_000
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1
_FAULTS = (tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, OSError, ValueError, NotImplementedError)


def members(path: Path) -> Iterator[tuple[str, bytes]]:
    """The names and bytes of the logs in an archive, in its order; of one that is too large for a log, the first bytes.

    Raises:
        DiagnosticsError: RS601 if it cannot be read, RS602 if there is too much in it.
    """
    try:
        most = FREE_BYTES + MAX_RATIO * path.stat().st_size
        with path.open("rb") as file:
            yield from (_zipped if path.name.endswith(".zip") else _in_tar)(path, file, most)
    except DiagnosticsError:
        raise
    except _FAULTS as error:
        detail = " ".join(str(getattr(error, "strerror", None) or error).split())[:200]
        help_ = "pack the logs again; archives are .tar, .tar.gz, .tar.bz2 or .zip, without a password"
        raise failure("RS601", f"{shown(str(path))} cannot be read: {detail}", None, help_) from None


def _zipped(path: Path, file: IO[bytes], most: int) -> Iterator[tuple[str, bytes]]:
    with zipfile.ZipFile(file) as archive:
        infos = archive.infolist()
        _check(path, len(infos), MAX_MEMBERS)
        unpacked = 0
        for info in infos:
            if info.is_dir() or not is_log_name(info.filename):
                continue
            if info.flag_bits & _ENCRYPTED or info.compress_type not in _ZIP_METHODS:
                raise ValueError(f"{info.filename!r} is encrypted, or packed by a rare method")
            with archive.open(info) as member:
                data = member.read(MAX_NATIVE_BYTES + 1)
            unpacked += len(data)
            _check(path, unpacked, most)
            yield info.filename, data


def _in_tar(path: Path, file: IO[bytes], most: int) -> Iterator[tuple[str, bytes]]:
    plain: IO[bytes] = file
    if path.name.endswith((".gz", ".tgz")):
        plain = gzip.GzipFile(fileobj=file)  # type: ignore[assignment]
    elif path.name.endswith(".bz2"):
        plain = bz2.BZ2File(file)
    number = 0
    with tarfile.open(fileobj=_Bounded(path, plain, most), mode="r:") as archive:
        while (info := archive.next()) is not None:
            archive.members.clear()  # type: ignore[attr-defined]  # they are not looked for again
            number += 1
            _check(path, number, MAX_MEMBERS)
            if info.isreg() and is_log_name(info.name) and (member := archive.extractfile(info)) is not None:
                yield info.name.removeprefix("./"), member.read(MAX_NATIVE_BYTES + 1)


def _check(path: Path, number: int, most: int) -> None:
    if number > most:
        help_ = "no archive of logs is like that: put them into several, or into folders"
        raise failure("RS602", f"{shown(str(path))} holds too much", None, help_)


class _Bounded(io.RawIOBase):
    """A file that is read forward, up to a bound, and never much of it at a time."""

    def __init__(self, path: Path, file: IO[bytes], most: int) -> None:
        self._path = path
        self._file = file
        self._most = most

    def read(self, size: int = -1, /) -> bytes:
        """The next bytes."""
        if size < 0 or size > MAX_NATIVE_BYTES + 1:
            _check(self._path, 1, 0)
        data = self._file.read(size)
        _check(self._path, self._file.tell(), self._most)
        return data

    def seek(self, place: int, whence: int = 0, /) -> int:
        """Goes to a place."""
        _check(self._path, place, self._most)
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """The place."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Places can be gone to."""
        return True

    def readable(self) -> bool:
        """It is read."""
        return True
