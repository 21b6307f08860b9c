"""Audit of a recorded game: the first move that breaks an invariant or leaves no legal option."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.engine.game.game import restarted
from rulespec.engine.game.option import Option
from rulespec.engine.game.position_check import look
from rulespec.engine.logs.native import LogHeader, entry_json
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.verify.shrink import FailingGame, Move


@dataclass(frozen=True, slots=True)
class Broken:
    """A broken invariant, or a position without a legal option.

    Attributes:
        index: the number of moves before it.
        move: the move that causes it; None if the fault is at the start.
        line: the line of the move in a native log or a text of moves.
        foreign_index: the entry of the move in a foreign log.
        wrong: the diagnostic.
        changed: the changes that the move made, as texts.
        scenario: the game so far as a scenario file that fails in the same way; "" if no scenario can fail in this way.
    """

    index: int
    move: Move | None
    line: int | None
    foreign_index: int | None
    wrong: Diagnostic
    changed: tuple[str, ...]
    scenario: str

    def to_json(self) -> dict[str, Any]:
        """The object printed by `replay --check --format json`."""
        return {
            "index": self.index,
            "foreign_index": self.foreign_index,
            "move": entry_json(self.move) if self.move is not None else None,
            "code": self.wrong.code,
            "reason": self.wrong.message,
            "help": self.wrong.help,
            "changed": list(self.changed),
            "scenario": self.scenario or None,
        }


def first_broken(result: ReplayResult) -> Broken | None:
    """The first move of a replayed game that breaks an invariant or leaves no legal option; None if no move does.

    Only the legal part of the game is replayed.
    """
    ruleset, header = result.game.ruleset, LogHeader.of(result.game)
    game = restarted(result.game)
    if (wrong := look(game)[1]) is not None:
        failing = FailingGame.of(ruleset, header, (), wrong)
        return Broken(0, None, None, None, failing.wrong, (), failing.scenario)
    for index, (move, place) in enumerate(zip(result.moves, result.places, strict=True)):
        game.apply(move) if isinstance(move, Option) else game.omniscient.take_back(move)
        if (wrong := look(game)[1]) is not None:
            failing = FailingGame.of(ruleset, header, result.moves[: index + 1], wrong)
            line, entry = (result.line_of(place), place) if result.foreign else (place, None)
            return Broken(index, move, line, entry, failing.wrong, failing.changed, failing.scenario)
    return None
