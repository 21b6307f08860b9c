"""The text of an untrusted log file: of bounded size, and decompressed if gzipped."""

from __future__ import annotations

import re
import zlib
from itertools import islice
from pathlib import Path
from typing import NoReturn

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.foreign_files import NoRegularFileError, bytes_of
from rulespec.documents.text_files import NoTextError, broken_link, decoded, is_folder, is_present
from rulespec.engine.logs.other_files import BINARY, OtherFile, is_binary, other_file
from rulespec.engine.notation.text_formats import NAMES, format_of, read_games

MAX_NATIVE_BYTES = 16_000_000
"""Maximum size of a native log, enough for 200,000 lines of ordinary length."""
MAX_FOREIGN_BYTES = 4_000_000
"""Maximum size of a foreign log, which is parsed as a whole and has to fit into a small memory."""

GZIP = b"\x1f\x8b"
"""Magic bytes of a gzip file."""
_CHUNK = 1 << 20
_UTF_8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|\0")
_NOT_LATIN = re.compile(rb"[\x80-\x9f]")
_CHARACTERS = re.compile(
    rb"\(\s*;[^()]*\bCA\[((?:gb|big5|shift|sjis|euc|iso-8859|windows|cp125|koi8|latin)[\w-]{0,20})\]", re.I
)
"""The character set declared by an SGF, restricted to common ones."""
_LOOKED_AT = 2_000
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
        DiagnosticsError: RS601 if the file cannot be read or is not text, RS602 if it is too large, RS368 if it is
            another kind of file.
    """
    return log_text(log_bytes(path, display, limit), display, limit, lenient=lenient)


def log_bytes(path: Path, display: str, limit: int) -> bytes:
    """The bytes of a log file, at most one more than the limit; `games.pgn#2` is the second game in a file.

    Raises:
        DiagnosticsError: RS601 if the file is unreadable, or has no such game.
    """
    if (game := _GAME.fullmatch(path.name)) is not None and not is_present(path):
        return _one_of(path.with_name(game[1]), int(game[2]), display, limit)
    try:
        return bytes_of(path, limit)
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


def _one_of(path: Path, number: int, display: str, limit: int) -> bytes:
    """The bytes of one game in a file, by its number from 1."""
    text, _ = log_text(log_bytes(path, str(path), limit), str(path), limit)
    game = next(islice(read_games(text, str(path)), number - 1, None), None)
    if game is None:
        fail("RS601", f"there is no game {shown(display)}", None, help="the file has fewer games")
    return text[game.begins : game.ends].encode()


def log_text(data: bytes, display: str, limit: int, *, lenient: bool = False) -> tuple[str, bool]:
    """The text of a log in memory; arguments, result and errors: as for `read_log_text`."""
    start = Span(display, 1, 1, 1, 2)
    if len(data) > limit:
        fail("RS602", f"the log has more than {limit:,} bytes", start, help="is it a log?")
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
                fail("RS602", f"the log has more than {limit:,} bytes when unpacked", place, help="is it a log?")
    except zlib.error:
        if not parts:
            place = Span(display, 1, 1, 1, 2)
            fail("RS601", "the log is not a valid gzip file", place, help="fetch it again")
        return b"".join(parts), False
    return b"".join(parts), unpacker.eof


def refuse_games(text: str, display: str) -> None:
    """Checks that a text is not PGN or SGF where a native log is expected.

    Raises:
        DiagnosticsError: RS607 if it is.
    """
    if kind := format_of(text):
        help_ = "`rulespec replay LOG --out FILE` converts it to a native log"
        place = Span(display, 1, 1, 1, 2)
        fail("RS607", f"this is not a native log but {NAMES[kind]}, the moves of a game as text", place, help=help_)


def fail(code: str, message: str, span: Span | None, *, help: str = "") -> NoReturn:  # noqa: A002
    """Raises a `DiagnosticsError` with one diagnostic."""
    raise DiagnosticsError([Diagnostic(code, Severity.ERROR, message, span, help=help)])
