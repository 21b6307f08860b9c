"""The file of a game: all its decisions, with the salts of choices that others have seen sealed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rulespec.engine.game.game import Game, TakenBack
from rulespec.engine.game.option import Option
from rulespec.engine.logs.native import LogHeader, LogWriter, NativeLog
from rulespec.engine.logs.sealed import salted


def write_log(
    path: Path,
    game: Game,
    moves: Sequence[Option | TakenBack] | None = None,
    log: NativeLog | None = None,
    lines: Sequence[int] = (),
    random: str = "",
) -> None:
    """Writes a game as a native log with its end line, which is its owner's alone if there are secrets in it.

    Args:
        path: the file; an old one is replaced.
        game: where the log ends.
        moves: its decisions, and what was taken back; left out, the decisions that stand.
        log: the log that the moves come from, whose notes are kept.
        lines: the line of each move in it.
        random: the generator that a simulated game was drawn from.
    """
    salted(game)
    steps = game.position.steps
    left = list(range(len(steps))) if moves is None else standing(moves)
    steps_of = dict(zip(left, steps, strict=True))
    header = LogHeader.of(game, log.header.notes if log is not None else None, random)
    with LogWriter(path, header, secret=game.watcher.secretive) as writer:
        if log is None:
            for number, move in enumerate(game.history if moves is None else moves):
                writer.add(steps_of.get(number, move))
            writer.end(game)
            return
        remarks = _Remarks(log)
        for number, (move, line) in enumerate(zip(moves or (), lines, strict=True)):
            remarks.write(writer, line)
            writer.add(steps_of.get(number, move), log.notes.get(line))
        rest = len(log.entries) == len(lines)
        remarks.write(writer, None if rest else log.entries[len(lines)].line)
        writer.end(game, log.notes.get(log.end.line) if rest and log.end is not None else None)


class _Remarks:
    """Lines of a log with nothing but notes, in order."""

    def __init__(self, log: NativeLog) -> None:
        self._left = [*log.remarks().items()]

    def write(self, writer: LogWriter, line: int | None) -> None:
        """Writes those before a line; None: all that are left."""
        while self._left and (line is None or self._left[0][0] < line):
            writer.remark(self._left.pop(0)[1])


def standing(moves: Sequence[Option | TakenBack]) -> list[int]:
    """The numbers of the decisions that have not been taken back."""
    left: list[int] = []
    for number, move in enumerate(moves):
        if isinstance(move, TakenBack):
            del left[len(left) - move.decisions :]
        else:
            left.append(number)
    return left
