"""Watching of a ruleset's files by their modification times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rulespec.documents.folders import stamps

PAUSE = 0.4
"""Seconds between two checks."""


def watched(
    folders: Sequence[Path], rounds: int | None = None, sleep: Callable[[float], None] = time.sleep
) -> Iterator[None]:
    """Yields immediately, and after each change of a ruleset file, until interrupted.

    Args:
        folders: folders or files.
        rounds: the maximum number of checks; None means unlimited.
        sleep: the function that waits for a number of seconds.
    """
    before = stamps(folders)
    yield
    done = 0
    while rounds is None or done < rounds:
        sleep(PAUSE)
        done += 1
        now = stamps(folders)
        if now != before:
            before = now
            yield
