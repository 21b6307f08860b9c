"""Signatures of what this user's own processes have written, by a key that lies with the user's other state.

The key is 32 random bytes in a file of its own that only the user may read, made when it is needed first. Where there
can be none, nothing is signed. Whoever can read it can run programs as the user.
"""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path

_SIZE = 32
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def signature(data: bytes) -> str:
    """The signature of data, 64 hex digits; empty if there is no key."""
    key = _key(_place())
    return blake2b(data, key=key, digest_size=32).hexdigest() if key else ""


def _place() -> str:
    """The path of the file with the key; empty if there is no home folder."""
    named, home = os.environ.get("XDG_STATE_HOME", ""), os.environ.get("HOME", "")
    if os.path.isabs(named):  # noqa: PTH117 - as in `cache.py`
        return f"{named}/rulespec/signing_key"
    if sys.platform == "linux" and os.path.isabs(home):  # noqa: PTH117
        return f"{home}/.local/state/rulespec/signing_key"
    from platformdirs import user_state_path  # it takes longer to import than all signatures take

    try:
        return str(user_state_path("rulespec", appauthor=False) / "signing_key")
    except RuntimeError:
        return ""


@cache
def _key(path: str) -> bytes:
    """The key in a file, which is written if there is none; empty if that cannot be, or others may read it."""
    if not path:
        return b""
    try:
        return _read(path)
    except FileNotFoundError:
        with suppress(OSError, ValueError):
            _write(Path(path))
            return _read(path)
    except (OSError, ValueError):  # ValueError: a NUL in the name
        pass
    return b""


def _read(path: str) -> bytes:
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        own = not hasattr(os, "geteuid") or (status.st_uid == os.geteuid() and not status.st_mode & 0o077)
        key = os.read(descriptor, _SIZE + 1) if stat.S_ISREG(status.st_mode) and own else b""
    finally:
        os.close(descriptor)
    return key if len(key) == _SIZE else b""


def _write(path: Path) -> None:
    """Writes a new key, whole or not at all; of several processes that do so at once, the first."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.new")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(os.urandom(_SIZE))
            file.flush()
            os.fsync(file.fileno())  # a name without its bytes would stay a key that is none
        with suppress(FileExistsError):
            os.link(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)
