"""Bounds of time in tests: only what grows out of all proportion fails here. Speed is measured in `bench/`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

SECONDS = 60.0
"""Of the processor, so that other programs do not matter; ten times what anything here takes on a slow machine."""


@contextmanager
def soon() -> Iterator[None]:
    """Fails if the block takes more than `SECONDS` of the processor."""
    begun = time.process_time()
    yield
    taken = time.process_time() - begun
    assert taken < SECONDS, f"{taken:.1f} s of the processor"
