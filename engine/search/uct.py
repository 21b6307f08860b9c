"""Plain UCT: a tree of the options that are worth a look, grown by random games.

After Kocsis and Szepesvári, "Bandit based Monte-Carlo Planning" (2006), for any number of seats: who decides at a node
takes what has been best for itself so far, and now and then what has hardly been tried.
"""

from __future__ import annotations

import random
from math import log, sqrt
from typing import NamedTuple

from numpy.typing import ArrayLike

from rulespec.engine.search.search import CHANCE, Search
from rulespec.engine.search.walk import Walk
from rulespec.engine.simulate.playouts import CAP


class Estimate(NamedTuple):
    """Statistics of an option: its visits, and the share of these games that its seat has won."""

    visits: int
    won: float


def uct(
    search: Search, row: ArrayLike, iterations: int, seed: int | str, *, curiosity: float = 1.0, cap: int = CAP
) -> list[Estimate]:
    """Searches from a position for the one who decides there.

    Args:
        search: what it is a position of.
        row: the position.
        iterations: random games, each of which adds a position to the tree.
        seed: the seed of chance; the same seed gives the same search.
        curiosity: how much is tried that has not been good so far.
        cap: decisions after which a random game is abandoned; then who leads counts as the winner.

    Returns:
        What is known of each option, in their order; the one that has been tried most often is the best.
    """
    rng, walk = random.Random(f"{seed}"), search.walk(row)
    root = _Node(walk)
    for number in range(iterations):
        node, path = root, []
        while node.visits:
            k = node.choose(rng, curiosity)
            path.append((node, k))
            walk.take(k)
            below = node.below[k]
            if below is None:
                node.below[k] = _Node(walk)
                break
            node = below
        winners = walk.playout(f"{seed}:{number}", cap).winners
        for node, k in path:
            node.visits[k] += 1
            if node.seat in winners:
                node.won[k] += 1 / len(winners)
    return [Estimate(visits, won / max(visits, 1)) for visits, won in zip(root.visits, root.won, strict=True)]


class _Node:
    """A position of the tree: for each option how often it was tried, and how often it has won."""

    def __init__(self, walk: Walk) -> None:
        count = walk.count
        self.seat = walk.decider
        self.visits = [0] * count
        self.won = [0.0] * count
        self.below: list[_Node | None] = [None] * count
        self.weights = walk.weights() if self.seat == CHANCE else []

    def choose(self, rng: random.Random, curiosity: float) -> int:
        """The number of the option to try."""
        if self.weights:
            return rng.choices(range(len(self.weights)), self.weights)[0]
        new = [k for k, visits in enumerate(self.visits) if not visits]
        if new:
            return new[int(rng.random() * len(new))]
        logarithm = log(sum(self.visits))
        values = [w / n + curiosity * sqrt(logarithm / n) for w, n in zip(self.won, self.visits, strict=True)]
        return values.index(max(values))
