"""Waits for changes of the files of a ruleset, by looking at their times."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from rulespec.documents.folders import visible_files

PAUSE = 0.4
"""Seconds between two looks."""
MAX_FILES = 1_000
_READ = (".yaml", ".rules")

Stamps = dict[Path, tuple[int, int]]


def watched(
    folders: Sequence[Path], rounds: int | None = None, sleep: Callable[[float], None] = time.sleep
) -> Iterator[None]:
    """Yields at once, and after each change of a YAML or rules file, until the program is interrupted.

    Args:
        folders: folders or files.
        rounds: looks at them so often; None: for ever.
        sleep: waits for some seconds.
    """
    before = _stamps(folders)
    yield
    done = 0
    while rounds is None or done < rounds:
        sleep(PAUSE)
        done += 1
        now = _stamps(folders)
        if now != before:
            before = now
            yield


def _stamps(folders: Sequence[Path]) -> Stamps:
    results: Stamps = {}
    for folder in folders:
        files = (p for p in visible_files(folder) if p.suffix in _READ) if folder.is_dir() else iter([folder])
        for path in islice(files, MAX_FILES):
            try:
                status = path.stat()
            except OSError:  # it has just been replaced
                continue
            results[path] = (status.st_mtime_ns, status.st_size)
    return results
