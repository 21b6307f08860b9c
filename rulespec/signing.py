"""Signatures for this user's own files, with a key in the user's state folder.

The key is 32 random bytes in a file that only the user may read, created on first use. If it cannot be created, nothing
is signed. Anyone who can read it can run programs as the user.

XDG_STATE_HOME selects another folder for the key.
"""

from __future__ import annotations

import os
import stat
import sys
from functools import cache
from hashlib import blake2b
from pathlib import Path

_SIZE = 32
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def signature(data: bytes) -> str:
    """The signature of data, as 64 hex digits; "" if there is no key."""
    key, _ = _key(_place())
    return blake2b(data, key=key, digest_size=32).hexdigest() if key else ""


def fault() -> str:
    """The reason why there is no key, for display to people; "" if there is one."""
    _, reason = _key(_place())
    return reason


def _place() -> str:
    """The path of the key file; empty if there is no home folder."""
    named, home = os.environ.get("XDG_STATE_HOME", ""), os.environ.get("HOME", "")
    if os.path.isabs(named):  # noqa: PTH117 - as in `cache.py`
        return f"{named}/rulespec/signing_key"
    if sys.platform == "linux" and os.path.isabs(home):  # noqa: PTH117
        return f"{home}/.local/state/rulespec/signing_key"
    from platformdirs import user_state_path  # importing it takes longer than computing all signatures

    try:
        return str(user_state_path("rulespec", appauthor=False) / "signing_key")
    except RuntimeError:
        return ""


@cache
def _key(path: str) -> tuple[bytes, str]:
    """The key in a file, which is created if missing; or empty bytes and the reason."""
    if not path:
        return b"", "there is no home folder for a signing key"
    try:
        try:
            return _read(path), ""
        except FileNotFoundError:
            _write(Path(path))
            return _read(path), ""
    except OSError as error:
        return b"", f"the signing key {path}: {error.strerror or error}"
    except ValueError:  # a NUL in the name
        return b"", "the name of the signing key is not valid"


def _read(path: str) -> bytes:
    """The key in a file.

    Raises:
        OSError: if the file cannot be read, contains no key, or is readable by others.
    """
    descriptor = os.open(path, _READ)
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is not a file")
        if hasattr(os, "geteuid"):
            if status.st_uid != os.geteuid():
                raise OSError("it belongs to another user")
            if status.st_mode & 0o077:
                raise OSError("it may be read by others")
        key = os.read(descriptor, _SIZE + 1)
    finally:
        os.close(descriptor)
    if len(key) != _SIZE:
        raise OSError("it is damaged; remove it")
    return key


def _write(path: Path) -> None:
    """Writes a new key atomically; of concurrent processes, the first one wins."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    fresh = path.with_name(f"{path.name}.{os.getpid()}.{os.urandom(4).hex()}.new")
    try:
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(os.urandom(_SIZE))
            file.flush()
            os.fsync(file.fileno())  # a crash must not leave an empty key file
        try:
            os.link(fresh, path)
        except FileExistsError:
            pass
        except OSError:  # a file system without hard links: the last process wins; entries signed by others are missing
            fresh.replace(path)
    finally:
        fresh.unlink(missing_ok=True)
