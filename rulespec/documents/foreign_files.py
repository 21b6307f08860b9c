"""The door for bytes of strangers: regular files only, a bound in bytes, and every fault of a library as a diagnostic.

All files that somebody else may have written are opened here; a test of the architecture lists the exceptions.
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
    """A folder, device, pipe or socket in place of a file; `strerror` names it."""


def opened(path: Path) -> IO[bytes]:
    """Opens a regular file for reading; nothing is waited for.

    Raises:
        NoRegularFileError: if it is another kind of file.
        OSError: if it cannot be opened.
        ValueError: if the name cannot be that of a file (a NUL, a lone surrogate).
    """
    # Asked twice: before opening, as opening a device can have effects; and of what was opened, as a name can be
    # given to another file in between. O_NONBLOCK keeps a pipe that slipped through from stalling us.
    _require_regular(os.stat(path).st_mode)  # noqa: PTH116 - the same call as fstat below
    descriptor = os.open(path, _READ)
    try:
        _require_regular(os.fstat(descriptor).st_mode)
    except BaseException:
        os.close(descriptor)
        raise
    return os.fdopen(descriptor, "rb")


def bytes_of(path: Path, limit: int) -> bytes:
    """The bytes of a regular file, at most one more than `limit`. Errors: as those of `opened`."""
    with opened(path) as file:
        return file.read(limit + 1)


def _require_regular(mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise NoRegularFileError(errno.EISDIR, "it is a folder")
    if not stat.S_ISREG(mode):
        raise NoRegularFileError(errno.EINVAL, "it is a device, pipe or socket")


@contextmanager
def foreign(display: str, help_: str, code: str = "RS601") -> Iterator[None]:
    """Makes a diagnostic of any exception of a library that reads a stranger's file; our own errors pass.

    A library's list of errors is never complete: damaged input reaches `RecursionError`, `MemoryError`, `struct.error`
    and `IndexError`, too. So nothing else than the call of the library belongs into the block.

    Args:
        display: the file's name in diagnostics.
        help_: the way out.
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
    """The items that a library reads from a stranger's file. Arguments and errors: as those of `foreign`."""
    while True:
        with foreign(display, help_, code):
            item = next(items, None)
        if item is None:
            return
        yield item


def unreadable(display: str, detail: str, help_: str, code: str = "RS601") -> DiagnosticsError:
    """The error for a file that cannot be read."""
    return failure(code, f"{shown(display)} cannot be read: {detail}", None, help_)


def detail_of(error: Exception) -> str:
    """The cause in an error of a library or of the system, on one line."""
    if isinstance(error, MemoryError):
        return "it takes too much memory"
    if isinstance(error, RecursionError):
        return "it is nested too deep"
    text = " ".join(str(getattr(error, "strerror", None) or error).split())
    return "".join(c if c.isprintable() else "�" for c in text)[:_MAX_DETAIL] or type(error).__name__
