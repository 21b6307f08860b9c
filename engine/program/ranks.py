"""Ranks: the points and tiebreaks of the seats."""

from __future__ import annotations

from collections.abc import Callable

from rulespec.engine.program import ir

Value = Callable[[ir.Expr, tuple[int, ...]], int]
"""A function that evaluates an expression with given numbers in its first slots."""


def ranks(program: ir.Program, value: Value) -> list[tuple[int, ...]]:
    """For each seat, its points followed by its tiebreaks; empty if the ruleset has no scoring."""
    scoring = program.scoring
    if scoring is None:
        return []
    found_ranks = []
    for seat in range(program.seats):
        rank = [value(scoring.score, (seat,))]
        for t in scoring.tiebreaks:
            if t.source is None or t.key is None:
                rank.append(value(t.value, (seat,)))
                continue
            mask = value(t.source, (seat,))
            results = [i for i in range(mask.bit_length()) if mask >> i & 1]
            keys = {i: value(t.key, (seat, i)) for i in results}
            results.sort(key=lambda i: (-keys[i], i))
            rank += [value(t.value, (seat, i)) for i in results]
        found_ranks.append(tuple(rank))
    return found_ranks
