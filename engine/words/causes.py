"""Causes of changes that no option names: the procedures that a move sets off, in words, each with what it changes.

A procedure has a sentence where the ruleset has a text for it (`procedures` in `titles.yaml`) and it changes something.
Whatever it calls belongs to it, up to the next procedure with a text. One that an earlier move has begun goes on with a
text of its own (`resumed`).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from msgspec import Struct, field

from rulespec.engine.game.game import Game, game_at, restarted
from rulespec.engine.game.machines import observed_machine
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.program import ir
from rulespec.engine.program.control_flow import Flow
from rulespec.engine.program.observer import Observer
from rulespec.engine.program.procedures import procedures
from rulespec.engine.words.changes import Change, Changes, Snapshot
from rulespec.engine.words.narrator import Narrator, Value
from rulespec.engine.words.titles import Text
from rulespec.engine.words.words import Words
from rulespec.records import Brief


class Cause(Brief, Struct, frozen=True):
    """Something that happens by itself.

    Attributes:
        text: a sentence.
        changes: what it changes.
    """

    text: str
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, Any]:
        """The object that `replay --moves --format json` prints."""
        return {"text": self.text, "changes": [change.text for change in self.changes]}


class _Frame(Struct):
    """A procedure under way.

    Attributes:
        text: its text; None if it has none, and belongs to the one that calls it.
        name: its name.
        begin: the cells when it began, or went on.
        stages: the cells before and after each of its stretches.
    """

    text: Text | None
    name: str
    begin: tuple[int, ...]
    stages: list[tuple[tuple[int, ...], tuple[int, ...]]] = field(default_factory=list)


class Causes(Observer):
    """The causes of what the moves of a game change, found by watching the machine that runs it."""

    def __init__(self) -> None:
        self.unnamed: tuple[Change, ...] = ()
        """The changes of the last move by procedures that went on without a text."""
        self._frames: list[_Frame] = []
        """Frames that this move has begun; the first is the move itself."""
        self._stack: list[_Frame] = []
        """For each procedure under way that this move has begun, what it belongs to; empty between moves."""
        self._last: tuple[int, ...] = ()

    def watch(self, changes: Changes) -> None:
        """Takes the game whose moves are narrated, with the words for them."""
        self._changes = changes
        self._narrator = changes.narrator
        self._numbers = self._narrator.game.omniscient.numbers
        self._program = self._numbers.program
        self._names = {first: name for name, (first, _) in self._program.entries.items()}

    def begin(self) -> None:
        """Begins with a move, which is about to be made."""
        self._last = tuple(self._numbers.state)
        self._frames = [_Frame(None, "", self._last)]
        self._stack = [*self._frames]

    def end(self) -> tuple[tuple[Change, ...], tuple[Cause, ...]]:
        """The changes without a sentence of their own, and what the move has set off."""
        self._note()
        self._stack = []
        own: list[Change] = []
        causes: list[Cause] = []
        for frame in self._frames:
            changes = self._of(frame)
            text = self._text(frame) if frame.text is not None and changes else None
            if text is None:
                own += changes
            else:
                causes.append(Cause(text, changes))
        self.unnamed = tuple([change for f in self._frames[1:] if f.text is None for change in self._of(f)])
        return tuple(own), tuple(causes)

    def entered(self, block: int, before: int) -> None:
        """Notes where a procedure begins, or comes to its end."""
        if not self._stack or before < 0:
            return
        exit_ = self._program.blocks[before].exit
        if isinstance(exit_, ir.Enter):
            name = self._names[block]
            wrapped = " " in name  # its wrap has the sentence
            self._stack.append((None if wrapped else self._frame("procedures", name)) or self._stack[-1])
        elif isinstance(exit_, ir.Return):
            if len(self._stack) == 1:
                self._note()
                self._stack = [self._frame("resumed", self._owners[block]) or self._unnamed(self._owners[block])]
            elif self._stack[-2] is self._stack[-1]:
                self._stack.pop()
            else:
                self._note()
                self._stack.pop()

    def _frame(self, section: str, name: str) -> _Frame | None:
        """The frame of a procedure that begins or goes on, if it has a text; a wrapped one goes by its own name."""
        text = self._narrator.words.text(section, name.partition(" ")[0])
        if text is None:
            return None
        self._note()
        self._frames.append(_Frame(text, name, self._last))
        return self._frames[-1]

    def _unnamed(self, name: str) -> _Frame:
        """A procedure that goes on, and has no text for it: the changes are listed with those of the move."""
        self._frames.append(_Frame(None, name, self._last))
        return self._frames[-1]

    def _note(self) -> None:
        """Notes what has changed since the last stretch: it belongs to what is under way now."""
        now = tuple(self._numbers.state)
        if now != self._last:
            self._stack[-1].stages.append((self._last, now))
            self._last = now

    @cached_property
    def _owners(self) -> dict[int, str]:
        """The name of the procedure of each block."""
        of = procedures(Flow(self._program))
        return {block: self._names[first] for first, procedure in of.items() for block in procedure.blocks}

    def _of(self, frame: _Frame) -> tuple[Change, ...]:
        stages = [(Snapshot(before, (), list(before)), Snapshot(now, (), list(now))) for before, now in frame.stages]
        return tuple([change for before, now in stages for change in self._changes.between(before, now)])

    def _text(self, frame: _Frame) -> str | None:
        """The sentence of a procedure; its variables are in their cells while it is under way."""
        assert frame.text is not None
        params = self._narrator.game.ruleset.rules.procedures[frame.name].params
        cells = self._program.entries[frame.name][1][1:]
        values = [Value(var.name, var.type, frame.begin[at]) for var, at in zip(params, cells, strict=True)]
        self._narrator.past = list(frame.begin)
        try:
            return self._narrator.event(frame.text, values)
        finally:
            self._narrator.past = None


def observed(words: Words, game: Game, seat: str | None) -> tuple[Game, Causes | None]:
    """A game like another one, from its start, with the causes of what its moves change.

    Seats of a game with secrets get no causes: which procedures run may follow from what they do not see.
    """
    if not words.has_causes or (seat != OMNISCIENT and game.omniscient.secretive):
        return restarted(game), None
    causes = Causes()
    return Game(game.ruleset, game.names, game.settings, observed_machine(causes)), causes


def set_off(words: Words, game: Game, option: Option) -> tuple[tuple[Change, ...], tuple[Cause, ...]] | None:
    """The changes of a move that is about to be made, and its causes; None where `observed` gives none."""
    if not words.has_causes or game.omniscient.secretive:
        return None
    causes = Causes()
    machine = observed_machine(causes)(game.ruleset, len(game.seats), game.settings)
    twin = game_at(game, game.omniscient.numbers.cells, machine)
    causes.watch(Changes(Narrator(words, twin)))
    causes.begin()
    twin.apply(option)
    return causes.end()
