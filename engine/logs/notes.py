"""Notes in a log, which do not affect the game: remarks, dates, the event, decision times, and custom keys.

    {"rulespec_log": 2, …, "event": "club evening", "date": "2026-11-25"}
    {"decision": "turn", "by": "Ann", "option": "take(2)", "time": 12.5, "remark": "the only move", "x-clock": 300}
    {"decision": "turn", "by": "Bob", "option": "take(1)", "glyphs": [2], "variations": [{"moves": […]}]}
    {"remark": "lunch", "by": "Bob", "date": "2026-11-25T12:30:00Z"}

Notes are only for display.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.diagnostic import shown
from rulespec.engine.logs.end_line import Wrong
from rulespec.engine.logs.variations import is_glyphs, variations_in

Notes = Mapping[str, Any]
"""Notes, as key → value."""

GLYPHS, VARIATIONS = "glyphs", "variations"
"""The keys of numeric annotation glyphs and of variations; see `rulespec.engine.logs.variations`."""
RESULT = "x-result"
"""The key for the result recorded by another system, if the game has no end under the rules: `winners`, `scores` and
`reason`, each of which may be missing.
"""
UNREAD, TAGS = "x-variations", "x-tags"
"""The keys for the rest of a PGN or SGF: variations that could not be converted to moves, and the tags of the game."""

OF_ALL = ("remark", "date")
"""The keys allowed on every line."""
OF_HEADER = (*OF_ALL, "event")
OF_MOVE = (*OF_ALL, "time", GLYPHS, VARIATIONS)
OF_REMARK = (*OF_ALL, "by", VARIATIONS)
OWN = "x-"
"""The prefix of custom keys."""
OWN_HELP = f"begin your own keys with `{OWN}`: they are kept, but not interpreted"

MAX_REMARK = 2_000
MAX_EVENT = 200
MAX_OWN = 80
"""Maximum length of a custom key after the prefix, in characters."""
MAX_TIME = 10**9
"""Maximum time of a decision, in seconds."""
MAX_DEPTH = 20
"""Maximum nesting of lists and objects below a custom key."""
_OWN_KEY = re.compile(rf"x-[\w.:-]{{1,{MAX_OWN}}}")
_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,6})?)?(Z|[+-]\d\d:\d\d)?)?", re.ASCII)


def notes_in(data: Mapping[str, Any], allowed: tuple[str, ...], wrong: Wrong) -> dict[str, Any]:
    """The notes in a line.

    Args:
        data: the line.
        allowed: the keys that this kind of line may have.
        wrong: a function that raises an error; it is called for malformed notes.
    """
    results = {key: value for key, value in data.items() if key in allowed or key.startswith(OWN)}
    for key, value in results.items():
        if key.startswith(OWN):
            if not _OWN_KEY.fullmatch(key):
                help_ = f"`{OWN}` must be followed by letters, digits and `-._:`, at most {MAX_OWN}"
                wrong(f"{shown(key)} is not a custom key", key, help_)
            if _is_deep(value, MAX_DEPTH):
                wrong(f"{shown(key)} is nested too deeply", key, f"reduce it to {MAX_DEPTH} levels")
            continue
        if why := _why_not(key, value):
            wrong(f"`{key}` {why}", key)
    return results


def _is_deep(value: object, levels: int) -> bool:
    """Whether a value has more than the given levels of lists and objects."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return levels < 0 or any(_is_deep(each, levels - 1) for each in inner)


def _why_not(key: str, value: object) -> str:
    """The objection to the value of a note; "" for a valid one."""
    if key == "time":
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= MAX_TIME:
            return ""
        return "must be the number of seconds that a decision took"
    if key == GLYPHS:
        return "" if is_glyphs(value) else "must be a list of at most 20 numbers from 0 to 255"
    if key == VARIATIONS:
        try:
            variations_in(value)
        except ValueError as error:
            return str(error)
        return ""
    if key == "date":
        return (
            ""
            if isinstance(value, str) and _is_date(value)
            else "must be a date, such as 2026-11-25 or 2026-11-25T20:15:00Z"
        )
    if key == "by":
        return "" if isinstance(value, str) and len(value) <= MAX_EVENT else "must be the seat that makes the remark"
    limit = MAX_REMARK if key == "remark" else MAX_EVENT
    return "" if isinstance(value, str) and len(value) <= limit else f"must be a string of at most {limit:,} characters"


def _is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


class LogNotes(Struct, frozen=True):
    """The notes in a foreign log.

    Attributes:
        header: the notes of the game.
        moves: the notes on decisions, by entry.
        remarks: the notes outside decisions, by entry.
    """

    header: Notes = {}
    moves: Mapping[int, Notes] = {}
    remarks: Mapping[int, Notes] = {}


class SeenNotes:
    """The notes in a log that a seat may see.

    In a game without secrets, a seat may see all notes. Otherwise, it gets only the event, the date and its own notes,
    without custom keys: other seats' notes may reveal anything, and their thinking times reveal whether there was a
    choice.

    Args:
        header: the notes of the header.
        lines: the other lines in order: line number, deciding or remarking seat, and notes.
        seat: the seat; None for the public view.
        secretive: whether the game has hidden information.
    """

    def __init__(
        self, header: Notes, lines: Sequence[tuple[int, str | None, Notes]], seat: str | None, secretive: bool
    ) -> None:
        own = [(line, notes) for line, by, notes in lines if not secretive or (by is not None and by == seat)]
        self.header = {k: v for k, v in header.items() if not secretive or k in ("event", "date")}
        self._lines = {line: {k: v for k, v in n.items() if not (secretive and k.startswith(OWN))} for line, n in own}

    def of(self, line: int) -> Notes:
        """The notes of a line."""
        return self._lines.get(line, {})

    def between(self, first: int, end: int, moves: Container[int]) -> Iterator[Notes]:
        """The remarks on lines from `first` to `end` (exclusive), without the notes on moves."""
        for line, notes in self._lines.items():
            if first <= line < end and line not in moves and notes:
                yield notes


def note_texts(notes: Notes, names: Mapping[str, str]) -> list[str]:
    """Notes as lines of text, with seats by their displayed names and without custom keys."""
    who = f"{names.get(notes['by'], notes['by'])}: " if "by" in notes else ""
    parts = [notes[key] for key in ("event", "date") if key in notes]
    parts += [f"{notes['time']:g} s"] if "time" in notes else []
    lines = [" · ".join(parts)] if parts else []
    lines += [f"“{line}”" for line in notes["remark"].splitlines()] if "remark" in notes else []
    return [f"{who}{line}" for line in lines]
