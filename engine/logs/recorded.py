"""Recorded decisions: application to a game, and a search for the closest legal options."""

from __future__ import annotations

from itertools import islice, takewhile

from msgspec import Struct

from rulespec.engine.game.game import Game, take_named
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import IllegalOptionError, Option, Refusal, RulesetFaultError, TakenBack
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.native import LogEntry

_MAX_COMPARED = 2_000  # options
_MAX_NEAREST = 5


class RecordedDecision(Struct, frozen=True, gc=False):
    """A decision from a log, as its name, the deciding seat (None if chance decided) and the text of the option."""

    decision: str
    by: str | None
    option: str


RecordedMove = RecordedDecision | TakenBack
"""A recorded decision or undo."""


def apply_recorded(game: Game, recorded: RecordedDecision | LogEntry) -> Option | Refusal:
    """Applies a recorded decision with its salt; if illegal, returns the refusal and leaves the game unchanged."""
    try:
        option = take_named(game, recorded.option, recorded.by, recorded.decision)
    except IllegalOptionError as error:
        return error.refusal
    except RulesetFaultError as fault:
        return refused(f"the ruleset is at fault: {fault}", fault.diagnostic.span)
    except ValueError as error:
        return refused(str(error))
    if isinstance(recorded, LogEntry) and recorded.salt:
        game.omniscient.numbers.seal(recorded.salt)
    return option


def nearest(game: Game, text: str) -> tuple[str, ...]:
    """The decider's legal options that are most similar to a text; empty if the rules fault."""
    try:
        legal = [str(o) for o in islice(takewhile(lambda o: not o.interrupt, every_option(game)), _MAX_COMPARED)]
    except RulesetFaultError:
        return ()
    from difflib import SequenceMatcher  # lazily: most logs are legal

    legal.sort(key=lambda option: -SequenceMatcher(None, option, text[:200]).ratio())
    return tuple(legal[:_MAX_NEAREST])
