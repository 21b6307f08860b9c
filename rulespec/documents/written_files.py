"""Atomic file writes: a file is written next to its place and moved there, so the old or new one is always whole."""

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
"""Permissions of files: for all whom the umask leaves, and for the owner alone."""
_NO_SYNC = (errno.EINVAL, errno.ENOTSUP, errno.EBADF, errno.EROFS)
"""Answers of file systems that do not sync folders."""
_SYSTEM = ("/dev/", "/proc/")
"""Folders whose files are never replaced: /dev/stdout may lead to a file that somebody else has opened."""
_IN_MEMORY = "/dev/shm/"
"""The folder below them that has plain files."""


Content = bytes | None
"""The content of a file; None: it is not there."""


class ChangedError(Exception):
    """A file changed by someone else; the text is its name."""


@contextmanager
def replaced(path: Path, *, secret: bool = False) -> Iterator[TextIO]:
    """A UTF-8 text file for writing, which replaces `path` when the block ends without an exception.

    A lone surrogate becomes an escape. A link stays, and its target is replaced. Permissions are preserved. A pipe or a
    device is written directly.

    Args:
        path: the file.
        secret: whether only its owner may read it, from the first byte, whatever file it replaces.

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
    """A new file beside another one with its permissions, removed after the block if still there.

    Raises:
        OSError: as `replaced`.
    """
    mode = _mode(target)
    fresh = target.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.new")
    # As every new file, it gets the permissions that the umask leaves.
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
    """Replaces files atomically: after a failure, replaced ones are restored.

    All data for both outcomes is on disk before the first replacement, so a full disk does no harm.

    Args:
        after: their new content, in writing order.
        before: their current content.

    Raises:
        ChangedError: if one has changed; OSError: if one cannot be written.
    """
    done: list[Path] = []
    with ExitStack() as stack:
        fresh = {path: stack.enter_context(_written(path, data)) for path, data in after.items()}
        old = {path: stack.enter_context(_written(path, before[path])) for path in after}
        try:
            for path in after:
                _compare(path, before[path])
                done.append(path)  # it may fail when it is done
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
    """A file beside another one, on the disk with its content; None for a removal."""
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
    """Moves a file to another one's place, or removes that."""
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
    """Waits until changes of names in a folder are on disk.

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
    """Restricts an open file to its owner; a pipe or a device is unchanged."""
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
    """The permissions of the replaced file; None without one.

    Raises:
        OSError: if it is a folder, or a link that leads to itself.
    """
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(target))
    return stat.S_IMODE(mode)
