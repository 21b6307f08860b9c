"""A log that another program recorded: one JSON array of actions, each with its place in the file.

Nothing here knows what an action means; that is for a dialect to say.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, NoReturn

from engine.log_file import MAX_FOREIGN_BYTES, fail, read_log_text
from rulespec.diagnostics import Span

MAX_ACTIONS = 50_000
MAX_ACTION = 200_000

_SPACE = re.compile(r"[ \t\r\n]*")


class Missing:
    """The type of `MISSING`."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = Missing()
"""What a path leads to that leads nowhere."""


@dataclass(frozen=True, slots=True)
class ForeignEntry:
    """An element of the array, and where it starts and ends in the text."""

    value: dict[str, Any]
    start: int
    end: int


@dataclass(slots=True)
class ForeignLog:
    """A foreign log that has been read. `text` is kept for messages that quote it."""

    file: str
    entries: list[ForeignEntry]
    text: str
    _lines: list[int] = field(default_factory=list)

    def span(self, index: int, value: str = "") -> Span:
        """The place of an entry, or of a text in it."""
        if not self._lines:
            self._lines = [0, *(m.end() for m in re.finditer("\n", self.text))]
        if not self.entries:
            return Span(self.file, 1, 1, 1, 2)
        entry = self.entries[min(index, len(self.entries) - 1)]
        start, end = entry.start, entry.end
        if value:
            found = self.text.find(json.dumps(value, ensure_ascii=False), start, end)
            if found >= 0:
                start, end = found, found + len(json.dumps(value, ensure_ascii=False))
        return Span(self.file, *self._place(start), *self._place(end))

    def _place(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1


def read_foreign(path: Path, display: str | None = None) -> ForeignLog:
    """Reads a foreign log.

    Raises:
        RulespecError: RS601, RS602 (file), RS611 (not a JSON array), RS612 (it breaks off), RS613 (an entry of another
            form).
    """
    name = display or str(path)
    text, whole = read_log_text(path, name, MAX_FOREIGN_BYTES)
    return parse_foreign(text, name, whole)


def parse_foreign(text: str, display: str, whole: bool = True) -> ForeignLog:
    """Like `read_foreign`, for text that is in memory already."""
    log = ForeignLog(display, [], text)
    scan = json.JSONDecoder().raw_decode
    at = _skip(text, 0)
    if at >= len(text):
        fail("RS611", "the log is empty", Span(display, 1, 1, 1, 2), help="a log is one JSON array, or JSON Lines")
    if text[at] != "[":
        fail("RS611", "the log is neither a JSON array nor a native log", _at(log, at), help="is it a log?")
    at = _skip(text, at + 1)
    while True:
        if at < len(text) and text[at] == "]":
            break
        if at >= len(text):
            _broken_off(log, at)
        start = at
        try:
            value, at = scan(text, at)
            entry = _entry(log, value, start, at)
        except json.JSONDecodeError as error:
            if error.pos >= len(text.rstrip()) or not whole:
                _broken_off(log, start)
            fail("RS611", f"entry {len(log.entries)} of the log is not JSON: {error.msg}", _at(log, error.pos))
        except (RecursionError, ValueError):
            fail("RS613", "an entry is nested too deeply, or holds too large a number", _at(log, start))
        log.entries.append(entry)
        if len(log.entries) > MAX_ACTIONS:
            fail("RS602", f"the log has more than {MAX_ACTIONS:,} entries", _at(log, start), help="is it a log?")
        at = _skip(text, at)
        if at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
        elif at >= len(text):
            _broken_off(log, start)
        elif text[at] != "]":
            fail("RS611", "a comma or `]` is missing here", _at(log, at))
    rest = _skip(text, at + 1)
    if rest < len(text):
        fail("RS611", "something stands behind the end of the log", _at(log, rest))
    if not log.entries:
        fail("RS611", "the log has no entries", _at(log, 0))
    return log


def _entry(log: ForeignLog, value: Any, start: int, end: int) -> ForeignEntry:
    number = len(log.entries)
    if end - start > MAX_ACTION:
        fail("RS602", f"entry {number} has more than {MAX_ACTION:,} characters", _at(log, start))
    if isinstance(value, str):  # some exports hold every entry as a text of its own
        try:
            value = json.loads(value)
        except json.JSONDecodeError:
            fail("RS613", f"entry {number} is a text that holds no JSON", _at(log, start))
    if not isinstance(value, dict):
        fail("RS613", f"entry {number} is not a JSON object", _at(log, start))
    return ForeignEntry(value, start, end)


def _skip(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at


def _at(log: ForeignLog, offset: int) -> Span:
    before = log.text[:offset]
    line, column = before.count("\n") + 1, offset - before.rfind("\n")
    return Span(log.file, line, column, line, column + 1)


def _broken_off(log: ForeignLog, start: int) -> NoReturn:
    number = len(log.entries)
    offset = min(start, max(0, len(log.text) - 1))
    fail("RS612", f"the log breaks off in entry {number}", _at(log, offset), help="fetch it again; it is not complete")


def at_path(value: Any, path: str) -> Any:
    """What stands at a path of keys joined by dots; `MISSING` if there is nothing."""
    for key in path.split("."):
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    return value
