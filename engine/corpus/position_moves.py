"""Options at a position, over all finished games of a store: the uses of each, and the results of those games.

Games may reach a position by any path: it is found by its hash, in games of the same rules, seats and settings.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct, field

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.engine.corpus.code_tables import FOLDER, CodeTable, Tables, table_game
from rulespec.engine.corpus.game_codes import CodedGame
from rulespec.engine.corpus.stores import batches, parts_of_store
from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.search.open_search import open_search
from rulespec.engine.search.recorded_rows import Coder
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.confidence import ConfidenceInterval, share
from rulespec.engine.simulate.workers import on_workers

MAX_POSITIONS = 20_000
"""The most positions to look up at once."""
MAX_TAKEN = 200_000
"""Different decisions that are counted, at all positions together."""
_TABLES = 1_000
"""The most tables of a store to scan for those of the same ruleset."""
Code = tuple[int, ...]


class Tally(Struct):
    """Results of a decision at a position.

    Attributes:
        times: the number of times it was taken; a game may reach a position more than once.
        games: the number of games.
        won: the number of them won by the seat that took it.
        points: the sum of that seat's points in them.
        scored: the number of them with points for it.
        winners: seat → the number of them that it won.
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
    """The counts of a part of a store, or of all of it.

    Attributes:
        over: the number of games of the table that are over, and were counted.
        open: the number of unfinished games, and of those that do not reach their recorded end; not counted.
        taken: hash of a position → code of a decision → its results.
    """

    over: int = 0
    open: int = 0
    taken: dict[int, dict[Code, Tally]] = {}

    def add(self, other: MoveCounts) -> None:
        """Adds those of another part."""
        self.over += other.over
        self.open += other.open
        for position, codes in other.taken.items():
            mine = self.taken.setdefault(position, {})
            for code, tally in codes.items():
                mine.setdefault(code, Tally()).add(tally)


def counted(folder: Path, game: Game, positions: Sequence[int], jobs: int = 1, cluster: str = "") -> MoveCounts:
    """The decisions at some positions, over all games of a store at the same table.

    Args:
        folder: the store.
        game: a game of the rules, seats and settings; its position makes no difference.
        positions: the hashes of the positions.
        jobs: as in `on_workers`.
        cluster: as in `on_workers`.

    Raises:
        DiagnosticsError: RS580 if the store has no game of this table; those of a damaged store.
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
    raise failure("RS580", message, None, f"it has {help_}" if help_ else "import games of these rules")


def _words(table: CodeTable, own: CodeTable) -> str:
    """A table of a store by its differences from another."""
    settings = [f"{name}={value}" for name, value in table.settings.items() if own.settings.get(name) != value]
    rules = " of other rules" if table.ruleset == own.ruleset and table.ruleset_hash != own.ruleset_hash else ""
    return f"`{table.ruleset}`{rules} with {', '.join([f'{table.players} players', *settings])}"


# --- parts --------------------------------------------------------------------------------------------------------


@lru_cache(2)
def _opened(folder: str, key: str) -> Search:
    tables = Tables(Path(folder))
    return open_search(tables.game(tables.read(key)))


def count_part(folder: str, part: str, key: str, positions: tuple[int, ...]) -> MoveCounts:
    """The counts of a part of a store; the work of a worker."""
    search, result = _opened(folder, key), MoveCounts(taken={})
    wanted = np.array(positions, np.uint64)
    start = int(search.hashes(search.rows([table_game(search.table.ruleset, *_table_args(search))]))[0])
    for batch in batches(Path(part)):
        mine = [game for game in batch if game.table == key]
        over = [game for game in mine if game.ended is not None and len(game.codes)]
        result.open += len(mine) - len(over)
        if over:
            _count(search, over, wanted, start, result)
    return result


def _table_args(search: Search) -> tuple[int, Mapping[str, str]]:
    return len(search.table.seats), search.table.settings


def _count(search: Search, games: Sequence[CodedGame], wanted: Any, start: int, result: MoveCounts) -> None:
    """Counts the decisions of some games that are over."""
    replayed = search.replay([game.codes for game in games], hashes=True)
    ends = np.cumsum(replayed.decisions)
    places = np.flatnonzero(np.isin(replayed.hashes, wanted))
    whose = np.searchsorted(ends, places, side="right")
    by_game: dict[int, list[tuple[int, int]]] = {}
    if start in wanted:
        by_game = {at: [(start, 0)] for at in range(len(games))}
    for place, at in zip(places.tolist(), whose.tolist(), strict=True):
        begun = int(ends[at]) - int(replayed.decisions[at])
        by_game.setdefault(at, []).append((int(replayed.hashes[place]), place - begun + 1))
    for at, game in enumerate(games):
        legal = int(replayed.decisions[at])
        if legal != len(game.codes) or f"{replayed.hashes[ends[at] - 1]:016x}" != game.end_hash:
            result.open += 1
            continue
        result.over += 1
        _count_game(search, game, by_game.get(at, ()), result)


def _count_game(search: Search, game: CodedGame, places: Sequence[tuple[int, int]], result: MoveCounts) -> None:
    """Counts the decisions of a game at the positions where it came to them."""
    seen: set[tuple[int, Code]] = set()
    for position, number in places:
        if number >= len(game.codes):
            continue
        code: Code = tuple(game.codes[number].tolist())
        codes = result.taken.setdefault(position, {})
        if code not in codes and sum(map(len, result.taken.values())) >= MAX_TAKEN:
            raise failure("RS602", f"more than {MAX_TAKEN:,} different decisions were taken there", None)
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
    """A legal option of a position, with its results in the games of a store.

    Attributes:
        decision: the name of the decision.
        by: the seat; None: chance.
        option: the option.
        tally: the counts; of no games if nobody took it.
    """

    decision: str
    by: str | None
    option: str
    tally: Tally

    @property
    def won(self) -> ConfidenceInterval | None:
        """The share of its games that the seat won, with bounds; None of chance, and of no games."""
        return share(self.tally.won, self.tally.games) if self.by is not None and self.tally.games else None

    @property
    def points(self) -> float | None:
        """The mean of the seat's points in its games; None if they have none."""
        return self.tally.points / self.tally.scored if self.tally.scored else None

    def to_json(self) -> dict[str, Any]:
        """As plain data; see moves.schema.json."""
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
    """The legal options in the position of a game, those taken most often first, and those never taken last."""
    taken = counts.taken.get(int(game.hash, 16), {})
    return sorted(_moves(game, taken), key=lambda move: -move.tally.times)


def _moves(game: Game, taken: Mapping[Code, Tally]) -> Iterator[PositionMove]:
    coder = Coder(game)
    for option in every_option(game):
        code = tuple(coder.code(game, option))
        tally = taken.get(code) or Tally()
        yield PositionMove(option.decision, option.by, str(option), tally)
