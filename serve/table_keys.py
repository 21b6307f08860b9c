"""Keys of tables: a key makes its holder a seat, a spectator or the owner. Only hashes are stored."""

from __future__ import annotations

import hashlib
import secrets

_BYTES = 16
MAX_KEY = 100
"""The maximum length of a key in characters."""


def new_key() -> str:
    """A new key of 128 random bits, as 22 URL-safe characters."""
    return secrets.token_urlsafe(_BYTES)


def hashed(key: str) -> str:
    """The hash of a key. Keys are unguessable, so a fast hash suffices."""
    return hashlib.sha256(key[:MAX_KEY].encode("utf-8", "replace")).hexdigest()
