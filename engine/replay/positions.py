"""Positions of a replayed game, and its measures as columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.measured import Measures
from rulespec.engine.game.option import Option, TakenBack


def game_after(game: Game, moves: Sequence[Option | TakenBack], number: int) -> Game:
    """A copy of the game after `number` moves.

    Raises:
        IndexError: if there are fewer moves.
    """
    if not 0 <= number <= len(moves):
        raise IndexError(f"there is no move {number}: the log has {len(moves)} moves")
    result = restarted(game)
    for move in moves[:number]:
        _apply(result, move)
    return result


def columns(game: Game, moves: Sequence[Option | TakenBack]) -> dict[str, list[Any]]:
    """The columns of `ReplayResult.frame`."""
    at = restarted(game)
    rows = [_row(0, None, at)]
    for number, move in enumerate(moves, 1):
        _apply(at, move)
        rows.append(_row(number, move if isinstance(move, Option) else None, at))
    return {name: [row[name] for row in rows] for name in rows[0]}


def _apply(game: Game, move: Option | TakenBack) -> None:
    if isinstance(move, TakenBack):
        game.omniscient.take_back(move)
    else:
        game.apply(move)


def _row(number: int, option: Option | None, game: Game) -> dict[str, Any]:
    """A row of `ReplayResult.frame`."""
    row: dict[str, Any] = {"move": number, "decision": None, "by": None, "option": None}
    if option is not None:
        row |= {"decision": option.decision, "by": option.by, "option": str(option)}
    for measure, values in game.omniscient.measures().items():
        row |= {f"{measure}.{entity}" if entity else measure: value for entity, value in values.items()}
    return row


def measured(game: Game, moves: Sequence[Option | TakenBack], every: int) -> Iterator[tuple[int, Measures]]:
    """The measures after the set-up and then at intervals of `every` decisions, each with the number of decisions."""
    at, next_ = restarted(game), 0
    for move in (None, *moves):
        if move is not None:
            _apply(at, move)
        if at.ply >= next_:
            yield at.ply, at.omniscient.measures()
            next_ = at.ply + every
