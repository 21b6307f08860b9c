"""The files in a ruleset's folder, except files whose names start with a dot.

Other programs create such hidden files next to the user's own: Emacs locks (`.#play.rules`, a dangling link), macOS
metadata on foreign disks (`._play.rules`, not text), swap files and Git folders. Folders are therefore listed only in
this module.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

_SUFFIXES = (".yaml", ".rules", ".csv")
"""Extensions of ruleset files."""
MAX_STAMPED = 1_000
"""Maximum number of watched files per folder."""

Stamps = dict[Path, tuple[int, int]]
"""The modification time in nanoseconds and the size in bytes of each file."""


def visible(folder: Path, pattern: str = "*") -> Iterator[Path]:
    """The matches of a glob pattern in a folder, in any order, without hidden files and folders."""
    depth = len(folder.parts)
    for path in folder.glob(pattern):
        if not any(is_hidden(part) for part in path.parts[depth:]):
            yield path


def visible_files(folder: Path) -> Iterator[Path]:
    """The files in a folder and its subfolders, in any order, without hidden files."""
    for at, below, names in os.walk(folder):
        below[:] = [name for name in below if not is_hidden(name)]
        yield from (Path(at, name) for name in names if not is_hidden(name))


def stamps(folders: Sequence[Path]) -> Stamps:
    """The modification time and size of each ruleset file, for detecting changes; a folder stands for its files."""
    results: Stamps = {}
    for folder in folders:
        files = (p for p in visible_files(folder) if p.suffix in _SUFFIXES) if folder.is_dir() else [folder]
        for path in islice(files, MAX_STAMPED):
            try:
                status = path.stat()
            except OSError:  # it is being replaced
                continue
            results[path] = (status.st_mtime_ns, status.st_size)
    return results


def is_hidden(name: str) -> bool:
    """Whether a file or folder with this name is hidden, because it starts with a dot."""
    return name.startswith(".")


def folders_in(folder: str) -> list[str]:
    """The subfolders of a folder, sorted; empty if the folder is unreadable. Several times as fast as `Path.glob`."""
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.is_dir() and not is_hidden(entry.name))
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names]


def files_in(folder: str, suffix: str, most: int) -> list[str]:
    """The files in a folder that have a suffix, in any order, at most `most`; empty if the folder is unreadable."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 - as above
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if name.endswith(suffix) and not is_hidden(name)][:most]
