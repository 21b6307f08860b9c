"""Perft: the number of positions at a depth, and a hash over them in any order.

The name is that of chess engines ("performance test"): two implementations of the same rules with the same numbers at
many positions hardly differ in which options are legal, or in their effects.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import Option

LIMIT = 1_000_000
"""Default limit of nodes: a minute or so, and some 100 MB."""
MAX_DEPTH = 100


@dataclass(slots=True)
class Perft:
    """The counts below a position.

    Attributes:
        depth: the number of options in a row.
        nodes: positions reached, leaves included; a transposition counts each time.
        leaves: lines of exactly `depth` options. As in chess engines, a transposition counts each time, and a line that
            ends before is not a leaf.
        ended: lines on which the game is over before that.
        distinct: different states among the leaves.
        hash: 16 hex digits over the states of the leaves, in any order: BLAKE2 over the sorted hashes of the states,
            each with its count.
        divide: leaves below each first option, in the order of the list.
        complete: whether everything was counted; else the limit was reached, and the numbers are those up to there.
    """

    depth: int
    nodes: int = 0
    leaves: int = 0
    ended: int = 0
    distinct: int = 0
    hash: str = ""
    divide: dict[str, int] = field(default_factory=dict)
    complete: bool = True


def perft(game: Game, depth: int, *, limit: int = LIMIT) -> Perft:
    """Counts the positions `depth` options after the position of a game.

    Every legal option counts once: those of chance regardless of weights, and those out of turn (interrupts) like the
    decider's own, so that an interrupt and then a decision are two options in a row.

    Args:
        game: the game; its position is the same afterwards.
        depth: the number of options in a row, up to `MAX_DEPTH`.
        limit: the largest number of nodes.

    Raises:
        ValueError: if the depth is out of range.
        RulesetFaultError: if the rules are at fault; then the game is at the position where that happened.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"a depth is between 0 and {MAX_DEPTH}, not {depth}")
    game.omniscient.numbers.begin()
    result = Perft(depth)
    states: Counter[str] = Counter()
    _count(game, depth, limit, result, states)
    result.distinct = len(states)
    result.hash = digest(sorted(states.items()))
    return result


def _count(game: Game, depth: int, limit: int, total: Perft, states: Counter[str]) -> None:
    if depth == 0:
        total.leaves += 1
        states[game.hash] += 1
        return
    if game.is_over:
        total.ended += 1
        return
    for option in list(every_option(game)):
        if total.nodes >= limit:
            total.complete = False
            return
        total.nodes += 1
        before = total.leaves
        game.apply(option)
        _count(game, depth - 1, limit, total, states)
        game.undo()
        if depth == total.depth:
            total.divide[named(option)] = total.leaves - before


def named(option: Option) -> str:
    """An option with its seat, unless that is the decider."""
    return f"{option.by}: {option}" if option.interrupt else str(option)


def digest(states: Iterable[tuple[str, int]]) -> str:
    """The hash over hashes of states, in order, each with its count."""
    lines = "".join([f"{state} {count}\n" for state, count in states])
    return hashlib.blake2b(lines.encode(), digest_size=8).hexdigest()
