"""Small replacements for asyncio's event and queue, which use 3 KB per socket even when empty."""

from __future__ import annotations

import asyncio
from typing import TypeVar

_T = TypeVar("_T")


class Bell:
    """An event awaited by a single task."""

    __slots__ = ("_is_set", "_waiter")

    def __init__(self) -> None:
        self._is_set = False
        self._waiter: asyncio.Future[None] | None = None

    def set(self) -> None:
        """Wakes the task, now or when it next waits."""
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
    """A queue read by a single task."""

    def __init__(self) -> None:  # no call of the base class: its attributes are the memory saved
        self._bell = Bell()
        self._items: list[_T] = []

    def put_nowait(self, item: _T) -> None:
        """Adds an item."""
        self._items.append(item)
        self._bell.set()

    def empty(self) -> bool:
        """Whether it is empty."""
        return not self._items

    async def get(self) -> _T:
        """The next item, waiting if necessary."""
        while not self._items:
            self._bell.clear()
            await self._bell.wait()
        return self._items.pop(0)
