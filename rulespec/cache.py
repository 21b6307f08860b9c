"""On-disk cache of results that take long to compute. Nothing depends on it: any entry may be missing at any time.

An entry is a JSON value in a file of its own. Its key, the name of the file, is a hash of everything that the value
depends on, this program included; the first line of the file is a checksum of the rest. An entry that is damaged or
comes from another version counts as missing. Entries hold data only, and are read as strictly as a stranger's files.

The cache is in the user's cache folder. The environment variable RULESPEC_CACHE names another one; empty means none.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

MAX_ENTRY = 4_000_000
"""Bytes of an entry; a larger one is not written."""
MAX_ENTRIES = 4_000
"""Entries in the folder; beyond that the older half is removed."""
PRUNE_EVERY = 50
"""Entries that a process writes between two looks at the size of the folder."""

_OUTSIDE = ("__pycache__", "games", "cli", "lsp")
"""Folders of the package that no entry depends on."""

_writes = count()


def key(kind: str, *inputs: str) -> str:
    """The key of an entry: a hash of its kind, of the texts that its value depends on, and of this program."""
    found = hashlib.sha256(fingerprint())
    for text in (kind, *inputs):
        data = text.encode("utf-8", "surrogatepass")
        found.update(b"%d\0" % len(data))
        found.update(data)
    return found.hexdigest()


def read(key: str) -> Any:
    """The value of an entry; None if there is no intact one."""
    folder = _folder()
    if folder is None:
        return None
    try:
        with (folder / key).open("rb") as file:
            data = file.read(MAX_ENTRY + 1)
        digest, _, body = data.partition(b"\n")
        if len(data) > MAX_ENTRY or digest != checksum(body):
            return None
        return msgspec.json.decode(body)
    except (OSError, ValueError, RecursionError):
        return None


def write(key: str, value: Any) -> None:
    """Writes an entry; does nothing if the value is too large or the folder cannot be written to."""
    folder = _folder()
    if folder is None:
        return
    body = msgspec.json.encode(value)
    data = checksum(body) + b"\n" + body
    if len(data) > MAX_ENTRY:
        return
    fresh = folder / f"{key}.{os.getpid()}.new"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        try:
            fresh.write_bytes(data)
            fresh.replace(folder / key)
        except OSError:
            fresh.unlink(missing_ok=True)
        if next(_writes) % PRUNE_EVERY == 0:
            _prune(folder)
    except OSError:
        pass


def checksum(body: bytes) -> bytes:
    """The first line of an entry whose other lines are `body`."""
    return hashlib.sha256(body).hexdigest().encode()


def _prune(folder: Path) -> None:
    """Removes the older half of the entries if there are more than `MAX_ENTRIES`."""
    entries = list(folder.iterdir())
    if len(entries) > MAX_ENTRIES:
        age = {}
        for entry in entries:
            with suppress(OSError):  # another process may be pruning as well
                age[entry] = entry.stat().st_mtime_ns
        for entry in sorted(age, key=age.__getitem__)[: len(age) // 2]:
            entry.unlink(missing_ok=True)


def _folder() -> Path | None:
    named = os.environ.get("RULESPEC_CACHE")
    if named is not None:
        return Path(named) if named else None
    return _user_folder()


@cache
def _user_folder() -> Path | None:
    from platformdirs import user_cache_path

    try:
        return user_cache_path("rulespec", appauthor=False)
    except RuntimeError:  # there is no home
        return None


@cache
def fingerprint() -> bytes:
    """A hash of this program: of the names, sizes and modification times of its files."""
    found = hashlib.sha256()
    for name, size, modified in sorted(program_files(Path(__file__).parent)):
        found.update(f"{name}\0{size}\0{modified}\n".encode())
    return found.digest()


def program_files(home: Path) -> Iterator[tuple[str, int, int]]:
    """The files that entries depend on: modules, schemas and grammar, in every folder of the package.

    Args:
        home: the folder of the package.

    Yields:
        The path below `home`, the size in bytes and the modification time in nanoseconds of each file.
    """
    for folder, below, names in os.walk(home, followlinks=True):
        below[:] = [name for name in below if name not in _OUTSIDE]
        for name in names:
            if name.endswith((".py", ".json", ".lark")):
                path = os.path.join(folder, name)  # noqa: PTH118 - a third of the time of a `Path`
                with suppress(OSError):
                    status = os.stat(path)  # noqa: PTH116
                    yield path[len(str(home)) + 1 :], status.st_size, status.st_mtime_ns
