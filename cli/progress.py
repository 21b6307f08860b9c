"""Progress bars of long commands on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import TypeVar

_T = TypeVar("_T")


def with_progress(
    runs: Iterator[_T], games: int, done: int = 0, unit: str = "game", size: Callable[[_T], int] = lambda run: 1
) -> Iterator[_T]:
    """The runs, with a progress bar on a terminal; `done` games were played before.

    A run counts as `size` games, by default one.
    """
    if not sys.stderr.isatty():
        yield from runs
        return
    from tqdm import tqdm

    with tqdm(total=games, initial=done, unit=unit, file=sys.stderr, leave=False, dynamic_ncols=True) as bar:
        for run in runs:
            yield run
            bar.update(size(run))
