"""Fast path for plain decision lines, which are the vast majority of a log."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

MAX_LINE = 64_000
"""Maximum length of a line, in characters."""
SALT = "^([0-9a-f]{32})?$"
"""Regular expression for a salt, which may be empty."""


class DecisionLine(Struct, forbid_unknown_fields=True):
    """A decision line."""

    decision: str
    by: str | None
    option: str
    salt: Annotated[str, Meta(pattern=SALT)] = ""


_DECODER = msgspec.json.Decoder(DecisionLine)


def read_one(line: str) -> DecisionLine | None:
    """The content of a plain decision line; None for other and invalid lines."""
    if len(line) > MAX_LINE:
        return None
    try:
        return _DECODER.decode(line)
    except (msgspec.MsgspecError, UnicodeError):
        return None


def read_all(lines: Sequence[str]) -> list[DecisionLine] | None:
    """The contents of lines that are all plain decisions; None if any is not."""
    if any(line[:1] != "{" or line[-1:] != "}" or len(line) > MAX_LINE for line in lines):
        return None  # otherwise, an object could span several lines
    try:
        result = _DECODER.decode_lines("\n".join(lines))
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return result if len(result) == len(lines) else None
