"""The rows of a store: checksums, the chain over a game's lines, and reading row by row.

Each row ends with the checksum of its other columns. A line's checksum also covers the checksum of the previous line,
and a game's row contains the number of its lines and the last checksum. Changed, deleted, added and renumbered lines
are therefore detected. Checksums protect against damage, not against attackers: anyone with write access can compute
them.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from hashlib import sha256
from typing import Any

from msgspec import Struct

from rulespec.bundles.packed_bundle import MAX_PACKED

MAX_VALUE = 2 * MAX_PACKED
"""The maximum size of a value in bytes, determined by bundles."""
GAME, LINE = ("id", "header", "rules", "aside", "begun", "lines", "head"), ("game", "n", "text")
RULES, KEY = ("sources", "bundle"), ("hash", "game", "role")
"""The columns of each table, before the checksum."""


class LogChain(Struct, frozen=True):
    """The checksum chain of a game's lines.

    Attributes:
        game: the id of the table.
        lines: the number of lines.
        head: the checksum of the last line; "" before the first line.
    """

    game: str
    lines: int = 0
    head: str = ""

    def after(self, text: str | bytes) -> LogChain:
        """The chain extended by one line."""
        return LogChain(self.game, self.lines + 1, row_sum(self.head, self.game, self.lines, text))


class StoredGame(Struct, frozen=True):
    """A stored table.

    Attributes:
        id: the id of the table.
        header: the first line of its log, without the rules; "" if it is damaged.
        rules: the hash of the sources of its rules.
        aside: data outside the log, as JSON.
        begun: the start time, in seconds.
        lines: the other lines of its log; for a damaged table, only the lines before the damage.
        fault: the damage; "" if there is none.
    """

    id: str
    header: str
    rules: str
    aside: str
    begun: float
    lines: tuple[str, ...] = ()
    fault: str = ""

    @property
    def chain(self) -> LogChain:
        """The checksum chain of the table's log lines."""
        chain = LogChain(self.id)
        for text in self.lines:
            chain = chain.after(text)
        return chain

    def row(self, chain: LogChain) -> tuple[str | int | float, ...]:
        """The row of the table, given the chain over its lines."""
        row = (self.id, self.header, self.rules, self.aside, float(self.begun), chain.lines, chain.head)
        return *row, row_sum(*row)


def row_sum(*values: str | bytes | float | None) -> str:
    """The checksum of values: SHA-256 of their UTF-8 texts, each preceded by its length, as 64 hex digits."""
    digest = sha256()
    for value in values:
        data = value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(data))
        digest.update(data)
    return digest.hexdigest()


def with_sum(*values: str | int | float) -> tuple[str | int | float, ...]:
    """A row: the given values, followed by their checksum."""
    return *values, row_sum(*values)


# --- reading --------------------------------------------------------------------------------------------


class Rows:
    """The rows of a store, read one by one, so that a damaged row does not affect the others.

    Args:
        base: an open store; from now on its texts are read as bytes.
    """

    def __init__(self, base: sqlite3.Connection) -> None:
        base.text_factory = bytes
        base.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE)
        self._base = base

    def all_of(self, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        """The readable rows of a table, in any order; texts are bytes."""
        for (number,) in list(self._until_damage(f"SELECT rowid FROM {table} NOT INDEXED")):  # an index may be damaged
            yield from self._until_damage(f"SELECT {', '.join(columns)} FROM {table} WHERE rowid = ?", (number,))

    def lines_of(self, game: bytes, columns: str = "n, text, sum") -> Iterator[tuple[Any, ...]]:
        """The lines of a game in order, up to the first unreadable line."""
        return self._until_damage(f"SELECT {columns} FROM line WHERE game = CAST(? AS TEXT) ORDER BY n", (game,))

    def _until_damage(self, query: str, values: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
        try:
            yield from self._base.execute(query, values)
        except sqlite3.OperationalError:  # temporarily unreadable
            raise
        except (sqlite3.DatabaseError, UnicodeDecodeError):  # malformed, or implausibly large
            return

    def games(self) -> Iterator[StoredGame]:
        """All tables in the order of their creation."""
        rows = self.all_of("game", (*GAME, "sum"))
        for row in sorted(rows, key=lambda row: (row[4] if isinstance(row[4], float) else 0.0, _name(row[0]))):
            yield self._game(row)

    def _game(self, row: tuple[Any, ...]) -> StoredGame:
        *values, total = row
        id_, header, rules, aside, begun, count, head = values
        name = _name(id_)
        lines, fault = self._lines(id_ if isinstance(id_, bytes) else b"", name, count, head)
        texts = [_text(each) for each in (id_, header, rules, aside)]
        whole = None not in texts and isinstance(begun, float) and _is_sum(values, total)
        if not whole:
            fault = "its entry has been changed"
        _, header, rules, aside = (text or "" for text in texts)
        return StoredGame(name, header, rules, aside, begun if isinstance(begun, float) else 0.0, lines, fault)

    def _lines(self, id_: bytes, name: str, count: object, head: object) -> tuple[tuple[str, ...], str]:
        """The sound lines of a table, and the fault of the next one; for a log, the lines count from its first."""
        texts: list[str] = []
        chain = LogChain(name)
        for n, data, total in self.lines_of(id_):
            after = chain.after(data) if isinstance(data, bytes) else chain
            text = _text(data)
            if n != chain.lines:
                return tuple(texts), f"line {chain.lines + 2} of its log is missing"
            if text is None or _text(total) != after.head:
                return tuple(texts), f"line {chain.lines + 2} of its log has been changed"
            texts.append(text)
            chain = after
        if chain.lines != count or chain.head != _text(head):
            return tuple(texts), f"its log has {chain.lines + 1} lines, which are not the ones that were written"
        return tuple(texts), ""

    def bundles(self) -> dict[str, str]:
        """The intact rules bundles as JSON, by the hash of their sources."""
        return dict(self._texts("rules", RULES))

    def keys(self) -> dict[str, tuple[str, str]]:
        """Maps the hash of each intact key to a table ("" for the owner's key) and a role."""
        return {hash_: (game, role) for hash_, game, role in self._texts("key", KEY)}

    def _texts(self, table: str, columns: tuple[str, ...]) -> Iterator[tuple[Any, ...]]:
        for *values, total in self.all_of(table, (*columns, "sum")):
            texts = [_text(value) for value in values]
            if None not in texts and _is_sum(values, total):
                yield tuple(texts)


def _is_sum(values: list[Any], total: object) -> bool:
    return _text(total) == row_sum(*values)


def _text(value: object) -> str | None:
    """A text value of the store; None for other values."""
    try:
        return value.decode("utf-8") if isinstance(value, bytes) else None
    except UnicodeDecodeError:
        return None


def _name(value: object) -> str:
    """An id for messages, for a value of any type."""
    return value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
