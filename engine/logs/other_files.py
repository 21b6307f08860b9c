"""Detection of other files by their first bytes: archives, web pages, pictures and the like."""

from __future__ import annotations

import re

from msgspec import Struct

_LOOKED_AT = 2_000
"""Number of leading bytes or characters inspected."""
_MARK = b"\xef\xbb\xbf"
_DOWNLOAD = "download the game itself: sites have a link for it, and give a page to those who are not signed in"
_UNPACK = "logs are text, or packed with gzip"


class OtherFile(Struct, frozen=True):
    """A kind of file other than logs, with its readable name and the help for the user."""

    name: str
    help: str


_BY_BYTES = (
    (b"PK\x03\x04", "a zip archive", "with a name that ends in .zip, `rulespec replay` reads the logs in it"),
    (b"PK\x05\x06", "an empty zip archive", "pack the logs again"),
    (b"\x1f\x8b", "a gzip file within a gzip file", "unpack it once: `gunzip`"),
    (b"BZh", "a file packed with bzip2", f"unpack it: `bunzip2`; {_UNPACK}"),
    (b"\xfd7zXZ\x00", "a file packed with xz", f"unpack it: `unxz`; {_UNPACK}"),
    (b"\x28\xb5\x2f\xfd", "a file packed with Zstandard", f"unpack it: `unzstd`; {_UNPACK}"),
    (b"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip", "unpack it; archives of logs are .tar, .tar.gz, .tar.bz2 or .zip"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it; archives of logs are .tar, .tar.gz, .tar.bz2 or .zip"),
    (b"%PDF-", "a PDF document", _DOWNLOAD),
    (b"\x89PNG\r\n", "a picture (PNG)", _DOWNLOAD),
    (b"\xff\xd8\xff", "a picture (JPEG)", _DOWNLOAD),
    (b"GIF8", "a picture (GIF)", _DOWNLOAD),
    (b"RIFF", "a picture, sound or film (RIFF)", _DOWNLOAD),
    (b"SQLite format 3\x00", "a database of SQLite", "export the game as JSON"),
    (b"\x7fELF", "a program", "is it the right file?"),
    (b"\x00asm", "a module of WebAssembly", "is it the right file?"),
)
_TAR = (257, b"ustar")
"""Offset and magic bytes of a tar archive."""
_BY_TEXT = (
    (r"<!doctype\s+html|<(?:html|head|body|title|script|meta)\b", "a web page (HTML)", _DOWNLOAD),
    (r"<svg\b|<\?xml[^<]*<svg\b", "a picture (SVG)", _DOWNLOAD),
    (r"<\?xml\b|<[a-z][\w.:-]*[\s>/]", "a file in XML", "export the game as JSON"),
)


def other_file(data: bytes) -> OtherFile | None:
    """The kind of a file that cannot be a log; None if it may be one.

    Args:
        data: the bytes of the file, decompressed once if gzipped; only the first 2,000 count.
    """
    for mark, name, help_ in _BY_BYTES:
        if data.startswith(mark):
            return OtherFile(name, help_)
    at, mark = _TAR
    if data[at : at + len(mark)] == mark:
        return OtherFile("a tar archive", "with a name that ends in .tar, `rulespec replay` reads the logs in it")
    head = data[:_LOOKED_AT]
    text = head.removeprefix(_MARK).decode("latin-1").lstrip()
    for pattern, name, help_ in _BY_TEXT:
        if re.match(pattern, text, re.IGNORECASE):
            return OtherFile(name, help_)
    return None


def is_binary(data: bytes) -> bool:
    """Whether bytes are binary: they contain a NUL and do not begin like JSON, to which a crash may append NULs."""
    return b"\0" in data[:_LOOKED_AT] and data.removeprefix(_MARK).lstrip()[:1] not in (b"{", b"[")


BINARY = OtherFile("a binary file of an unknown kind", f"is it the right file? {_UNPACK}")
