"""The log of a seat, which is the seat's view of the game; it can be read but not resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rulespec.engine.game.drafted import standing as standing_steps
from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.native import LogHeader, NativeLog
from rulespec.engine.logs.notes import Notes, SeenNotes
from rulespec.engine.logs.sealed import salted, seen_line
from rulespec.engine.logs.variations import counted_at, lasting


def seat_log(
    game: Game, seat: str | None, log: NativeLog | None = None, lines: Sequence[int] = ()
) -> Iterator[dict[str, Any]]:
    """The lines of a seat's log: a header, one line per decision, the end, and the seat's memory.

    The header key `for` names the seat; it is null for the public. Arguments hidden from the seat are `?`. A choice in
    a round is `sealed` until all seats have chosen; later logs contain its salt, with which `agrees` checks the seal.
    The `memory` in the last line ties the log to a game, since only games that look the same to the seat have equal
    memories.

    Args:
        game: the game.
        seat: the viewer; None for the public view.
        log: the replayed log, which provides the notes that the seat may see; None means no notes.
        lines: for each decision in force, its line number in that log.
    """
    salted(game)
    game = as_shown(game, seat)
    view = game.view(seat)
    notes = seen_notes(log, seat, game.omniscient.secretive, standing=True)
    yield LogHeader.of(game, notes.header).to_json() | {"for": seat}
    last, moves = 1, {entry.line for entry in log.entries} if log is not None else set()
    for number, (step, event) in enumerate(zip(game.omniscient.numbers.steps, view.history, strict=True)):
        line = lines[number] if lines else last
        yield from map(dict, notes.between(last, line, moves))
        yield seen_line(step, event) | dict(notes.of(line) if lines else {})
        last = line
    if log is not None:
        yield from map(dict, notes.between(last, log.text.count("\n") + 2, moves))
    yield from end_json(game, seat)
    yield {"memory": view.memory}


def seen_notes(log: NativeLog | None, seat: str | None, secretive: bool, *, standing: bool = False) -> SeenNotes:
    """The notes in a log that a seat may see.

    Args:
        log: the log; None means no notes.
        seat: the seat; None for the public.
        secretive: whether the game has hidden information.
        standing: whether to omit variations at undone decisions.
    """
    if log is None:
        return SeenNotes({}, (), seat, secretive)
    by = {entry.line: entry.by for entry in log.entries}
    of_lines = _lasting(log) if standing else log.notes
    lines = [(line, by.get(line, notes.get("by")), notes) for line, notes in of_lines.items()]
    return SeenNotes(log.header.notes, lines, seat, secretive)


def _lasting(log: NativeLog) -> Mapping[int, Notes]:
    """The notes of a log, without variations at undone decisions."""
    backs = [None if entry.back is None else entry.back.decisions for entry in log.entries]
    counts = counted_at(backs, [entry.line for entry in log.entries], sorted(log.notes))
    return {line: lasting(notes, *counts[line]) for line, notes in log.notes.items()}


def is_whole(game: Game, seat: str | None) -> bool:
    """Whether a seat has seen all decisions with all arguments, so that the whole log would reveal nothing new."""
    shown = [str(event.option) for event in game.view(seat).history]
    return shown == [str(step.option) for step in standing_steps(game.omniscient.numbers.steps)]
