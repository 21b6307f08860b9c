"""Games as codes: one row per game, with decisions as integers of the narrowest width, which tables map to names."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rulespec.bundles.packed_bundle import Bundle
from rulespec.bundles.rules import bundle_of
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.corpus.code_tables import CodeTable, Tables, table_game
from rulespec.engine.corpus.log_rows import DESCRIPTION, RowColumn
from rulespec.engine.corpus.logs import Log
from rulespec.engine.corpus.replays import ReplayPlan, WorkerRules, row_and_result
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import MEMO_SIZE, MachineMemo
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.replay.judge import JudgedOutcome
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.recorded_rows import Coder, Codes
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.result_rows import VERSION, ResultSheet
from rulespec.typed import nodes as typed

DERIVED = ("ruleset", "players", "decision", "positions")
"""The columns derived from others, for use by other programs and for quick searches."""

COLUMNS = {
    "game": RowColumn("number of the game"),
    "log": RowColumn("log of the game"),
    "sha256": RowColumn("hash of the bytes of the log"),
    "table": RowColumn("name of its table: rules, players, settings"),
    "error": RowColumn("why it cannot be read, or where it diverges"),
    "decisions": RowColumn("length of the game", "decisions"),
    "ended": RowColumn("ending; empty if the game goes on"),
    "winners": RowColumn("seats that won"),
    "scores": RowColumn("points by seat", "points"),
    "end_hash": RowColumn("hash of the last position"),
    "options": RowColumn("option of each decision, a number of the table"),
    "seats": RowColumn("seat that took each decision; -1: chance"),
    "arguments": RowColumn("arguments of each decision, numbers of the table"),
    "verdict": RowColumn("legal, diverges, other_end or unreadable"),
    "ruleset": RowColumn("rules of the game"),
    "players": RowColumn("number of players", "players"),
    "decision": RowColumn("each decision with its option, as decision.option"),
    "positions": RowColumn("last 32 bits of the hash of the position after each decision"),
    "other_result": RowColumn("recorded result, if the replay has none or a different one"),
}
"""The columns of a store."""

VERDICTS = ("legal", "diverges", "other_end", "unreadable")

GAMES = "games"
"""The folder of the rows in a store."""
MOST = 2_000
"""The maximum number of games in a part."""
ROUND = 64
"""The number of games played at a time."""
WIDTHS = ("int16", "int32", "int64")
_LISTS = ("options", "seats", "arguments")
NO_POSITIONS = np.empty(0, np.uint32)


class CodedGame(Struct, frozen=True):
    """A game as codes.

    Attributes:
        game: the number of the game.
        log: the name of its log.
        sha256: the hash of the log's bytes; empty for a simulated game.
        table: the name of its table; empty if the log is unreadable.
        error: the reason why the log is unreadable or diverges; the decisions before a divergence are included.
        decisions: the number of decisions.
        ended: the ending; None if the game is unfinished.
        winners: the seats that won.
        scores: the points by seat.
        end_hash: the hash of the last position.
        codes: the decisions, one row each.
        verdict: `legal`, `diverges`, `other_end` (the log records a different end) or `unreadable`.
        positions: the low 32 bits of the position hash after each decision; empty if they were not read.
        other_result: the recorded result in words; "" if the log records none, or the same result as the replay.
    """

    game: int
    log: str
    sha256: str
    table: str
    error: str
    decisions: int
    ended: str | None
    winners: tuple[str, ...]
    scores: Mapping[str, int]
    end_hash: str
    codes: Codes
    verdict: str = "legal"
    positions: NDArray[np.uint32] = NO_POSITIONS
    other_result: str = ""

    def to_json(self) -> dict[str, Any]:
        """The game as plain data, with the columns of the codes as arrays."""
        return {
            **{name: getattr(self, name) for name in _PLAIN},
            "options": self.codes[:, 0],
            "seats": self.codes[:, 1].astype(np.int8),
            "arguments": self.codes[:, 2:].reshape(-1),
            "positions": self.positions,
        }

    def same(self, other: CodedGame) -> bool:
        """Whether another game has the same plain columns and codes."""
        alike = all(getattr(self, name) == getattr(other, name) for name in _PLAIN)
        return alike and np.array_equal(self.codes, other.codes)


_PLAIN = tuple(name for name in CodedGame.__struct_fields__ if name not in ("codes", "positions"))


class CodeSheet(ResultSheet[CodedGame]):
    """The format of games as codes. Arguments are int16, unless a part of the store contains larger ones.

    Args:
        header: the inputs that determine the games.
        tables: the tables of the store, which map the numbers in codes to names.
    """

    key = "rulespec_codes"
    maps = ("scores",)
    derived = DERIVED
    compression = "zstd"
    most = MOST

    def __init__(self, header: Mapping[str, Any], tables: Tables | None = None) -> None:
        self._header = {self.key: VERSION, **header}
        self._tables = tables

    def header(self) -> dict[str, Any]:
        """See `ResultSheet`."""
        return self._header

    def _table(self, key: str) -> CodeTable | None:
        return self._tables.read(key) if self._tables is not None and key else None

    def row(self, result: CodedGame) -> dict[str, Any]:
        """See `ResultSheet`."""
        table = self._table(result.table)
        if table is None:
            return {**result.to_json(), "ruleset": "", "players": 0, "decision": []}
        names = np.array(table.decisions, object)[result.codes[:, 0]]
        return {**result.to_json(), "ruleset": table.ruleset, "players": table.players, "decision": names}

    def described(self, rows: Sequence[dict[str, Any]]) -> dict[str, str]:
        """See `ResultSheet`."""
        tables = [self._table(key) for key in dict.fromkeys(row["table"] for row in rows)]
        rulesets = {table.ruleset: ruleset_json(table) for table in tables if table is not None}
        return {DESCRIPTION: json.dumps(rulesets)}

    def read(self, data: object, number: int) -> CodedGame:
        """See `ResultSheet`."""
        if not isinstance(data, dict) or data["game"] != number:
            raise ValueError(f"expected game {number:,}")
        options, seats, arguments = (np.array(data[name] or (), np.int64) for name in _LISTS)
        data = data | {"verdict": data.get("verdict") or verdict_of(data["table"], data["error"])}
        data["other_result"] = data.get("other_result") or ""
        if data["verdict"] not in VERDICTS:
            raise ValueError("unknown verdict")
        plain = {name: data[name] for name in _PLAIN} | {"winners": tuple(data["winners"] or ())}
        return CodedGame(codes=codes_of(options, seats, arguments), **plain)

    def schema(self) -> Any:
        """See `ResultSheet`."""
        return _schema(WIDTHS[0])

    def columns(self, rows: Sequence[dict[str, Any]]) -> Any:
        """See `ResultSheet`."""
        every = [row[name] for row in rows for name in ("options", "arguments") if len(row[name])]
        least, largest = (min((a.min() for a in every), default=0), max((a.max() for a in every), default=0))
        fits = (w for w in WIDTHS if np.iinfo(w).min <= least and largest <= np.iinfo(w).max)
        return _schema(next(fits))

    def of_kind(self, columns: Any) -> bool:
        """See `ResultSheet`."""
        return is_of_codes(columns)


def is_of_codes(columns: Any) -> bool:
    """Whether a `pyarrow.Schema` describes games as codes; True for older stores too, which lack the later columns."""
    return any(columns.equals(_schema(width, version)) for width in WIDTHS for version in range(len(_LATER) + 1))


def verdict_of(table: str, error: str) -> str:
    """The verdict on a log in a store without a verdict column."""
    return "unreadable" if not table else "diverges" if error else "legal"


def ruleset_json(table: CodeTable) -> dict[str, Any]:
    """The title of a table's ruleset, the unit of its scores, and its measures, as plain data."""
    measures = [msgspec.to_builtins(measure) for measure in table.measures]
    return {"title": table.title, "unit": table.unit, "measures": measures}


def codes_of(options: NDArray[np.int64], seats: NDArray[np.int64], arguments: NDArray[np.int64]) -> Codes:
    """Codes, assembled from their columns.

    Raises:
        ValueError: if the columns have different lengths.
    """
    size = len(options)
    if len(seats) != size or (len(arguments) % size if size else len(arguments)):
        raise ValueError("options, seats and arguments have different lengths")
    rest = arguments.reshape(size, -1) if size else arguments.reshape(0, 0)
    return np.concatenate([options[:, None], seats[:, None], rest], axis=1, dtype=np.int64)


_LATER = (("verdict", "ruleset", "players", "decision"), ("positions",), ("other_result",))
"""The columns added by later versions, in order."""


@cache
def _schema(width: str, later: int = len(_LATER)) -> Any:
    """The columns, with titles and units; older stores have fewer of the `later` ones."""
    try:
        import pyarrow as pa
    except ImportError:
        raise SaveError("codes need pyarrow: pip install 'rulespec[parquet]'") from None
    text, number, narrow = pa.string(), pa.int64(), pa.list_(getattr(pa, width)())
    types = {
        "game": number,
        **dict.fromkeys(("log", "sha256", "table", "error"), text),
        "decisions": number,
        "ended": text,
        "winners": pa.list_(text),
        "scores": pa.map_(text, number),
        "end_hash": text,
        "options": narrow,
        "seats": pa.list_(pa.int8()),
        "arguments": narrow,
        "verdict": text,
        "ruleset": text,
        "players": pa.int32(),
        "decision": pa.list_(text),
        "positions": pa.list_(pa.uint32()),
        "other_result": text,
    }
    lacking = [name for names in _LATER[later:] for name in names]
    fields = [pa.field(name, type_, metadata=COLUMNS[name].metadata) for name, type_ in types.items()]
    return pa.schema([field for field in fields if field.name not in lacking])


# --- from logs ----------------------------------------------------------------------------------------------------


class ImportedGame(Struct, frozen=True):
    """A game as codes, with its table and rules, as returned by a worker."""

    game: CodedGame
    table: CodeTable | None = None
    rules: Bundle | None = None


NO_CODES = np.empty((0, 2), np.int64)


def imported(plan: ReplayPlan, log: Log, own: WorkerRules | None = None) -> ImportedGame:
    """The decisions of a log as codes, up to the first illegal one; undone decisions are left out.

    Raises:
        ClusterError: if this worker has a different version of the program, or different rules.
    """
    row, result = row_and_result(plan, log, own)
    wrong = row.error
    if result is not None:
        game = result.game
        try:
            table, coder = _tables(game.ruleset, len(game.seats), game.settings)
            codes = coder.codes(game.history, game.seats)
            bundle = _bundle(game.ruleset)
        except (DiagnosticsError, ValueError) as error:
            wrong = f"cannot be written as codes: {error}"
        else:
            where = f"diverges at {row.cause.place}: {row.cause.reason}" if row.cause is not None else ""
            end = (row.decisions, row.ended, row.winners, row.scores, row.end_hash)
            at = positions_of(game)
            other = str(row.other_result) if row.other_result is not None else ""
            coded = CodedGame(log.game, log.name, row.sha256, table.key, where, *end, codes, row.verdict, at, other)
            return ImportedGame(coded, table, bundle)
    return ImportedGame(
        CodedGame(log.game, log.name, row.sha256, "", wrong, 0, None, (), {}, "", NO_CODES, "unreadable")
    )


def positions_of(game: Game) -> NDArray[np.uint32]:
    """The low bits of the position hashes after the decisions of a game; see `CodedGame`."""
    back, results = game.copy(), []
    for _ in range(game.ply):
        results.append(int(back.hash, 16))
        back.undo()
    return short(np.array(results[::-1], np.uint64))


def short(hashes: NDArray[np.uint64]) -> NDArray[np.uint32]:
    """The low 32 bits of hashes."""
    return hashes.astype(np.uint32)


_tables = MachineMemo(lambda ruleset, players, settings: _new_table(table_game(ruleset, players, settings)))
_bundles: dict[str, Bundle] = {}


def _bundle(ruleset: typed.Ruleset) -> Bundle:
    if ruleset.sources_hash not in _bundles:
        if len(_bundles) >= MEMO_SIZE:
            _bundles.clear()
        _bundles[ruleset.sources_hash] = bundle_of(ruleset)
    return _bundles[ruleset.sources_hash]


def _new_table(game: Game) -> tuple[CodeTable, Coder]:
    return CodeTable.of(game), Coder(game)


# --- from simulated games -----------------------------------------------------------------------------------------


def simulated(plan: GamePlan, ruleset: typed.Ruleset, numbers: range) -> Iterator[CodedGame]:
    """The random games of a plan as codes."""
    searches: dict[int, tuple[Search, str]] = {}
    for first in range(numbers.start, numbers.stop, ROUND):
        part = range(first, min(first + ROUND, numbers.stop))
        games: dict[int, CodedGame] = {}
        for players in sorted({len(plan.seats(number)) for number in part}):
            if players not in searches:
                table = table_game(ruleset, players, plan.settings)
                searches[players] = open_search(table), CodeTable.of(table).key
            mine = [number for number in part if len(plan.seats(number)) == players]
            games |= {game.game: game for game in _played(plan, *searches[players], mine)}
        yield from (games[number] for number in part)


def _played(plan: GamePlan, search: Search, table: str, numbers: Sequence[int]) -> Iterator[CodedGame]:
    codes = {n: search.coded(plan.seed, n, 1, plan.cap)[0] for n in numbers} if len(plan.players) > 1 else {}
    if not codes:
        codes = dict(zip(numbers, search.coded(plan.seed, numbers[0], len(numbers), plan.cap), strict=True))
    replayed = search.replay(list(codes.values()), hashes=True)
    hashes = search.hashes(replayed.rows)
    positions = np.split(short(replayed.hashes), np.cumsum(replayed.decisions)[:-1])
    for at, (number, own) in enumerate(codes.items()):
        outcome = outcome_at(search, replayed.rows[at])
        name = f"seed{plan.seed}-game{number}"
        yield CodedGame(
            number,
            name,
            "",
            table,
            "",
            len(own),
            outcome.ended,
            outcome.winners,
            outcome.scores,
            f"{hashes[at]:016x}",
            own,
            positions=positions[at],
        )


def outcome_at(search: Search, row: NDArray[np.int64]) -> JudgedOutcome:
    """The outcome of the game at a position."""
    return JudgedOutcome.of(search.game(row))


def tables_of(plan: GamePlan, ruleset: typed.Ruleset) -> Iterable[CodeTable]:
    """The code tables for the games of a plan, one per player count."""
    return [CodeTable.of(table_game(ruleset, players, plan.settings)) for players in dict.fromkeys(plan.players)]


def store_folder(path: Path) -> Path:
    """The folder for the rows of a store. Creates the folder of the store itself if necessary."""
    path.mkdir(parents=True, exist_ok=True)
    return path / GAMES
