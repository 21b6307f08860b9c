"""Entries of a foreign log, with the properties that the search asks for again and again."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rulespec.engine.dialects.dialect import Dialect
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.paths import MISSING, follow, path_reader

_WHOLE = re.compile(r"0|[1-9][0-9]{0,15}")


class Entries:
    """The entries of a log, by number; after the last one there is None.

    Attributes:
        types: the type of each entry; None if it is no text.
        payloads: the payload of each entry.
        lists: lists of the first entry that answer decisions, by name.
        is_skipped: entries without a meaning.
        is_boundary: entries that are no decision: another start, an end, an undo.
        is_checkpoint: entries that an undo goes back to.
    """

    def __init__(self, dialect: Dialect, log: ForeignLog) -> None:
        self._log = log.entries
        entries = [*log.entries, None]
        types = map(path_reader(dialect.type_path), entries)
        self.types = [type_ if isinstance(type_, str) else None for type_ in types]
        self.payloads = [*map(path_reader(dialect.payload_path), entries)]
        self.lists: dict[str, list[Any]] = {}
        for name, spec in dialect.start.get("lists", {}).items():
            result = follow(self.payloads[0], spec["path"])
            values = result if isinstance(result, list) else []
            self.lists[name] = ordered([v for v in values if v is not MISSING], spec.get("order", "as_is"))
        start, undo = self._start(dialect), dialect.undo
        boundaries = {dialect.start["type"], *dialect.ends, *([undo.type] if undo is not None else [])}
        checkpoints = undo.checkpoints if undo is not None else frozenset[str]()
        self.is_skipped = [number < start or type_ in dialect.ignore for number, type_ in enumerate(self.types)]
        self.is_boundary = [type_ in boundaries for type_ in self.types]
        self.is_checkpoint = [type_ in checkpoints for type_ in self.types]

    def __len__(self) -> int:
        return len(self._log)

    def __getitem__(self, number: int) -> Any:
        return self._log[number] if number < len(self._log) else None

    def _start(self, dialect: Dialect) -> int:
        """The number of the first entry after those that begin the log: the first one may stand there twice."""
        for number, entry in enumerate(self._log):
            if entry != self._log[0] and self.types[number] not in dialect.ignore:
                return number
        return len(self._log)


def ordered(values: Sequence[Any], order: str) -> list[Any]:
    """The elements of a list in the order that a dialect names: `as_is`, or `numbers_first`."""
    if order != "numbers_first":
        return list(values)
    texts = [str(v) for v in values]
    numbers = sorted((t for t in texts if _WHOLE.fullmatch(t)), key=int)
    return [*numbers, *(t for t in texts if not _WHOLE.fullmatch(t))]
