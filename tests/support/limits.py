"""Bounds of work in tests: only what grows out of all proportion fails here. Speed is measured in `bench/`."""

from __future__ import annotations

import cProfile
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

CALLS = 30_000_000
"""Calls of functions: several times as many as anything here makes."""
_POLLED = 0.5
"""Seconds of the processor between two looks at the number of calls."""


class Calls:
    """A counter of calls, in C: a function in Python for each call takes three times as long as most of what it counts.

    Args:
        profile: what counts.
    """

    def __init__(self, profile: cProfile.Profile) -> None:
        self._profile = profile

    @property
    def count(self) -> int:
        """The calls that have returned so far."""
        return sum(each.callcount for each in self._profile.getstats())


@contextmanager
def counted(most: int = sys.maxsize) -> Iterator[Calls]:
    """Counts the calls of functions, those in C included, that the block makes in this thread, the main one.

    Raises:
        AssertionError: soon after there are more than `most`.
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
    assert calls.count <= most, f"more than {most:,} calls"  # whatever became of the error


@contextmanager
def soon(most: int = CALLS) -> Iterator[None]:
    """Fails if the block calls functions more than `most` times."""
    with counted(most):
        yield
