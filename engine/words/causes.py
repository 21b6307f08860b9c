"""Causes of automatic changes: the procedures triggered by a move, in words, with the changes that each one makes.

A procedure gets a sentence if the ruleset has a text for it (`procedures` in `titles.yaml`) and it changes something.
The procedures that it calls count as part of it, unless they have texts themselves. A procedure that an earlier move
began has a separate text for its continuation (`resumed`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from rulespec.engine.game.game import Game
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.program.cells import State
from rulespec.engine.program.faults import ProgramFaultError
from rulespec.engine.words.changes import Change, Changes, Snapshot
from rulespec.engine.words.move_records import Mark, Record, records
from rulespec.engine.words.narrator import Narrator, Value
from rulespec.engine.words.titles import TitleText
from rulespec.engine.words.words import Words
from rulespec.records import Brief


class Cause(Brief, Struct, frozen=True):
    """An automatic event.

    Attributes:
        text: a sentence.
        changes: the changes it makes.
    """

    text: str
    changes: tuple[Change, ...]

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --moves --format json`."""
        return {"text": self.text, "changes": [change.text for change in self.changes]}


class _Stretch(Struct, frozen=True):
    """A part of a move: the cells before and after it, and the cells written."""

    before: State
    after: State
    written: frozenset[int]


class _Frame(Struct):
    """An active procedure.

    Attributes:
        text: the procedure's text; None if it has none, and belongs to its caller.
        name: the procedure's name.
        arguments: the values of its parameters.
        begin: the cells when it began, or was resumed.
        stretches: its parts, separated by calls of other procedures.
    """

    text: TitleText | None
    name: str
    arguments: tuple[int, ...]
    begin: State
    stretches: list[_Stretch] = field(default_factory=list)


class Causes:
    """The causes of the changes that a game's moves make, derived from the records of the moves.

    Args:
        changes: the texts of changes in a game at the same table.

    Attributes:
        unnamed: the changes made in the last move by continued procedures that have no text.
    """

    def __init__(self, changes: Changes) -> None:
        self.unnamed: tuple[Change, ...] = ()
        self._changes = changes
        self._narrator = changes.narrator
        game = self._narrator.game
        self._program = game.omniscient.program
        self._records = records(game.ruleset, len(game.seats), game.settings)
        self._rows = {after: rows for rows in self._program.frames.values() for after in rows.afters}
        self._names = {first: name for name, (first, _) in self._program.entries.items()}

    def of(self, record: Record, option: Option) -> tuple[tuple[Change, ...], tuple[Cause, ...]]:
        """The direct changes of a move, and the automatic events that it caused."""
        frames = _Frames(record, self._frame)
        own: list[Change] = []
        causes: list[Cause] = []
        for frame in frames.all:
            changes = self._of(frame, option if frame.text is None else None)
            text = self._text(frame) if frame.text is not None and changes else None
            if text is None:
                own += changes
            else:
                causes.append(Cause(text, changes))
        self.unnamed = tuple([change for f in frames.all[1:] if f.text is None for change in self._of(f, None)])
        return tuple(own), tuple(causes)

    def _frame(self, mark: Mark, begin: State, *, resumed: bool) -> _Frame | None:
        """The frame of a procedure that begins or is resumed; None if it begins and has no text.

        A wrapped procedure keeps its own name, and the sentence belongs to its wrap.
        """
        name = self._records.owners[mark.block] if resumed else self._names[mark.block]
        wrapped = " " in name and not resumed
        text = self._narrator.words.text("resumed" if resumed else "procedures", name.partition(" ")[0])
        if not resumed and (wrapped or text is None):
            return None
        params = self._program.entries[name][1][1:]
        arguments = mark.arguments if not resumed else tuple([begin[self._place(mark, at, begin)] for at in params])
        return _Frame(text, name, arguments, begin)

    def _place(self, mark: Mark, cell: int, state: State) -> int:
        """The cell of a resumed procedure's variable; a recursive procedure still has it in its row of saved frames."""
        rows = self._rows.get(mark.block)
        return rows.rows[cell] + state[rows.depth] - 1 if rows is not None and cell in rows.rows else cell

    def _of(self, frame: _Frame, by: Option | None) -> tuple[Change, ...]:
        return tuple([change for part in frame.stretches for change in self._between(part, by)])

    def _between(self, part: _Stretch, by: Option | None) -> list[Change]:
        before, now = (Snapshot(tuple(cells), (), cells) for cells in (part.before, part.after))
        return self._changes.between(before, now, part.written, by)

    def _text(self, frame: _Frame) -> str | None:
        """The sentence of a procedure."""
        assert frame.text is not None
        params = self._narrator.game.ruleset.rules.procedures[frame.name].params
        values = [Value(var.name, var.type, value) for var, value in zip(params, frame.arguments, strict=True)]
        self._narrator.past = frame.begin
        try:
            return self._narrator.event(frame.text, values)
        finally:
            self._narrator.past = None


class _Frames:
    """The procedures of a move, each with its changes; the first frame is the move itself.

    Args:
        record: the move.
        frame: returns the frame of a procedure that begins or is resumed.

    Attributes:
        all: the frames, in the order in which they began.
    """

    def __init__(self, record: Record, frame: Callable[..., _Frame | None]) -> None:
        self._state = list(record.cells)
        self._last = self._state.copy()
        self._written: set[int] = set()
        self.all = [_Frame(None, "", (), self._last)]
        self._stack = [*self.all]
        self._make = frame
        done = 0
        for mark in record.marks:
            self._write(record.writes[done : mark.writes])
            done = mark.writes
            if mark.kind == "enters":
                self._stack.append(self._begun(mark, resumed=False) or self._stack[-1])
            elif mark.kind == "returns":
                self._return(mark)
        self._write(record.writes[done:])
        self._note()

    def _write(self, writes: Sequence[tuple[int, int, int]]) -> None:
        for cell, _, value in writes:
            self._state[cell] = value
            self._written.add(cell)

    def _begun(self, mark: Mark, *, resumed: bool) -> _Frame | None:
        """The frame of a procedure that begins or is resumed, if any."""
        frame = self._make(mark, self._last, resumed=resumed)
        if frame is not None:
            self._note()
            frame.begin = self._last
            self.all.append(frame)
        return frame

    def _return(self, mark: Mark) -> None:
        """Returns to the calling procedure; a procedure begun by an earlier move gets a frame."""
        if len(self._stack) == 1:
            self._note()
            self._stack = [self._begun(mark, resumed=True) or self._stack[-1]]
        elif self._stack[-2] is self._stack[-1]:
            self._stack.pop()
        else:
            self._note()
            self._stack.pop()

    def _note(self) -> None:
        """Records the changes since the last stretch, which belong to the currently active procedure."""
        if self._written:
            now = self._state.copy()
            self._stack[-1].stretches.append(_Stretch(self._last, now, frozenset(self._written)))
            self._last, self._written = now, set()


def has_causes(words: Words, game: Game, seat: str | None) -> bool:
    """Whether a seat sees the causes of changes in a game, in words.

    In a game with secrets, seats get none, because hidden data may determine which procedures run.
    """
    return words.has_causes and (seat == OMNISCIENT or not game.omniscient.secretive)


def recorded(game: Game, option: Option) -> Record:
    """The record of an option about to be taken, under the game's ruleset, number of seats and settings.

    Raises:
        RulesetFaultError: if the rules fault.
    """
    of = records(game.ruleset, len(game.seats), game.settings)
    try:
        return of.of(game.omniscient.numbers.cells, option.kind.block, option.args)
    except ProgramFaultError as fault:
        raise game.omniscient.fault(fault, of.program) from None


def set_off(words: Words, game: Game, option: Option) -> tuple[tuple[Change, ...], tuple[Cause, ...]] | None:
    """The changes of a move about to be made, and their causes; None if seats get no causes."""
    if not has_causes(words, game, None):
        return None
    causes = Causes(Changes(Narrator(words, game)))
    return causes.of(recorded(game, option), option)
