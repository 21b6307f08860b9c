"""Plain UCT: a tree of promising options, grown by playing random games.

After Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning" (2006), for any number of seats: the decider at a node
takes the option with its best results so far, and sometimes a rarely tried one.
"""

from __future__ import annotations

from math import log, sqrt
from typing import NamedTuple
from warnings import warn

from numpy.typing import ArrayLike

from rulespec.engine.program.draws import Stream
from rulespec.engine.search.search import Search
from rulespec.engine.search.walk import CHANCE, Walk
from rulespec.engine.simulate.checked_playouts import CAP


class Estimate(NamedTuple):
    """Statistics of an option: the number of its visits, and its seat's share of the wins in these."""

    visits: int
    won: float


def uct(
    search: Search, row: ArrayLike, iterations: int, seed: int, *, curiosity: float = 1.0, cap: int = CAP
) -> list[Estimate]:
    """Searches from a position for the best option of its decider.

    Args:
        search: the search to which the position belongs.
        row: the position.
        iterations: the number of random games, each of which adds a position to the tree.
        seed: the seed of chance, which determines the search.
        curiosity: the weight given to exploring options that have no good results so far.
        cap: the number of decisions before a random game is cut off, in which case it is judged by the value of its
            last position. A warning is issued if these values carry no information.

    Returns:
        An estimate for each option, in order; the most visited one is the best.
    """
    draws, walk = Stream(seed), search.walk(row)  # game 0 of the seed makes the choices here; the others are playouts
    root, silent = _Node(walk), 0
    for number in range(1, iterations + 1):
        node, path = root, []
        while node.visits:
            k = node.choose(draws, curiosity)
            path.append((node, k))
            walk.take(k)
            below = node.below[k]
            if below is None:
                node.below[k] = _Node(walk)
                break
            node = below
        end = search.ends([walk.playout(seed, number, cap)])
        silent += not end.signal[0]
        shares = [*end.payoffs[0].tolist(), 0.0]  # the last share is for chance
        for node, k in path:
            node.visits[k] += 1
            node.won[k] += shares[node.seat]
    if silent:
        warn(
            f"{silent} of {iterations} playouts were cut off and show no difference: {search.why_silent}", stacklevel=2
        )
    return [Estimate(visits, won / max(visits, 1)) for visits, won in zip(root.visits, root.won, strict=True)]


class _Node:
    """A position in the tree: the visits and wins of each option."""

    def __init__(self, walk: Walk) -> None:
        count = walk.count
        self.seat = walk.decider
        self.visits = [0] * count
        self.won = [0.0] * count
        self.below: list[_Node | None] = [None] * count
        self.weights = walk.weights() if self.seat == CHANCE else []

    def choose(self, draws: Stream, curiosity: float) -> int:
        """The index of the option to try."""
        if self.weights:
            return draws.weighted(draws.next(), self.weights)
        new = [k for k, visits in enumerate(self.visits) if not visits]
        if new:
            return draws.one_of(new)
        logarithm = log(sum(self.visits))
        values = [w / n + curiosity * sqrt(logarithm / n) for w, n in zip(self.won, self.visits, strict=True)]
        return values.index(max(values))
