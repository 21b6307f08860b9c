"""Search for the games in one part of a store that visit given positions, by the position hashes in each game's row."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.documents.foreign_files import foreign
from rulespec.engine.corpus.game_codes import COLUMNS, short
from rulespec.engine.corpus.stores import AGAIN, BATCH, check_part
from rulespec.engine.simulate.foreign_parquet import objects, parquet_batches

_READ = ("table", "decisions", "ended", "positions")
_SKIPPED = tuple(name for name in COLUMNS if name not in _READ)
_FEW = 16
"""The number of positions up to which each is compared separately."""

ALL = -1
"""The length that stands for all decisions of a game; used for a game without recorded positions."""


class GameVisits(NamedTuple):
    """The candidates among a table's games in a part of a store: games that may visit given positions.

    Attributes:
        over: the number of finished games of the table.
        open: the number of its other games.
        rows: the rows of the candidates.
        lengths: for each candidate, the number of decisions up to the last given position, or `ALL`.
    """

    over: int
    open: int
    rows: NDArray[np.int64]
    lengths: list[int]


def visits(path: Path, key: str, positions: NDArray[np.uint64], start: bool) -> GameVisits:
    """Finds the games of a part that visit given positions.

    Args:
        path: the part.
        key: the name of the table of the games.
        positions: the hashes of the positions.
        start: whether the initial position is one of these positions.

    Raises:
        DiagnosticsError: see `batches`.
    """
    wanted, begun, over, open_ = short(positions), 0, 0, 0
    rows: list[int] = []
    lengths: list[int] = []
    for batch in parquet_batches(path, partial(check_part, path), BATCH, AGAIN, ("positions",), _SKIPPED):
        with foreign(str(path), AGAIN):
            tables, decisions, ended = (objects(batch.column(name)) for name in _READ[:3])
            mine = [at for at, table in enumerate(tables) if table == key]
            finished = [at for at in mine if ended[at] is not None and decisions[at]]
            last = _last(batch, decisions, wanted)
        over, open_ = over + len(finished), open_ + len(mine) - len(finished)
        for at in finished:
            if start or last[at]:
                rows.append(begun + at)
                lengths.append(int(last[at]))
        begun += batch.num_rows
    return GameVisits(over, open_, np.array(rows, np.int64), lengths)


def _last(batch: Any, decisions: list[int], wanted: NDArray[np.uint32]) -> NDArray[np.int64]:
    """For each game, the number of decisions up to the last given position; 0 without any, `ALL` without records."""
    if "positions" not in batch.schema.names:
        return np.full(len(decisions), ALL)
    column = batch.column("positions")
    offsets = np.asarray(column.offsets).astype(np.int64)
    first, values = offsets[0], column.values.to_numpy(zero_copy_only=False)
    places = first + np.flatnonzero(_among(values[first : offsets[-1]], wanted))
    whose = np.searchsorted(offsets, places, side="right") - 1
    result = np.zeros(len(decisions), np.int64)
    result[whose] = places - offsets[whose] + 1  # in order within a game, so the last one remains
    result[np.diff(offsets) != np.array(decisions)] = ALL
    return result


def _among(values: NDArray[np.uint32], wanted: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether each value is among the wanted ones."""
    if len(wanted) > _FEW:
        return np.isin(values, wanted)
    result = np.zeros(len(values), np.bool_)
    for one in wanted:
        result |= values == one
    return result
