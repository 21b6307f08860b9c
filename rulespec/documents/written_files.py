"""Atomic file writes: a file is written next to its target and then moved there, so a reader always sees a complete
version.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TextIO

from rulespec.documents.foreign_files import bytes_of

ALL, OWNERS = 0o666, 0o600
"""File permissions: readable and writable by all subject to the umask, or by the owner alone."""
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS)
"""Error codes of file systems that cannot sync folders."""
_SYSTEM = ("/dev/", "/proc/")
"""Folders whose files are never replaced: /dev/stdout may lead to a file opened by another process."""
_IN_MEMORY = "/dev/shm/"
"""The subfolder of these with ordinary files."""


Content = bytes | None
"""The content of a file; None means that it does not exist."""


class ChangedError(Exception):
    """Another process has changed a file; the text is the file's name."""


@contextmanager
def replaced(path: Path, *, secret: bool = False) -> Iterator[TextIO]:
    """A UTF-8 text file, open for writing, that replaces `path` when the block ends without an exception.

    A lone surrogate becomes an escape. If `path` is a link, its target is replaced. Permissions are preserved. A pipe
    or a device is written directly.

    Args:
        path: the file.
        secret: whether only its owner may read it, from the first byte on, regardless of the replaced file's
            permissions.

    Raises:
        OSError: if it cannot be written or flushed to disk; ValueError if its name is invalid.
    """
    if _is_stream(path):
        with path.open("w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            yield file
        return
    target = Path(os.path.realpath(path))
    with _beside(target, secret=secret) as (fresh, file):
        yield file
        file.flush()
        os.fsync(file.fileno())
        file.close()
        fresh.replace(target)
    sync_folder(target.parent)


@contextmanager
def _beside(target: Path, *, secret: bool = False) -> Iterator[tuple[Path, TextIO]]:
    """A temporary file beside a target, with the target's permissions, removed after the block if it still exists.

    Raises:
        OSError: as for `replaced`.
    """
    mode = _mode(target)
    fresh = target.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.new")
    # Like every new file, it gets permissions subject to the umask.
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    handle = os.open(fresh, flags, OWNERS if secret else ALL)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as file:
            if mode is not None and not secret:
                fresh.chmod(mode)
            yield fresh, file
    finally:
        with suppress(OSError):
            fresh.unlink()


def write_text(path: Path, text: str, *, secret: bool = False) -> None:
    """Writes a text file with line feeds as line endings; see `replaced`."""
    with replaced(path, secret=secret) as file:
        file.write(text)


def replace_together(after: Mapping[Path, Content], before: Mapping[Path, Content]) -> None:
    """Replaces several files atomically: after a failure, the files replaced so far are restored.

    All data for both outcomes is on disk before the first replacement, so a full disk does no harm.

    Args:
        after: their new content, in writing order.
        before: their current content.

    Raises:
        ChangedError: if a file has changed; OSError: if a file cannot be written.
    """
    done: list[Path] = []
    with ExitStack() as stack:
        fresh = {path: stack.enter_context(_written(path, data)) for path, data in after.items()}
        old = {path: stack.enter_context(_written(path, before[path])) for path in after}
        try:
            for path in after:
                _compare(path, before[path])
                done.append(path)  # the move may fail after it has taken effect
                _put(path, fresh[path])
            _sync_folders(after)
        except (OSError, ChangedError):
            for path in reversed(done):
                with suppress(OSError, ChangedError):
                    _compare(path, after[path])
                    _put(path, old[path])
            with suppress(OSError):
                _sync_folders(after)
            raise


@contextmanager
def _written(path: Path, data: Content) -> Iterator[Path | None]:
    """A temporary file beside a target, flushed to disk with its content; None for a removal."""
    if data is None:
        yield None
        return
    with _beside(Path(os.path.realpath(path))) as (fresh, file):
        file.buffer.write(data)
        file.flush()
        os.fsync(file.fileno())
        file.close()
        yield fresh


def _put(path: Path, fresh: Path | None) -> None:
    """Moves a temporary file to its target, or removes the target."""
    if fresh is None:
        path.unlink(missing_ok=True)
    else:
        fresh.replace(Path(os.path.realpath(path)))


def _sync_folders(paths: Iterable[Path]) -> None:
    for folder in dict.fromkeys(Path(os.path.realpath(path)).parent for path in paths):
        sync_folder(folder)


def _compare(path: Path, before: Content) -> None:
    content = bytes_of(path, len(before or b"")) if os.path.lexists(path) else None
    if content != before:
        raise ChangedError(str(path))


def sync_folder(folder: Path) -> None:
    """Flushes a folder to disk after files in it were renamed.

    Raises:
        OSError: if flushing fails.
    """
    try:
        number = os.open(folder, os.O_RDONLY)
    except PermissionError:  # not every system lets folders be opened
        return
    try:
        os.fsync(number)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise
    finally:
        os.close(number)


def for_the_owner(handle: int) -> None:
    """Restricts access to an open file to its owner; leaves a pipe or a device unchanged."""
    if stat.S_ISREG(os.fstat(handle).st_mode) and hasattr(os, "fchmod"):
        os.fchmod(handle, OWNERS)


def _is_stream(path: Path) -> bool:
    place = os.path.abspath(path)  # noqa: PTH100 - without following links
    if place.startswith(_SYSTEM) and not place.startswith(_IN_MEMORY):
        return True
    try:
        mode = path.stat().st_mode
    except OSError:
        return False
    return not stat.S_ISREG(mode) and not stat.S_ISDIR(mode)


def _mode(target: Path) -> int | None:
    """The permissions of the target file; None if it does not exist.

    Raises:
        OSError: if the target is a folder, or a link to itself.
    """
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    return stat.S_IMODE(mode)
