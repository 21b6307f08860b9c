"""Statistics of the options at a position: how often each was taken in the finished games of a store, and the results.

Games with the same rules, seats and settings count, whatever path they take to the position, which is found by its
hash.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.engine.corpus.code_tables import FOLDER, CodeTable, Tables, table_game
from rulespec.engine.corpus.game_codes import CodedGame, short
from rulespec.engine.corpus.game_visits import ALL, visits
from rulespec.engine.corpus.stores import batches, check_widths, parts_of_store
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.recorded_rows import Coder
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.confidence import ConfidenceInterval, share
from rulespec.engine.simulate.workers import on_workers

MAX_POSITIONS = 20_000
"""The maximum number of positions to look up at once."""
MAX_TAKEN = 200_000
"""The maximum number of distinct decisions to count, over all positions."""
_TABLES = 1_000
"""The maximum number of tables to scan for tables of the same ruleset."""
Code = tuple[int, ...]


class Tally(Struct):
    """The results of the games in which a decision was taken at a position.

    Attributes:
        times: the number of times that the decision was taken; a game may reach a position more than once.
        games: the number of games.
        won: the number of these games that the deciding seat won.
        points: the deciding seat's total points.
        scored: the number of these games that have a score for the deciding seat.
        winners: seat → the number of these games that it won.
    """

    times: int = 0
    games: int = 0
    won: int = 0
    points: int = 0
    scored: int = 0
    winners: Counter[str] = field(default_factory=Counter)

    def add(self, other: Tally) -> None:
        """Adds another tally of the same decision."""
        self.times += other.times
        self.games += other.games
        self.won += other.won
        self.points += other.points
        self.scored += other.scored
        self.winners.update(other.winners)


class MoveCounts(Struct):
    """Counts of games, and of the decisions taken in them, over a store or a part of it.

    Attributes:
        over: the number of finished games of the table; these are counted.
        open: the number of games that are unfinished or fail to reach their recorded end; these are not counted.
        taken: hash of a position → code of a decision → the results of the decision.
    """

    over: int = 0
    open: int = 0
    taken: dict[int, dict[Code, Tally]] = {}

    def add(self, other: MoveCounts) -> None:
        """Adds the counts of another part."""
        self.over += other.over
        self.open += other.open
        for position, codes in other.taken.items():
            mine = self.taken.setdefault(position, {})
            for code, tally in codes.items():
                mine.setdefault(code, Tally()).add(tally)


def counted(folder: Path, game: Game, positions: Sequence[int], jobs: int = 1, cluster: str = "") -> MoveCounts:
    """The decisions taken at given positions, counted over all games of a store at the same table.

    Args:
        folder: the store.
        game: a game at this table, at any position.
        positions: the hashes of the positions.
        jobs: see `on_workers`.
        cluster: see `on_workers`.

    Raises:
        DiagnosticsError: RS580 if the store has no game at this table; also if the store is damaged.
        ClusterError: if workers cannot be started or reached, or end too early.
    """
    key = _table_of(folder, game)
    wanted = tuple(sorted(set(positions)))[:MAX_POSITIONS]
    result = MoveCounts(taken={})
    parts = parts_of_store(folder)
    tasks = ((str(folder), str(part), key, wanted) for part in parts)
    for each in (
        (count_part(*task) for task in tasks)
        if jobs == 1 and not cluster
        else on_workers(count_part, tasks, jobs, cluster, 4)
    ):
        result.add(each)
    return result


def _table_of(folder: Path, game: Game) -> str:
    """The name of the table of a game in a store."""
    parts_of_store(folder)
    own = CodeTable.of(table_game(game.ruleset, len(game.seats), game.settings))
    if (folder / FOLDER / f"{own.key}.json").is_file():
        return own.key
    tables, others = Tables(folder), []
    for path in sorted((folder / FOLDER).glob("*.json"))[:_TABLES]:
        table = tables.read(path.stem)
        if table.ruleset.partition("+")[0] == own.ruleset.partition("+")[0]:
            others.append(table)
    message = f"{shown(str(folder))} has no game of `{own.ruleset}` with {own.players} players and these settings"
    help_ = "; ".join(dict.fromkeys(_words(table, own) for table in others[:8]))
    raise failure(
        "RS580", message, None, f"choose a game of this store: {help_}" if help_ else "import games of these rules"
    )


def _words(table: CodeTable, own: CodeTable) -> str:
    """The differences of a table in a store from another table, in words."""
    settings = [f"{name}={value}" for name, value in table.settings.items() if own.settings.get(name) != value]
    rules = " under different rules" if table.ruleset == own.ruleset and table.ruleset_hash != own.ruleset_hash else ""
    return f"`{table.ruleset}`{rules} with {', '.join([f'{table.players} players', *settings])}"


# --- parts --------------------------------------------------------------------------------------------------------


@lru_cache(2)
def _opened(folder: str, key: str) -> Search:
    tables = Tables(Path(folder))
    return open_search(tables.game(tables.read(key)))


def count_part(folder: str, part: str, key: str, positions: tuple[int, ...]) -> MoveCounts:
    """The counts of a part of a store, computed in a worker."""
    search, path, wanted = _opened(folder, key), Path(part), np.array(positions, np.uint64)
    table = table_game(search.table.ruleset, len(search.table.seats), search.table.settings)
    start = int(search.hashes(search.rows([table]))[0])
    coming = visits(path, key, wanted, start in positions)
    result = MoveCounts(over=coming.over, open=coming.open, taken={})
    if len(coming.rows):
        chosen = np.zeros(coming.rows[-1] + 1, np.bool_)
        chosen[coming.rows] = True
        lengths = iter(coming.lengths)
        for games in batches(path, chosen):
            _count(search, games, [next(lengths) for _ in games], wanted, start, result)
    return result


def _count(
    search: Search,
    games: Sequence[CodedGame],
    lengths: Sequence[int],
    wanted: NDArray[np.uint64],
    start: int,
    result: MoveCounts,
) -> None:
    """Counts the decisions of games replayed up to the last wanted position; games that do not replay count as open.

    Args:
        search: the search of the table.
        games: finished games.
        lengths: the number of decisions of each game to replay, or `ALL`.
        wanted: the hashes of the positions.
        start: the hash of the initial position.
        result: the counts to increase.
    """
    check_widths(games, search.coder.width)
    codes = [game.codes if n == ALL else game.codes[:n] for game, n in zip(games, lengths, strict=True)]
    replayed = search.replay(codes, hashes=True)
    ends = np.cumsum(replayed.decisions)
    among, noted = np.isin(replayed.hashes, wanted), np.isin(short(replayed.hashes), short(wanted))
    for at, (game, length) in enumerate(zip(games, lengths, strict=True)):
        last, legal = int(ends[at]), int(replayed.decisions[at])
        sound = legal == len(codes[at]) and len(game.codes) == game.decisions
        if sound and length:
            sound = f"{replayed.hashes[last - 1]:016x}" == game.end_hash if length == ALL else bool(noted[last - 1])
        if not sound:
            result.over -= 1
            result.open += 1
            continue
        own = np.flatnonzero(among[last - legal : last])
        places = [(int(replayed.hashes[last - legal + place]), place + 1) for place in own.tolist()]
        _count_game(search, game, [(start, 0), *places] if start in wanted else places, result)


def _count_game(search: Search, game: CodedGame, places: Sequence[tuple[int, int]], result: MoveCounts) -> None:
    """Counts the decisions of a game at the wanted positions that it reached."""
    seen: set[tuple[int, Code]] = set()
    for position, number in places:
        if number >= len(game.codes):
            continue
        code: Code = tuple(game.codes[number].tolist())
        codes = result.taken.setdefault(position, {})
        if code not in codes and sum(map(len, result.taken.values())) >= MAX_TAKEN:
            raise failure("RS602", f"more than {MAX_TAKEN:,} different decisions were taken at these positions", None)
        tally = codes.setdefault(code, Tally())
        tally.times += 1
        if (position, code) in seen:
            continue
        seen.add((position, code))
        tally.games += 1
        tally.winners.update(game.winners)
        seats = search.table.seats
        seat = seats[code[1]] if 0 <= code[1] < len(seats) else ""
        tally.won += seat in game.winners
        if seat in game.scores:
            tally.points += game.scores[seat]
            tally.scored += 1


# --- a position -----------------------------------------------------------------------------------------------------


class PositionMove(Struct, frozen=True):
    """A legal option at a position, with its results in the games of a store.

    Attributes:
        decision: the name of the decision.
        by: the seat; None if chance decides.
        option: the option.
        tally: the results of the option; empty if nobody took it.
    """

    decision: str
    by: str | None
    option: str
    tally: Tally

    @property
    def won(self) -> ConfidenceInterval | None:
        """The share of the tallied games that the deciding seat won, with bounds; None if chance decides, or if there
        are no games.
        """
        return share(self.tally.won, self.tally.games) if self.by is not None and self.tally.games else None

    @property
    def points(self) -> float | None:
        """The deciding seat's mean points in the tallied games; None if it has no points in any of them."""
        return self.tally.points / self.tally.scored if self.tally.scored else None

    def to_json(self) -> dict[str, Any]:
        """The option as plain data; see moves.schema.json."""
        tally, won = self.tally, self.won
        return {
            "decision": self.decision,
            "by": self.by,
            "option": self.option,
            "times": tally.times,
            "games": tally.games,
            "won": None if won is None else tally.won,
            "low": None if won is None else won.low,
            "high": None if won is None else won.high,
            "points": self.points,
            "winners": dict(sorted(tally.winners.items())),
        }


def moves_at(game: Game, counts: MoveCounts) -> list[PositionMove]:
    """The legal options at a game's position, most frequently taken first."""
    taken = counts.taken.get(int(game.hash, 16), {})
    return sorted(_moves(game, taken), key=lambda move: -move.tally.times)


def _moves(game: Game, taken: Mapping[Code, Tally]) -> Iterator[PositionMove]:
    coder = Coder(game)
    for option in every_option(game):
        code = tuple(coder.code(game, option))
        tally = taken.get(code) or Tally()
        yield PositionMove(option.decision, option.by, str(option), tally)
