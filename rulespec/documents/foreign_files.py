"""The single entry point for untrusted bytes: only regular files, with a size limit, and library errors as diagnostics.

All files that others may have written are opened in this module; an architecture test lists the exceptions.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TypeVar

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.errors import RulespecError

_T = TypeVar("_T")
_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_MAX_DETAIL = 200  # characters of a library's own words


class NoRegularFileError(OSError):
    """A folder, device, pipe or socket was found instead of a file; `strerror` says which."""


def opened(path: Path) -> IO[bytes]:
    """Opens a regular file for reading, without blocking.

    Raises:
        NoRegularFileError: if it is not a regular file.
        OSError: if it cannot be opened.
        ValueError: if the name is not a valid file name (because of a NUL or a lone surrogate).
    """
    return os.fdopen(_descriptor(path)[0], "rb")


def bytes_of(path: Path, limit: int) -> bytes:
    """The first `limit + 1` bytes of a regular file. Raises the same errors as `opened`."""
    descriptor, size = _descriptor(path)
    try:  # without a file object, which would take as long as a small file
        data = os.read(descriptor, min(size, limit) + 1)
        while len(data) <= limit and (more := os.read(descriptor, min(1 << 20, limit + 1 - len(data)))):
            data += more
    finally:
        os.close(descriptor)
    return data


def _descriptor(path: Path) -> tuple[int, int]:
    """A descriptor of a regular file opened for reading, and the file's size. Raises what `opened` raises."""
    # Checked twice: before opening, as opening a device can have effects; and afterwards, as the name may have
    # moved to another file in between. O_NONBLOCK keeps a pipe that slipped through from stalling us.
    _require_regular(os.stat(path).st_mode)  # noqa: PTH116 - the same call as fstat below
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        _require_regular(status.st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor, status.st_size


def _require_regular(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise NoRegularFileError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise NoRegularFileError(errno.EINVAL, "it is a device, pipe or socket")


@contextmanager
def foreign(display: str, help_: str, code: str = "RS601") -> Iterator[None]:
    """Converts any exception raised by a library on an untrusted file into a diagnostic; our own errors propagate.

    No library documents all its errors: damaged input also causes `RecursionError`, `MemoryError`, `struct.error` and
    `IndexError`. The block should therefore contain only the library call.

    Args:
        display: the file's name in diagnostics.
        help_: the help text.
        code: the code of the diagnostic.

    Raises:
        DiagnosticsError: with that code.
    """
    try:
        yield
    except RulespecError:
        raise
    except Exception as error:
        raise unreadable(display, detail_of(error), help_, code) from None


def foreign_items(items: Iterator[_T], display: str, help_: str, code: str = "RS601") -> Iterator[_T]:
    """The items that a library reads from an untrusted file. The arguments and errors are those of `foreign`."""
    while True:
        with foreign(display, help_, code):
            item = next(items, None)
        if item is None:
            return
        yield item


def unreadable(display: str, detail: str, help_: str, code: str = "RS601") -> DiagnosticsError:
    """The error for an unreadable file."""
    return failure(code, f"{shown(display)} cannot be read: {detail}", None, help_)


def detail_of(error: Exception) -> str:
    """The cause given by a library or system error, on one line."""
    if isinstance(error, MemoryError):
        return "it takes too much memory"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    return "".join(c if c.isprintable() else "�" for c in text)[:_MAX_DETAIL] or type(error).__name__
