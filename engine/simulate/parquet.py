"""Results as a folder of Parquet files.

Parquet files cannot be appended to, so each part is a complete file, which is written under a temporary name and has
the header in its metadata. Programs that read folders of Parquet files read the parts as one table.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulespec.documents.written_files import sync_folder
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.saved_game import SaveError, lock
from rulespec.engine.simulate.foreign_parquet import parquet_batches
from rulespec.engine.simulate.result_rows import Results, ResultSheet, Row, check_header

PART_ROWS = 20_000
PART_SECONDS = 60.0
"""The number of seconds after which a part is saved; no more is lost if the program is killed."""

PART = re.compile(r"games-(\d{10})\.parquet")
_WRITING = re.compile(r"\.games-\d{10}\.writing")


class ParquetResults(Results[Row]):
    """A folder of Parquet files; see `Results`. Part `games-0000020000.parquet` starts with game 20,000.

    Each part ends after `PART_ROWS` games, after `PART_SECONDS`, or when the results are closed.
    """

    def __init__(self, path: Path, sheet: ResultSheet[Row]) -> None:
        sheet.schema()
        super().__init__(path, sheet)
        self._rows: list[dict[str, Any]] = []
        self._started = time.monotonic()
        self._folder = -1
        try:
            path.mkdir(exist_ok=True)
            with suppress(PermissionError):  # some systems cannot open folders
                self._folder = os.open(path, os.O_RDONLY)
                lock(self._folder, f"{path} is being written by another program")
            for file in path.iterdir():
                if _WRITING.fullmatch(file.name):
                    file.unlink()
        except FileExistsError:
            raise SaveError(f"{path} is a file; Parquet results are a folder") from None
        except (OSError, ValueError) as error:
            detail = getattr(error, "strerror", None) or str(error)
            raise SaveError(f"{path} cannot be written: {detail}") from None

    def recorded(self) -> Iterator[Row]:
        """See `Results`."""
        number = 0
        for path in sorted(p for p in self.path.iterdir() if PART.fullmatch(p.name)):
            if path.name != _part(number):
                fail("RS601", f"{path} does not begin with game {number:,}: a part is missing", None, help=_drop(path))
            for row in _rows(path, self.sheet):
                try:
                    yield self.sheet.read(row, number)
                except ValueError as error:
                    fail("RS607", f"{path}: game {number:,}: {error}", None, help=_drop(path))
                number += 1

    def add(self, result: Row) -> None:
        """See `Results`."""
        row = self.sheet.row(result)
        self._rows.append(row | {name: list(row[name].items()) for name in self.sheet.maps if name in row})
        if len(self._rows) >= (self.sheet.most or PART_ROWS) or time.monotonic() - self._started > PART_SECONDS:
            self._write()

    def _write(self) -> None:
        import pyarrow
        from pyarrow import parquet

        rows, first = self._rows, int(self._rows[0]["game"])
        meta = {self.sheet.key: json.dumps(self.sheet.header()), **self.sheet.described(rows)}
        place, part = self.path / f".games-{first:010}.writing", self.path / _part(first)
        self._rows, self._started = [], time.monotonic()
        try:
            with place.open("wb") as file:
                columns = self.sheet.columns(rows).with_metadata(meta)
                table = pyarrow.Table.from_pylist(rows, columns)
                parquet.write_table(table, file, compression=self.sheet.compression)
                file.flush()
                os.fsync(file.fileno())
            place.replace(part)
            sync_folder(self.path)
        except (OSError, MemoryError) as error:
            with suppress(OSError):
                place.unlink()
            reason = getattr(error, "strerror", None) or str(error) or "there is not enough memory"
            raise SaveError(f"{part} cannot be written: {reason}") from None
        except KeyboardInterrupt:
            self._rows = rows  # written on closing
            raise

    def close(self) -> None:
        """See `Results`."""
        try:
            if self._rows:
                self._write()
        finally:
            with suppress(OSError):
                self.path.rmdir()
            if self._folder >= 0:
                with suppress(OSError):  # everything is written by now
                    os.close(self._folder)


def _part(first: int) -> str:
    return f"games-{first:010}.parquet"


def _rows(path: Path, sheet: ResultSheet[Any]) -> Iterator[dict[str, Any]]:
    """The rows of a part."""

    def check(columns: Any, meta: Any) -> None:
        if not sheet.of_kind(columns) or not meta.num_rows <= PART_ROWS:
            fail("RS607", f"{path} is not part of the results: its columns are different", None, help=_drop(path))
        check_header((columns.metadata or {}).get(sheet.key.encode(), b""), str(path), sheet)

    for batch in parquet_batches(path, check, 1_000, _drop(path), skipped=sheet.derived):
        for row in batch.to_pylist():
            yield row | {name: dict(row[name] or ()) for name in sheet.maps if name in row}


def _drop(path: Path) -> str:
    return (
        f"name another folder, or delete {path.name} and all parts after it: the same command then continues from there"
    )
