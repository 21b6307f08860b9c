"""Application of recorded moves to a game, up to the first illegal one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Refusal, RulesetFaultError, TakenBack
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.recorded import RecordedDecision, RecordedMove, apply_recorded, nearest

UNDO = RecordedDecision("", None, "undo")
"""The decision reported in place of an undo that is impossible."""


@dataclass(frozen=True, slots=True)
class RefusedDecision:
    """The first recorded decision that the rules refuse.

    Attributes:
        index: the number of recorded decisions before it.
        recorded: the decision.
        open: the name of the decision open at that point; None if the game is over.
        open_by: the seat of the open decision; None if chance decides, or the game is over.
        refusal: the reason for the refusal.
        nearest: the most similar legal options.
    """

    index: int
    recorded: RecordedDecision
    open: str | None
    open_by: str | None
    refusal: Refusal
    nearest: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """The refused decision as plain data; see under.schema.json."""
        return {
            "index": self.index,
            "decision": self.recorded.decision,
            "by": self.recorded.by,
            "option": self.recorded.option,
            "open": self.open,
            "open_by": self.open_by,
            "reason": self.refusal.reason,
            "rule": list(self.refusal.rules),
            "values": self.refusal.values,
            "nearest": list(self.nearest),
        }


@dataclass(frozen=True, slots=True)
class ReplayWalk:
    """The result of applying recorded moves to a game.

    Attributes:
        decisions: the number of recorded decisions, including those undone later.
        legal: the number of applied decisions.
        difference: the first refused decision; None if all were applied.
    """

    decisions: int
    legal: int
    difference: RefusedDecision | None


def walk(game: Game, moves: Sequence[RecordedMove]) -> ReplayWalk:
    """Applies recorded moves in order, up to the first illegal one; returns the result."""
    decisions = sum(isinstance(move, RecordedDecision) for move in moves)
    legal = 0
    plies: list[int] = []  # for each decision in force, the ply before it
    for move in moves:
        if isinstance(move, TakenBack):
            refusal = take_back(game, plies, move)
            if refusal is not None:
                return ReplayWalk(decisions, legal, difference(game, legal, UNDO, refusal))
            continue
        plies.append(game.ply)
        applied = apply_recorded(game, move)
        if isinstance(applied, Refusal):
            return ReplayWalk(decisions, legal, difference(game, legal, move, applied))
        legal += 1
    return ReplayWalk(decisions, legal, None)


def take_back(game: Game, plies: list[int], back: TakenBack) -> Refusal | None:
    """Undoes recorded decisions; returns a refusal if that is impossible.

    Args:
        game: the game.
        plies: for each recorded decision in force, the ply before it and before any decisions inserted for it.
        back: the undo.
    """
    ply = _ply_before(game, plies, back.decisions)
    try:
        if back.decisions or back.set:
            game.omniscient.take_back(replace(back, decisions=game.ply - ply))
    except (IndexError, ValueError) as error:
        return refused(str(error))
    del plies[len(plies) - back.decisions :]
    return None


def _ply_before(game: Game, plies: Sequence[int], decisions: int) -> int:
    """The ply before the last `decisions` decisions in force; -1 if there are fewer."""
    if decisions == 0:
        return game.ply
    return plies[-decisions] if decisions <= len(plies) else -1


def difference(game: Game, index: int, recorded: RecordedDecision, refusal: Refusal) -> RefusedDecision:
    """The report on a refused decision at a game's current position."""
    try:
        now = game.decision
    except RulesetFaultError:  # already stated by the refusal
        now = None
    by = now.by if now else None
    return RefusedDecision(index, recorded, now.name if now else None, by, refusal, nearest(game, recorded.option))
