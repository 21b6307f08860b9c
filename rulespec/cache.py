"""On-disk cache of expensive results. Nothing depends on it: any entry may be missing at any time.

Each entry is a separate file that contains a JSON value, or bytes that only its reader interprets. Its key, the file
name, is a hash of everything that the value depends on, including the code of this program that computes it. The first
line of the file is a signature of its name and value; the signing key is stored outside the cache (`signing.py`). A
valid signature proves that a process of this user wrote the entry under this name; an entry without one counts as
missing. There are no further checks.

The cache is in the user's cache folder, or in the folder named by the environment variable RULESPEC_CACHE; if the
variable is empty, there is no cache. A folder that belongs to another user, or is writable by others, is not used.
Without a signing key there is no cache.
"""

from __future__ import annotations

import hashlib
import os
import re
import stat
import sys
from contextlib import suppress
from functools import cache
from hmac import compare_digest
from itertools import count
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec

from rulespec import signing

MAX_ENTRY = 4_000_000
"""Maximum size of an entry in bytes; larger values are not cached."""
MAX_ENTRIES = 4_000
"""Maximum number of entries in the folder; when exceeded, the older half is removed."""
PRUNE_EVERY = 50
"""Number of writes by a process between two checks of the folder's size."""

_HEADER = b"rulespec cache entry "
"""The prefix of every entry, before its signature. Only files that begin with it are ever removed."""
_NAME = re.compile(r"[0-9a-f]{64}(\.[0-9]+\.new)?")
"""File names of entries, and of temporary files left by an interrupted write."""
# Only a regular file is opened: links are not followed, and O_NONBLOCK keeps a pipe from stalling us.
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CREATE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)

_OUTSIDE = ("__pycache__", "games", "cli", "lsp")
"""Folders of the package that never affect an entry."""
_HOME = Path(__file__).parent
PROGRAM = ("",)
"""All rooms: for results that depend on the whole program."""
LANGUAGE = ("check", "diagnostics", "documents", "language", "overlays", "schemas", "syntax", "typed")
"""The rooms that turn texts into a checked ruleset."""

_T = TypeVar("_T")
_T_co = TypeVar("_T_co", covariant=True)


class Decoder(Protocol[_T_co]):
    """A reader of values, such as `msgspec.json.Decoder`."""

    def decode(self, data: bytes, /) -> _T_co:
        """Decodes a value from bytes; raises ValueError if they are invalid."""
        ...


_writes = count()


def key(kind: str, *inputs: str, rooms: tuple[str, ...] = PROGRAM) -> str:
    """The key of an entry: a hash of its kind, of the texts its value depends on, and of this program.

    If there is no cache, the key is "" and nothing is hashed.

    Args:
        kind: the kind of the entry.
        inputs: the texts.
        rooms: the folders of the package that the value depends on, besides the top-level modules. A short list is
            faster: scanning all files takes a twentieth of a replay's time.
    """
    if _folder() is None or signing.fault():
        return ""
    result = hashlib.sha256(fingerprint(rooms))
    for text in (kind, *inputs):
        data = text.encode("utf-8", "surrogatepass")
        result.update(b"%d\0" % len(data))
        result.update(data)
    return result.hexdigest()


def read(key: str, decoder: Decoder[_T]) -> _T | None:
    """The value of an entry, or None if no entry is signed by this user."""
    folder = _folder()
    if not key or folder is None or not _is_safe(folder):
        return None
    try:
        data = _contents(f"{folder}/{key}", MAX_ENTRY + 1)
        head, _, body = data.partition(b"\n")
        if len(data) > MAX_ENTRY or not _is_signed(head, key, body):
            return None
        return decoder.decode(body)
    except (OSError, ValueError, RecursionError):
        return None


def write(key: str, value: Any) -> None:
    """Writes an entry; does nothing if the key is "", the value too large, or the folder unwritable.

    Args:
        key: its key.
        value: a value for JSON, or bytes, which are written unchanged.
    """
    folder = _folder()
    if not key or folder is None:
        return
    body = value if isinstance(value, bytes) else msgspec.json.encode(value)
    head = header(key, body)
    if not head or len(head) + 1 + len(body) > MAX_ENTRY:
        return
    try:
        Path(folder).mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_safe(folder):
            return
        fresh = Path(folder, f"{key}.{os.getpid()}.new")
        with os.fdopen(os.open(fresh, _CREATE, 0o600), "wb") as file:
            try:
                file.write(head + b"\n" + body)
                file.flush()
                fresh.replace(Path(folder, key))
            except OSError:
                fresh.unlink(missing_ok=True)
                raise
        if next(_writes) % PRUNE_EVERY == 0:
            _prune(folder)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        pass


def header(key: str, body: bytes) -> bytes:
    """The first line of an entry with this name and value; empty if there is no signing key."""
    signature = signing.signature(key.encode() + b"\n" + body)
    return _HEADER + signature.encode() if signature else b""


def _is_signed(head: bytes, key: str, body: bytes) -> bool:
    own = header(key, body)
    return bool(own) and compare_digest(head, own)


def place() -> str:
    """The path of the cache folder or, if there is no cache, "none" with the reason in brackets."""
    folder = _folder()
    if folder is None:
        return "none (RULESPEC_CACHE is empty)" if "RULESPEC_CACHE" in os.environ else "none (there is no home folder)"
    if fault := signing.fault():
        return f"none ({fault})"
    try:
        status = os.stat(folder)  # noqa: PTH116 - as in `_is_safe`
    except FileNotFoundError:
        return folder
    except (OSError, ValueError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "its name is not valid"
        return f"none ({folder} cannot be read: {reason})"
    fault = _fault(status, stat.S_ISDIR)
    return f"none ({folder} {fault})" if fault else folder


def _is_safe(folder: str) -> bool:
    """Whether the folder is protected from writes by other users."""
    try:
        return not _fault(os.stat(folder), stat.S_ISDIR)  # noqa: PTH116 - a third of the time of a `Path`
    except (OSError, ValueError):
        return False


def _fault(status: os.stat_result, is_kind: Any) -> str:
    """The reason to reject a file or folder; empty if it is trusted."""
    if not is_kind(status.st_mode):
        return "is not a folder" if is_kind is stat.S_ISDIR else "is not a file"
    if not hasattr(os, "geteuid"):
        return ""  # Windows: `st_mode` does not show write permissions of others
    if status.st_uid != os.geteuid():
        return "belongs to another user"
    return "may be written to by others" if status.st_mode & 0o022 else ""


def _contents(path: str, limit: int) -> bytes:
    """The first `limit` bytes of an entry.

    Raises:
        OSError: if it cannot be read, is not a regular file, belongs to another user, or others may write to it.
    """
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        if fault := _fault(status, stat.S_ISREG):
            raise OSError(fault)
        return os.read(descriptor, min(limit, status.st_size))
    finally:
        os.close(descriptor)


def _prune(folder: str) -> None:
    """Removes the older half of the entries if there are more than `MAX_ENTRIES`; other files are never removed.

    Other programs may use names of this form, so the header of each file is checked before removal.
    """
    with os.scandir(folder) as listed:
        entries = [entry for entry in listed if _NAME.fullmatch(entry.name)]
    if len(entries) <= MAX_ENTRIES:
        return
    age = {}
    for entry in entries:
        with suppress(OSError):  # another process may be pruning as well
            if _contents(entry.path, len(_HEADER)) == _HEADER:
                age[entry.path] = entry.stat(follow_symlinks=False).st_mtime_ns
    if len(age) > MAX_ENTRIES:
        for path in sorted(age, key=age.__getitem__)[: len(age) // 2]:
            Path(path).unlink(missing_ok=True)


def _folder() -> str | None:
    named = os.environ.get("RULESPEC_CACHE")
    if named is not None:
        return named or None
    return _user_folder()


@cache
def _user_folder() -> str | None:
    if sys.platform == "linux" and "ANDROID_DATA" not in os.environ:
        named, home = os.environ.get("XDG_CACHE_HOME", ""), os.environ.get("HOME", "")
        if os.path.isabs(named) and named == named.strip():  # noqa: PTH117 - as below
            return str(Path(named, "rulespec"))
        if not named and os.path.isabs(home):  # noqa: PTH117
            return str(Path(home, ".cache", "rulespec"))
    from platformdirs import user_cache_path  # importing it takes longer than computing all keys

    try:
        return str(user_cache_path("rulespec", appauthor=False))
    except RuntimeError:  # there is no home
        return None


@cache
def fingerprint(rooms: tuple[str, ...] = PROGRAM) -> bytes:
    """A hash of this program's files: the package's path, and the name, size and modification time of each file.

    The path is included because some packagers give all files the same time, but install each build in its own
    folder.

    Args:
        rooms: the folders of the package whose files are hashed.
    """
    result = hashlib.sha256(os.fsencode(_HOME))
    for room in rooms if rooms == PROGRAM else ("*", *rooms):
        result.update(_fingerprint(room))
    return result.digest()


@cache
def _fingerprint(room: str) -> bytes:
    lines = [f"{name}\0{size}\0{modified}\n" for name, size, modified in sorted(program_files(_HOME, room))]
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).digest()


def program_files(home: Path, room: str = "") -> list[tuple[str, int, int]]:
    """The files in a folder of the package that affect cache entries: modules, schemas and the grammar.

    Args:
        home: the folder of the package.
        room: a folder below it; "" for all folders, "*" for top-level files.

    Returns:
        The path below `home`, the size in bytes and the modification time in nanoseconds of each file.
    """
    results: list[tuple[str, int, int]] = []
    below = f"{room}/" if room not in ("", "*") else ""
    _add_files(f"{home}/{below}", below, results, deep=room != "*")
    return results


def _add_files(folder: str, below: str, files: list[tuple[str, int, int]], *, deep: bool = True) -> None:
    try:
        with os.scandir(folder) as entries:  # half the time of `os.walk`
            listed = list(entries)
    except OSError:
        return
    for entry in listed:
        name = entry.name
        if name.startswith("."):
            continue
        try:
            if name.endswith((".py", ".json", ".lark")) and not entry.is_dir():
                status = entry.stat()
                files.append((below + name, status.st_size, status.st_mtime_ns))
            elif deep and name not in _OUTSIDE and entry.is_dir():
                _add_files(entry.path, f"{below}{name}/", files)
        except OSError:  # removed in the meantime
            continue
