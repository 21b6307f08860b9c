"""Free steps: a seat's latest decisions that it can undo without consent.

A step is free if it had no consequences for others: no other person has decided since, no chance event has happened,
and no seat sees more than before. This is computed only from the seat's own view, so a free step reveals nothing to the
seat; if it cannot be computed, consent is required.
"""

from __future__ import annotations

from collections.abc import Collection

from rulespec.engine.game.ahead import ahead, shows_more
from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, seen_events
from rulespec.engine.game.position import Step
from rulespec.engine.logs.sealed import pending
from rulespec.engine.program import ir

_MOST = 200
"""The number of cached verdicts on steps."""


class FreeSteps:
    """The free steps of a table's game."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[Step, bool]] = {}

    def count(self, game: Game, seat: str, bots: Collection[str]) -> int:
        """The number of latest decisions that a seat may undo freely; the first of them is its own.

        The count includes others' sealed choices in an open round, which have revealed nothing. A seat that has chosen
        in the round withdraws its choice instead.

        Args:
            game: the game, which remains unchanged.
            seat: the undoing seat.
            bots: the seats whose decisions do not matter.
        """
        steps, sealed = game.omniscient.numbers.steps, pending(game)
        if any(step.option.by == seat for step in sealed):
            return 0
        result = 0
        for at in range(len(steps) - len(sealed), 0, -1):
            by = steps[at - 1].option.by
            if by is None or (by != seat and by not in bots) or not self._is_free(game, seat, at):
                break
            if by == seat:
                result = len(steps) - at + 1
        return result

    def _is_free(self, game: Game, seat: str, at: int) -> bool:
        """Whether the step with this number, from 1 on, has revealed nothing to anybody."""
        program = game.omniscient.program
        step = game.omniscient.numbers.steps[at - 1]
        if any(d.held for d in program.decisions if d.name == step.option.decision):
            return False  # the others' choices in the round are known
        if not _keeps_secrets(program):
            return True
        known = self._known.get((seat, at))
        if known is None or known[0] is not step:
            if len(self._known) >= _MOST:
                self._known.clear()
            known = self._known[seat, at] = step, self._taught_nobody(game, seat, at)
        return known[1]

    @staticmethod
    def _taught_nobody(game: Game, seat: str, at: int) -> bool:
        events = seen_events(game, seat, at - 1)
        seen = events[0].option if events else None  # another seat's open plan has no event
        if seen is None or HIDDEN in seen:
            return False
        past = game.copy()
        while past.ply >= at:
            option = past.undo()
        result = ahead(past, option, seat)
        return result.whole and not shows_more(past, result)


def _keeps_secrets(program: ir.Program) -> bool:
    """Whether anything is private besides the choices of an open round."""
    return bool(program.secrets) or any(q.private for d in program.decisions for c in d.choices for q in c.params)
