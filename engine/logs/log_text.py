"""Safe reading of untrusted log files: limits the size, decompresses gzip, and refuses files that are not logs."""

from __future__ import annotations

import re
import zlib
from itertools import islice
from pathlib import Path
from typing import NoReturn

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.foreign_files import NoRegularFileError, bytes_of
from rulespec.documents.text_files import NoTextError, broken_link, decoded, is_folder, is_present
from rulespec.engine.notation.text_formats import NAMES, format_of, read_games
from rulespec.engine.notation.text_moves import each_alone

MAX_NATIVE_BYTES = 16_000_000
"""Maximum size of a native log, enough for 200,000 lines of ordinary length."""
MAX_FOREIGN_BYTES = 4_000_000
"""Maximum size of a foreign log, which is parsed as a whole and has to fit into a small memory."""

GZIP = b"\x1f\x8b"
"""The magic bytes of a gzip file."""
_CHUNK = 1 << 20
_UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|\0")
_NOT_LATIN = re.compile(rb"[\x80-\x9f]")
_CHARACTERS = re.compile(
    rb"\(\s*;[^()]*\bCA\[((?:gb|big5|shift|sjis|euc|iso-8859|windows|cp125|koi8|latin)[\w-]{0,20})\]", re.I
)
"""The character set declared by an SGF, restricted to common ones."""
_LOOKED_AT = 2_000
"""Number of leading bytes or characters inspected."""
_GAME = re.compile(r"(.+)#([1-9][0-9]{0,5})")


def read_log_text(path: Path, display: str, limit: int, *, lenient: bool = False) -> tuple[str, bool]:
    """The text of a log file, decompressed if gzipped.

    Args:
        path: the file.
        display: the name of the file in diagnostics.
        limit: the maximum number of bytes, compressed and decompressed.
        lenient: whether to read invalid bytes as U+FFFD.

    Returns:
        The text, and whether it is complete; for a truncated gzip stream, the text so far.

    Raises:
        DiagnosticsError: RS601 if the file cannot be read or is not text, RS602 if it is too large, RS368 if it is a
            file of another kind.
    """
    return log_text(log_bytes(path, display, limit)[0], display, limit, lenient=lenient)


def log_bytes(path: Path, display: str, limit: int) -> tuple[bytes, int]:
    """The bytes of a log, at most one more than the limit, and the number of lines before the log in its file.

    `games.pgn#2` names the second game in a file.

    Raises:
        DiagnosticsError: RS601 if the file is unreadable, or has no such game.
    """
    if (game := _GAME.fullmatch(path.name)) is not None and not is_present(path):
        return _one_of(path.with_name(game[1]), int(game[2]), display, limit)
    try:
        return bytes_of(path, limit), 0
    except (OSError, ValueError) as error:
        if link := broken_link(path):
            fail("RS601", f"{shown(display)} {link}", None, help="name the log itself")
        if isinstance(error, NoRegularFileError) and not is_folder(path):
            fail("RS601", f"{shown(display)} is not a file", None, help="name the log itself")
        if isinstance(error, FileNotFoundError):
            fail("RS601", f"there is no file {shown(display)}", None, help="check the path")
        detail = getattr(error, "strerror", None) or str(error)
        help_ = "this is a folder: name a log in it" if is_folder(path) else "check the path and its permissions"
        fail("RS601", f"{shown(display)} cannot be read: {detail}", None, help=help_)


def _one_of(path: Path, number: int, display: str, limit: int) -> tuple[bytes, int]:
    """The bytes of one game in a file, by its number from 1, and the number of lines before it."""
    text = read_log_text(path, str(path), limit)[0]
    game = next(islice(each_alone(read_games(text, str(path)), text), number - 1, None), None)
    if game is None:
        fail(
            "RS601",
            f"there is no game {shown(display)}",
            None,
            help="choose a smaller number, because the file has fewer games",
        )
    return game.text.encode(), game.skipped


def log_text(data: bytes, display: str, limit: int, *, lenient: bool = False) -> tuple[str, bool]:
    """The text of a log in memory; the arguments, the result and the errors are those of `read_log_text`."""
    start = Span(display, 1, 1, 1, 2)
    if len(data) > limit:
        fail("RS602", f"the log has more than {limit:,} bytes", start, help="check that this is a log")
    whole = True
    if data.startswith(GZIP):
        data, whole = _unpack(data, display, limit)
    _refuse(other_file(data), start)
    try:
        text = decoded(data)
        _refuse(BINARY if is_binary(data) and not lenient else None, start)
        return text, whole
    except NoTextError as error:
        if error.torn or lenient:  # truncated within a character: the preceding text may be valid
            return data.decode("utf-8-sig", "replace"), whole and not error.torn
        if (older := _in_older_characters(data)) is not None:
            return older, whole
        _refuse(BINARY if is_binary(data) and error.line + error.column > 2 else None, start)
        place = Span(display, error.line, error.column, error.line, error.column + 1)
        fail("RS601", f"the log {error.cause}", place, help=f"{error.help}; logs are JSON, as text or packed with gzip")


def _refuse(other: OtherFile | None, start: Span) -> None:
    """Raises the diagnostic RS368 for a file of another kind."""
    if other is not None:
        fail("RS368", f"{shown(start.file)} is not a log: it is {other.name}", start, help=other.help)


def _in_older_characters(data: bytes) -> str | None:
    """The text of games in a legacy character set: declared by an SGF, Latin-1, or Windows-1252; None for other files.

    Latin-1 is the usual character set of PGN and SGF. A text with letters in UTF-8 counts as corrupt UTF-8 instead.
    """
    named = _CHARACTERS.search(data[:_LOOKED_AT])
    if named is None and _UTF_8.search(data):
        return None
    usual = "cp1252" if _NOT_LATIN.search(data) else "latin-1"
    try:
        text = data.decode(named[1].decode() if named is not None else usual)
    except (UnicodeDecodeError, LookupError):
        return None
    return text if format_of(text) else None


def _unpack(data: bytes, display: str, limit: int) -> tuple[bytes, bool]:
    unpacker = zlib.decompressobj(wbits=31)
    parts: list[bytes] = []
    size = 0
    try:
        pending = data
        while pending and not unpacker.eof:
            part = unpacker.decompress(pending, _CHUNK)
            pending = unpacker.unconsumed_tail
            size += len(part)
            parts.append(part)
            if size > limit:
                place = Span(display, 1, 1, 1, 2)
                fail(
                    "RS602",
                    f"the log has more than {limit:,} bytes when unpacked",
                    place,
                    help="check that this is a log",
                )
    except zlib.error:
        if not parts:
            place = Span(display, 1, 1, 1, 2)
            fail("RS601", "the log is not a valid gzip file", place, help="fetch it again")
        return b"".join(parts), False
    return b"".join(parts), unpacker.eof


def refuse_games(text: str, display: str) -> None:
    """Checks that a text is not PGN or SGF where a native log is expected.

    Raises:
        DiagnosticsError: RS607 if it is PGN or SGF.
    """
    if kind := format_of(text):
        help_ = "convert it to a native log with `rulespec replay LOG --out FILE`"
        place = Span(display, 1, 1, 1, 2)
        fail("RS607", f"this is not a native log: it is {NAMES[kind]}", place, help=help_)


def fail(code: str, message: str, span: Span | None, *, help: str = "") -> NoReturn:  # noqa: A002
    """Raises a `DiagnosticsError` with one diagnostic."""
    raise DiagnosticsError([Diagnostic(code, Severity.ERROR, message, span, help=help)])


_MARK = b"\xef\xbb\xbf"
_DOWNLOAD = (
    "download the game itself, by the link that the site has for it; sign in first if you get a web page instead"
)
_UNPACK = "logs are text, or packed with gzip"


class OtherFile(Struct, frozen=True):
    """A kind of file other than a log, with a readable name and a help text."""

    name: str
    help: str


_BY_BYTES = (
    (b"PK\x03\x04", "a zip archive", "rename it to end in .zip: `rulespec replay` then reads the logs in it"),
    (b"PK\x05\x06", "an empty zip archive", "pack the logs again"),
    (b"\x1f\x8b", "a gzip file within a gzip file", "unpack it once: `gunzip`"),
    (b"BZh", "a file packed with bzip2", f"unpack it: `bunzip2`; {_UNPACK}"),
    (b"\xfd7zXZ\x00", "a file packed with xz", f"unpack it: `unxz`; {_UNPACK}"),
    (b"\x28\xb5\x2f\xfd", "a file packed with Zstandard", f"unpack it: `unzstd`; {_UNPACK}"),
    (b"7z\xbc\xaf\x27\x1c", "an archive of 7-Zip", "unpack it, or pack the logs as .tar, .tar.gz, .tar.bz2 or .zip"),
    (b"Rar!\x1a\x07", "a RAR archive", "unpack it, or pack the logs as .tar, .tar.gz, .tar.bz2 or .zip"),
    (b"%PDF-", "a PDF document", _DOWNLOAD),
    (b"\x89PNG\r\n", "a picture (PNG)", _DOWNLOAD),
    (b"\xff\xd8\xff", "a picture (JPEG)", _DOWNLOAD),
    (b"GIF8", "a picture (GIF)", _DOWNLOAD),
    (b"RIFF", "a picture, sound or film (RIFF)", _DOWNLOAD),
    (b"SQLite format 3\x00", "a database of SQLite", "export the game as JSON"),
    (b"\x7fELF", "a program", "check that this is the right file"),
    (b"\x00asm", "a module of WebAssembly", "check that this is the right file"),
)
_TAR = (257, b"ustar")
"""Offset and magic bytes of a tar archive."""
_BY_TEXT = (
    (r"<!doctype\s+html|<(?:html|head|body|title|script|meta)\b", "a web page (HTML)", _DOWNLOAD),
    (r"<svg\b|<\?xml[^<]*<svg\b", "a picture (SVG)", _DOWNLOAD),
    (r"<\?xml\b|<[a-z][\w.:-]*[\s>/]", "a file in XML", "export the game as JSON"),
)


def other_file(data: bytes) -> OtherFile | None:
    """The type of a file, if that type cannot be a log; otherwise None.

    Args:
        data: the bytes of the file, decompressed once if gzipped; only the first 2,000 are considered.
    """
    for mark, name, help_ in _BY_BYTES:
        if data.startswith(mark):
            return OtherFile(name, help_)
    at, mark = _TAR
    if data[at : at + len(mark)] == mark:
        return OtherFile("a tar archive", "rename it to end in .tar: `rulespec replay` then reads the logs in it")
    head = data[:_LOOKED_AT]
    text = head.removeprefix(_MARK).decode("latin-1").lstrip()
    for pattern, name, help_ in _BY_TEXT:
        if re.match(pattern, text, re.IGNORECASE):
            return OtherFile(name, help_)
    return None


def is_binary(data: bytes) -> bool:
    """Whether bytes are binary: they contain NULs but do not begin like JSON, to which a crash may append NULs."""
    return b"\0" in data[:_LOOKED_AT] and data.removeprefix(_MARK).lstrip()[:1] not in (b"{", b"[")


BINARY = OtherFile("a binary file of an unknown kind", f"check that this is the right file; {_UNPACK}")
