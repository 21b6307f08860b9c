"""Results as a folder of Parquet files.

Nothing can be added to a Parquet file. So each part is a complete file: it is written under another name, and has the
header among its metadata. Programs that read folders of Parquet files read the parts as one table.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.saved_game import SaveError, lock, sync_folder
from rulespec.engine.simulate.plan import Outcome, Plan
from rulespec.engine.simulate.results import Results, check_header, header, outcome_of

PART_ROWS = 20_000
PART_SECONDS = 60.0
"""Time after which a part is written: what is lost if the program is killed."""
MAX_PART_BYTES = 1_000_000_000

_MAPS = ("scores", "roles")
_KEY = b"rulespec_results"
_PART = re.compile(r"games-(\d{10})\.parquet")
_WRITING = re.compile(r"\.games-\d{10}\.writing")


class ParquetResults(Results):
    """A folder of Parquet files; see `Results`. Part `games-0000020000.parquet` begins with game 20,000.

    A part is written after `PART_ROWS` games, after `PART_SECONDS`, and on closing.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        schema(plan.details)
        super().__init__(path, plan)
        self._rows: list[dict[str, Any]] = []
        self._started = time.monotonic()
        self._folder = -1
        try:
            path.mkdir(exist_ok=True)
            with suppress(PermissionError):  # not every system can open folders
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

    def recorded(self) -> Iterator[Outcome]:
        """See `Results`."""
        number = 0
        for path in sorted(p for p in self.path.iterdir() if _PART.fullmatch(p.name)):
            if path.name != _part(number):
                fail("RS601", f"{path} does not begin with game {number:,}: a part is missing", None, help=_drop(path))
            for row in _rows(path, self.plan):
                try:
                    yield outcome_of(row, self.plan, number)
                except ValueError as error:
                    fail("RS607", f"{path}: game {number:,}: {error}", None, help=_drop(path))
                number += 1

    def add(self, outcome: Outcome) -> None:
        """See `Results`."""
        row = outcome.to_json()
        self._rows.append(row | {name: list(row[name].items()) for name in _MAPS if name in row})
        if len(self._rows) >= PART_ROWS or time.monotonic() - self._started > PART_SECONDS:
            self._write()

    def _write(self) -> None:
        import pyarrow
        from pyarrow import parquet

        rows, first = self._rows, int(self._rows[0]["game"])
        meta = {_KEY: json.dumps(header(self.plan)).encode()}
        place, part = self.path / f".games-{first:010}.writing", self.path / _part(first)
        self._rows, self._started = [], time.monotonic()
        try:
            with place.open("wb") as file:
                parquet.write_table(
                    pyarrow.Table.from_pylist(rows, schema(self.plan.details).with_metadata(meta)), file
                )
                file.flush()
                os.fsync(file.fileno())
            place.replace(part)
            sync_folder(self.path)
        except OSError as error:
            with suppress(OSError):
                place.unlink()
            raise SaveError(f"{part} cannot be written: {error.strerror or error}") from None
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
                os.close(self._folder)


def _part(first: int) -> str:
    return f"games-{first:010}.parquet"


def _rows(path: Path, plan: Plan) -> Iterator[dict[str, Any]]:
    """The rows of a part."""
    import pyarrow
    from pyarrow import parquet

    try:
        if not path.is_file() or path.stat().st_size > MAX_PART_BYTES:
            fail("RS602", f"{path} is no part of results, or too large for one", None, help=_drop(path))
        with parquet.ParquetFile(path) as file:
            known = any(file.schema_arrow.equals(schema(details)) for details in (False, True))
            if not known or not file.metadata.num_rows <= PART_ROWS:
                fail("RS607", f"{path} is no part of results: it has other columns", None, help=_drop(path))
            check_header((file.schema_arrow.metadata or {}).get(_KEY, b""), str(path), plan)
            for batch in file.iter_batches(batch_size=1_000):
                for row in batch.to_pylist():
                    yield row | {name: dict(row[name] or ()) for name in _MAPS if name in row}
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        detail = " ".join(str(error).split())[:200]
        fail("RS601", f"{path} cannot be read: {detail}", None, help=_drop(path))


@cache
def schema(details: bool = False) -> Any:
    """The columns of a part, as a `pyarrow.Schema`: those of a line of JSON.

    Raises:
        SaveError: if pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise SaveError("Parquet needs pyarrow: pip install 'rulespec[parquet]'") from None
    use = {"option": pa.string(), "seat": pa.string(), "times": pa.int64(), "first": pa.int64()}
    point = {"decision": pa.int64(), "measure": pa.string(), "entity": pa.string(), "value": pa.int64()}
    more = {
        "moves": pa.string(),
        "roles": pa.map_(pa.string(), pa.string()),
        "uses": pa.list_(pa.struct(use)),
        "course": pa.list_(pa.struct(point)),
    }
    return pa.schema(
        {
            "game": pa.int64(),
            "players": pa.int32(),
            "decisions": pa.int64(),
            "ended": pa.string(),
            "winners": pa.list_(pa.string()),
            "scores": pa.map_(pa.string(), pa.int64()),
            "failure": pa.struct({name: pa.string() for name in ("kind", "detail", "code", "place")}),
            **(more if details else {}),
        }
    )


def _drop(path: Path) -> str:
    return f"name another folder, or delete {path.name} and all parts after it: the same command continues before it"
