"""The progress of commands that take long, at a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def with_progress(runs: Iterator[_T], games: int, done: int = 0, unit: str = "game") -> Iterable[_T]:
    """Games as they are played, with a progress bar at a terminal; `done` of them were played before."""
    if not sys.stderr.isatty():
        return runs
    from tqdm import tqdm

    bar: Iterable[_T] = tqdm(
        runs, total=games, initial=done, unit=unit, file=sys.stderr, leave=False, dynamic_ncols=True
    )
    return bar
