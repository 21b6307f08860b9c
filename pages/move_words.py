"""The moves of a game as people read them, one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

from msgspec import Struct

from rulespec.engine.game.events import Event
from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.inspected import TABLE
from rulespec.engine.game.option import Option
from rulespec.engine.game.state_diff import State, changes
from rulespec.engine.game.view import state_json
from rulespec.engine.game.views import seen_state
from rulespec.pages.curves import Curves

MAX_CHANGES = 100
"""Changes that are shown of one move."""


class Move(Struct, frozen=True):
    """A move: its sentence, what it changed, whether its option is shown, and whether it was chance."""

    text: str
    changes: list[str]
    shown: bool
    chance: bool


def told_moves(game: Game, moves: Sequence[Option | TakenBack], seat: str | None, curves: Curves) -> Iterator[Move]:
    """The moves in words; the measures of each position are noted.

    Args:
        game: a game that has been played; it is not changed.
        moves: its decisions, and what was taken back.
        seat: who looks, as in `Game.value`.
        curves: takes the measures.
    """
    again = game.anew()
    seen: Sequence[Option | TakenBack | Event] = moves if seat == TABLE else game.view(seat).history
    curves.note(0, again.measures(seat))
    before = _state(again, seat)
    for number, (move, shown) in enumerate(zip(moves, seen, strict=True), 1):
        if isinstance(move, TakenBack):
            again.take_back(move)
        else:
            again.apply(move)
        curves.note(number, again.measures(seat))
        after = _state(again, seat)
        hidden = isinstance(shown, Event) and shown.option is None
        chance = isinstance(move, Option) and move.by is None
        yield Move(_text(shown), list(islice(changes(before, after), MAX_CHANGES)), not hidden, chance)
        before = after


def _state(game: Game, seat: str | None) -> State:
    return state_json(game) if seat == TABLE else seen_state(game, seat)


def _text(move: Option | TakenBack | Event) -> str:
    if isinstance(move, TakenBack):
        return f"taken back: {move.decisions}"
    return str(move) if isinstance(move, Event) else f"{move.by or 'chance'}: {move}"
