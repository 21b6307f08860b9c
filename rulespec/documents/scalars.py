"""Plain scalars: the value of unquoted text, or the reason why YAML readers may disagree on it."""

from __future__ import annotations

import re
from typing import NamedTuple

from rulespec.diagnostics.diagnostic import shown


class Trap(NamedTuple):
    """An ambiguous unquoted text, with the fields of its diagnostic."""

    code: str
    message: str
    help: str


_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DIGITS = 15  # longer numbers lose precision in readers that use floating point
_NUMBER = re.compile(
    r"[-+]?(?:0[xX][0-9a-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|\.[0-9][0-9_]*(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF)"
    r"|[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?)|\.(?:nan|NaN|NAN)"
)
_TIME = re.compile(r"[-+]?[0-9][0-9_]*(?::[0-9]+)+(?:\.[0-9_]*)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt\s]\s*[0-9].*)?")
_NUMERIC_START = frozenset("+-.0123456789")
_EXACT: dict[str, bool | None] = {"": None, "~": None, "null": None, "true": True, "false": False}
_DISPUTED = {"yes": "true", "no": "false", "on": "true", "off": "false", "true": "true", "false": "false"}


def plain_value(text: str) -> str | int | bool | Trap | None:
    """The value of unquoted text; a trap if YAML 1.1 and 1.2 readers disagree on it."""
    if text in _EXACT:
        return _EXACT[text]
    if text[0] in _NUMERIC_START:
        return _numeric(text)
    if len(text) > len("false"):
        return text
    word = text.lower()
    if word == "null":
        return Trap("RS121", f"{shown(text)} is null to some YAML readers and text to others", "write `null`")
    if (meant := _DISPUTED.get(word)) is not None:
        hint = f'quote it (`"{text}"`) if text is meant, or write `{meant}`'
        return Trap("RS121", f"{shown(text)} is {meant} to some YAML readers and text to others", hint)
    return text


def plain_key(text: str) -> str | Trap:
    """The key in unquoted text: words are always text, numbers must be in canonical form."""
    if text in {"", "~"}:
        return Trap("RS118", "a key is missing before the `:`", "write a word before the `:`")
    if text[0] in _NUMERIC_START and isinstance(trap := _numeric(text), Trap):
        return trap
    return text


def _numeric(text: str) -> str | int | Trap:
    if _INTEGER.fullmatch(text):
        if len(text.lstrip("-")) <= _DIGITS:
            return int(text)
        return Trap("RS122", f"{shown(text)} has more than {_DIGITS} digits", "quote it if text is meant")
    if _NUMBER.fullmatch(text):
        hint = f'quote it (`"{text[:60]}"`) if text is meant; numbers are whole and decimal, as in `12` or `-3`'
        return Trap("RS122", f"{shown(text)} is a number in a form that is not allowed", hint)
    if _TIME.fullmatch(text):
        return Trap("RS123", f"{shown(text)} is a number of base 60 to some YAML readers", f'quote it: `"{text[:60]}"`')
    if _DATE.fullmatch(text):
        return Trap("RS123", f"{shown(text)} is a date to some YAML readers", f'quote it: `"{text[:60]}"`')
    return text
