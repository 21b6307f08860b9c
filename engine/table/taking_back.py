"""Undo at a table: steps that a seat may undo without consent, decisions to redo, and information that viewers
gained.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import takewhile
from typing import Any

from rulespec.engine.game.ahead import ahead, shows_more
from rulespec.engine.game.events import HIDDEN
from rulespec.engine.game.game import Game, seen_events
from rulespec.engine.game.position import Step
from rulespec.engine.game.seat_knowledge import learned
from rulespec.engine.logs.sealed import pending
from rulespec.engine.program import ir
from rulespec.engine.table.seats import Request, Undone
from rulespec.engine.table.telling import seen_moves
from rulespec.engine.words.words import Words

_MOST_FACTS = 12
"""The maximum number of listed facts."""

_NAMED = 3
"""The number of the requester's own decisions named in a request."""


def undone(
    game: Game, number: int, by: str, others: Collection[str], choices: dict[str, tuple[str, str]]
) -> Undone | None:
    """The decisions about to be undone that can be redone unchanged: the decisions before the first one by another
    person.

    Args:
        game: the game before the undo.
        number: the number of decisions to undo.
        by: the undoing seat.
        others: the other people.
        choices: the pending choices of the open round: seat → its option and its salt.
    """
    steps, sealed = list(game.omniscient.numbers.steps[-number:]), pending(game)
    steps = steps[: max(0, len(steps) - len(sealed))]
    own = list(takewhile(lambda step: step.option.by not in others, steps))
    options = [(step.option.by or "", str(step.option), step.salt) for step in own]
    if len(own) < len(steps):
        return Undone(by, options) if options else None
    all_sealed = {step.option.by: (str(step.option), step.salt) for step in sealed if step.option.by is not None}
    return Undone(by, options, all_sealed | choices) if options else None


def known(words: Words, game: Game, seat: str | None, request: Request) -> dict[str, Any]:
    """The decisions of an undo request in words, the facts that a seat has learned from them, and their public
    outcomes.

    All of this is part of the seat's own view.
    """
    first = game.ply - request.decisions
    events = seen_events(game, seat, first)
    moves = list(seen_moves(words, game, seat, first))
    sentences = {str(event): move.text for event, move in zip(events, moves, strict=True)}
    facts = learned(game, seat, request.decisions) if seat is not None else ()
    others = [event for event in events if event.option is not None and HIDDEN in event.option]
    own = [move.text for move in moves if move.by == request.by]
    beside = [move.by or "" for move in moves[: len(moves) - len(pending(game))] if move.by != request.by]
    return {
        "own": own[:_NAMED],
        "more": len(own[_NAMED:]),
        "beside": {by: beside.count(by) for by in dict.fromkeys(beside)},
        "learned": [sentences.get(fact) or _named(game, fact) for fact in facts[:_MOST_FACTS]],
        "others": [sentences[str(event)] for event in others[:_MOST_FACTS]],
    }


def _named(game: Game, fact: str) -> str:
    """A path such as `player.A.card`, with the name of the seat."""
    kind, _, rest = fact.partition(".")
    seat, dot, field = rest.partition(".")
    if kind != game.ruleset.declarations.player_kind or seat not in game.shown_names:
        return fact
    return f"{game.shown_names[seat]}{dot}{field}"


_MOST = 200
"""The number of cached verdicts on steps."""


class FreeSteps:
    """The free steps in a table's game: the most recent decisions of a seat that it can undo without consent.

    A step is free if it had no consequences for others: no other person has decided since, no chance event has
    happened, and no seat sees more than before. This is computed only from the seat's own view, so a free step reveals
    nothing to the seat; if it cannot be computed, consent is required.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[str, int], tuple[Step, bool]] = {}

    def count(self, game: Game, seat: str, bots: Collection[str]) -> int:
        """The number of most recent decisions that a seat may undo freely; the earliest of these is the seat's own.

        The count includes sealed choices of others in an open round, since they have revealed nothing. A seat that has
        chosen in the round withdraws its choice instead.

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
