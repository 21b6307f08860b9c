"""The file of a store: detection without modifying it, and replacement of old or damaged files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import Any
from urllib.parse import quote

from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.written_files import OWNERS, sync_folder
from rulespec.engine.logs.saved_game import SaveError
from rulespec.serve.stored_rows import GAME, KEY, LINE, RULES, LogChain, Rows, row_sum

APPLICATION, VERSION = 0x52535442, 2
"""The `application_id` (the letters RSTB) and the `user_version` of a store."""
TABLES = (
    """CREATE TABLE game (
  id TEXT PRIMARY KEY, header TEXT NOT NULL, rules TEXT NOT NULL, aside TEXT NOT NULL, begun REAL NOT NULL,
  lines INTEGER NOT NULL, head TEXT NOT NULL, sum TEXT NOT NULL)""",
    "CREATE TABLE rules (sources TEXT PRIMARY KEY, bundle TEXT NOT NULL, sum TEXT NOT NULL)",
    """CREATE TABLE line (
  game TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL, sum TEXT NOT NULL,
  PRIMARY KEY (game, n)) WITHOUT ROWID""",
    "CREATE TABLE key (hash TEXT PRIMARY KEY, game TEXT NOT NULL, role TEXT NOT NULL, sum TEXT NOT NULL)",
)
_FIRST_TABLES = (
    """CREATE TABLE game (
  id TEXT PRIMARY KEY, header TEXT NOT NULL, rules TEXT NOT NULL, aside TEXT NOT NULL, begun REAL NOT NULL)""",
    "CREATE TABLE rules (sources TEXT PRIMARY KEY, bundle TEXT NOT NULL)",
    """CREATE TABLE line (
  game TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (game, n)) WITHOUT ROWID""",
    "CREATE TABLE key (hash TEXT PRIMARY KEY, game TEXT NOT NULL, role TEXT NOT NULL)",
)
"""The tables of version 1, without an application id and without checksums."""
_MAGIC, _HEAD = b"SQLite format 3\0", 100
_NOTHING_YET = 100_000
"""The size in bytes up to which a file's tables may still be in its write-ahead log, as in a new store of version 1."""


class FileKind(Enum):
    """The kind of a file: missing, a store, a store of version 1, or a store with a damaged list of tables."""

    NEW = "new"
    STORE = "store"
    FIRST = "first"
    DAMAGED = "damaged"


def kind_of(path: Path) -> FileKind:
    """The kind of a file, detected without modifying the file.

    Raises:
        DiagnosticsError: RS680 if it is not a store, RS681 if it has a later version.
        OSError: if it is unreadable.
    """
    if not path.is_file():
        raise _refused(path, "it is not a regular file")
    with path.open("rb") as file:
        head = file.read(_HEAD)
    if not head:
        return FileKind.NEW
    if not head.startswith(_MAGIC) or len(head) < _HEAD:
        raise _refused(path, "it is not an SQLite file")
    version, application = int.from_bytes(head[60:64]), int.from_bytes(head[68:72])
    if application == APPLICATION and version > VERSION:
        message = f"{path} is a store of version {version}, but this program reads only version {VERSION}"
        raise failure("RS681", message, None, "update rulespec")
    if application == APPLICATION and _beside(path, "-journal").exists():
        return FileKind.STORE  # its creation was interrupted: SQLite rolls that back on opening
    if application not in (0, APPLICATION):
        raise _refused(path, f"it belongs to another program (application_id {application:#x})")
    try:
        with looking(path, log=not version and path.stat().st_size < _NOTHING_YET) as base:
            identity, tables = identity_of(base), _tables_of(base)
    except (sqlite3.Error, UnicodeDecodeError) as error:  # in a damaged file, the message may be invalid text
        if (application, version) == (APPLICATION, VERSION):
            return (
                FileKind.STORE if _beside(path, "-wal").exists() else FileKind.DAMAGED
            )  # the write-ahead log may have a sound list
        reason = "its tables are damaged" if isinstance(error, UnicodeDecodeError) else str(error)
        raise _refused(path, f"it cannot be read: {reason}") from None
    if identity == (APPLICATION, VERSION) and tables == _tables_made_by(TABLES):
        return FileKind.STORE
    if identity == (0, 1) and tables == _tables_made_by(_FIRST_TABLES):
        return FileKind.FIRST
    raise _refused(path, "its tables are not those of a store")


def check_opened(path: Path, base: sqlite3.Connection) -> bool:
    """Whether an open file has the tables of a store; False for an empty file, left by an interrupted creation.

    Raises:
        DiagnosticsError: RS680 if its tables are not those of a store.
    """
    identity, tables = identity_of(base), _tables_of(base)
    if identity == (0, 0) and not tables:
        return False
    if identity != (APPLICATION, VERSION) or tables != _tables_made_by(TABLES):
        raise _refused(path, "its tables are not those of a store")
    return True


def identity_of(base: sqlite3.Connection) -> tuple[int, int]:
    """The `application_id` and `user_version` of an open file."""
    first, second = (base.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version"))
    return first, second


def create(base: sqlite3.Connection) -> None:
    """Creates the tables of a store in an empty file, atomically."""
    base.execute("BEGIN EXCLUSIVE")
    for statement in TABLES:
        base.execute(statement)
    base.execute(f"PRAGMA application_id={APPLICATION}")
    base.execute(f"PRAGMA user_version={VERSION}")
    base.execute("COMMIT")


def damage_of(base: sqlite3.Connection) -> str:
    """The first fault that SQLite reports in an open file; "" if it is sound."""
    try:
        (text,) = base.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.OperationalError:
        raise
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        return str(error)
    line = text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    return "" if line == "ok" else " ".join(line.split())


@contextmanager
def looking(path: Path, *, log: bool) -> Iterator[sqlite3.Connection]:
    """A read-only connection to a file, without side effects.

    Args:
        path: the file.
        log: whether to include its write-ahead log; if so, both files are copied.

    Raises:
        sqlite3.Error, OSError: if it is unreadable.
    """
    if not log or not _beside(path, "-wal").exists():
        place = f"file:{quote(os.fsencode(path.absolute()))}?immutable=1"
        with closing(sqlite3.connect(place, uri=True)) as base:
            yield base
        return
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(path, copy := Path(folder, "store.db"))
        shutil.copyfile(_beside(path, "-wal"), _beside(copy, "-wal"))
        with closing(sqlite3.connect(copy)) as base:
            yield base


@contextmanager
def with_its_tables(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a copy of a store in which a fresh list of tables replaces the damaged one.

    Raises:
        sqlite3.Error, OSError: if it is unreadable.
    """
    with tempfile.TemporaryDirectory() as folder:
        shutil.copyfile(path, copy := Path(folder, "store.db"))
        with copy.open("r+b") as file:
            size = int.from_bytes(file.read(18)[16:])
            size = 65_536 if size == 1 else size  # in SQLite's format
            with closing(sqlite3.connect(other := Path(folder, "other.db"), isolation_level=None)) as base:
                base.execute(f"PRAGMA page_size={size}")
                create(base)
            file.seek(_HEAD)
            file.write(other.read_bytes()[_HEAD:size])
        with closing(sqlite3.connect(copy)) as base:
            yield base


def _tables_of(base: sqlite3.Connection) -> list[tuple[Any, ...]]:
    query = "SELECT type, name, tbl_name, substr(sql, 1, 1000) FROM sqlite_master ORDER BY type, name LIMIT 20"
    base.text_factory = bytes  # in a damaged file, names may be invalid text
    try:
        return base.execute(query).fetchall()
    finally:
        base.text_factory = str


def _tables_made_by(statements: tuple[str, ...]) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as base:
        for statement in statements:
            base.execute(statement)
        return _tables_of(base)


def _beside(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _refused(path: Path, why: str) -> DiagnosticsError:
    help_ = "give --store another file, which is created if missing; this one stays unchanged"
    return failure("RS680", f"{path} is not a store of tables: {why}", None, help_)


# --- a new file -------------------------------------------------------------------------------------------


def written_again(path: Path, base: sqlite3.Connection, kind: FileKind) -> Path:
    """Copies the readable part of a store into a new file, which takes the store's place.

    Args:
        path: the store.
        base: the only open connection to the store; it is closed.
        kind: the kind of the store.

    Returns:
        The path of the preserved original.

    Raises:
        SaveError, sqlite3.Error, OSError: if it cannot be read or written; the store is then unchanged.
    """
    fresh = path.with_name(f".{os.getpid()}-{os.urandom(6).hex()}.new")
    try:
        os.close(os.open(fresh, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNERS))
        with closing(base), closing(sqlite3.connect(fresh, isolation_level=None)) as other:
            other.execute("PRAGMA synchronous=FULL")
            copy_rows(base, kind, other)
            if kind is not FileKind.FIRST and not other.execute("SELECT 1 FROM game").fetchone():
                raise SaveError(f"{path} is damaged, and none of its tables can be read: replace it with a backup")
        if any(_beside(path, suffix).exists() for suffix in ("-wal", "-journal")):
            raise SaveError(f"{path} cannot be written: the log next to it cannot be merged into it")
        before = _put_aside(path)
        fresh.replace(path)
    except BaseException:
        for suffix in ("", "-journal"):
            with suppress(OSError):
                _beside(fresh, suffix).unlink()
        raise
    sync_folder(path.absolute().parent)
    return before


def copy_rows(base: sqlite3.Connection, kind: FileKind, other: sqlite3.Connection) -> None:
    """Copies the readable rows of a store into an empty file.

    Args:
        base: the store.
        kind: the kind of the store. Rows from version 1 get checksums; other rows keep theirs.
        other: the empty file.
    """
    create(other)
    other.execute("BEGIN")
    for statement, row in _rows(Rows(base), kind):
        with suppress(sqlite3.IntegrityError):  # a damaged or duplicate row
            other.execute(statement, row)
    other.execute("COMMIT")


def _put_aside(path: Path) -> Path:
    """Gives a file a second name by a hard link, or else by a copy; returns that name."""
    for number in range(1, 1000):
        name = _beside(path, f".before-{number}")
        if os.path.lexists(name):
            continue
        try:
            os.link(path, name)
        except OSError:  # a file system without hard links
            handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNERS)
            with os.fdopen(handle, "wb") as copy, path.open("rb") as file:
                shutil.copyfileobj(file, copy)
                copy.flush()
                os.fsync(handle)
        return name
    raise SaveError(f"{path} cannot be written: there are too many files {path.name}.before-…")


def _rows(rows: Rows, kind: FileKind) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """The statements that insert the rows of a store, with texts as bytes."""
    summed = kind is not FileKind.FIRST
    names = ("sum",) if summed else ()
    for table, columns in (("rules", RULES), ("key", KEY)):
        for row in rows.all_of(table, (*columns, *names)):
            yield _insert(table, row if summed else (*row, row_sum(*row)))
    for row in rows.all_of("game", (*GAME, "sum") if summed else GAME[:5]):
        id_ = row[0] if isinstance(row[0], bytes) else b""
        chain = LogChain(id_.decode("utf-8", "surrogateescape"))
        for n, text, *total in rows.lines_of(id_, ", ".join((*LINE[1:], *names))):
            chain = chain.after(text) if isinstance(text, bytes) else chain
            yield _insert("line", (id_, n, text, *(total or (chain.head,))))
        whole = (*row, chain.lines, chain.head)
        yield _insert("game", row if summed else (*whole, row_sum(*whole)))


def _insert(table: str, row: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """The statement that inserts a row; bytes become text, even if invalid UTF-8."""
    holes = ("CAST(? AS TEXT)" if isinstance(value, bytes) else "?" for value in row)
    return f"INSERT INTO {table} VALUES ({', '.join(holes)})", row
