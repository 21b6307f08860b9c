"""Keys of tables: each makes its holder a seat, a spectator or the owner. Only their hashes are stored."""

from __future__ import annotations

import hashlib
import secrets

_BYTES = 16
MAX_KEY = 100
"""The most characters of a key."""


def new_key() -> str:
    """A key of 128 bits, 22 characters allowed in an address."""
    return secrets.token_urlsafe(_BYTES)


def hashed(key: str) -> str:
    """The hash of a key. Keys cannot be guessed, so a fast hash is enough."""
    return hashlib.sha256(key[:MAX_KEY].encode("utf-8", "replace")).hexdigest()
