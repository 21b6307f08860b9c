"""The log file of a game: all its decisions, with the salts of the choices that other seats saw sealed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from rulespec.bundles.rules import own_bundle
from rulespec.documents.json_text import to_json_text
from rulespec.documents.written_files import replaced
from rulespec.engine.game.drafted import standing as not_withdrawn
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.game.position import Step
from rulespec.engine.logs.end_line import end_json
from rulespec.engine.logs.native import LogHeader, NativeLog, entry_json
from rulespec.engine.logs.notes import LogNotes, Notes
from rulespec.engine.logs.sealed import salted


class LogWriter:
    """A line-by-line writer for the log of a finished game, which replaces the file once the log is complete.

    `rulespec.engine.logs.saved_game` saves games in progress.

    Args:
        path: the file.
        header: the first line.
        secret: whether the game has hidden information, in which case only the owner may read the file.
    """

    def __init__(self, path: Path | str, header: LogHeader, *, secret: bool = False) -> None:
        self._stack = ExitStack()
        self._file: TextIO = self._stack.enter_context(replaced(Path(path), secret=secret))
        self._write(header.to_json())

    def add(self, move: Option | Step | TakenBack, notes: Notes | None = None) -> None:
        """Writes an undo, or a decision, with the salt if the decision has a seal."""
        self._write(entry_json(move) | dict(notes or {}))

    def remark(self, notes: Notes) -> None:
        """Writes a line that consists only of notes."""
        self._write(dict(notes))

    def end(self, game: Game, notes: Notes | None = None) -> None:
        """Writes the current end line of a game, unless the rules fault while the result is computed."""
        for line in end_json(game):
            self._write(line | dict(notes or {}))

    def __enter__(self) -> LogWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def _write(self, data: dict[str, Any]) -> None:
        self._file.write(to_json_text(data, plain=True) + "\n")


def write_log(
    path: Path | str,
    game: Game,
    moves: Sequence[Option | TakenBack] | None = None,
    log: NativeLog | None = None,
    lines: Sequence[int] = (),
    random: str = "",
    foreign: LogNotes | None = None,
) -> None:
    """Writes a game as a native log with its end line, readable only by its owner if the game has secrets.

    The log embeds the rules if other people may lack them.

    Args:
        path: the file, which is replaced if it exists.
        game: the game at the end of the log.
        moves: the decisions of the game, including undone ones; by default, those in force, without withdrawn plans.
        log: the original log of the moves, from which the notes are copied.
        lines: for each move, its line in that log, or 0.
        random: the random number generator of a simulated game.
        foreign: the notes of a foreign log; `lines` then contains entry numbers of this log.
    """
    salted(game)
    steps = game.omniscient.numbers.steps
    if moves is None:
        steps = not_withdrawn(steps)
        moves = [step.option for step in steps]
    left = standing(moves)
    steps_of = dict(zip(left, steps, strict=True))
    notes = LogNotes(log.header.notes, log.notes, log.remarks()) if log is not None else foreign
    header = LogHeader.of(game, notes.header if notes is not None else None, random, own_bundle(game.ruleset))
    with LogWriter(path, header, secret=game.omniscient.secretive) as writer:
        if notes is None:
            for number, move in enumerate(moves):
                writer.add(steps_of.get(number, move))
            writer.end(game)
            return
        remarks, before = _Remarks(notes.remarks), -1
        for number, (move, line) in enumerate(zip(moves, lines, strict=True)):
            remarks.write(writer, line)
            writer.add(steps_of.get(number, move), notes.moves.get(line) if line != before else None)
            before = line
        last = max(lines, default=0)
        entries = log.entries if log is not None else []
        rest = next((entry.line for entry in entries if entry.line > last), None)  # the log continues there
        remarks.write(writer, rest)
        end = log.end if log is not None and rest is None else None
        writer.end(game, notes.moves.get(end.line) if end is not None else None)


class _Remarks:
    """The remark lines of a log, written in order between other lines."""

    def __init__(self, remarks: Mapping[int, Notes]) -> None:
        self._left = sorted(remarks.items())

    def write(self, writer: LogWriter, line: int | None) -> None:
        """Writes the remarks that precede a line, or all remaining ones if `line` is None."""
        while self._left and (line is None or self._left[0][0] < line):
            writer.remark(self._left.pop(0)[1])


def standing(moves: Sequence[Option | TakenBack]) -> list[int]:
    """The indices of the decisions in force, which are those that no later move undoes."""
    left: list[int] = []
    for number, move in enumerate(moves):
        if isinstance(move, TakenBack):
            del left[len(left) - move.decisions :]
        else:
            left.append(number)
    return left
