"""Sources of a ruleset's files: folders on disk, or the bundle in a log.

A place resolves names to files, and returns their content. Readers of a ruleset use only its place, so a reference in a
bundle cannot reach the disk, and vice versa.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from rulespec.documents.folders import visible
from rulespec.documents.text_files import display, inside, is_present, read_text


class FilePlace(Protocol):
    """A source of files; the paths that it returns have no meaning outside it."""

    def parts(self, ref: str) -> list[str]:
        """Splits a reference into the ruleset and its overlays."""

    def ruleset(self, name: str, beside: Path | None = None) -> Path:
        """The folder of a ruleset; `beside` is the folder of the ruleset that refers to it.

        Raises:
            DiagnosticsError: RS501 or RS106 if there is none.
        """

    def overlay(self, name: str, folders: list[Path]) -> tuple[Path, str] | None:
        """The folder that contains an overlay's files, and the relative path of its main file; None if missing."""

    def inside(self, folder: Path, name: str) -> Path:
        """The path of a file below a folder. Errors: RS106 if it leaves the folder."""

    def present(self, path: Path) -> bool:
        """Whether a file with this name exists."""

    def matches(self, folder: Path, pattern: str) -> Iterator[Path]:
        """The files below a folder that match a glob pattern, in any order, excluding hidden ones."""

    def display(self, path: Path) -> str:
        """The name of a file for messages."""

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file of at most `limit` bytes. Raises the same errors as `read_text`."""


class DiskFiles:
    """The part of a `FilePlace` that reads the disk; `rulespec.references` adds lookups by id."""

    def inside(self, folder: Path, name: str) -> Path:
        """The path of a file in a folder; see `FilePlace`."""
        return inside(folder, name)

    def present(self, path: Path) -> bool:
        """Whether a file exists; see `FilePlace`."""
        return is_present(path)

    def matches(self, folder: Path, pattern: str) -> Iterator[Path]:
        """The matches of a pattern; see `FilePlace`."""
        return visible(folder, pattern)

    def display(self, path: Path) -> str:
        """The display name of a file; see `FilePlace`."""
        return display(path)

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file; see `FilePlace`."""
        return read_text(path, display, limit)
