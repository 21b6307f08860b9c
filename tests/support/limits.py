"""Work limits in tests, which fail only for disproportionate growth. Speed is measured in `bench/`."""

from __future__ import annotations

import cProfile
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CALLS = 30_000_000
"""The maximum number of function calls, several times that of any regular test."""
_POLLED = 0.5
"""The CPU seconds between checks of the number of calls."""


class Calls:
    """A call counter in C; one in Python would take three times as long as most of the counted code.

    Args:
        profile: the profiler that counts.
    """

    def __init__(self, profile: cProfile.Profile) -> None:
        self._profile = profile

    @property
    def count(self) -> int:
        """The number of calls that have returned so far."""
        return sum(each.callcount for each in self._profile.getstats())


@contextmanager
def counted(most: int = sys.maxsize) -> Iterator[Calls]:
    """Counts function calls, including those in C, made by the block in the main thread.

    Raises:
        AssertionError: soon after the count exceeds `most`.
    """
    profile = cProfile.Profile(subcalls=False)
    calls = Calls(profile)

    def look(_: int, __: FrameType | None) -> None:
        if calls.count > most:
            profile.disable()
            raise AssertionError(f"more than {most:,} calls")

    handler = signal.signal(signal.SIGVTALRM, look)
    signal.setitimer(signal.ITIMER_VIRTUAL, _POLLED, _POLLED)
    profile.enable()
    try:
        yield calls
    finally:
        profile.disable()
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, handler)
    assert calls.count <= most, f"more than {most:,} calls"  # even if the block has suppressed the error


@contextmanager
def soon(most: int = CALLS) -> Iterator[None]:
    """Asserts that the block makes at most `most` function calls."""
    with counted(most):
        yield
