"""What took long to work out, kept in the user's cache folder. Nothing depends on it: it may be missing at any time.

An entry is a JSON value in a file of its own. The name of the file is a hash of everything that the value was worked
out from, this program among it; its first line is a hash of the rest. What is damaged, or was made by another version,
is as if it were not there. Entries hold data only, and are read as strictly as what comes from strangers.

The environment variable RULESPEC_CACHE names another folder; if it is empty, nothing is kept.
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
"""Bytes of an entry; what is larger is not kept."""
MAX_ENTRIES = 4_000
"""Once there are more, the older half is thrown away."""
TIDY_EVERY = 50
"""How many entries a process writes between two looks at how many there are."""

_NOT_FOLLOWED = ("__pycache__", "games", "cli", "lsp")
"""Folders whose files no entry depends on."""

_written = count()


def key(kind: str, *made_from: str) -> str:
    """The name of an entry: what it is, and the texts that it is worked out from."""
    found = hashlib.sha256(_program())
    for text in (kind, *made_from):
        data = text.encode("utf-8", "surrogatepass")
        found.update(b"%d\0" % len(data))
        found.update(data)
    return found.hexdigest()


def read(key: str) -> Any:
    """The value kept under a key; None if there is none that can be trusted."""
    folder = _folder()
    if folder is None:
        return None
    try:
        with (folder / key).open("rb") as file:
            data = file.read(MAX_ENTRY + 1)
        digest, _, body = data.partition(b"\n")
        if len(data) > MAX_ENTRY or digest != _digest(body):
            return None
        return msgspec.json.decode(body)
    except (OSError, ValueError, RecursionError):
        return None


def write(key: str, value: Any) -> None:
    """Keeps a value; does nothing if that cannot be done."""
    folder = _folder()
    if folder is None:
        return
    body = msgspec.json.encode(value)
    data = _digest(body) + b"\n" + body
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
        if next(_written) % TIDY_EVERY == 0:
            _tidy(folder)
    except OSError:
        pass


def _tidy(folder: Path) -> None:
    entries = list(folder.iterdir())
    if len(entries) > MAX_ENTRIES:
        age = {}
        for entry in entries:
            with suppress(OSError):  # another process may be tidying as well
                age[entry] = entry.stat().st_mtime_ns
        for entry in sorted(age, key=age.__getitem__)[: len(age) // 2]:
            entry.unlink(missing_ok=True)


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def _folder() -> Path | None:
    named = os.environ.get("RULESPEC_CACHE")
    if named is not None:
        return Path(named) if named else None
    return _usual()


@cache
def _usual() -> Path | None:
    from platformdirs import user_cache_path

    try:
        return user_cache_path("rulespec", appauthor=False)
    except RuntimeError:  # there is no home
        return None


@cache
def _program() -> bytes:
    """Stands for this very program: its files, with their sizes and the times when they were written."""
    found = hashlib.sha256()
    for name, size, written in sorted(_own_files(Path(__file__).parent)):
        found.update(f"{name}\0{size}\0{written}\n".encode())
    return found.digest()


def _own_files(home: Path) -> Iterator[tuple[str, int, int]]:
    """The files that decide what an entry holds: modules, schemas and grammar, in every folder of the package."""
    for folder, below, names in os.walk(home, followlinks=True):
        below[:] = [name for name in below if name not in _NOT_FOLLOWED]
        for name in names:
            if name.endswith((".py", ".json", ".lark")):
                path = os.path.join(folder, name)  # noqa: PTH118 - a third of the time of a `Path`
                with suppress(OSError):
                    status = os.stat(path)  # noqa: PTH116
                    yield path[len(str(home)) + 1 :], status.st_size, status.st_mtime_ns
