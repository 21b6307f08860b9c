"""Names for many logs at once: a folder, an archive, or a pattern."""

from __future__ import annotations

from pathlib import Path

from rulespec.documents.text_files import is_folder, is_present

ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".zip")
"""Endings of the names of archives."""
_PATTERN = frozenset("*?[")


def is_archive(name: str) -> bool:
    """Whether a file of this name is an archive."""
    return name.endswith(ARCHIVES)


def is_pattern(name: str) -> bool:
    """Whether a name is a pattern such as `games/**/*.jsonl`, and not the name of a file."""
    return not _PATTERN.isdisjoint(name) and not is_present(Path(name))


def is_container(name: str) -> bool:
    """Whether a name means several logs."""
    return is_archive(name) or is_folder(Path(name)) or is_pattern(name)
