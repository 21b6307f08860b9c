"""Bytes to text. For other encodings than UTF-8 the error names the likely one."""

from __future__ import annotations

import codecs

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_LOOKED_AT = 400
"""Bytes that identify UTF-16 without a mark."""


class NoTextError(ValueError):
    """Bytes that are not UTF-8.

    Attributes:
        cause: their actual form, as the predicate of a sentence about the file.
        help: the way out.
        line: the line of the first byte that does not fit, from 1.
        column: its column.
        torn: whether they end within a character.
    """

    def __init__(self, cause: str, help_: str, line: int = 1, column: int = 1, *, torn: bool = False) -> None:
        super().__init__(cause)
        self.cause = cause
        self.help = help_
        self.line = line
        self.column = column
        self.torn = torn


def decoded(data: bytes) -> str:
    """The text of UTF-8, without a byte order mark.

    Raises:
        NoTextError: if it is none.
    """
    if name := _wide(data):
        raise NoTextError(f"is {name}, not UTF-8", "save it as UTF-8; in PowerShell: `Set-Content -Encoding utf8`")
    data = data.removeprefix(codecs.BOM_UTF8)
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8", "replace")
        byte = data[error.start]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        torn = error.reason == "unexpected end of data"
    meant = bytes([byte]).decode("cp1252", "replace")
    also = f" (`{meant}` in Windows-1252)" if meant.isprintable() and meant != "\ufffd" else ""
    cause = f"is not UTF-8 text: it has the byte 0x{byte:02x}{also}"
    raise NoTextError(cause, "save it as UTF-8", line, column, torn=torn)


def _wide(data: bytes) -> str:
    """The name of a multi-byte encoding; "" if it is none."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    start = data[:_LOOKED_AT]
    even, odd = start[::2].count(0), start[1::2].count(0)
    most = len(start) // 2 * 3 // 4
    # Letters of most languages of Europe have a zero in every second byte, and no text has two in a row.
    result = most > 1 and max(even, odd) >= most > 4 * min(even, odd)
    return "UTF-16 without a byte order mark" if result else ""
