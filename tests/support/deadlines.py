"""Deadlines of what tests wait for: other processes, servers, pages. Nothing but what never comes takes so long."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

DEADLINE = 300.0
"""Seconds on the wall that anything is waited for: a busy machine is slow."""
GLANCE = 0.02
"""Seconds between two looks at what is waited for."""


class Deadline:
    """A moment up to which something is waited for, `seconds` from now."""

    def __init__(self, seconds: float = DEADLINE) -> None:
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        """The seconds that are left, at least a tenth."""
        return max(0.1, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        """Whether no time is left."""
        return time.monotonic() > self._end


def until(
    done: Callable[[], object],
    what: Callable[[], object] = lambda: "it never came",
    sleep: Callable[[float], object] = time.sleep,
) -> None:
    """Waits until `done` is true; `sleep` lets seconds pass between two looks.

    Raises:
        AssertionError: if that is not so after `DEADLINE`; it has what `what` returns.
    """
    deadline = Deadline()
    while not done():
        assert not deadline.is_over, what()
        sleep(GLANCE)


def until_in(page: Any, done: Callable[[], object], what: Callable[[], object] = lambda: "it never came") -> None:
    """Waits until `done` is true, while a page of Playwright's goes on."""
    until(done, what, lambda seconds: page.wait_for_timeout(1000 * seconds))


def pause(seconds: float) -> None:
    """Lets some time pass, for what must *not* happen meanwhile, or for a moment by chance."""
    time.sleep(seconds)
