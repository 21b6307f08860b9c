"""The latest moves of a game in words, as a viewer sees them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from rulespec.engine.game.drafted import planned
from rulespec.engine.game.events import HIDDEN, Event
from rulespec.engine.game.game import Game, seen_events
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.logs.sealed import pending
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.narrator import Narrator, Taken
from rulespec.engine.words.rolls import rolled
from rulespec.engine.words.words import Words
from rulespec.records import Brief

MAX_CHANGES = 12
"""The maximum number of listed changes per move."""


def said(data: Mapping[str, Any]) -> dict[str, Any]:
    """Data in the form sent in frames, without false or empty values."""
    return {name: value for name, value in data.items() if value}


class SeenMove(Brief, Struct, frozen=True):
    """A move in words.

    Attributes:
        text: the sentence.
        by: the seat; None if chance decided.
        changes: its changes.
        whole: whether it has been fully disclosed, unlike the choices in an open round.
        roll: the numbers on the dice, if the move is a roll.
        marks: movements of pieces: the source and the target entity (`kind.name`, or "" if there is none or it is
            hidden), and the owner of the pieces if this is a seat.
        ways: the visible paths that were chosen, each as its stops (`kind.name`).
    """

    text: str
    by: str | None
    changes: tuple[str, ...]
    whole: bool
    roll: tuple[int, ...] = ()
    marks: tuple[tuple[str, ...], ...] = ()
    ways: tuple[tuple[str, ...], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The object for a frame."""
        return {"text": self.text, "by": self.by, **said(self._more())}

    def _more(self) -> dict[str, Any]:
        marks = [">".join(mark) for mark in self.marks]
        ways = [list(way) for way in self.ways]
        return {"changes": list(self.changes), "roll": list(self.roll), "marks": marks, "ways": ways}


def was_open(game: Game, first: int) -> bool:
    """Whether nothing has been hidden from anyone since a given move, in any position or move."""
    if not game.omniscient.secretive:
        return True
    if any(event.option is None or HIDDEN in event.option for event in seen_events(game, None, first)):
        return False
    past = game.copy()
    while _is_open(past) and not pending(past):
        if past.ply == first:
            return True
        past.undo()
    return False


def _is_open(game: Game) -> bool:
    """Whether the whole position is visible to everybody."""
    of, numbers = game.omniscient, game.omniscient.numbers
    return not planned(numbers) and not (of.secretive and of.visibility.unseen(numbers.state, PUBLIC))


def seen_moves(words: Words, game: Game, seat: str | None, first: int, last: int | None = None) -> Iterator[SeenMove]:
    """The moves of a game in words, from index `first` up to `last`.

    Args:
        words: the words of the game's ruleset.
        game: the game, which remains unchanged.
        seat: the viewer; None means the public, and `OMNISCIENT` sees everything.
        first: the index of the first move.
        last: the index after the last move; None means all moves.
    """
    past = game.copy()
    options = [past.undo() for _ in range(game.ply - first)][::-1][: None if last is None else last - first]
    seen: list[Taken] = list(options)
    if seat != OMNISCIENT and (game.omniscient.secretive or pending(game)):
        seen = list(seen_events(game, seat, first))
    narrator = Narrator(words, past, seat)
    changes = Changes(narrator)
    for option, event in zip(options, seen, strict=False):
        text, before, ways = narrator.move(event), changes.snapshot(), ways_of(narrator, event)
        past.apply(option)
        changed = changes.since(before, event)
        results = tuple(change.text for change in changed)
        moved = [
            (*change.where, change.seat) if change.seat else change.where for change in changed if any(change.where)
        ]
        marks = tuple(dict.fromkeys(moved))[:MAX_CHANGES]
        more = (words.word("and_more", number=str(len(results) - MAX_CHANGES)),) if len(results) > MAX_CHANGES else ()
        whole = getattr(event, "option", True) is not None
        shown = event.option if isinstance(event, Event) else str(event)
        roll = tuple(rolled(shown)) if option.by is None else ()
        yield SeenMove(text, option.by, results[:MAX_CHANGES] + more, whole, roll, marks, ways)


def ways_of(narrator: Narrator, option: Taken) -> tuple[tuple[str, ...], ...]:
    """The visible paths among the arguments of an option, each as its stops (`kind.name`)."""
    names = narrator.game.omniscient.labels.names
    return tuple([tuple([f"{kind}.{names[kind][stop]}" for stop in stops]) for kind, stops in narrator.ways(option)])
