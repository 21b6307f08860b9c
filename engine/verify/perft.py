"""Perft: the number of positions at a depth, and a hash of these positions that does not depend on their order.

The name comes from chess engines ("performance test"): if two implementations of the same rules agree on the numbers at
many positions, they are unlikely to differ in legal options or their effects.
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
"""The default limit on nodes, which takes about a minute and some 100 MB."""
MAX_DEPTH = 100


@dataclass(slots=True)
class Perft:
    """The counts below a position.

    Attributes:
        depth: the number of consecutive options.
        nodes: the number of positions reached, including leaves; transpositions count each time.
        leaves: the number of lines of exactly `depth` options. As in chess engines, transpositions count each time; a
            line that ends earlier is not a leaf.
        ended: the number of lines that end earlier.
        distinct: the number of distinct states among the leaves.
        hash: 16 hex digits, independent of the order of leaves: BLAKE2 over the sorted hashes of their states, each
            with its count.
        divide: the number of leaves below each first option, in list order.
        complete: whether everything was counted; if not, the numbers are those counted up to the limit.
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
    """Counts the positions that are `depth` options away from a game's position.

    Every legal option counts once: chance options regardless of their weights, and interrupts like the decider's own
    options. An interrupt followed by a decision therefore counts as two consecutive options.

    Args:
        game: the game; its position is unchanged afterwards.
        depth: the number of consecutive options, up to `MAX_DEPTH`.
        limit: the maximum number of nodes.

    Raises:
        ValueError: if the depth is out of range.
        RulesetFaultError: if the rules fault; the game is then at the position of the fault.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"`depth` must be between 0 and {MAX_DEPTH}, not {depth}")
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
    """An option as text, preceded by its seat unless the decider acts."""
    return f"{option.by}: {option}" if option.interrupt else str(option)


def digest(states: Iterable[tuple[str, int]]) -> str:
    """The hash of a sequence of state hashes with their counts."""
    lines = "".join([f"{state} {count}\n" for state, count in states])
    return hashlib.blake2b(lines.encode(), digest_size=8).hexdigest()
