"""Foreign logs: JSON arrays of entries, as other programs record games."""

from __future__ import annotations

import json
from typing import Any

import msgspec
from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.game.names import comparable
from rulespec.engine.logs.log_text import fail
from rulespec.records import Brief

MAX_ACTIONS = 50_000
MAX_BRACKETS = 400_000
"""Lists and objects in a foreign log: parsed values are many times larger than their text."""


class ForeignLog(Brief, Struct):
    """The entries of a foreign log, and the name of its file.

    Names in entries are compared in NFC, and all texts of entries are in it; `written` is the first entry as it stands.
    """

    file: str
    entries: list[Any] = []
    written: Any = None

    @property
    def first(self) -> Any:
        """The first entry as it stands in the log."""
        return self.entries[0] if self.written is None else self.written


def parse_foreign(text: str, file: str) -> ForeignLog:
    """The entries of a foreign log: a JSON array of objects, or of texts that hold objects.

    Raises:
        DiagnosticsError: RS61x if it is something else, or too long.
    """
    start = Span(file, 1, 1, 1, 2)
    if not text.strip():
        fail("RS612", "the log is empty", start, help="is it the right file?")
    if text.count("{") + text.count("[") > MAX_BRACKETS:
        fail("RS614", f"a log has at most {MAX_BRACKETS:,} lists and objects", start)
    if text.lstrip()[:1] == "{":
        help_ = 'a native log begins with {"rulespec_log": 1, …}; a foreign one is a JSON array'
        fail("RS613", "this log does not begin with a header", start, help=help_)
    try:
        entries = _read_json(text)
    except json.JSONDecodeError as error:
        span = Span(file, error.lineno, error.colno, error.lineno, error.colno + 1)
        fail("RS612", f"this log is not JSON: {error.msg}", span, help="is it complete?")
    except (RecursionError, ValueError):
        fail("RS612", "this log nests too deep to be read as JSON", start)
    if not isinstance(entries, list) or not entries:
        fail("RS613", "a log is a JSON array of entries, or lines that begin with the header of a native log", start)
    if len(entries) > MAX_ACTIONS:
        fail("RS614", f"a log has at most {MAX_ACTIONS:,} entries", start)
    for number, entry in enumerate(entries):
        if isinstance(entry, str):
            try:
                entries[number] = _read_json(entry)
            except (ValueError, RecursionError):
                fail("RS612", f"entry {number} is a text that holds no JSON", start)
        if not isinstance(entries[number], dict):
            fail("RS613", f"entry {number} is no object", start)
    if text.isascii() and "\\u" not in text:
        return ForeignLog(file, entries)
    try:
        return ForeignLog(file, [_normal(entry) for entry in entries], entries[0])
    except RecursionError:
        fail("RS612", "this log nests too deep to be read as JSON", start)


def _normal(value: Any) -> Any:
    """A value of an entry with its texts in NFC."""
    if isinstance(value, str):
        return comparable(value)
    if isinstance(value, list):
        return [_normal(item) for item in value]
    return {comparable(key): _normal(item) for key, item in value.items()} if isinstance(value, dict) else value


def _read_json(text: str) -> Any:
    """The value of a JSON text, as Python's own reader has it; msgspec is several times faster, and stricter."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError):
        return json.loads(text)
