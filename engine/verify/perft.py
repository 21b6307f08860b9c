"""Perft: how many positions are so many options away, and a hash over them that does not depend on their order.

The name is that of chess engines ("performance test"): two implementations of the same rules that give the same numbers
at many positions hardly differ in what they hold to be legal, or in what an option does.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, field

from rulespec.engine.game.game import Game
from rulespec.engine.game.numbered import every_option

LIMIT = 1_000_000
"""Nodes after which counting stops, if nothing else is said: a minute or so, and some 100 MB."""
MAX_DEPTH = 100


@dataclass(slots=True)
class Perft:
    """What was counted below a position.

    Attributes:
        depth: how many options are taken in a row.
        nodes: positions reached on the way, leaves included; one that is reached on several ways counts each time.
        leaves: lines of exactly `depth` options. As chess engines count, a transposition counts as often as it is
            reached, and a line that ends before is no leaf.
        ended: lines on which the game is over before.
        distinct: different states among the leaves.
        hash: 16 hex digits that depend on the leaves' states, and on how often each is reached, but not on the order in
            which options are listed: BLAKE2 over the sorted hashes of the states, each with its count.
        divide: leaves below each first option, in the order in which they are listed.
        complete: whether everything was counted; else the limit was reached, and all numbers are those up to there.
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
    """Counts what is `depth` options away from where a game stands.

    Every legal option counts once: those of chance whatever their weights, and those out of turn (interrupts) like the
    decider's own, so that giving something and then deciding are two options in a row.

    Args:
        game: the game; options are taken and taken back, and it stands where it stood afterwards.
        depth: how many options in a row, up to `MAX_DEPTH`.
        limit: how many nodes are counted at most.

    Raises:
        ValueError: if the depth is out of range.
        RulesetFaultError: if the rules turn out to be at fault; the game then stands where that happened.
    """
    if not 0 <= depth <= MAX_DEPTH:
        raise ValueError(f"a depth is between 0 and {MAX_DEPTH}, not {depth}")
    game.position.begin()
    found = Perft(depth)
    states: Counter[str] = Counter()
    _count(game, depth, limit, found, states)
    found.distinct = len(states)
    found.hash = _digest(states)
    return found


def _count(game: Game, depth: int, limit: int, found: Perft, states: Counter[str]) -> None:
    if depth == 0:
        found.leaves += 1
        states[game.hash] += 1
        return
    if game.is_over:
        found.ended += 1
        return
    for option in list(every_option(game)):
        if found.nodes >= limit:
            found.complete = False
            return
        found.nodes += 1
        before = found.leaves
        game.apply(option)
        _count(game, depth - 1, limit, found, states)
        game.undo()
        if depth == found.depth:
            name = f"{option.by}: {option}" if option.interrupt else str(option)
            found.divide[name] = found.leaves - before


def _digest(states: Counter[str]) -> str:
    digest = hashlib.blake2b(digest_size=8)
    for state in sorted(states):
        digest.update(f"{state} {states[state]}\n".encode())
    return digest.hexdigest()
