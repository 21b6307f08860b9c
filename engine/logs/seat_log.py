"""The log of a game for one seat: what the seat has seen of it, and nothing else. It is read, and not resumed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rulespec.engine.game.game import Game
from rulespec.engine.logs.native import LogHeader
from rulespec.engine.logs.sealed import salted, seen_line
from rulespec.typed.reserved import PUBLIC


def seat_log(game: Game, seat: str | None) -> Iterator[dict[str, Any]]:
    """The lines: a header that says for whom they are, a line for each decision, and what the seat remembers.

    An argument that the seat does not see is `?`. A choice of a round is `sealed` until all have chosen: the lines of
    later have its salt, and `checked` compares. The last line tells whether the log belongs to a game: only what looks
    the same to the seat has the same `memory`.

    Args:
        game: the game.
        seat: for whom; None: what all seats see.
    """
    salted(game)
    view = game.view(seat)
    yield LogHeader.of(game).to_json() | {"for": PUBLIC if seat is None else seat}
    for step, event in zip(game.omniscient.numbers.steps, view.history, strict=True):
        yield seen_line(step, event)
    yield {"memory": view.memory}


def is_whole(game: Game, seat: str | None) -> bool:
    """Whether a seat has seen all decisions with all arguments: then the whole log tells it nothing new."""
    shown = [str(event.option) for event in game.view(seat).history]
    return shown == [str(option) for option in game.history]
