"""The description of a store: its tables with their games, its columns, and the measures of its rulesets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, to_builtins

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.engine.corpus.code_tables import CodeTable, Tables
from rulespec.engine.corpus.game_codes import COLUMNS, DERIVED, verdict_of
from rulespec.engine.corpus.ruleset_words import NamedMeasure, measures_of
from rulespec.engine.corpus.stores import AGAIN, check_part, parts_of_store
from rulespec.engine.simulate.foreign_parquet import objects, parquet_batches

_READ = ("game", "table", "error", "decisions", "ended", "verdict")
_SKIPPED = (*DERIVED, *(name for name in COLUMNS if name not in _READ and name not in DERIVED))
_ROWS = 2_000


class Games(Struct):
    """Counts for a table: all games, finished games, decisions, and the lengths of finished games."""

    games: int = 0
    over: int = 0
    decisions: int = 0
    lengths: Counter[int] = Counter()


class Description(Struct):
    """A description of a store.

    Attributes:
        parts: the number of game files in the store.
        verdicts: verdict on a log → the number of games.
        tables: the tables, by name, each with the counts of its games.
        measures: ruleset → its measures.
    """

    parts: int
    verdicts: Counter[str]
    tables: dict[str, tuple[CodeTable, Games]]
    measures: Mapping[str, tuple[NamedMeasure, ...]]

    def to_json(self) -> dict[str, Any]:
        """The description as plain data; see describe.schema.json."""
        return {
            "parts": self.parts,
            "games": self.verdicts.total(),
            "verdicts": dict(sorted(self.verdicts.items())),
            "tables": [_table_json(key, *of) for key, of in self.tables.items()],
            "columns": [{"column": name, "title": c.title, "unit": c.unit} for name, c in COLUMNS.items()],
            "measures": {ref: [to_builtins(m) for m in measures] for ref, measures in self.measures.items()},
        }


def _table_json(key: str, table: CodeTable, games: Games) -> dict[str, Any]:
    return {
        "table": key,
        "ruleset": table.ruleset,
        "title": table.title,
        "ruleset_hash": table.ruleset_hash,
        "players": table.players,
        "settings": dict(table.settings),
        "points": table.unit,
        "games": games.games,
        "over": games.over,
        "decisions": games.decisions,
    }


def described(folder: Path) -> Description:
    """The description of a store.

    Raises:
        DiagnosticsError: if the store is damaged.
    """
    parts, tables = parts_of_store(folder), Tables(folder)
    verdicts, by_table = Counter[str](), dict[str, Games]()
    for part in parts:
        for batch in parquet_batches(part, partial(check_part, part), _ROWS, AGAIN, (), _SKIPPED):
            columns = {name: objects(batch.column(name)) for name in _READ if name in batch.schema.names}
            later = columns.get("verdict") or [""] * batch.num_rows
            if None in columns["table"] or None in columns["error"] or None in columns["decisions"]:
                raise failure("RS607", f"a game in {shown(str(part))} lacks a value", None, AGAIN)
            for at, key in enumerate(columns["table"]):
                verdicts[later[at] or verdict_of(key, columns["error"][at])] += 1
                if not key:
                    continue
                games = by_table.setdefault(key, Games(lengths=Counter()))
                games.games += 1
                games.decisions += columns["decisions"][at]
                if columns["ended"][at] is not None:
                    games.over += 1
                    games.lengths[columns["decisions"][at]] += 1
    read = {key: tables.read(key) for key in sorted(by_table)}
    measures = {table.ruleset: table.measures or measures_of(tables.game(table).ruleset) for table in read.values()}
    every = sorted(read.items(), key=lambda each: (each[1].ruleset, each[1].players, each[0]))
    return Description(len(parts), verdicts, {key: (table, by_table[key]) for key, table in every}, measures)
