"""The last moves of a game in words, from a viewer's view."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from rulespec.engine.game.events import HIDDEN, Event
from rulespec.engine.game.game import Game, is_open, seen_events
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.logs.sealed import pending
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.narrator import Narrator, Taken
from rulespec.engine.words.rolls import rolled
from rulespec.engine.words.words import Words
from rulespec.records import Brief

MAX_CHANGES = 12
"""Changes of a move that are listed."""


def said(data: Mapping[str, Any]) -> dict[str, Any]:
    """The meaningful part of some data: false and empty values are left out of frames."""
    return {name: value for name, value in data.items() if value}


class SeenMove(Brief, Struct, frozen=True):
    """A move in words.

    Attributes:
        text: the sentence.
        by: the seat; None for chance.
        changes: its changes.
        whole: whether it has been disclosed: the choices of an open round have not.
        roll: the numbers of dice, if it is a roll of them.
        marks: movements from one entity to another, as `kind.name`; "" where there is none, or it is hidden.
    """

    text: str
    by: str | None
    changes: tuple[str, ...]
    whole: bool
    roll: tuple[int, ...] = ()
    marks: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The object of a frame."""
        return {"text": self.text, "by": self.by, **said(self._more())}

    def _more(self) -> dict[str, Any]:
        marks = [">".join(mark) for mark in self.marks]
        return {"changes": list(self.changes), "roll": list(self.roll), "marks": marks}


def was_open(game: Game, first: int) -> bool:
    """Whether nothing has been hidden from anybody since a move: in its positions, and of the moves themselves."""
    if not game.omniscient.secretive:
        return True
    if any(event.option is None or HIDDEN in event.option for event in seen_events(game, None, first)):
        return False
    past = game.copy()
    while is_open(past) and not pending(past):
        if past.ply == first:
            return True
        past.undo()
    return False


def seen_moves(words: Words, game: Game, seat: str | None, first: int, last: int | None = None) -> Iterator[SeenMove]:
    """The moves of a game from number `first` on, from 0, up to `last`.

    Args:
        words: the words of the game's ruleset.
        game: the game; it is not changed.
        seat: the viewer; None: the public; `OMNISCIENT` sees all.
        first: the number of the first move.
        last: the number after the last move; None: all.
    """
    past = game.copy()
    options = [past.undo() for _ in range(game.ply - first)][::-1][: None if last is None else last - first]
    seen: list[Taken] = list(options)
    if seat != OMNISCIENT and (game.omniscient.secretive or pending(game)):
        seen = list(seen_events(game, seat, first))
    narrator = Narrator(words, past, seat)
    changes = Changes(narrator)
    for option, event in zip(options, seen, strict=False):
        text, before = narrator.move(event), changes.snapshot()
        past.apply(option)
        changed = changes.since(before)
        results = tuple(change.text for change in changed)
        marks = tuple(dict.fromkeys(change.where for change in changed if any(change.where)))[:MAX_CHANGES]
        more = (words.word("and_more", number=str(len(results) - MAX_CHANGES)),) if len(results) > MAX_CHANGES else ()
        whole = getattr(event, "option", True) is not None
        shown = event.option if isinstance(event, Event) else str(event)
        roll = tuple(rolled(shown)) if option.by is None else ()
        yield SeenMove(text, option.by, results[:MAX_CHANGES] + more, whole, roll, marks)
