"""Walk through recorded moves: each is applied to a game, up to the first that its rules refuse."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from msgspec.structs import replace

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option, Refusal, RulesetFaultError, TakenBack
from rulespec.engine.game.refusal import refused
from rulespec.engine.logs.recorded import RecordedDecision, RecordedMove, apply_recorded, nearest

MAX_FORCED = 200
"""Decisions in a row that are not recorded and have one option."""
MAX_CHANCES = 50
"""Outcomes of chance that are tried where the record lacks one."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The first recorded decision that the rules refuse.

    Attributes:
        index: the number of decisions before it.
        recorded: the decision.
        open: the name of the decision that is open there; None if the game is over.
        open_by: the seat that decides; None for chance, or if the game is over.
        refusal: the reason.
        nearest: the legal options most like the recorded one.
    """

    index: int
    recorded: RecordedDecision
    open: str | None
    open_by: str | None
    refusal: Refusal
    nearest: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        """As plain data; see under.schema.json."""
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
class Walk:
    """The result of a walk.

    Attributes:
        decisions: the number of recorded decisions, those taken back later included.
        legal: how many of them were applied, one after the other.
        forced: decisions that the record lacks, with one option or one outcome with which the record goes on.
        skipped: recorded decisions that these rules never ask for.
        difference: the first decision that is refused; None if there is none. Without one, the game was over if not all
            are legal.
    """

    decisions: int
    legal: int
    forced: int
    skipped: int
    difference: Difference | None


def walk(game: Game, moves: Sequence[RecordedMove], *, force: bool = False) -> Walk:
    """Applies recorded moves one after the other, up to the first that is not legal or the end of the game.

    With `force`, decisions that the record lacks are taken where they have one option, decisions that these rules never
    ask for are passed over where the record goes on after them, and a walk ends with the game. Otherwise they are a
    difference, and so is a decision after the end of the game.
    """
    decisions = sum(isinstance(move, RecordedDecision) for move in moves)
    known = {decision.name for decision in game.omniscient.program.decisions}
    legal = forced = skipped = 0
    plies: list[int] = []  # for each decision that stands, the ply before it and before those forced by it
    for number, move in enumerate(moves):
        if isinstance(move, TakenBack):
            ply = _ply_before(game, plies, move.decisions)
            back = replace(move, decisions=game.ply - ply)
            try:
                _take_back(game, _sayable(game, back) if force else back)
            except (IndexError, ValueError) as error:
                undo = RecordedDecision("", None, "undo")
                return Walk(decisions, legal, forced, skipped, _difference(game, legal, undo, refused(str(error))))
            del plies[len(plies) - move.decisions :]
            continue
        plies.append(game.ply)
        if force:
            awaited = _next_known(moves, number, known)
            forced += _take_forced(game, awaited) if awaited is not None else 0
            if _is_over(game):
                break
            if move.decision not in known and (awaited is None or _is_open(game, awaited)):
                skipped += 1
                continue
        applied = apply_recorded(game, move)
        if isinstance(applied, Refusal):
            return Walk(decisions, legal, forced, skipped, _difference(game, legal, move, applied))
        legal += 1
    return Walk(decisions, legal, forced, skipped, None)


def _next_known(moves: Sequence[RecordedMove], number: int, known: Set[str]) -> RecordedDecision | None:
    """The first decision from a move on that the rules know; None if others are taken back before, or none follows."""
    for move in moves[number:]:
        if isinstance(move, TakenBack):
            return None
        if move.decision in known:
            return move
    return None


def _sayable(game: Game, back: TakenBack) -> TakenBack:
    """The part of what is taken back that these rules know the state fields of."""
    fields = game.omniscient.fields
    rest = tuple(name for name in back.keep if name in fields)
    return replace(back, keep=rest, set=tuple(pair for pair in back.set if pair[0] in fields))


def _take_back(game: Game, back: TakenBack) -> None:
    if back.decisions or back.set:
        game.omniscient.take_back(back)


def _ply_before(game: Game, plies: Sequence[int], decisions: int) -> int:
    """The ply before the last decisions that stand; -1 if there are not so many."""
    if decisions == 0:
        return game.ply
    return plies[-decisions] if decisions <= len(plies) else -1


def _is_over(game: Game) -> bool:
    try:
        return game.is_over
    except RulesetFaultError:  # `apply_recorded` reports it
        return False


def _difference(game: Game, index: int, recorded: RecordedDecision, refusal: Refusal) -> Difference:
    """The difference at the position of a game that has refused a decision."""
    try:
        now = game.decision
    except RulesetFaultError:  # the refusal says so already
        now = None
    by = now.by if now else None
    return Difference(index, recorded, now.name if now else None, by, refusal, nearest(game, recorded.option))


def _take_forced(game: Game, recorded: RecordedDecision) -> int:
    """Takes decisions with one option before the recorded one is open; returns their number."""
    forced = 0
    try:
        while forced < MAX_FORCED and not game.is_over and not _is_open(game, recorded):
            decision = game.decision
            most = MAX_CHANCES if decision is not None and decision.by is None else 2
            own = list(islice(takewhile(lambda option: not option.interrupt, every_option(game)), most))
            if len(own) > 1 and most > 2:
                own = [option for option in own if _leads_to(game, option, recorded)]
            if len(own) != 1:
                break
            game.apply(own[0])
            forced += 1
    except RulesetFaultError:  # `apply_recorded` finds it, too
        pass
    return forced


def _leads_to(game: Game, option: Option, recorded: RecordedDecision) -> bool:
    """Whether the recorded decision is open after an option."""
    game.apply(option)
    try:
        return not game.is_over and _is_open(game, recorded)
    finally:
        game.undo()


def _is_open(game: Game, recorded: RecordedDecision) -> bool:
    """Whether the open decision is the recorded one: of its name, and for the same seat."""
    now = game.decision
    if now is None or now.name != recorded.decision:
        return False
    if recorded.by in (now.among or (now.by,)):
        return True
    try:
        option: Option = game.parse(recorded.option)
    except ValueError:
        return True
    return option.interrupt
