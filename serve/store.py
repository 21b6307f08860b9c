"""The store of a server: all its tables in one SQLite file, written by one thread, many changes in one commit."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from typing import Any

from msgspec import Struct

from rulespec.documents.written_files import OWNERS
from rulespec.engine.logs.saved_game import SaveError

VERSION = 1
MAX_TOGETHER = 500
"""Jobs of one commit."""
_TABLES = """
CREATE TABLE IF NOT EXISTS game (
  id TEXT PRIMARY KEY, header TEXT NOT NULL, rules TEXT NOT NULL, aside TEXT NOT NULL, begun REAL NOT NULL);
CREATE TABLE IF NOT EXISTS rules (sources TEXT PRIMARY KEY, bundle TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS line (
  game TEXT NOT NULL, n INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (game, n)) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS key (hash TEXT PRIMARY KEY, game TEXT NOT NULL, role TEXT NOT NULL);
"""
Statement = tuple[str, Sequence[Any]]
_Job = tuple[Sequence[Statement], "Future[None]"]


class StoredGame(Struct, frozen=True):
    """A table as it is stored.

    Attributes:
        id: of the table.
        header: the first line of its log, without its rules.
        rules: the hash of the sources of its rules.
        aside: what is in no log, as JSON.
        begun: when it was begun, in seconds.
        lines: the other lines of its log.
    """

    id: str
    header: str
    rules: str
    aside: str
    begun: float
    lines: tuple[str, ...] = ()


class Store:
    """The store.

    Args:
        path: the file; it is created if there is none, for its owner alone.

    Raises:
        SaveError: if it cannot be written, is of another kind, or another server has it open.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            os.close(os.open(path, os.O_RDWR | os.O_CREAT, OWNERS))
            self._base = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        except (OSError, sqlite3.Error, ValueError) as error:
            raise SaveError(f"{path} cannot be written: {getattr(error, 'strerror', None) or error}") from None
        try:
            self._begin()
        except sqlite3.Error as error:
            self._base.close()
            raise SaveError(_reason(path, error)) from None
        except BaseException:
            self._base.close()
            raise
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write, name="store", daemon=True)
        self._thread.start()

    def _begin(self) -> None:
        execute = self._base.execute
        execute("PRAGMA locking_mode=EXCLUSIVE")
        version = execute("PRAGMA user_version").fetchone()[0]
        if version not in (0, VERSION) or (version == 0 and execute("SELECT 1 FROM sqlite_master").fetchone()):
            raise SaveError(f"{self.path} is no store of tables of this version")
        execute("PRAGMA journal_mode=WAL")
        execute("PRAGMA synchronous=FULL")
        execute("BEGIN EXCLUSIVE")
        for statement in _TABLES.split(";"):
            execute(statement)
        execute(f"PRAGMA user_version={VERSION}")
        execute("COMMIT")

    # --- reading, before the server begins ---------------------------------------------------------

    def games(self) -> list[StoredGame]:
        """All tables, in the order in which they were begun."""
        rows = self._base.execute("SELECT id, header, rules, aside, begun FROM game ORDER BY begun, id").fetchall()
        return [StoredGame(id_, head, rules, aside, begun, self._lines(id_)) for id_, head, rules, aside, begun in rows]

    def _lines(self, game: str) -> tuple[str, ...]:
        rows = self._base.execute("SELECT text FROM line WHERE game = ? ORDER BY n", (game,))
        return tuple(text for (text,) in rows)

    def rules(self) -> dict[str, str]:
        """The bundles of rules as JSON, by the hash of their sources."""
        return dict(self._base.execute("SELECT sources, bundle FROM rules").fetchall())

    def keys(self) -> dict[str, tuple[str, str]]:
        """Hash of a key → the table ("" for the owner's) and the role."""
        return {hash_: (game, role) for hash_, game, role in self._base.execute("SELECT hash, game, role FROM key")}

    # --- writing ----------------------------------------------------------------------------------

    def save(self, statements: Sequence[Statement]) -> Future[None]:
        """Writes statements, all or none. The result comes when they are on the disk; else it is a SaveError."""
        future: Future[None] = Future()
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
        self._base.close()

    def _commit(self, jobs: Sequence[_Job]) -> None:
        error = None
        try:
            self._base.execute("BEGIN IMMEDIATE")
            for statements, _ in jobs:
                for text, values in statements:
                    self._base.execute(text, values)
            self._base.execute("COMMIT")
        except (sqlite3.Error, OverflowError) as caught:
            with suppress(sqlite3.Error):
                self._base.execute("ROLLBACK")
            error = SaveError(_reason(self.path, caught))
        for _, future in jobs:
            if error is None:
                future.set_result(None)
            else:
                future.set_exception(error)

    def close(self) -> None:
        """Writes what waits, and closes the file."""
        self._jobs.put(None)
        self._thread.join()


def _reason(path: Path, error: Exception) -> str:
    if "locked" in str(error):
        return f"{path} is being served by another program"
    return f"{path} cannot be written: {error}"


# --- statements -----------------------------------------------------------------------------------


def new_game(game: StoredGame, bundle: str) -> list[Statement]:
    """A new table, with the bundle of its rules as JSON."""
    values = (game.id, game.header, game.rules, game.aside, game.begun)
    return [
        ("INSERT OR IGNORE INTO rules VALUES (?, ?)", (game.rules, bundle)),
        ("INSERT INTO game VALUES (?, ?, ?, ?, ?)", values),
        *lines(game.id, 0, game.lines),
    ]


def lines(game: str, first: int, texts: Sequence[str]) -> list[Statement]:
    """Lines of a log, from number `first` on."""
    return [("INSERT INTO line VALUES (?, ?, ?)", (game, n, text)) for n, text in enumerate(texts, first)]


def changed(game: str, header: str, aside: str) -> Statement:
    """The parts of a table that may change beside its lines."""
    return "UPDATE game SET header = ?, aside = ? WHERE id = ?", (header, aside, game)


def key(hash_: str, game: str, role: str) -> list[Statement]:
    """A key for a role, in the place of the one before."""
    return [
        ("DELETE FROM key WHERE game = ? AND role = ?", (game, role)),
        ("INSERT INTO key VALUES (?, ?, ?)", (hash_, game, role)),
    ]


def gone(game: str) -> list[Statement]:
    """A table that is deleted, with its keys."""
    return [
        ("DELETE FROM line WHERE game = ?", (game,)),
        ("DELETE FROM key WHERE game = ?", (game,)),
        ("DELETE FROM game WHERE id = ?", (game,)),
        ("DELETE FROM rules WHERE sources NOT IN (SELECT rules FROM game)", ()),
    ]
