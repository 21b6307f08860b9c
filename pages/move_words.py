"""The moves of a game as people read them, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from msgspec import Struct

from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.inspected import TABLE
from rulespec.engine.game.option import Option
from rulespec.engine.game.state_diff import State, changes
from rulespec.engine.game.view import state_json
from rulespec.engine.game.views import seen_state

MAX_CHANGES = 100
"""Changes that are told of one move."""


class Move(Struct, frozen=True):
    """A move: who made it, its option as far as it is shown, its sentence, and what it changed."""

    by: str | None
    option: str | None
    text: str
    changes: tuple[str, ...]


class Moves:
    """The moves of a game that has been played; `game` stands after the last that was told.

    Args:
        game: a game that has been played; it is not changed.
        moves: its decisions, and what was taken back.
        seat: who looks, as in `Game.value`.
    """

    def __init__(self, game: Game, moves: Sequence[Option | TakenBack], seat: str | None) -> None:
        self.game = game.anew()
        self._moves = moves
        self._seen: Sequence[Option | TakenBack | Event] = moves if seat == TABLE else game.view(seat).history
        self._seat = seat
        self.state = self._state()

    def tell(self, number: int) -> Move:
        """Makes a move, which must be the next one, and tells of it."""
        move, seen, before = self._moves[number], self._seen[number], self.state
        if isinstance(move, TakenBack):
            self.game.take_back(move)
        else:
            self.game.apply(move)
        self.state = self._state()
        by = None if isinstance(move, TakenBack) else move.by
        option = seen.option if isinstance(seen, Event) else str(seen)
        return Move(by, option, _text(seen), tuple(islice(changes(before, self.state), MAX_CHANGES)))

    def _state(self) -> State:
        return state_json(self.game) if self._seat == TABLE else seen_state(self.game, self._seat)


def _text(move: Option | TakenBack | Event) -> str:
    if isinstance(move, TakenBack):
        return f"taken back: {move.decisions}"
    return str(move) if isinstance(move, Event) else f"{move.by or 'chance'}: {move}"
