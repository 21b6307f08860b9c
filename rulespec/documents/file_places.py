"""Sources of a ruleset's files: folders on the disk, or the bundle in a log.

A place answers two questions: the file meant by a name, and its content. A reader of a ruleset asks its place only, so
a reference in a bundle cannot reach the disk, and one on the disk cannot reach a bundle.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from rulespec.documents.folders import visible
from rulespec.documents.text_files import display, inside, is_present, read_text


class FilePlace(Protocol):
    """A place with files; its paths mean nothing elsewhere."""

    def parts(self, ref: str) -> list[str]:
        """The ruleset of a reference, and its overlays."""

    def ruleset(self, name: str, beside: Path | None = None) -> Path:
        """The folder of a ruleset; `beside` is the folder of the one that refers to it.

        Raises:
            DiagnosticsError: RS501 or RS106 if there is none.
        """

    def overlay(self, name: str, folders: list[Path]) -> tuple[Path, str] | None:
        """The folder that an overlay's files may not lead out of, and its file's path below it; None if missing."""

    def inside(self, folder: Path, name: str) -> Path:
        """The path of a file below a folder. Errors: RS106 if the name leads out of it."""

    def present(self, path: Path) -> bool:
        """Whether a file of this name exists."""

    def matches(self, folder: Path, pattern: str) -> Iterator[Path]:
        """The files below a folder that match a glob pattern, in no order; nothing hidden."""

    def display(self, path: Path) -> str:
        """The name of a file in messages."""

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file of at most `limit` bytes. Errors: as those of `read_text`."""


class DiskFiles:
    """The half of a `FilePlace` that reads the disk; `rulespec.references` adds the lookups of ids."""

    def inside(self, folder: Path, name: str) -> Path:
        """See `FilePlace`."""
        return inside(folder, name)

    def present(self, path: Path) -> bool:
        """See `FilePlace`."""
        return is_present(path)

    def matches(self, folder: Path, pattern: str) -> Iterator[Path]:
        """See `FilePlace`."""
        return visible(folder, pattern)

    def display(self, path: Path) -> str:
        """See `FilePlace`."""
        return display(path)

    def text(self, path: Path, display: str, limit: int) -> str:
        """See `FilePlace`."""
        return read_text(path, display, limit)
