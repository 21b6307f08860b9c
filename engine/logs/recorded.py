"""Decisions as they are written down: taking them, and what is nearest to one that is not legal."""

from __future__ import annotations

import difflib
from itertools import islice, takewhile

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import IllegalOptionError, Option, Refusal, RulesetFaultError
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.native import LogEntry

_LISTED = 2_000
_NEAREST = 5


class RecordedDecision(Struct, frozen=True, gc=False):
    """A decision as it was taken: its name, who took it (None: chance), and the option as text."""

    decision: str
    by: str | None
    option: str


def take(game: Game, taken: RecordedDecision | LogEntry) -> Option | Refusal:
    """Takes a decision that is written down, if it is legal; else says why it is not, and nothing has changed."""
    try:
        return game.take(taken.option, taken.by, taken.decision)
    except IllegalOptionError as error:
        return error.refusal
    except RulesetFaultError as fault:
        return refused(f"the ruleset is at fault: {fault}", fault.diagnostic.span)
    except ValueError as error:
        return refused(str(error))


def nearest(game: Game, text: str) -> tuple[str, ...]:
    """The legal options most like a text, interrupts aside; none where the ruleset is at fault."""
    try:
        legal = [str(o) for o in islice(takewhile(lambda o: not o.interrupt, game.options), _LISTED)]
    except RulesetFaultError:
        return ()
    legal.sort(key=lambda option: -difflib.SequenceMatcher(None, option, text[:200]).ratio())
    return tuple(legal[:_NEAREST])
