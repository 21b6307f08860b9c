"""Strict reading of socket messages: bounded JSON that can be serialised again, for example in a refusal."""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec import Struct

_T = TypeVar("_T")


class _First(Struct, frozen=True, forbid_unknown_fields=True):
    """The first message of a page.

    Attributes:
        key: the key in the page's link.
    """

    key: str


def read(text: str | bytes | None, form: type[_T], most: int) -> _T | None:
    """The message in a JSON text; None if missing, malformed, or longer than `most` bytes.

    Lone surrogates, `NaN` and deep nesting are rejected.
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
