"""Bounds of work in tests: only what grows out of all proportion fails here. Speed is measured in `bench/`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

CALLS = 30_000_000
"""Calls of functions: several times as many as anything here makes."""


class Calls:
    """A counter of calls.

    Attributes:
        count: the calls so far.
    """

    def __init__(self) -> None:
        self.count = 0


@contextmanager
def counted(most: int = sys.maxsize) -> Iterator[Calls]:
    """Counts the calls of functions, those in C included, that the block makes in this thread.

    Raises:
        AssertionError: as soon as there are more than `most`.
    """
    calls = Calls()

    def note(_: Any, event: str, __: Any) -> None:
        if event.endswith("call"):
            calls.count += 1
            if calls.count > most:
                sys.setprofile(None)
                raise AssertionError(f"more than {most:,} calls")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield calls
    finally:
        sys.setprofile(before)
    assert calls.count <= most, f"more than {most:,} calls"  # whatever became of the error


@contextmanager
def soon(most: int = CALLS) -> Iterator[None]:
    """Fails if the block calls functions more than `most` times."""
    with counted(most):
        yield
