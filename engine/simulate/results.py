"""What came of many games, written as they are played, a row for each, so that a run that was stopped can go on.

A file of JSON Lines begins with a header, the plan, and is only ever added to:

    {"rulespec_results": 1, "ruleset": "nim", "ruleset_hash": "9c…", "players": [2], "seed": 1, "cap": 5000, …}
    {"game": 0, "players": 2, "decisions": 5, "ended": "last_stone", "winners": ["B"], "scores": {…}, "failure": null}

Parquet files cannot be added to. So Parquet results are a folder, in which each part is a whole file of its own: it
comes into being under another name, and has the header among its metadata. All that reads folders of Parquet files
reads them as one table.
"""

from __future__ import annotations

import json
import os
import re
import stat
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity, Span, shown
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.saved_game import SaveError, lock, open_alone, sync_folder
from rulespec.engine.simulate.playouts import Mistake, Outcome, Plan

VERSION = 1
MAX_LINE = 1_000_000
"""Bytes of a line."""
PART_ROWS = 20_000
PART_SECONDS = 60.0
"""When a part is written at the latest: what is lost if the program is killed."""
MAX_PART_BYTES = 1_000_000_000

_KEY = b"rulespec_results"
_PART = re.compile(r"games-(\d{10})\.parquet")
_WRITING = re.compile(r"\.games-\d{10}\.writing")
_MAX = 2**63


class Results(ABC):
    """What results are written to; at the end of a `with` it is closed. One program at a time may hold it.

    Args:
        path: where.
        plan: what is played.

    Attributes:
        warnings: a torn last line, once `recorded` has come to it.

    Raises:
        SaveError: if it cannot be written, or another program writes to it.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        self.path = path
        self.plan = plan
        self.warnings: list[Diagnostic] = []

    @abstractmethod
    def recorded(self) -> Iterator[Outcome]:
        """The games that are there, from number 0 on without a gap; has to be read to its end before more are added.

        Raises:
            SaveError: if they are of another plan.
            DiagnosticsError: RS601, RS602, RS604, RS605 or RS607 for what is damaged, or no results at all.
        """

    @abstractmethod
    def add(self, outcome: Outcome) -> None:
        """Adds the next game.

        Raises:
            SaveError: if that fails. What was saved before stands.
        """

    @abstractmethod
    def close(self) -> None:
        """Writes what is left, and lets go. Where nothing has ever been written, nothing is left behind."""

    def __enter__(self) -> Results:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_results(path: Path, plan: Plan) -> Results:
    """Opens a file `….jsonl` or a folder `….parquet`, or makes it.

    Raises:
        SaveError: if it has another name, cannot be written, or another program writes to it.
    """
    if path.suffix == ".jsonl":
        return JsonLinesResults(path, plan)
    if path.suffix == ".parquet":
        return ParquetResults(path, plan)
    raise SaveError(f"{path} names no format: results are written to a name that ends in .jsonl or .parquet")


class JsonLinesResults(Results):
    """A file of JSON Lines. A row is written as soon as its game is over; see `Results`."""

    def __init__(self, path: Path, plan: Plan) -> None:
        super().__init__(path, plan)
        self._size = 0  # bytes that count
        self._torn = False  # whether more stand behind them
        self._file = open_alone(path, "written")
        if not stat.S_ISREG(os.fstat(self._file).st_mode):
            os.close(self._file)
            raise SaveError(f"{path} is not a file")

    def recorded(self) -> Iterator[Outcome]:
        """See `Results`."""
        name, number = str(self.path), 0
        with os.fdopen(os.dup(self._file), "rb") as file:
            file.seek(0)
            first = file.readline(MAX_LINE)
            if not first.endswith(b"\n"):
                if not _line(header(self.plan)).startswith(first):
                    message = "this is no file of results, nor the beginning of one for these games"
                    fail("RS607", message, Span(name, 1, 1, 1, 2), help="name another file")
                self._torn = bool(first)
                return
            check_header(first, name, self.plan)
            self._size = len(first)
            while line := file.readline(MAX_LINE):
                place = Span(name, number + 2, 1, number + 2, 2)
                if len(line) == MAX_LINE:
                    fail("RS602", f"the line has more than {MAX_LINE:,} bytes", place, help=_cut(name, number + 1))
                if not line.endswith(b"\n"):
                    self._torn = True
                    message = "the last line is torn; the results count up to the line before"
                    help_ = "was the program stopped while it was writing? It is cut off, and its game played again"
                    self.warnings.append(Diagnostic("RS603", Severity.WARNING, message, place, help=help_))
                    return
                yield _row(line, self.plan, number, place)
                self._size += len(line)
                number += 1

    def add(self, outcome: Outcome) -> None:
        """See `Results`."""
        data = _line(outcome.to_json())
        if not self._size:
            data = _line(header(self.plan)) + data
        try:
            if self._torn:
                os.ftruncate(self._file, self._size)
                self._torn = False
            written = 0
            while written < len(data):
                written += os.write(self._file, data[written:])
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
        os.close(self._file)


class ParquetResults(Results):
    """A folder of Parquet files; see `Results`. Part `games-0000020000.parquet` begins with game 20,000.

    A part is written after `PART_ROWS` games, after `PART_SECONDS`, and at the end.
    """

    def __init__(self, path: Path, plan: Plan) -> None:
        schema()
        super().__init__(path, plan)
        self._rows: list[dict[str, Any]] = []
        self._begun = time.monotonic()
        self._folder = -1
        try:
            path.mkdir(exist_ok=True)
            with suppress(PermissionError):  # not every system lets folders be opened
                self._folder = os.open(path, os.O_RDONLY)
                lock(self._folder, f"{path} is being written by another program")
            for left in path.iterdir():
                if _WRITING.fullmatch(left.name):
                    left.unlink()
        except FileExistsError:
            raise SaveError(f"{path} is a file; Parquet results are a folder of files, one for each part") from None
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
        self._rows.append(outcome.to_json() | {"scores": list(outcome.scores.items())})
        if len(self._rows) >= PART_ROWS or time.monotonic() - self._begun > PART_SECONDS:
            self._write()

    def _write(self) -> None:
        import pyarrow
        from pyarrow import parquet

        rows, first = self._rows, int(self._rows[0]["game"])
        meta = {_KEY: json.dumps(header(self.plan)).encode()}
        place, part = self.path / f".games-{first:010}.writing", self.path / _part(first)
        self._rows, self._begun = [], time.monotonic()
        try:
            with place.open("wb") as file:
                parquet.write_table(pyarrow.Table.from_pylist(rows, schema().with_metadata(meta)), file)
                file.flush()
                os.fsync(file.fileno())
            place.replace(part)
            sync_folder(self.path)
        except OSError as error:
            with suppress(OSError):
                place.unlink()
            raise SaveError(f"{part} cannot be written: {error.strerror or error}") from None
        except KeyboardInterrupt:
            self._rows = rows  # they are written when it is closed
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
            if not file.schema_arrow.equals(schema()) or not file.metadata.num_rows <= PART_ROWS:
                fail("RS607", f"{path} is no part of results: it has other columns", None, help=_drop(path))
            check_header((file.schema_arrow.metadata or {}).get(_KEY, b""), str(path), plan)
            for batch in file.iter_batches(batch_size=1_000):
                for row in batch.to_pylist():
                    yield row | {"scores": dict(row["scores"] or ())}
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        detail = " ".join(str(error).split())[:200]
        fail("RS601", f"{path} cannot be read: {detail}", None, help=_drop(path))


@cache
def schema() -> Any:
    """The columns of a part, as a `pyarrow.Schema`: those of a line of JSON.

    Raises:
        SaveError: if pyarrow is not installed.
    """
    try:
        import pyarrow as pa
    except ImportError:
        raise SaveError("Parquet needs pyarrow: pip install 'rulespec[parquet]'") from None
    return pa.schema(
        {
            "game": pa.int64(),
            "players": pa.int32(),
            "decisions": pa.int64(),
            "ended": pa.string(),
            "winners": pa.list_(pa.string()),
            "scores": pa.map_(pa.string(), pa.int64()),
            "failure": pa.struct({name: pa.string() for name in ("kind", "detail", "code", "place")}),
        }
    )


# --- what is written, and read again ---------------------------------------------------------


def header(plan: Plan) -> dict[str, Any]:
    """What results say of all their games."""
    return {
        "rulespec_results": VERSION,
        "ruleset": plan.ruleset,
        "ruleset_hash": plan.ruleset_hash,
        "players": list(plan.players),
        "seed": plan.seed,
        "cap": plan.cap,
        "options": plan.settings,
    }


def check_header(written: bytes, name: str, plan: Plan) -> None:
    """Refuses results of other games.

    Raises:
        SaveError: if the plan was another.
        DiagnosticsError: RS605 for another version, RS607 for what is no header.
    """
    place = Span(name, 1, 1, 1, 2)
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or "rulespec_results" not in found:
        fail("RS607", "these are no results of games: there is no `rulespec_results`", place, help="name another file")
    wanted = header(plan)
    version = found["rulespec_results"]
    if not _same(version, VERSION):
        message = f"the results have version {_said(version)}; this program goes on with version {VERSION}"
        fail("RS605", message, place, help="name another file, or update rulespec")
    differing = [k for k in [*wanted, *found] if k not in found or k not in wanted or not _same(found[k], wanted[k])]
    if differing:
        ways = [f"{shown(k)} is {_said(found.get(k))}, not {_said(wanted.get(k))}" for k in dict.fromkeys(differing)]
        raise SaveError(f"{name} holds other games: {', '.join(ways[:5])}. Name another file, or delete this one")


def _same(a: object, b: object) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)  # true and 1 are equal otherwise


def _said(value: object) -> str:
    return shown(json.dumps(value))


def _line(data: dict[str, Any]) -> bytes:
    return json.dumps(data).encode() + b"\n"


def _row(line: bytes, plan: Plan, number: int, place: Span) -> Outcome:
    """The game of a line."""
    help_ = _cut(place.file, place.line - 1)
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        fail("RS604", "the line is not JSON", place, help=help_)
    try:
        return outcome_of(data, plan, number)
    except ValueError as error:
        fail("RS607", str(error), place, help=help_)


def _cut(name: str, lines: int) -> str:
    return f"name another file, or keep the first {lines:,} lines of {name} alone: the same command goes on after them"


def _drop(path: Path) -> str:
    return f"name another folder, or delete {path.name} and all parts after it: the same command goes on before it"


def outcome_of(data: object, plan: Plan, number: int) -> Outcome:
    """A row that has been read, as the outcome of this game of the plan.

    Raises:
        ValueError: if it cannot be; the message says why.
    """
    seats = plan.seats(number)
    if not isinstance(data, dict) or list(data) != list(Outcome.__dataclass_fields__):
        raise ValueError("a row of results has other entries")
    match data:
        case {
            "game": int(game),
            "players": int(players),
            "decisions": int(decisions),
            "ended": str() | None as ended,
            "winners": list(winners),
            "scores": dict(scores),
            "failure": failure,
        } if all(type(n) is int and -_MAX <= n < _MAX for n in (game, players, decisions, *scores.values())):
            pass
        case _:
            raise ValueError("a row of results has something of another type")
    if game != number or players != len(seats):
        raise ValueError(f"this is not game {number:,} of these")
    if not all(isinstance(winner, str) for winner in winners) or not {*winners, *scores} <= set(seats):
        raise ValueError("a seat has a name that is none")
    if not 0 <= decisions <= plan.cap:
        raise ValueError("a number of decisions that cannot be")
    return Outcome(game, players, decisions, ended, tuple(winners), scores, _mistake(failure))


def _mistake(data: object) -> Mistake | None:
    if data is None:
        return None
    names = list(Mistake.__dataclass_fields__)
    if not isinstance(data, dict) or list(data) != names or not all(isinstance(v, str) for v in data.values()):
        raise ValueError("a failure has other entries")
    return Mistake(**data)
