"""Lines of a log: their objects and spans, with a fast path for plain decisions, which are the vast majority."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from rulespec.diagnostics.diagnostic import Span
from rulespec.engine.logs.log_text import fail

MAX_LINE = 64_000
"""Maximum length of a line, in characters."""
SALT = "^([0-9a-f]{32})?$"
"""The regular expression for a salt, which may be empty."""


class DecisionLine(Struct, forbid_unknown_fields=True):
    """A log line that records a decision."""

    decision: str
    by: str | None
    option: str
    salt: Annotated[str, Meta(pattern=SALT)] = ""


_DECODER = msgspec.json.Decoder(DecisionLine)


def read_one(line: str) -> DecisionLine | None:
    """The content of a plain decision line; None for an invalid line or one of another kind."""
    if len(line) > MAX_LINE:
        return None
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError):
        return None


def read_all(lines: Sequence[str]) -> list[DecisionLine] | None:
    """The contents of some lines if all are plain decisions; None if any line is not."""
    if any(line[:1] != "{" or line[-1:] != "}" or len(line) > MAX_LINE for line in lines):
        return None  # otherwise, an object could span several lines
    try:
        result = _DECODER.decode_lines("\n".join(lines))
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return result if len(result) == len(lines) else None


def line_object(line: str, display: str, number: int, most: int = MAX_LINE) -> dict[str, Any]:
    """The JSON object in a log line of at most `most` characters.

    Raises:
        DiagnosticsError: RS602 if the line is too long, RS604 if it is not JSON, RS607 if it is not a valid object.
    """
    if len(line) > most:
        fail("RS602", f"the line has more than {most:,} characters", Span(display, number, 1, number, 2))
    try:
        data = json.loads(line)
    except json.JSONDecodeError as error:
        # After the end of a truncated line there is nothing to point at.
        column = min(error.colno, max(1, len(line)))
        span = Span(display, number, column, number, column + 1)
        message, help_ = _no_json(line, error.msg)
        fail("RS604", message, span, help=help_)
    except (RecursionError, ValueError):
        fail(
            "RS604",
            "the line is not valid in a log: its JSON is nested too deeply, or contains too large a number",
            line_span(display, number, line),
        )
    if not isinstance(data, dict):
        fail("RS607", "a line of a log must be a JSON object", line_span(display, number, line))
    return data


def _no_json(line: str, reason: str) -> tuple[str, str]:
    """The message and the help for a line that is not JSON."""
    if "\0" in line:
        return "the line has the character U+0000, which is not text", "check that this is the right file, and complete"
    if "\r" in line.strip():
        message = "the lines of the log end with only a carriage return (U+000D), so they count as one line"
        return message, "save it with Unix or Windows line endings"
    return f"the line is not JSON: {reason}", ""


def line_span(display: str, number: int, line: str) -> Span:
    """The span of a whole line."""
    return Span(display, number, 1, number, max(2, len(line.rstrip()) + 1))


def place_in(display: str, number: int, line: str, value: str) -> Span:
    """The span of a value in a line; the span of the whole line if the value is empty or not found."""
    quoted = json.dumps(value, ensure_ascii=False)
    at = line.find(quoted) if value else -1
    if at < 0:
        quoted = json.dumps(value)
        at = line.find(quoted) if value else -1
    if at < 0:
        return line_span(display, number, line)
    return Span(display, number, at + 1, number, at + 1 + len(quoted))
