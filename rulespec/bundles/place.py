"""A bundle as the source of a ruleset's files, in memory and self-contained."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.documents.folders import is_hidden
from rulespec.documents.text_files import check_characters, file_start, too_large
from rulespec.references import is_path
from rulespec.typed import nodes as typed

if TYPE_CHECKING:
    from rulespec.bundles.packed_bundle import Bundle, Contents

_ROOT = Path(os.devnull) / "bundle"
"""The folder that contains the paths of all bundles: no file can exist below it, so a path that reaches the disk is
missing.
"""
IN_LOG = "(in the log)"


class InBundle:
    """The source of a bundle's files; see `rulespec.documents.file_places.FilePlace`."""

    def __init__(self, bundle: Bundle, contents: Contents) -> None:
        self.bundle = bundle
        self.reference = "+".join(contents.reference)
        self._contents = contents
        self._files = {_ROOT / path: text for path, text in (contents.rules | contents.shown).items()}

    def is_all(self, files: int, folders: int) -> bool:
        """Whether the given numbers of rules files and ruleset folders are all that the bundle contains."""
        return (files, folders) == (len(self._contents.rules), len(self._contents.rulesets))

    def parts(self, ref: str) -> list[str]:
        """Splits the bundle's own reference, or one in its files (without overlay paths), into ruleset and overlays."""
        if ref != self.reference:
            return ref.split("+")
        base, *overlays = self._contents.reference
        return [str(_ROOT / base), *(str(_ROOT / name) if is_path(name) else name for name in overlays)]

    def ruleset(self, name: str, beside: Path | None = None) -> Path:
        """The folder of the bundle's own ruleset or, if `beside` is a ruleset's folder, of the base that it extends."""
        folders = [_ROOT / name for name in self._contents.rulesets]
        number = 0 if beside is None else folders.index(beside) + 1
        if number >= len(folders) or (beside is None and name != str(folders[0])):
            help_ = "ask for a log with all of its rules: the rules in a bundle cannot refer to any other folder"
            raise failure("RS501", f"there is no ruleset {shown(name[:80])} in the bundle", None, help_)
        return folders[number]

    def overlay(self, name: str, folders: list[Path]) -> tuple[Path, str] | None:
        """The folder and name of an overlay, given by id or by the path of its file in the bundle."""
        if is_path(name):
            path = Path(name)
            return (path.parent, path.name) if path in self._files else None
        file = f"variants/{name}.yaml"
        return next(((folder, file) for folder in folders if folder / file in self._files), None)

    def inside(self, folder: Path, name: str) -> Path:
        """The path of a file in a folder; never leads out of the bundle."""
        return folder / name

    def present(self, path: Path) -> bool:
        """Whether the bundle contains a file."""
        return path in self._files

    def matches(self, folder: Path, pattern: str) -> Iterator[Path]:
        """The files in a folder that match a pattern; as on disk, `*` does not cross folders."""
        wanted = pattern.split("/")
        for path in self._files:
            if path.is_relative_to(folder):
                names = path.relative_to(folder).parts
                if (
                    len(names) == len(wanted)
                    and all(map(fnmatchcase, names, wanted))
                    and not any(map(is_hidden, names))
                ):
                    yield path

    def display(self, path: Path) -> str:
        """The name of a file in messages, which differs from that of any file on disk."""
        return f"{IN_LOG}/{path.relative_to(_ROOT).as_posix()}"

    def text(self, path: Path, display: str, limit: int) -> str:
        """The content of a file. Errors: RS101, RS103 or RS105."""
        if path not in self._files:
            help_ = "ask for the log again: its bundle is incomplete"
            raise failure("RS101", f"there is no file {shown(display)}", file_start(display), help_)
        text = self._files[path]
        if len(text.encode("utf-8", "surrogatepass")) > limit:
            raise too_large(display, limit)
        check_characters(text, display)
        return text.replace("\r\n", "\n")


def is_carried(ruleset: typed.Ruleset) -> bool:
    """Whether a ruleset was read from a bundle embedded in a log."""
    return isinstance(ruleset.place, InBundle)


def within(display: str) -> str:
    """The path of a file in its bundle, given its name in messages."""
    return display.removeprefix(f"{IN_LOG}/")


def whose(ruleset: typed.Ruleset) -> str:
    """A note saying that a game's rules come from its log, for display; "" for rules on disk."""
    if not is_carried(ruleset):
        return ""
    return f"under the rules in the log ({ruleset.ref}, as of {ruleset.sources_hash[:8]})"
