"""The lead in a game over time: how often it changed, when it last changed, and its maximum."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.program import ir
from rulespec.typed.seat_kinds import ALL, members, teams

MOST = 256
"""The number of recorded positions at which every second position is dropped."""

By = Literal["value", "points", "playouts"]
"""The number that decides the lead: the declared value, the points, or the share of wins in random games from the
position.
"""


class Lead(Struct, frozen=True):
    """The lead in a game.

    Attributes:
        by: the type of the number that decides the lead.
        changes: the number of times that the lead passed to another side; a tie is no change.
        taken: the number of decisions before the last leader took the lead; None if nobody ever led.
        widest: the maximum lead of the first side over the second; a percentage if playouts decide the lead.
    """

    by: By
    changes: int
    taken: int | None
    widest: int


class Standings(Struct, frozen=True):
    """The standing of each seat at a position, as a number; greater is better.

    Attributes:
        by: the type of the number.
        slack: the maximum difference that does not count as a lead.
        of: the number of each seat.
    """

    by: By
    slack: int
    of: Callable[[Game], Sequence[int]]


def standings(game: Game) -> Standings | None:
    """The standings of a game by value or by points; None if there is neither, or all seats win together."""
    program, seats = game.omniscient.program, range(len(game.seats))
    value = deciding(program)
    if game.ruleset.declarations.teams == ALL or len(seats) < 2 or (value is None and program.scoring is None):
        return None
    by: By = "points"
    if value is not None:
        by, number = "value", value.value
    elif program.scoring is not None:
        number = program.scoring.score

    def of(game: Game) -> list[int]:
        position = game.omniscient.numbers
        return [position.value(number, (seat,)) for seat in seats]

    return Standings(by, 0, of)


def deciding(program: ir.Program) -> ir.PositionValue | None:
    """The value by which the seats at a position are compared; None if there is no value, or if the only value is
    shared by all seats.
    """
    return next((value for value in program.values if value.decides and not value.shared), None)


def lead_of(game: Game, by: By, slack: int, course: Mapping[int, Sequence[int]]) -> Lead:
    """The lead in a game, computed from the seats' numbers at several points of the game; a team's number is the mean
    of its seats' numbers.
    """
    of_seats = teams(game.ruleset.declarations)
    sides = members(of_seats or game.seats, game.seats).values()
    own = [[game.seats.index(seat) for seat in side] for side in sides]
    changes, taken, widest, leader = 0, None, 0, -1
    for ply, numbers in sorted(course.items()):
        means = [sum(numbers[seat] for seat in side) // len(side) for side in own]
        second, first = sorted(means)[-2:]
        widest = max(widest, first - second)
        if first - second > slack and means.index(first) != leader:
            changes += leader >= 0
            leader, taken = means.index(first), ply
    return Lead(by, changes, taken, widest)
