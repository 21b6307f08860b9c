"""The log of a stored table, read without a server; a damaged log is read up to the damage."""

from __future__ import annotations

import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
from msgspec import Struct

from rulespec.bundles.packed_bundle import Bundle
from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import OWNERS
from rulespec.engine.logs.saved_game import SaveError, open_alone
from rulespec.serve.store_file import FileKind, copy_rows, kind_of, looking, with_its_tables
from rulespec.serve.stored_rows import Rows, StoredGame


class StoredLog(Struct, frozen=True):
    """The log of a stored table.

    Attributes:
        text: the intact lines; the first line contains the rules, unless they are damaged.
        fault: the damage; "" if there is none.
        lines: the number of intact lines.
    """

    text: str
    fault: str
    lines: int


def stored_log(path: Path, game: str) -> StoredLog:
    """The log of a stored table; the store is not modified.

    Raises:
        DiagnosticsError: RS680, RS681 if it is not a store; RS682 if it has no such table, or its first line is
            damaged.
        SaveError: if a server has the store open, or the store is unreadable.
    """
    if not path.is_file():
        raise SaveError(f"there is no file {path}")
    lock = open_alone(path, "served", OWNERS)
    try:
        kind = kind_of(path)
        with (
            with_its_tables(path) if kind is FileKind.DAMAGED else looking(path, log=True) as base,
            closing(sqlite3.connect(":memory:", isolation_level=None)) as copy,
        ):
            copy_rows(base, kind, copy)
            rows = Rows(copy)
            tables = {entry.id: entry for entry in rows.games()}
            bundles = rows.bundles()
    except (sqlite3.Error, OSError, UnicodeDecodeError) as error:
        raise SaveError(f"{path} cannot be read: {getattr(error, 'strerror', None) or error}") from None
    finally:
        os.close(lock)
    if game not in tables:
        message = f"{path} has no table {shown(game)}; it has {', '.join(tables) or 'none'}"
        raise failure("RS682", message, None, "name one of these tables")
    return _log(tables[game], bundles.get(tables[game].rules, ""))


def _log(entry: StoredGame, bundle: str) -> StoredLog:
    fault = entry.fault or ("" if bundle else "its rules are damaged, and are not in the log")
    try:
        header = json.loads(entry.header)
        header |= {"bundle": msgspec.json.decode(bundle, type=Bundle).to_json()} if bundle else {}
        first = to_json_text(header, plain=True)
    except (ValueError, TypeError, RecursionError, msgspec.MsgspecError):
        message = f"the first line of the log of table {entry.id} is damaged"
        raise failure("RS682", message, None, "restore a backup of the store") from None
    return StoredLog("".join(f"{line}\n" for line in (first, *entry.lines)), fault, 1 + len(entry.lines))
