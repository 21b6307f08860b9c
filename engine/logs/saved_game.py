"""Saved games, in which each decision is on disk before it is confirmed.

No matter when the program stops, all confirmed decisions are in the file. Only the last line can be truncated; the
parser reports a truncated line, and the next write removes it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import ALL, OWNERS, for_the_owner, sync_folder
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.position import Step
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.log_text import GZIP, MAX_NATIVE_BYTES, fail, log_bytes, log_text, refuse_games
from rulespec.engine.logs.native import MAX_LINES, VERSION, LogHeader, NativeLog, entry_json, parse_log
from rulespec.engine.logs.notes import Notes
from rulespec.errors import RulespecError

_OPEN = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class SaveError(RulespecError):
    """Raised if a game or results cannot be saved; earlier saves are unaffected."""


class SavedGame:
    """The log of a game in progress, exclusively locked.

    Args:
        path: the file, which is created if it is missing.
        secret: whether the game has hidden information, in which case only the owner may read a new file.
        lenient: see `parse_log`; check a leniently parsed log for defects before appending to it.

    Attributes:
        log: the game so far; None for a new file. Its warnings include a truncated last line.

    Raises:
        SaveError: if the file cannot be written, or another program has it open.
        DiagnosticsError: if the file is not a native log.
    """

    def __init__(self, path: Path, *, secret: bool = False, lenient: bool = False) -> None:
        self.path = path
        self.log: NativeLog | None = None
        self._size = self._lines = 0  # of the complete lines
        self._ended = True  # whether the complete lines end with a line break
        self._torn = b""  # the bytes after the complete lines
        self._open = True  # whether a move follows the last end line
        self._file = open_alone(path, "played", OWNERS if secret else ALL)
        try:
            self._read(lenient)
        except BaseException:
            self.close()
            raise

    def _read(self, lenient: bool) -> None:
        """Reads the file, and determines the end of its complete lines."""
        name = str(self.path)
        data = log_bytes(self.path, name, MAX_NATIVE_BYTES)[0]
        text, whole = log_text(data, name, MAX_NATIVE_BYTES, lenient=lenient)
        if data.startswith(GZIP):
            fail("RS601", f"{name} is compressed: nothing can be added to it", None, help="unpack it first")
        refuse_games(text, name)
        try:
            self.log = parse_log(text, name, whole, lenient=lenient)
        except DiagnosticsError:
            if b"\n" in data:
                raise
            self._torn = data  # possibly a truncated header
            return
        size = len(data)
        if self.log.warnings:
            span = self.log.warnings[-1].span
            assert span is not None
            size = sum(len(line) + 1 for line in data.split(b"\n")[: span.line - 1])
        if self.log.version != VERSION:
            message = (
                f"nothing can be added to a log of version {self.log.version}: this program writes version {VERSION}"
            )
            fail("RS605", message, Span(name, 1, 1, 1, 2), help=f"convert it with `rulespec replay {name} --out NEW`")
        self._size, self._torn = size, data[size:]
        self._open = self.log.end is None or self.log.end.entries < len(self.log.entries)
        self._lines, self._ended = data.count(b"\n", 0, size), data.endswith(b"\n", 0, size)

    def keep_secret(self) -> None:
        """Makes the file readable only by its owner, unless it belongs to another user."""
        with suppress(PermissionError):
            for_the_owner(self._file)

    def begin(self, header: LogHeader, *, secret: bool = False) -> bool:
        """Writes the header of a new game; returns whether it replaced a truncated header.

        Args:
            header: the header.
            secret: whether the game has hidden information, in which case only the owner may read the file.

        Raises:
            SaveError: if writing fails.
            DiagnosticsError: RS604 if the file contains anything but the start of this header.
        """
        line, torn = _line(header.to_json()), self._torn
        same = _line(replace(header, notes={}).to_json()).rstrip(b"}\n")  # notes contain the current date
        if not (line.startswith(torn) or torn.startswith(same)):
            message = "this is neither a log nor the beginning of this game's log"
            fail("RS604", message, Span(str(self.path), 1, 1, 1, 2), help="name another file")
        if secret:
            self.keep_secret()
        self._append([line])
        try:
            sync_folder(self.path.absolute().parent)
        except OSError as error:
            raise SaveError(f"{self.path} cannot be written: {error.strerror}") from None
        return bool(torn)

    def add(self, *moves: Option | Step | TakenBack) -> None:
        """Appends decisions or undos, and flushes them to disk.

        Raises:
            SaveError: if writing fails; the file keeps its earlier contents.
        """
        self._append([_line(entry_json(move)) for move in moves])
        self._open = True

    def remark(self, notes: Notes) -> None:
        """Appends a line that consists only of notes.

        Raises:
            SaveError: if writing fails; the file keeps its earlier contents.
        """
        self._append([_line(dict(notes))])

    def leave(self, game: Game) -> None:
        """Appends the end line of a finished or abandoned game, unless the file already has it.

        Failures are ignored, since all decisions are already in the file.
        """
        if self._open:
            with suppress(SaveError):
                self._append([_line(line) for line in end_json(game)])
                self._open = False

    def _append(self, lines: list[bytes]) -> None:
        data = b"".join(lines) if self._ended else b"\n" + b"".join(lines)
        if self._lines + len(lines) > MAX_LINES or self._size + len(data) > MAX_NATIVE_BYTES:
            raise SaveError(f"{self.path} has reached the maximum size of a log")
        try:
            if self._torn:
                os.ftruncate(self._file, self._size)
                self._torn = b""
            done = 0
            while done < len(data):
                done += os.write(self._file, data[done:])
            os.fsync(self._file)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            stands = "; earlier decisions stay saved" if self._size else ""
            raise SaveError(f"{self.path} cannot be written: {error.strerror}{stands}") from None
        self._size += len(data)
        self._lines += len(lines)
        self._ended = True

    def close(self) -> None:
        """Closes the file."""
        os.close(self._file)

    def __enter__(self) -> SavedGame:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _line(data: dict[str, Any]) -> bytes:
    return (to_json_text(data, plain=True) + "\n").encode()


def open_alone(path: Path, doing: str, mode: int = ALL) -> int:
    """Opens and locks a file for reading and appending.

    Args:
        path: the file, which is created if it is missing.
        doing: a participle for the message that another program has the file open, such as `played` or `written`.
        mode: the permissions of a new file, reduced by the umask.

    Returns:
        The descriptor.

    Raises:
        SaveError: if the file cannot be written, or another program has it open.
    """
    try:
        file = os.open(path, _OPEN, mode)
    except (OSError, ValueError) as error:
        detail = getattr(error, "strerror", None) or str(error)
        raise SaveError(f"{path} cannot be written: {detail}") from None
    try:
        lock(file, f"{path} is being {doing} by another program")
    except SaveError:
        os.close(file)
        raise
    return file


def lock(file: int, busy: str) -> None:
    """Locks an open file or folder for the lifetime of the process.

    Raises:
        SaveError: if another program has locked the file or folder, with the message `busy`.
    """
    with suppress(ImportError):  # a system without such locks
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise SaveError(busy) from None
        except OSError:
            return  # a file system without locks
