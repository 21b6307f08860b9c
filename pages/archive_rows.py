"""The options chosen in an archive at each position of a replay, for the replay page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rulespec.engine.corpus.position_moves import MoveCounts, PositionMove, moves_at
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words

SHOWN = 8
"""The maximum number of options shown per position: the most frequent ones, and the one of this game."""


def positions_of(game: Game, moves: Sequence[Option | TakenBack]) -> Iterator[Game]:
    """The positions of a game: the start, then one after each move. Yields the same game object, as it advances."""
    again = restarted(game)
    yield again
    for move in moves:
        if isinstance(move, Option):
            again.apply(move)
        else:
            again.omniscient.take_back(move)
        yield again


def archive_rows(
    game: Game, moves: Sequence[Option | TakenBack], counts: MoveCounts, words: Words
) -> list[dict[str, Any] | None]:
    """For each position of a replay, the archived games that reached it and their next options; None if no game did.

    Args:
        game: a game of the table.
        moves: its moves.
        counts: the options that were taken in the archive at these positions.
        words: the words for the options.
    """
    results: list[dict[str, Any] | None] = []
    for number, position in enumerate(positions_of(game, moves)):
        taken = moves[number] if number < len(moves) else None
        results.append(None if int(position.hash, 16) not in counts.taken else _row(position, taken, counts, words))
    return results


def _row(game: Game, taken: Option | TakenBack | None, counts: MoveCounts, words: Words) -> dict[str, Any]:
    every = [move for move in moves_at(game, counts) if move.tally.times]
    own = str(taken) if isinstance(taken, Option) else ""
    shown = [move for at, move in enumerate(every) if at < SHOWN or move.option == own]
    narrator = Narrator(words, game)
    rows = [
        [_text(narrator, game, move), f"{move.tally.times:,}", _won(move), int(move.option == own)] for move in shown
    ]
    return {"times": f"{sum(move.tally.times for move in every):,}", "options": rows}


def _text(narrator: Narrator, game: Game, move: PositionMove) -> str:
    """An option in words, with its actor."""
    return narrator.move(game.parse(move.option, move.by))


def _won(move: PositionMove) -> str:
    """The share of games won by the seat, with bounds."""
    won = move.won
    return "-" if won is None else f"{100 * won.value:.0f} % ({100 * won.low:.0f} .. {100 * won.high:.0f})"
