"""The edit history of a folder: named steps, with the bytes of each file before and after."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from rulespec.documents.foreign_files import bytes_of
from rulespec.documents.text_files import display
from rulespec.documents.written_files import ChangedError, Content, replace_together
from rulespec.lsp.map_files import MapEditError
from rulespec.own_files import OwnFiles
from rulespec.records import Brief
from rulespec.ruleset_files import MAX_YAML

MAX_BYTES = 64_000_000
"""The maximum size of all steps in bytes; the oldest are dropped first."""


class ChangedElsewhereError(MapEditError):
    """Another program changed a file after it was read."""


class UndoStep(Brief, Struct, frozen=True):
    """A step that can be undone: its name, and its files before and after."""

    name: str
    before: dict[Path, Content]
    after: dict[Path, Content]

    @property
    def size(self) -> int:
        """The size of the step's file contents in bytes."""
        return sum(len(each or b"") for each in (*self.before.values(), *self.after.values()))


class History:
    """A history of edits, with undo and redo.

    Args:
        own: the files that may be written.
    """

    def __init__(self, own: OwnFiles) -> None:
        self._own = own
        self._done: list[UndoStep] = []
        self._undone: list[UndoStep] = []

    @property
    def names(self) -> tuple[str, str]:
        """The names of the next steps to undo and redo; "" if there is none."""
        return self._done[-1].name if self._done else "", self._undone[-1].name if self._undone else ""

    def do(self, name: str, before: Mapping[Path, Content], after: Mapping[Path, Content]) -> None:
        """Writes files as a new step.

        Raises:
            ChangedElsewhereError: if another program has changed a file since it was read.
            MapEditError: if a file cannot be written.
        """
        step = UndoStep(name, dict(before), dict(after))
        self._write(step.before, step.after, "edit")
        self._done.append(step)
        self._undone.clear()
        while len(self._done) > 1 and sum(each.size for each in self._done) > MAX_BYTES:
            del self._done[0]

    def undo(self) -> str:
        """Undoes the last step and returns its name.

        Raises the errors of `do`, and MapEditError if there is no such step.
        """
        step = _last(self._done, "undone")
        self._write(step.after, step.before, "undo")
        self._undone.append(self._done.pop())
        return step.name

    def redo(self) -> str:
        """Redoes the last undone step and returns its name.

        Raises the errors of `do`, and MapEditError if there is no such step.
        """
        step = _last(self._undone, "redone")
        self._write(step.before, step.after, "redo")
        self._done.append(self._undone.pop())
        return step.name

    def _write(self, now: Mapping[Path, Content], wanted: Mapping[Path, Content], what: str) -> None:
        """Writes files after checking their current content, the map last: other files are harmless without it."""
        try:
            for path in wanted:
                if (content := read(path, self._own)) != now[path]:
                    if content is None:
                        raise MapEditError(f"{display(path)} is missing")
                    raise ChangedError(str(path))
            order = sorted(wanted, key=lambda path: path.name == "map.yaml")
            replace_together({path: wanted[path] for path in order}, now)
        except ChangedError as error:
            name = display(Path(str(error)))
            message = f"cannot {what}: {name} has been changed by somebody else since; nothing was written"
            raise ChangedElsewhereError(message) from None
        except OSError as error:
            raise MapEditError(f"cannot {what}: {error.strerror or 'a file cannot be written'}") from None


def read(path: Path, own: OwnFiles) -> Content:
    """The content of a file that may be edited or added; the file must be directly in the folder.

    Raises:
        MapEditError: if it is a link, outside the folder, or too large.
    """
    if not os.path.lexists(path) and path.parent in own.folders:
        return None
    if path not in own:
        raise MapEditError(f"{display(path)} is missing, or is a link to another folder")
    try:
        data = bytes_of(path, MAX_YAML.size)
    except OSError as error:
        raise MapEditError(f"{display(path)} cannot be read: {error.strerror}") from None
    if len(data) > MAX_YAML.size:
        raise MapEditError(f"{display(path)} is larger than {MAX_YAML.size:,} bytes")
    return data


def _last(steps: list[UndoStep], what: str) -> UndoStep:
    if not steps:
        raise MapEditError(f"nothing can be {what}")
    return steps[-1]
