"""A game move by move: for each move the actor, a sentence, and its changes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec import Struct

from rulespec.engine.game.drafted import shown_numbers, withheld
from rulespec.engine.game.events import HIDDEN, Event
from rulespec.engine.game.game import Game, restarted
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.secrets import PUBLIC
from rulespec.engine.words.causes import Cause, Causes, has_causes, recorded
from rulespec.engine.words.changes import Change, Changes
from rulespec.engine.words.move_records import Record
from rulespec.engine.words.narrator import Narrator, Taken
from rulespec.engine.words.words import Words
from rulespec.records import Brief


class Move(Brief, Struct, frozen=True):
    """A move of a game, in words.

    Attributes:
        number: the number of the move among all moves, from 1; an undo is a move too.
        ply: the number of decisions in effect after it.
        decision: the name of the decision; "" for an undo.
        by: the deciding seat; None for chance and for an undo.
        actor: the title of the entity on whose behalf the seat acted; None if it acted for itself.
        option: the option as ids; None if hidden.
        text: the sentence.
        changes: the changes of the move.
        own: the changes for which no cause is given in words.
        causes: the effects that it triggered, step by step, with the other changes.
        back: the number of decisions it undoes.
    """

    number: int
    ply: int
    decision: str
    by: str | None
    actor: str | None
    option: str | None
    text: str
    changes: tuple[Change, ...]
    own: tuple[Change, ...]
    causes: tuple[Cause, ...] = ()
    back: int = 0

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --moves --format json`."""
        return {
            "number": self.number,
            "ply": self.ply,
            "decision": self.decision or None,
            "by": self.by,
            "actor": self.actor,
            "option": self.option,
            "text": self.text,
            "changes": [change.text for change in self.changes],
            "causes": [cause.to_json() for cause in self.causes],
            "back": self.back,
        }


class Moves:
    """The moves of a finished game in order; the attribute `game` is a copy at the position after the last narrated
    move.

    Args:
        words: the words of the game's ruleset.
        game: a finished game, which remains unchanged.
        moves: its decisions, including undos; by default, the decisions in effect.
        seat: the listener (None for the public); by default, an omniscient one. Decisions in effect are narrated as the
            seat saw them. Undone ones are played and undone silently, since some fields may keep their values through
            an undo.
        recording: whether to record all moves, not only those with causes.

    Attributes:
        visible: the indices of the narrated moves among all moves.
        record: the record of the last move; None for an undo or an unrecorded move.
        ways: the visible paths that the last move chose, each as the kind and the numbers of its stops.
    """

    def __init__(
        self,
        words: Words,
        game: Game,
        moves: Sequence[Option | TakenBack] | None = None,
        seat: str | None = OMNISCIENT,
        *,
        recording: bool = False,
    ) -> None:
        self.game = restarted(game)
        self._recording = recording
        self._moves: Sequence[Option | TakenBack] = game.history if moves is None else moves
        self._seen: Sequence[Taken] | None = game.view(seat).history if seat != OMNISCIENT else None
        self.visible, self._end = list(range(len(self._moves))), len(self._moves)
        if seat != OMNISCIENT:
            self.visible = _standing(self._moves)
            self._leave_plans_out(game, seat)
        self._done = 0
        self.narrator = Narrator(words, self.game, seat)
        self.changes = Changes(self.narrator)
        self.causes = Causes(self.changes) if has_causes(words, game, seat) else None
        self.record: Record | None = None
        self.ways: list[tuple[str, list[int]]] = []

    def __len__(self) -> int:
        return len(self.visible)

    def __iter__(self) -> Iterator[Move]:
        for number in range(len(self.visible)):
            yield self.tell(number)

    def tell(self, number: int) -> Move:
        """Makes a move, which must be the next one, and narrates it."""
        narrator, before = self.narrator, self.changes.snapshot()
        self._pass_over(self.visible[number])
        move = self._moves[self._done]
        self._done += 1
        self.record, self.ways = None, []
        if isinstance(move, TakenBack):
            self.game.omniscient.take_back(move)
            changes = tuple(self.changes.since(before))
            word = narrator.words.word
            text = word("taken_back", decisions=word("decisions", move.decisions))
            return Move(number + 1, self.game.ply, "", None, None, None, text, changes, changes, (), move.decisions)
        seen: Taken = move if self._seen is None else self._seen[number]
        actor, text, self.ways = narrator.actor(move), narrator.move(seen), narrator.ways(seen)
        own: tuple[Change, ...] | None = None
        causes: tuple[Cause, ...] = ()
        if self.causes is not None or self._recording:
            self.record = recorded(self.game, move)
        if self.causes is not None and self.record is not None:
            own, causes = self.causes.of(self.record, move)
        self.game.apply(move)
        if number == len(self.visible) - 1:
            self._pass_over(self._end)
        changes = tuple(self.changes.since(before, seen))
        option = seen.option if isinstance(seen, Event) else str(seen)
        of = (move.decision, move.by, actor, option, text)
        return Move(number + 1, self.game.ply, *of, changes, changes if own is None else own, causes)

    def _leave_plans_out(self, game: Game, seat: str | None) -> None:
        """Leaves out withdrawn decisions, and the open plan of another seat, which ends before the moves do."""
        if not game.omniscient.program.drafts:
            return
        numbers, viewer = game.omniscient.numbers, PUBLIC if seat is None else game.seats.index(seat)
        if hidden := withheld(numbers, viewer):
            self._end = self.visible[-hidden]
        self.visible = [self.visible[number] for number in shown_numbers(numbers, viewer)]

    def _pass_over(self, end: int) -> None:
        """Makes the unnarrated moves before `end`."""
        for move in self._moves[self._done : end]:
            if isinstance(move, TakenBack):
                self.game.omniscient.take_back(move)
            else:
                self.game.apply(move)
        self._done = max(self._done, end)


def _standing(moves: Sequence[Option | TakenBack]) -> list[int]:
    """The indices of the decisions in effect."""
    results: list[int] = []
    for at, move in enumerate(moves):
        if isinstance(move, TakenBack):
            del results[len(results) - move.decisions :]
        else:
            results.append(at)
    return results


def seen_now(game: Game, option: Option, seat: str | None) -> Taken:
    """An option about to be taken, as a seat will see it."""
    visibility = game.omniscient.visibility
    if not visibility.secretive or seat == OMNISCIENT:
        return option
    position = game.omniscient.numbers
    if position.program.decisions[position.asked].held and option.by != seat:
        return Event(option.decision, option.by, None)
    actor = -1 if option.by is None else game.seats.index(option.by)
    wanted = (1 << len(game.seats)) - 1 if seat is None else 1 << game.seats.index(seat)
    seers = visibility.seers(position.state, actor, option)
    values = zip(option.arguments.values(), seers, strict=True)
    shown = ", ".join(text if who & wanted == wanted else HIDDEN for text, who in values)
    return Event(option.decision, option.by, f"{option.name}({shown})" if shown else option.name)
