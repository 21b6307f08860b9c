"""Mutations of SQLite files: by SQL statements, and by changes to fields of pages."""

from __future__ import annotations

import random
import sqlite3
import struct
import tempfile
from contextlib import closing, suppress
from pathlib import Path

_STATEMENTS = (
    *("PRAGMA user_version = {n}", "PRAGMA application_id = {n}", "VACUUM", "PRAGMA journal_mode = WAL"),
    *("PRAGMA journal_mode = DELETE", "PRAGMA encoding = 'UTF-16le'", "DROP TABLE {t}", "CREATE TABLE more (x)"),
    *(
        "CREATE VIEW v AS SELECT * FROM {t}",
        "CREATE INDEX i ON {t} ({c})",
        "DELETE FROM {t}",
        "DELETE FROM {t} WHERE {r}",
    ),
    *(
        "CREATE TRIGGER tr AFTER INSERT ON {t} BEGIN DELETE FROM {t}; END",
        "ALTER TABLE {t} ADD COLUMN more",
    ),
    *("ALTER TABLE {t} RENAME TO other", "ALTER TABLE {t} RENAME COLUMN {c} TO other"),
    "CREATE VIRTUAL TABLE f USING fts5(x)",
    "CREATE VIEW w AS WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT n FROM r",
    *("UPDATE {t} SET {c} = CAST(x'ff' AS TEXT) WHERE {r}", "UPDATE {t} SET {c} = {n} WHERE {r}"),
    *(
        "UPDATE {t} SET {c} = x'00ff' WHERE {r}",
        "UPDATE {t} SET {c} = '' WHERE {r}",
        "UPDATE {t} SET {c} = NULL WHERE {r}",
    ),
    *("UPDATE {t} SET {c} = {c} || {c} WHERE {r}", "UPDATE {t} SET {c} = substr({c}, 2) WHERE {r}"),
    *("UPDATE {t} SET {c} = replace({c}, char(34), char(0)) WHERE {r}", "UPDATE {t} SET {c} = zeroblob(20000000)"),
    *("UPDATE {t} SET {c} = (SELECT {c} FROM {t} WHERE {r}) WHERE {r}", "UPDATE {t} SET {c} = {c} + 1"),
    "UPDATE {t} SET {c} = replace(hex(zeroblob(300000)), '0', '[') WHERE {r}",
    "INSERT INTO {t} SELECT * FROM {t}",
    "INSERT OR REPLACE INTO {t} SELECT * FROM {t} WHERE {r}",
)
_SCHEMAS = (
    "UPDATE sqlite_master SET sql = 'CREATE TABLE {t} (x, y, z)' WHERE name = '{t}'",
    "UPDATE sqlite_master SET sql = replace(sql, 'TEXT', 'ANY') WHERE name = '{t}'",
    "UPDATE sqlite_master SET rootpage = {n} WHERE name = '{t}'",
    "INSERT INTO sqlite_master VALUES ('view', 'game', 'game', 0, 'CREATE VIEW game AS SELECT 1')",
    "UPDATE sqlite_master SET sql = '' WHERE name = '{t}'",
)
_FAULTS = (sqlite3.Error, OverflowError, UnicodeDecodeError)  # UnicodeDecodeError: a message quotes a damaged name
_NUMBERS = (0, 1, 2, -1, 3, 100, 2**31 - 1, 2**62)


def mutated_base(data: bytes, rng: random.Random) -> bytes:
    """The file with one mutation; unchanged if SQLite rejects the statement."""
    if rng.random() < 0.5:
        return _page(data, rng)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "b.db")
        path.write_bytes(data)
        with suppress(*_FAULTS), closing(sqlite3.connect(path, isolation_level=None)) as base:
            base.set_progress_handler(lambda: 1, 2_000_000)  # a damaged file may cause an endless scan
            base.execute("PRAGMA synchronous = OFF")
            _execute(base, rng)
        with suppress(*_FAULTS), closing(sqlite3.connect(path, isolation_level=None)) as base:
            base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return path.read_bytes()


def _execute(base: sqlite3.Connection, rng: random.Random) -> None:
    tables = [name for (name,) in base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    table = rng.choice(tables or ["none"])
    columns = [row[1] for row in base.execute(f"PRAGMA table_info({table})")]
    keys = rng.choice((1, 2, 3))
    words = {"t": table, "c": rng.choice(columns or ["none"]), "n": rng.choice(_NUMBERS), "r": ""}
    words["r"] = f"length(coalesce({words['c']}, '')) % {keys} = 0"
    if rng.random() < 0.2:
        base.execute("PRAGMA writable_schema = ON")
        base.execute(rng.choice(_SCHEMAS).format(**words))
    else:
        base.execute(rng.choice(_STATEMENTS).format(**words))


def _page(data: bytes, rng: random.Random) -> bytes:
    """The file with a changed header field, page field or cell pointer, a copied page, or a truncated end."""
    raw = bytearray(data)
    size = int.from_bytes(data[16:18], "big") or 4_096
    pages = max(1, len(data) // size)
    at = rng.randrange(pages) * size
    match rng.randrange(5):
        case 0:
            field = rng.choice((16, 18, 19, 20, 21, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 92, 96))
            raw[field : field + 4] = struct.pack(">i", rng.choice(_NUMBERS[:7]))
        case 1:
            field = at + (100 if at == 0 else 0) + rng.randrange(40)
            raw[field : field + 2] = struct.pack(">H", rng.choice((0, 1, 2, 5, 10, 13, size - 1, 65_535)))
        case 2:
            other = rng.randrange(pages) * size
            raw[at : at + size] = data[other : other + size]
        case 3:
            del raw[at + rng.choice((0, size // 2)) :]
        case _:
            for _ in range(rng.choice((1, 4, 40))):
                raw[at + rng.randrange(min(size, len(raw) - at) or 1)] = rng.randrange(256)
    return bytes(raw)
