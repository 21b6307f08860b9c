"""Deadlines for waiting on processes, servers and pages, so generous that only a hang exceeds them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

DEADLINE = 300.0
"""The limit of wall-clock seconds for any wait, generous for busy machines."""
GLANCE = 0.02
"""The polling interval in seconds."""


class Deadline:
    """A deadline in `seconds` from now."""

    def __init__(self, seconds: float = DEADLINE) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds left, but at least 0.1."""
        return max(0.1, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether the deadline has passed."""
        return time.monotonic() > self._end


def until(
    done: Callable[[], object],
    what: Callable[[], object] = lambda: "it never came",
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Waits until `done` is true; `sleep` lets time pass between checks.

    Raises:
        AssertionError: if it is still false after `DEADLINE`; the message comes from `what`.
    """
    deadline = Deadline()
    while not done():
        assert not deadline.is_over, what()
        sleep(GLANCE)


def until_in(page: Any, done: Callable[[], object], what: Callable[[], object] = lambda: "it never came") -> None:
    """Waits until `done` is true, while a Playwright page keeps running."""
    until(done, what, lambda seconds: page.wait_for_timeout(1000 * seconds))


def pause(seconds: float) -> None:
    """Lets some time pass, to check that nothing happens, or for random timing."""
    time.sleep(seconds)
