"""Parts of a page's socket: strict reading of messages, the key, and an event and a queue that use little memory.

A message that has been read can be serialised again, for example in a refusal. A key makes its holder a seat, a
spectator or the owner; only its hash is stored. The event and queue of asyncio would use 3 KB per socket even when
empty.
"""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from typing import TypeVar

import msgspec
from msgspec import Struct

_T = TypeVar("_T")


class Bell:
    """An event that a single task awaits."""

    __slots__ = ("_is_set", "_waiter")

    def __init__(self) -> None:
        self._is_set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Wakes the task, either now or when it next waits."""
        self._is_set = True
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def clear(self) -> None:
        """Makes the task wait again."""
        self._is_set = False

    async def wait(self) -> None:
        """Waits until the event is set."""
        while not self._is_set:
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None


class Mailbox(asyncio.Queue[_T]):
    """A queue that a single task reads."""

    def __init__(self) -> None:  # no call of the base class: its attributes are the memory saved
        self._bell = Bell()
        self._items: list[_T] = []

    def put_nowait(self, item: _T) -> None:
        """Adds an item."""
        self._items.append(item)
        self._bell.set()

    def empty(self) -> bool:
        """Whether the queue is empty."""
        return not self._items

    async def get(self) -> _T:
        """The next item; waits for it if necessary."""
        while not self._items:
            self._bell.clear()
            await self._bell.wait()
        return self._items.pop(0)


class _First(Struct, frozen=True, forbid_unknown_fields=True):
    """The first message of a page.

    Attributes:
        key: the key in the page's link.
    """

    key: str


def read(text: str | bytes | None, form: type[_T], most: int) -> _T | None:
    """The message in a JSON text; None if it is missing, malformed, or longer than `most` bytes.

    Lone surrogates, `NaN` and deep nesting are rejected.
    """
    if text is None or len(text) > most:
        return None
    try:
        data = text.encode() if isinstance(text, str) else text
        return msgspec.json.decode(data, type=form) if len(data) <= most else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def read_key(text: str | bytes | None, most: int) -> str | None:
    """The key in the first message of a page; None if the message is malformed."""
    first = read(text, _First, most)
    return None if first is None else first.key


_BYTES = 16
MAX_KEY = 100
"""The maximum length of a key in characters."""


def new_key() -> str:
    """A new key of 128 random bits, as 22 URL-safe characters."""
    return secrets.token_urlsafe(_BYTES)


def hashed(key: str) -> str:
    """The hash of a key. Keys are unguessable, so a fast hash suffices."""
    return hashlib.sha256(key[:MAX_KEY].encode("utf-8", "replace")).hexdigest()
