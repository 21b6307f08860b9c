"""The dialect files of a ruleset, and of all known rulesets."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from rulespec.documents.folders import folders_in, is_hidden, visible
from rulespec.references import parts_of, ruleset_folders


def dialects(rules: str | None = None) -> Iterator[Path]:
    """Lazily lists the distinct dialect files of a reference's folder and of all known rulesets."""
    seen = set[object]()
    for folder, names in _dialect_files(rules):
        linked = folder.is_symlink()
        for name in names:
            path = folder / name
            if (linked or path.is_symlink()) and not _leads_into(path, folder.parent):
                continue
            file = _identity(path)
            if file not in seen:
                seen.add(file)
                yield path


def _leads_into(path: Path, folder: Path) -> bool:
    """Whether a link leads into a folder; without `Path.resolve`, which raises an error for a loop of links."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def _identity(path: Path) -> object:
    """The device and number of a file, which all paths to it share; for a broken link, the path."""
    try:
        status = path.stat()
    except OSError:
        return path
    return status.st_dev, status.st_ino


def _dialect_files(rules: str | None) -> Iterator[tuple[Path, list[str]]]:
    """Folders of dialects, each with the names of its files."""
    base = Path(parts_of(rules)[0]) if rules else None
    if base is not None and base.is_dir():
        yield base / "dialects", sorted(path.name for path in visible(base / "dialects", "*.yaml"))
    for folder in ruleset_folders():
        for inside in (f"{ruleset}/dialects" for ruleset in folders_in(str(folder))):
            with suppress(OSError):
                names = os.listdir(inside)  # noqa: PTH208 - half the time
                yield Path(inside), sorted(n for n in names if n.endswith(".yaml") and not is_hidden(n))
