"""The rules that each move of a game rests on: those that its option cites, and those that ran because of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from rulespec.engine.coverage.items import OPTION, RUN, TESTED, Kind, Point
from rulespec.engine.coverage.trace import Tracer
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack

_OWN: dict[Kind, str] = {"option": OPTION[1], "range": TESTED[0], "require": TESTED[0]}
"""The parts of an option, each with the outcome that lets it be taken."""


class MoveRules(Struct, frozen=True):
    """The ids of rules: those of the option itself, and others of the procedures that ran."""

    own: tuple[str, ...] = ()
    ran: tuple[str, ...] = ()


def move_rules(game: Game, moves: Sequence[Option | TakenBack]) -> Iterator[MoveRules]:
    """The rules of each move, in order. The interpreter makes the moves again, and tells what it runs.

    Args:
        game: a game that has been played; it is not changed.
        moves: its decisions, and what was taken back.
    """
    tracer = Tracer(game.ruleset)
    again = Game(game.ruleset, game.names, game.settings, tracer.machines)
    again.omniscient.numbers.begin()
    tracer.take()
    for move in moves:
        if isinstance(move, TakenBack):
            again.omniscient.take_back(move)
        else:
            again.apply(move)
        yield _of(list(tracer.take()))


def _of(points: list[Point]) -> MoveRules:
    own = dict.fromkeys(
        rule
        for kind, outcome in _OWN.items()
        for point in points
        if point.item.kind == kind and point.outcome == outcome
        for rule in point.item.rules
    )
    ran = dict.fromkeys(
        rule
        for point in points
        if point.item.kind == "procedure" and point.outcome == RUN[0]
        for rule in point.item.rules
        if rule not in own
    )
    return MoveRules(tuple(own), tuple(ran))
