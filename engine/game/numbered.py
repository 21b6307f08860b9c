"""Options by number, for code that computes arguments itself, such as importers of foreign logs."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rulespec.engine.game.game import Game
from rulespec.engine.game.option import Option
from rulespec.engine.program.faults import ProgramFaultError


def numbered_option(game: Game, choice: int, args: tuple[int, ...], by: str | None) -> Option:
    """The option of the open decision with the given choice number and numeric arguments, legal or not."""
    return Option(game.omniscient.option_kinds[choice], args, by)


def legal_option(game: Game, choice: int, args: tuple[int, ...]) -> Option | None:
    """The legal option of the open decision with the given choice number and numeric arguments; None if there
    is none.
    """
    kinds, position = game.omniscient.option_kinds, game._position
    if not kinds:
        return None
    cells, kind, lookups = position.looked_up, kinds[choice], position.machine.lookups[position.asked]
    try:
        if not lookups.legal[choice](cells, *args):
            return None
        who = lookups.actors[choice](cells, *args) if kind.interrupt else lookups.decider(cells)
    except ProgramFaultError as fault:
        raise position.fault(fault) from None
    return Option(kind, args, game.seats[who] if who >= 0 else None, position.stamp)


def options_of(game: Game, choices: Collection[int]) -> Iterator[Option]:
    """Lazily lists the legal options of some choices of the open decision: first the decider's options, then the
    interrupts.
    """
    kinds = game.omniscient.option_kinds
    if not all(kinds[k].interrupt for k in choices):
        yield from (option for option in game.legal_options if option.kind.choice in choices)
    if any(kinds[k].interrupt for k in choices):
        position, seats, stamp = game._position, game.seats, game._position.stamp
        for choice, args, who in position.listed(interrupts=True):
            if choice in choices:
                yield Option(kinds[choice], args, seats[who] if who >= 0 else None, stamp)


def every_option(game: Game) -> Iterator[Option]:
    """Lazily lists all legal options: first the decider's options, then the interrupts."""
    yield from game.legal_options
    yield from game.interrupts
