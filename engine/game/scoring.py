"""Points, ranks and the result of a game."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.game.option import Result
from rulespec.engine.game.position import Position
from rulespec.engine.program import ir
from rulespec.engine.program.ranks import ranks
from rulespec.typed.teams import whole


def points(position: Position, seats: Sequence[str]) -> dict[str, int]:
    """The current points of each seat; empty if the ruleset has no scoring."""
    position.begin()
    result = ranks(position.program, position.value)
    return {s: rank[0] for s, rank in zip(seats, result, strict=True)} if result else {}


def result(position: Position, seats: Sequence[str], of_seats: Sequence[str] = ()) -> Result | None:
    """The result of a game, or None until it ends; `of_seats`: the seats' teams, which win if any member does."""
    state = position.state
    if not state[ir.ENDING]:
        return None
    outcome = ranks(position.program, position.value)
    return result_of(position.program, state[ir.ENDING], state[ir.WINNERS], outcome, seats, of_seats)


def result_of(
    program: ir.Program,
    ending: int,
    won: int,
    of_rank: Sequence[tuple[int, ...]],
    seats: Sequence[str],
    of_seats: Sequence[str] = (),
) -> Result:
    """The result of a finished game.

    Args:
        program: the program of the game.
        ending: the value of the ending's cell.
        won: the value of the winners' cell.
        of_rank: the result of `ranks`.
        seats: the names of the seats.
        of_seats: the teams of the seats.
    """
    if won >= 0:
        winners = [s for i, s in enumerate(seats) if won >> i & 1]
    else:
        best = max(of_rank, default=())
        winners = [s for s, rank in zip(seats, of_rank, strict=True) if rank == best] if of_rank else []
    scores = {s: rank[0] for s, rank in zip(seats, of_rank, strict=True)} if of_rank else {}
    return Result(program.endings[ending - 1], scores, whole(of_seats, seats, winners))
