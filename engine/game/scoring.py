"""Points, ranks and the result of a game."""

from __future__ import annotations

from collections.abc import Sequence

from rulespec.engine.game.option import Result
from rulespec.engine.game.position import Position
from rulespec.engine.program import ir
from rulespec.typed.teams import whole


def points(position: Position, seats: Sequence[str]) -> dict[str, int]:
    """The points of each seat as they stand; empty if the ruleset has no scoring."""
    position.begin()
    ranks = _ranks(position, len(seats))
    return {s: rank[0] for s, rank in zip(seats, ranks, strict=True)} if ranks else {}


def result(position: Position, seats: Sequence[str], of_seats: Sequence[str] = ()) -> Result | None:
    """How a game ended; None while it goes on. `of_seats` are the teams of the seats: a team wins if one of it does."""
    state = position.state
    if not state[ir.ENDING]:
        return None
    ranks = _ranks(position, len(seats))
    if state[ir.WINNERS] >= 0:
        winners = [s for i, s in enumerate(seats) if state[ir.WINNERS] >> i & 1]
    else:
        best = max(ranks, default=())
        winners = [s for s, rank in zip(seats, ranks, strict=True) if rank == best] if ranks else []
    scores = {s: rank[0] for s, rank in zip(seats, ranks, strict=True)} if ranks else {}
    return Result(position.program.endings[state[ir.ENDING] - 1], scores, whole(of_seats, seats, winners))


def _ranks(position: Position, seats: int) -> list[tuple[int, ...]]:
    """For each seat its points and then what breaks ties."""
    scoring = position.program.scoring
    if scoring is None:
        return []
    value = position.value
    ranks = []
    for seat in range(seats):
        rank = [value(scoring.score, (seat,))]
        for t in scoring.tiebreaks:
            if t.source is None or t.key is None:
                rank.append(value(t.value, (seat,)))
                continue
            mask = value(t.source, (seat,))
            found = [i for i in range(mask.bit_length()) if mask >> i & 1]
            keys = {i: value(t.key, (seat, i)) for i in found}
            found.sort(key=lambda i: (-keys[i], i))
            rank += [value(t.value, (seat, i)) for i in found]
        ranks.append(tuple(rank))
    return ranks
