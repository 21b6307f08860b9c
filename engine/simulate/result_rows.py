"""Game results, one row each, written during a run so that the run can be resumed."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, NoReturn, TypeVar

from rulespec.diagnostics.diagnostic import Diagnostic, Span, shown
from rulespec.documents.carried_over import new_header
from rulespec.engine.logs.log_text import fail
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.program.draws import GENERATOR

VERSION = 1

Row = TypeVar("Row")


class ResultSheet(ABC, Generic[Row]):
    """The format of results: the header of a run, its rows and its columns.

    Attributes:
        key: the name of the version in the header.
        maps: the columns that are maps.
        derived: the columns that are derived from others for external programs, and are not read back.
        compression: the compression of parts.
        most: the maximum number of rows in a part; None means the default.
    """

    key = "rulespec_results"
    maps: tuple[str, ...] = ()
    derived: tuple[str, ...] = ()
    compression = "snappy"
    most: int | None = None

    @abstractmethod
    def header(self) -> dict[str, Any]:
        """The header, which has all inputs that determine the rows."""

    @abstractmethod
    def row(self, result: Row) -> dict[str, Any]:
        """A result as plain data; the column `game` is its number."""

    @abstractmethod
    def read(self, data: object, number: int) -> Row:
        """Reads the result with this number.

        Raises:
            ValueError: if the data is not a valid row; the message gives the reason.
        """

    @abstractmethod
    def schema(self) -> Any:
        """The columns of a part as a `pyarrow.Schema`; they match the keys of a JSON line.

        Raises:
            SaveError: if pyarrow is not installed.
        """

    def columns(self, rows: Sequence[dict[str, Any]]) -> Any:
        """The columns of a part that consists of these rows."""
        return self.schema()

    def described(self, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
        """Additional metadata of a part that consists of these rows, for people and other programs."""
        return {}

    def of_kind(self, columns: Any) -> bool:
        """Whether a `pyarrow.Schema` belongs to results of this kind, from any run."""
        return bool(columns.equals(self.schema()))


class Results(ABC, Generic[Row]):
    """The results of one run, which only one program at a time can open; a context manager that closes them.

    Args:
        path: the file or folder.
        sheet: the format.

    Attributes:
        warnings: a warning about a truncated last line, once `recorded` has read it.

    Raises:
        SaveError: if the results cannot be written, or another program has them open.
    """

    def __init__(self, path: Path, sheet: ResultSheet[Row]) -> None:
        self.path = path
        self.sheet = sheet
        self.warnings: list[Diagnostic] = []

    @abstractmethod
    def recorded(self) -> Iterator[Row]:
        """The recorded games, without gaps from number 0 on. All of them must be read before more are added.

        Raises:
            SaveError: if the results belong to a different run.
            DiagnosticsError: RS601, RS602, RS604, RS605 or RS607 if the file is damaged, or has no results.
        """

    @abstractmethod
    def add(self, result: Row) -> None:
        """Adds the result of the next game.

        Raises:
            SaveError: if writing fails; earlier games stay saved.
        """

    @abstractmethod
    def close(self) -> None:
        """Writes buffered rows and closes the results; if they are empty, removes them."""

    def __enter__(self) -> Results[Row]:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def check_header(data: bytes, name: str, sheet: ResultSheet[Any]) -> None:
    """Checks that a header belongs to a run.

    Raises:
        SaveError: if the header belongs to a different run.
        DiagnosticsError: RS605 if it has a different version, RS607 if it is not a header, RS653 if its games use a
            different random number generator.
    """
    place = Span(name, 1, 1, 1, 2)
    try:
        result = json.loads(data)
    except (ValueError, RecursionError):
        result = None
    if not isinstance(result, dict) or sheet.key not in result:
        fail("RS607", f"these are not results of games: they lack `{sheet.key}`", place, help="name another file")
    wanted = sheet.header()
    result = new_header(result, wanted)
    version = result[sheet.key]
    if not _same(version, VERSION):
        message = f"the results have version {quoted(version)}, but this program continues only version {VERSION}"
        fail("RS605", message, place, help="name another file, or update rulespec")
    if "random" in wanted and not _same(result.get("random"), GENERATOR):
        _drawn_otherwise(result, place)
    keys = [key for key in [*wanted, *result] if key != "sources_hash"]  # rewording does not change games
    differing = [k for k in keys if k not in result or k not in wanted or not _same(result[k], wanted[k])]
    if differing:
        texts = [
            f"{shown(k)} is {quoted(result.get(k))}, not {quoted(wanted.get(k))}" for k in dict.fromkeys(differing)
        ]
        raise SaveError(f"{name} contains other games: {', '.join(texts[:5])}. Name another file, or delete this one")


def _drawn_otherwise(header: dict[str, Any], place: Span) -> NoReturn:
    """Reports results drawn by another generator; a header without a generator means Python's."""
    by = f"by {quoted(header['random'])}" if "random" in header else "by Python's MT19937, as before Rulespec named it"
    message = f"the games were drawn {by}, but are now drawn by {quoted(GENERATOR)}, so a seed gives different games"
    help_ = "the rows stay valid, but their games cannot be played again or continued here: name another file"
    fail("RS653", message, place, help=help_)


def _same(a: object, b: object) -> bool:
    return json.dumps(a, sort_keys=True) == json.dumps(b, sort_keys=True)  # in Python, True == 1


def quoted(value: object) -> str:
    """A JSON value, quoted for messages."""
    return shown(json.dumps(value))
