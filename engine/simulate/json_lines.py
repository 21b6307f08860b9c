"""Results as an append-only JSON Lines file, with a header and a row for each game:

{"rulespec_results": 1, "ruleset": "nim", "ruleset_hash": "01…", "players": [2], "random": "splitmix64-1", "seed": 1, …}
{"game": 0, "players": 2, "decisions": 5, "ended": "last_stone", "winners": ["B"], "scores": {…}, "failure": null}
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span
from rulespec.documents.written_files import sync_folder
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.saved_game import SaveError, open_alone
from rulespec.engine.simulate.result_rows import Results, ResultSheet, Row, check_header

MAX_LINE = 1_000_000
"""The maximum length of a line in bytes."""


class JsonLinesResults(Results[Row]):
    """A file of JSON Lines with a row for each finished game; see `Results`."""

    def __init__(self, path: Path, sheet: ResultSheet[Row]) -> None:
        super().__init__(path, sheet)
        self._size = 0  # the size of all complete lines
        self._torn = False  # whether a torn line follows
        self._file = open_alone(path, "written")
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise SaveError(f"{path} is not a file")

    def recorded(self) -> Iterator[Row]:
        """See `Results`."""
        name, number = str(self.path), 0
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            first = file.readline(MAX_LINE)
            if not first.endswith(b"\n"):
                if not _line(self.sheet.header()).startswith(first):
                    message = "this is not a results file for these games"
                    fail("RS607", message, Span(name, 1, 1, 1, 2), help="name another file")
                self._torn = bool(first)
                return
            check_header(first, name, self.sheet)
            self._size = len(first)
            while line := file.readline(MAX_LINE):
                place = Span(name, number + 2, 1, number + 2, 2)
                if len(line) == MAX_LINE:
                    fail("RS602", f"the line has more than {MAX_LINE:,} bytes", place, help=_cut(name, number + 1))
                if not line.endswith(b"\n"):
                    self._torn = True
                    message = "the last line is incomplete; the results are valid up to the line before"
                    help_ = "the program was probably stopped while it was writing; this game is played again"
                    self.warnings.append(Diagnostic("RS603", Severity.WARNING, message, place, help=help_))
                    return
                yield _row(line, self.sheet, number, place)
                self._size += len(line)
                number += 1

    def add(self, result: Row) -> None:
        """See `Results`."""
        data = _line(self.sheet.row(result))
        if not self._size:
            data = _line(self.sheet.header()) + data
        try:
            if self._torn:
                os.ftruncate(self._file, self._size)
                self._torn = False
            done = 0
            while done < len(data):
                done += os.write(self._file, data[done:])
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise SaveError(f"{self.path} cannot be written: {error.strerror}") from None
        self._size += len(data)

    def close(self) -> None:
        """See `Results`."""
        with suppress(OSError):
            if os.fstat(self._file).st_size:
                os.fsync(self._file)
                sync_folder(self.path.absolute().parent)
            else:
                self.path.unlink()
        with suppress(OSError):
            os.close(self._file)


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _row(line: bytes, sheet: ResultSheet[Row], number: int, place: Span) -> Row:
    """The result in a line of the file."""
    help_ = _cut(place.file, place.line - 1)
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        fail("RS604", "the line is not JSON", place, help=help_)
    try:
        return sheet.read(data, number)
    except ValueError as error:
        fail("RS607", str(error), place, help=help_)


def _cut(name: str, lines: int) -> str:
    return f"name another file, or keep only the first {lines:,} lines of {name}: the same command continues there"
