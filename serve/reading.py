"""Messages of sockets, read strictly: bounded JSON that can be written again, such as in a refusal."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

_T = TypeVar("_T")


class _First(Struct, frozen=True, forbid_unknown_fields=True):
    """The first message of a page.

    Attributes:
        key: of its link.
    """

    key: str


def read(text: str | bytes | None, form: type[_T], most: int) -> _T | None:
    """A message from its JSON; None if missing, malformed, or longer than `most` bytes.

    Half a surrogate pair, `NaN` and unbounded nesting are rejected.
    """
    if text is None or len(text) > most:
        return None
    try:
        data = text.encode() if isinstance(text, str) else text
        return msgspec.json.decode(data, type=form) if len(data) <= most else None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return None


def read_key(text: str | bytes | None, most: int) -> str | None:
    """The key in the first message of a page, or None."""
    first = read(text, _First, most)
    return None if first is None else first.key
