"""The file of a game: all its decisions, with the salts of choices that others have seen sealed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.logs.native import LogHeader, LogWriter
from rulespec.engine.logs.sealed import salted


def write_log(path: Path, game: Game, moves: Sequence[Option | TakenBack] | None = None) -> None:
    """Writes a game as a native log, which is its owner's alone if there are secrets in it.

    Args:
        path: the file; an old one is replaced.
        game: where the log ends.
        moves: its decisions, and what was taken back; left out, the decisions that stand.
    """
    salted(game)
    steps = game.omniscient.numbers.steps
    left = list(range(len(steps))) if moves is None else standing(moves)
    steps_of = dict(zip(left, steps, strict=True))
    with LogWriter(path, LogHeader.of(game), secret=game.omniscient.watcher.secretive) as writer:
        for number, move in enumerate(game.history if moves is None else moves):
            writer.add(steps_of.get(number, move))


def standing(moves: Sequence[Option | TakenBack]) -> list[int]:
    """The numbers of the decisions that have not been taken back."""
    left: list[int] = []
    for number, move in enumerate(moves):
        if isinstance(move, TakenBack):
            del left[len(left) - move.decisions :]
        else:
            left.append(number)
    return left
