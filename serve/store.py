"""The store of a server: all tables in one SQLite file, written by a single thread with grouped commits."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic, Severity
from rulespec.documents.written_files import OWNERS, sync_folder
from rulespec.engine.logs.saved_game import SaveError, open_alone
from rulespec.serve.store_file import FileKind, check_opened, create, damage_of, kind_of, with_its_tables, written_again
from rulespec.serve.stored_rows import LogChain, Rows, StoredGame, with_sum

MAX_TOGETHER = 500
"""The maximum number of jobs per commit."""
Statement = tuple[str, Sequence[Any]]
_Job = tuple[Sequence[Statement], "Future[None]"]


class TableStore:
    """The SQLite store of a server's tables.

    Args:
        path: the file; it is created if missing, and readable only by its owner.

    Attributes:
        path: the file.
        notes: warnings about changes made when the file was opened.

    Raises:
        SaveError: if the file cannot be read or written, or is open in another server.
        DiagnosticsError: RS680 or RS681 if it is not a store of this or an earlier version; the file is then unchanged.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[Diagnostic] = []
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="store", daemon=True)
        self._file = open_alone(path, "served", OWNERS)
        self._base: sqlite3.Connection | None = None
        try:
            self._open()
            self._thread.start()
        except (sqlite3.Error, OSError, ValueError, MemoryError, RuntimeError) as error:  # the last: no thread
            self._shut()
            raise SaveError(_reason(path, error)) from None
        except BaseException:
            self._shut()
            raise

    def _open(self) -> None:
        if (kind := kind_of(self.path)) is FileKind.DAMAGED:
            with with_its_tables(self.path) as copy:
                self._write_again(copy, FileKind.STORE, "its list of tables cannot be read")
        base = self._connected()
        if kind is not FileKind.FIRST and not check_opened(self.path, base):
            create(base)
            sync_folder(self.path.absolute().parent)
        elif (fault := damage_of(base)) or kind is FileKind.FIRST:
            self._write_again(base, kind, fault)
            base = self._connected()
        base.execute("PRAGMA journal_mode=WAL")
        base.execute("BEGIN EXCLUSIVE")  # excludes other readers from here on
        base.execute("COMMIT")
        self._rows = Rows(base)

    def _write_again(self, base: sqlite3.Connection, kind: FileKind, fault: str) -> None:
        """Copies the readable part of a store into a new file, and locks that file in its place."""
        before = written_again(self.path, base, kind)
        self.notes.append(_written_again(self.path, fault, before))
        own, self._file = self._file, open_alone(self.path, "served", OWNERS)
        os.close(own)

    def _connected(self) -> sqlite3.Connection:
        path = self.path.absolute()
        self._base = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        self._base.execute("PRAGMA locking_mode=EXCLUSIVE")
        self._base.execute("PRAGMA synchronous=FULL")
        return self._base

    def _shut(self) -> None:
        """Closes the database, then the lock file: closed first, it would release the database's own lock."""
        if self._base is not None:
            self._base.close()
        with suppress(OSError):
            os.close(self._file)

    # --- reading, before the server begins ---------------------------------------------------------

    def games(self) -> Iterator[StoredGame]:
        """All tables in the order of their creation; damaged tables are marked."""
        return self._rows.games()

    def rules(self) -> dict[str, str]:
        """The intact rules bundles as JSON, by the hash of their sources."""
        return self._rows.bundles()

    def keys(self) -> dict[str, tuple[str, str]]:
        """Maps the hash of each intact key to a table ("" for the owner's key) and a role."""
        return self._rows.keys()

    # --- writing ----------------------------------------------------------------------------------

    def save(self, statements: Sequence[Statement]) -> Future[None]:
        """Executes statements atomically. The future completes once they are on disk, or raises SaveError.

        Saving cannot be cancelled: the statements are written even if nobody is waiting for them any more.
        """
        future: Future[None] = Future()
        future.set_running_or_notify_cancel()
        self._jobs.put((statements, future))
        return future

    def _write(self) -> None:
        while (job := self._jobs.get()) is not None:
            jobs, last = [job], False
            while len(jobs) < MAX_TOGETHER:
                try:
                    more = self._jobs.get_nowait()
                except queue.Empty:
                    break
                if more is None:
                    last = True
                    break
                jobs.append(more)
            self._commit(jobs)
            if last:
                break
        self._shut()

    def _commit(self, jobs: Sequence[_Job]) -> None:
        error, base = None, self._base
        assert base is not None
        try:
            base.execute("BEGIN IMMEDIATE")
            for statements, _ in jobs:
                for text, values in statements:
                    base.execute(text, values)
            base.execute("COMMIT")
        except Exception as caught:  # the thread survives any error: invalid text, or lack of memory
            with suppress(sqlite3.Error, MemoryError):
                base.execute("ROLLBACK")
            error = SaveError(_reason(self.path, caught))
        for _, future in jobs:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

    def close(self) -> None:
        """Writes pending statements and closes the file."""
        self._jobs.put(None)
        self._thread.join()


def _reason(path: Path, error: Exception) -> str:
    if "locked" in str(error):
        return f"{path} is being served by another program"
    text = getattr(error, "strerror", None) or str(error) or "there is not enough memory"
    return f"{path} cannot be written: {text}"


def _written_again(path: Path, fault: str, before: Path) -> Diagnostic:
    """The warning about a store copied to a new file; `fault` is the damage of the old one, if any."""
    if fault:
        message = f"{path} is damaged ({fault[:200]}): its readable part has been copied to a new file"
        help_ = f"the damaged file is kept as {before}; a backup of the store may contain more"
    else:
        message = f"{path} is a store of version 1: its tables have been copied to one of version 2"
        help_ = f"the file of version 1 is kept as {before}; delete it when you no longer need it"
    return Diagnostic("RS684", Severity.WARNING, message, None, help=help_)


# --- statements -----------------------------------------------------------------------------------


def new_game(game: StoredGame, bundle: str) -> tuple[list[Statement], LogChain]:
    """The statements for a new table with the bundle of its rules as JSON, and the chain over its lines."""
    more, chain = added(LogChain(game.id), game.lines)
    statements: list[Statement] = [
        ("INSERT OR IGNORE INTO rules VALUES (?, ?, ?)", with_sum(game.rules, bundle)),
        ("INSERT INTO game VALUES (?, ?, ?, ?, ?, ?, ?, ?)", game.row(chain)),
    ]
    return statements + more, chain


def added(chain: LogChain, texts: Sequence[str]) -> tuple[list[Statement], LogChain]:
    """The statements that append lines to a log, and the extended chain."""
    statements: list[Statement] = []
    for text in texts:
        n, chain = chain.lines, chain.after(text)
        statements.append(("INSERT INTO line VALUES (?, ?, ?, ?)", (chain.game, n, text, chain.head)))
    return statements, chain


def changed(game: StoredGame, chain: LogChain) -> Statement:
    """The statement that updates a table after lines were appended to its log; `chain` covers all lines."""
    *_, lines, head, total = game.row(chain)
    return (
        "UPDATE game SET header = ?, aside = ?, lines = ?, head = ?, sum = ? WHERE id = ?",
        (game.header, game.aside, lines, head, total, game.id),
    )


def key(hash_: str, game: str, role: str) -> list[Statement]:
    """The statements that set the key of a role, replacing the previous key."""
    return [
        ("DELETE FROM key WHERE game = ? AND role = ?", (game, role)),
        ("INSERT INTO key VALUES (?, ?, ?, ?)", with_sum(hash_, game, role)),
    ]


def gone(game: str, rules: str = "") -> list[Statement]:
    """The statements that delete a table, its keys and, if no other table uses them, the given rules."""
    return [
        ("DELETE FROM line WHERE game = ?", (game,)),
        ("DELETE FROM key WHERE game = ?", (game,)),
        ("DELETE FROM game WHERE id = ?", (game,)),
        ("DELETE FROM rules WHERE sources = ? AND sources NOT IN (SELECT rules FROM game)", (rules,)),
    ]
