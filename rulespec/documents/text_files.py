"""Untrusted text files: limited in size, valid UTF-8, without misleading characters, inside their folder."""

from __future__ import annotations

import codecs
import errno
import os
import re
import stat
from pathlib import Path, PureWindowsPath

from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.folders import visible
from rulespec.documents.foreign_files import NoRegularFileError, bytes_of

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_LOOKED_AT = 400
"""Number of bytes inspected to detect UTF-16 without a byte order mark."""


class NoTextError(ValueError):
    """The bytes of a file are not UTF-8.

    Attributes:
        cause: the actual encoding, as the predicate of a sentence about the file.
        help: the help text.
        line: the line of the first invalid byte, from 1.
        column: its column.
        torn: whether the bytes end inside a character.
    """

    def __init__(self, cause: str, help_: str, line: int = 1, column: int = 1, *, torn: bool = False) -> None:
        super().__init__(cause)
        self.cause = cause
        self.help = help_
        self.line = line
        self.column = column
        self.torn = torn


def decoded(data: bytes) -> str:
    """Decodes UTF-8 bytes and removes a byte order mark.

    Raises:
        NoTextError: if they are not UTF-8.
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
    """The name of the UTF-16 or UTF-32 encoding of the bytes; "" for any other."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return name
    start = data[:_LOOKED_AT]
    even, odd = start[::2].count(0), start[1::2].count(0)
    most = len(start) // 2 * 3 // 4
    # In UTF-16, most letters of European languages have a zero in every second byte.
    result = most > 1 and max(even, odd) >= most > 4 * min(even, odd)
    return "UTF-16 without a byte order mark" if result else ""


MAX_BYTES = 2_000_000
"""The default maximum size of a text file in bytes."""
_LINK_HELP = "replace the link with the file, or remove it"


def read_text(path: Path, display: str, limit: int = MAX_BYTES) -> str:
    """Reads a UTF-8 text file of at most `limit` bytes; normalises line endings, drops a byte order mark.

    Raises:
        DiagnosticsError: RS101 to RS105 if the file is missing, unreadable, not a regular file, too large, or not text.
    """
    return text_of(read_bytes(path, display, limit), display).replace("\r\n", "\n")


def text_of(data: bytes, display: str) -> str:
    """Decodes a file's bytes and removes a byte order mark; line endings are preserved.

    Raises:
        DiagnosticsError: RS104 or RS105 if it is not text.
    """
    try:
        text = decoded(data)
    except NoTextError as error:
        place = Span(display, error.line, error.column, error.line, error.column + 1)
        raise failure("RS104", f"the file {error.cause}", place, error.help) from None
    check_characters(text, display)
    return text


def display(path: Path) -> str:
    """A file's name for messages: relative to the current folder if it is inside that folder."""
    try:
        return str(path.relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def inside(root: Path, relative: str, span: Span | None = None) -> Path:
    """The path `root / relative`, if it is inside `root`. The file itself need not exist.

    Args:
        root: the folder.
        relative: a path found in a file, with `/` as separator.
        span: the place of the path in that file.

    Raises:
        DiagnosticsError: RS106 if the path is absolute, contains `..`, or leaves `root` through a symbolic link.
    """
    parts = relative.split("/")
    # Windows paths are refused everywhere: a ruleset means the same on every machine.
    windows = PureWindowsPath(relative)
    if not relative or "\0" in relative or "\\" in relative or windows.drive or windows.root or ".." in parts:
        raise failure(
            "RS106",
            f"{shown(relative)} is not a path inside this folder",
            span,
            help="write a path relative to the ruleset's folder, with `/` and without `..`",
        )
    path = root / relative
    try:
        stays = not _has_link(str(root), parts) or path.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError, ValueError):  # a loop of links, a name too long, a lone surrogate
        stays = False
    if not stays and (link := broken_link(path)):
        raise failure("RS101", f"{shown(relative)} {link}", span, _LINK_HELP)
    if not stays:
        raise failure("RS106", f"{shown(relative)} leads out of its folder", span, help="copy the file into the folder")
    return path


def _has_link(folder: str, parts: list[str]) -> bool:
    """Whether a path below a folder contains a link. Ten times as fast as resolving the whole path.

    Raises:
        OSError, ValueError: if a name is not a valid file name.
    """
    for part in parts:
        folder = f"{folder}/{part}"
        try:
            status = os.lstat(folder)
            if stat.S_ISLNK(status.st_mode) or getattr(status, "st_reparse_tag", False):  # Windows: a junction too
                return True
        except (FileNotFoundError, NotADirectoryError):
            return False
    return False


def files_inside(root: Path, pattern: str) -> list[Path]:
    """The files below `root` that match a glob pattern, sorted by name, excluding hidden ones.

    Raises:
        DiagnosticsError: RS106 if one of them leaves `root` through a symbolic link.
    """
    return [inside(root, path.relative_to(root).as_posix()) for path in sorted(visible(root, pattern))]


def is_present(path: Path) -> bool:
    """Whether anything exists at a path, even a dangling link or something inaccessible.

    Such a path counts as present, so that reading it reports the error.
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    except OSError as error:
        return error.errno != errno.ENAMETOOLONG
    return True


def is_folder(path: Path) -> bool:
    """Whether a path is a folder; false for invalid names."""
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False


def is_file(path: Path) -> bool:
    """Whether a path is a regular file; false for invalid names."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def broken_link(path: Path) -> str:
    """The problem with a dangling link, as a predicate; "" for anything else."""
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP or (error.errno == errno.ENOENT and path.is_symlink()):
            return "is a link that leads to itself" if error.errno == errno.ELOOP else "is a broken link"
    except ValueError:
        pass
    return ""


def read_bytes(path: Path, display: str, limit: int) -> bytes:
    """Reads a regular file of at most `limit` bytes; never blocks on a pipe or device.

    Raises:
        DiagnosticsError: RS101, RS102 or RS103 if it is missing, unreadable, not a regular file, or too large.
    """
    start = file_start(display)
    try:
        data = bytes_of(path, limit)
    except NoRegularFileError as error:
        what = "a folder" if error.errno == errno.EISDIR else "a device, pipe or socket"
        raise failure("RS102", f"{shown(display)} is {what}, not a file", start, "name a regular file") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL or a surrogate in the name
        if link := broken_link(path):
            raise failure("RS101", f"{shown(display)} {link}", start, _LINK_HELP) from None
        if isinstance(error, FileNotFoundError):
            hint = "check the name and the folder of the file"
            raise failure("RS101", f"there is no file {shown(display)}", start, hint) from None
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "its name is not valid"
        hint = "check the name and the permissions"
        raise failure("RS101", f"{shown(display)} cannot be read: {reason}", start, hint) from None
    if len(data) > limit:
        raise too_large(display, limit)
    return data


def too_large(display: str, limit: int) -> DiagnosticsError:
    """The error for a file of more than `limit` bytes."""
    message = f"the file is larger than {limit:,} bytes"
    return failure("RS103", message, file_start(display), "split it into several files")


MISLEADING = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufeff\ufffe\uffff"
    r"\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?!\n)"
)
"""Characters that do not belong in a text file: those not printable according to the YAML specification, those that
only some readers treat as line ends (NEL, LS, PS, a lone CR), and bidirectional overrides, which misrepresent the text
of a line.
"""


def check_characters(text: str, display: str) -> None:
    """Refuses `MISLEADING` characters.

    Raises:
        DiagnosticsError: RS105 at the first one.
    """
    if result := misleading(text):
        place = place_at(display, text, result.start())
        if result.group() == "\r":
            cause = "the line ends with only a carriage return (U+000D), which few programs treat as a line ending"
            raise failure("RS105", cause, place, "save the file with Unix or Windows line endings")
        cause = f"the character U+{ord(result.group()):04X} does not belong in a text file"
        raise failure("RS105", cause, place, "remove the character, and check that this is the right file")


def misleading(text: str) -> re.Match[str] | None:
    """The first `MISLEADING` character, or None. Checks `str.isprintable` first, which is ten times as fast."""
    return None if text.replace("\n", "").isprintable() else MISLEADING.search(text)


def file_start(display: str) -> Span:
    """The place for faults that concern a whole file."""
    return Span(display, 1, 1, 1, 1)


def place_at(display: str, text: str, index: int) -> Span:
    """The place of the character at an index of a text."""
    line = text.count("\n", 0, index) + 1
    column = index - text.rfind("\n", 0, index)
    return Span(display, line, column, line, column + 1)
