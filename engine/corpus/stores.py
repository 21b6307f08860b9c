"""Stores of games as codes, with native queries: replays, measures, positions and judgement under other rules."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.documents.foreign_files import foreign
from rulespec.engine.corpus.code_tables import SOUGHT, CodeTable, Tables, table_game
from rulespec.engine.corpus.game_codes import (
    DERIVED,
    GAMES,
    NO_CODES,
    CodedGame,
    CodeSheet,
    codes_of,
    is_of_codes,
    verdict_of,
)
from rulespec.engine.corpus.log_rows import Reading, Under, readings
from rulespec.engine.corpus.replays import WorkerRules
from rulespec.engine.corpus.under import judged_under
from rulespec.engine.logs.native import MAX_LINES
from rulespec.engine.search.measuring import RowMeasures, value_of, with_measures
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.foreign_parquet import objects, parquet_batches
from rulespec.engine.simulate.parquet import PART, PART_ROWS
from rulespec.engine.simulate.workers import on_workers

BATCH = 500
"""The number of games replayed at a time."""
_LISTS = ("options", "seats", "arguments")
_COLUMNS = (*(name for name in CodedGame.__struct_fields__ if name != "codes"), *_LISTS)


class StoreQuestion(Struct, frozen=True):
    """A query to a store.

    Attributes:
        kind: `replay`, `measures` or `find`.
        sought: the expression for `find`.
        under: the other rules under which `replay` judges the games.
    """

    kind: str
    sought: str = ""
    under: WorkerRules | None = None


class StoreAnswer(Struct, frozen=True):
    """The answer to a query for one game.

    Attributes:
        game: the game, without its codes.
        decisions: the number of legal decisions.
        sound: whether all decisions are legal and lead to the recorded end.
        ruleset: the reference to the game's rules.
        measures: the measures of the last position.
        at: for each occurrence of a sought position, the number of decisions before it.
        under: the game under the other rules.
    """

    game: CodedGame
    decisions: int
    sound: bool
    ruleset: str = ""
    measures: tuple[Reading, ...] = ()
    at: tuple[int, ...] = ()
    under: Under | None = None


def parts_of_store(folder: Path) -> list[Path]:
    """The parts of a store, in the order of their games.

    Raises:
        DiagnosticsError: RS601 if it has no parts.
    """
    try:
        parts = sorted(p for p in (folder / GAMES).iterdir() if PART.fullmatch(p.name))
    except OSError:
        parts = []
    if not parts:
        help_ = "create one with `rulespec corpus import LOGS --out DIR`"
        raise failure("RS601", f"{shown(str(folder))} is not a store of coded games", None, help_)
    return parts


def answers(folder: Path, question: StoreQuestion, jobs: int = 1, cluster: str = "") -> Generator[list[StoreAnswer]]:
    """The answers for the games of a store, one list per part; see `on_workers` for the arguments.

    Raises:
        DiagnosticsError: if the store is damaged, or the expression has errors.
        ClusterError: if workers cannot be started or reached, or end too early.
    """
    parts = parts_of_store(folder)
    if jobs == 1 and not cluster:
        return (answer(str(folder), str(part), question) for part in parts)
    return on_workers(answer, ((str(folder), str(part), question) for part in parts), jobs, cluster, 4)


def answer(folder: str, part: str, question: StoreQuestion) -> list[StoreAnswer]:
    """The answers for the games of a part."""
    asked = _asked(folder, question)
    return [each for batch in batches(Path(part)) for each in asked.of(batch)]


@lru_cache(2)
def _asked(folder: str, question: StoreQuestion) -> _Asked:
    return _Asked(Path(folder), question)


class _Asked:
    """A query to a store, with the compiled programs of its tables."""

    def __init__(self, folder: Path, question: StoreQuestion) -> None:
        self._tables = Tables(folder)
        self._question = question
        self._searches: dict[str, Search] = {}

    def of(self, games: Sequence[CodedGame]) -> list[StoreAnswer]:
        """The answers for some games, in order."""
        results: dict[int, StoreAnswer] = {}
        for key in dict.fromkeys(game.table for game in games):
            mine = [game for game in games if game.table == key]
            every = self._unread(mine) if not key else self._of_table(self._tables.read(key), mine)
            results |= {each.game.game: each for each in every}
        return [results[game.game] for game in games]

    def _unread(self, games: Sequence[CodedGame]) -> list[StoreAnswer]:
        return [StoreAnswer(_without_codes(game), 0, False) for game in games]

    def _search(self, table: CodeTable) -> Search:
        if table.key not in self._searches:
            sought, kind = self._question.sought, self._question.kind
            game = self._tables.seeking(table, sought) if sought else self._tables.game(table)
            if kind != "replay":
                game = table_game(with_measures(game.ruleset), table.players, table.settings)
            self._searches[table.key] = open_search(game, value=value_of(SOUGHT) if sought else "")
        return self._searches[table.key]

    def _of_table(self, table: CodeTable, games: Sequence[CodedGame]) -> list[StoreAnswer]:
        search, question = self._search(table), self._question
        check_widths(games, table.width)
        codes = [game.codes if len(game.codes) else np.empty((0, table.width), np.int64) for game in games]
        replayed = search.replay(codes, worth=question.kind == "find")
        hashes = search.hashes(replayed.rows)
        ends = np.cumsum(replayed.decisions)
        measures = (
            [
                readings(each, at, {})
                for each, at in zip(RowMeasures(search).of(replayed.rows), replayed.decisions.tolist(), strict=True)
            ]
            if question.kind == "measures"
            else [()] * len(games)
        )
        results = []
        for at, game in enumerate(games):
            legal = int(replayed.decisions[at])
            sound = legal == game.decisions == len(game.codes) and f"{hashes[at]:016x}" == game.end_hash
            result = StoreAnswer(_without_codes(game), legal, sound, table.ruleset, measures[at])
            if question.kind == "find":
                worth = replayed.worth[ends[at] - legal : ends[at]]
                result = replace(result, at=tuple((np.flatnonzero(worth) + 1).tolist()))
            results.append(result)
        if question.under is not None:
            others = judged_under(self._tables.game(table), table, question.under.load(), games)
            results = [replace(each, under=under) for each, under in zip(results, others, strict=True)]
        return results


AGAIN = "the store is damaged: import the games again"


def _without_codes(game: CodedGame) -> CodedGame:
    return replace(game, codes=NO_CODES)


# --- reading ------------------------------------------------------------------------------------------------------


def batches(path: Path, chosen: NDArray[np.bool_] | None = None) -> Iterator[list[CodedGame]]:
    """The games of a part, in batches; `chosen` has a flag for each row that says whether to read it.

    Raises:
        DiagnosticsError: RS601, RS602, RS605 or RS607 if the file is damaged, or not part of a store.
    """
    begun = 0
    for batch in parquet_batches(path, partial(check_part, path), BATCH, AGAIN, _LISTS, DERIVED):
        own = range(batch.num_rows) if chosen is None else np.flatnonzero(chosen[begun : begun + batch.num_rows])
        begun += batch.num_rows
        with foreign(str(path), AGAIN):
            games = list(_games(batch, own))
        yield games


def check_widths(games: Sequence[CodedGame], width: int) -> None:
    """Checks that the codes of games have the width of their table.

    Raises:
        DiagnosticsError: RS607 if a code has a different width.
    """
    if not {game.codes.shape[1] for game in games if len(game.codes)} <= {width}:
        raise failure("RS607", f"games of the table {games[0].table} have codes of the wrong width", None, AGAIN)


def check_part(path: Path, columns: Any, meta: Any) -> None:
    """Rejects a part that has wrong columns or too many games."""
    header = (columns.metadata or {}).get(CodeSheet.key.encode(), b"{}")
    try:
        version = json.loads(header).get(CodeSheet.key)
    except (ValueError, RecursionError, AttributeError):
        version = None
    if not is_of_codes(columns) or version is None:
        raise failure("RS607", f"{shown(str(path))} contains no coded games", None, AGAIN)
    if version != 1:
        raise failure("RS605", f"{shown(str(path))} has an unsupported format version", None, "update rulespec")
    if meta.num_rows > PART_ROWS:
        raise failure("RS602", f"{shown(str(path))} contains more than {PART_ROWS:,} games", None, AGAIN)


def _games(batch: Any, rows: Iterable[int]) -> Iterator[CodedGame]:
    columns = {name: batch.column(name) for name in _COLUMNS if name in batch.schema.names}
    lists = {name: columns.pop(name) for name in _LISTS}
    flat = {name: (np.asarray(of.offsets), of.values.to_numpy(zero_copy_only=False)) for name, of in lists.items()}
    plain = {name: objects(of) for name, of in columns.items()}
    for at in rows:
        own = {name: values[offsets[at] : offsets[at + 1]] for name, (offsets, values) in flat.items()}
        if len(own["options"]) > MAX_LINES:
            raise failure("RS602", f"a game of the store has more than {MAX_LINES:,} decisions", None, AGAIN)
        try:
            codes = codes_of(own["options"], own["seats"], own["arguments"])
        except (ValueError, TypeError):
            raise ValueError(f"the codes of game {plain['game'][at]} have different lengths") from None
        game = {name: values[at] for name, values in plain.items()}
        game |= {"winners": tuple(game["winners"] or ()), "scores": dict(game["scores"] or ())}
        game["verdict"] = game.get("verdict") or verdict_of(game["table"], game["error"])
        game["other_result"] = game.get("other_result") or ""
        if not _is_whole(game):
            raise ValueError(f"game {plain['game'][at]} lacks a value")
        yield CodedGame(codes=codes, **game)


def _is_whole(game: dict[str, Any]) -> bool:
    """Whether a row has all its values, as columns of a foreign file may have gaps."""
    texts = [
        *(game[name] for name in ("log", "sha256", "table", "error", "end_hash", "verdict", "other_result")),
        *game["winners"],
    ]
    numbers = [game["game"], game["decisions"], *game["scores"].values()]
    whole = all(isinstance(text, str) for text in texts) and all(isinstance(number, int) for number in numbers)
    return whole and isinstance(game["ended"], str | None)
