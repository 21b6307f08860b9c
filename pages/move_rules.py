"""The rules that each move of a game rests on: those that its option cites, and those that ran because of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from rulespec.engine.coverage.items import OPTION, RUN, TESTED, Item, Kind, Point
from rulespec.engine.coverage.trace import Tracer
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option, TakenBack
from rulespec.engine.why.output import overlay_titles
from rulespec.typed import nodes as typed

_OWN: dict[Kind, str] = {"option": OPTION[1], "range": TESTED[0], "require": TESTED[0]}
"""The parts of an option, each with the outcome that lets it be taken."""


Cited = tuple[str, str]
"""The id of a rule, or the words of one of an overlay that has none; and the title of the overlay, or ""."""


class MoveRules(Struct, frozen=True):
    """Rules: those of the option itself, and others of the procedures that ran."""

    own: tuple[Cited, ...] = ()
    ran: tuple[Cited, ...] = ()


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
    titles = overlay_titles(game.ruleset)
    for move in moves:
        if isinstance(move, TakenBack):
            again.omniscient.take_back(move)
        else:
            again.apply(move)
        yield _of(list(tracer.take()), game.ruleset, titles)


def _cited(item: Item, ruleset: typed.Ruleset, titles: Mapping[str, str]) -> list[Cited]:
    """The rules of an item; of one of an overlay that cites none, its text."""
    span, title = item.span, titles.get(item.span.file, "")
    if item.rules or not title:
        return [(rule, title) for rule in item.rules]
    lines = ruleset.sources[span.file].split("\n")[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    lines[0] = lines[0][span.column - 1 :]
    return [(" ".join(" ".join(lines).split()), title)]


def _of(points: list[Point], ruleset: typed.Ruleset, titles: Mapping[str, str]) -> MoveRules:
    own = dict.fromkeys(
        rule
        for kind, outcome in _OWN.items()
        for point in points
        if point.item.kind == kind and point.outcome == outcome
        for rule in _cited(point.item, ruleset, titles)
    )
    ran = dict.fromkeys(
        rule
        for point in points
        if point.item.kind == "procedure" and point.outcome == RUN[0]
        for rule in _cited(point.item, ruleset, titles)
        if rule not in own
    )
    return MoveRules(tuple(own), tuple(ran))
