"""A bot that grows a tree of options, over positions that its seat cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.bots.bot import Pick, Situation
from rulespec.engine.bots.flat import horizon
from rulespec.engine.program import ir
from rulespec.engine.program.draws import Stream, word
from rulespec.engine.search.search import CHANCE, Search
from rulespec.engine.search.walk import Walk

_PARTICLES = 64
"""The most positions that may be the one the seat is in, among which playouts take turns."""
_BATCH = 8
"""The most playouts at a time: while they are on their way, they count as lost."""
_CURIOSITY = 0.7
"""Weight of exploration beside the share that an option has won."""
_WIDTH = 4
"""Options that are tried of a position, times the square root of how often it has been visited."""
Key = tuple[int, ...]


class MctsBot:
    """Grows one tree over all positions that its seat may be in, by random games (Monte Carlo tree search).

    In each round it takes one of these positions and goes down the tree. Who decides takes what has been best for that
    seat, among the options that are legal there: the bound of an option counts how often it was (Cowling, Powley,
    Whitehouse: "Information Set Monte Carlo Tree Search", 2012). Chance draws by its weights. What the seat would not
    see leads to one node, whatever it is, as do choices of a round that is not complete. Where there are many options,
    more of them are tried as visits grow, those first after which the position is worth most. The random game from the
    first new node is cut off as those of `flat` are.

    Args:
        playouts: the number of playouts for a decision.
    """

    def __init__(self, playouts: int) -> None:
        self.playouts = playouts
        self.name = f"mcts:{playouts}"

    def pick(self, situation: Situation) -> Pick:
        """Chooses one of several options."""
        tree = _Tree(situation, min(self.playouts, _PARTICLES))
        batch = max(1, min(_BATCH, self.playouts // 32))
        while tree.played < self.playouts and not tree.certain:
            tree.grow(range(tree.played, min(tree.played + batch, self.playouts)))
        edges, seat = tree.root.edges, situation.seat
        tried = {option: edges[key] for option, key in enumerate(tree.options) if key in edges and edges[key].visits}
        shares = {option: edge.share(seat) for option, edge in tried.items()}
        open_ = [option for option, edge in tried.items() if edge.proven is None]
        best = {option for option in tried if option not in open_}
        best |= {max(open_, key=lambda option: (tried[option].visits, tried[option].won, -option))} if open_ else set()
        option = max(best, key=lambda option: (shares[option], tried[option].visits, -option))
        return Pick(option, shares, tree.silent / tree.played)


class _Edge:
    """An option of a node: how often it was legal, how often it was tried, and the share that its seat won then.

    `proven` is what it is worth to each seat, if that is certain.
    """

    __slots__ = ("legal", "prior", "proven", "visits", "won")

    def __init__(self, prior: float | None) -> None:
        self.legal = self.visits = 0
        self.won = 0.0
        self.prior = prior
        self.proven: list[float] | None = None

    def share(self, seat: int) -> float:
        """The share that a seat expects, which chooses it."""
        return self.won / self.visits if self.proven is None else self.proven[seat]


class _Node:
    """A decision as the seat of the bot knows it: options, and the nodes that follow."""

    __slots__ = ("below", "edges", "seat", "visits")

    def __init__(self) -> None:
        self.seat, self.visits = CHANCE, 0
        self.edges: dict[Key, _Edge] = {}
        self.below: dict[Key, _Node] = {}

    @property
    def proven(self) -> list[float] | None:
        """The worth of the position to each seat, if one option certainly wins all, or if all are certain."""
        results = [edge.proven for edge in self.edges.values()]
        certain = [shares for shares in results if shares is not None]
        best = max(certain, key=lambda shares: shares[self.seat], default=None)
        return best if best is not None and (best[self.seat] == 1 or len(certain) == len(results)) else None


class _Tree:
    """The tree of one decision."""

    def __init__(self, situation: Situation, particles: int) -> None:
        self.search, self.seat = situation.search, situation.seat
        self.root, self.silent, self.played = _Node(), 0, 0
        self._rows = situation.particles(particles)
        self._walk = self.search.walk(self._rows[0])
        self._draws = Stream(situation.draws.key)
        self._seed = word(situation.draws.key, 0)
        self._cap = horizon(self.search)
        self._shown = Shown(self.search, self.seat)
        self._plain = len(self._rows) == 1 and not self._shown.secretive
        self.options = self._keys(situation.codes)

    def _keys(self, codes: NDArray[np.int64]) -> list[Key]:
        return [(k,) for k in range(len(codes))] if self._plain else list(map(tuple, codes.tolist()))

    @property
    def certain(self) -> bool:
        """Whether it is certain what is best."""
        return self.root.proven is not None

    def grow(self, numbers: range) -> None:
        """Plays some random games, each from a node that is new."""
        leaves, paths, over = [], [], []
        for number in numbers:
            paths.append(self._descend(self._rows[number % len(self._rows)]))
            leaves.append(self._walk.row)
            over.append(self._plain and self._walk.count == 0)
        ends = self.search.playouts(np.array(leaves), word(self._seed, numbers.start), cap=self._cap)
        self.silent += int((~ends.signal).sum())
        self.played += len(numbers)
        for path, shares, certain in zip(paths, ends.payoffs.tolist(), over, strict=True):
            for node, edge in path:
                if edge is not None:
                    edge.won += shares[node.seat]
            if certain:
                _prove(path, shares)

    def _descend(self, row: NDArray[np.int64]) -> list[tuple[_Node, _Edge | None]]:
        """Goes down to a new node; the nodes on the way, with the options that were chosen, but for those of chance."""
        walk, node, path = self._walk, self.root, list[tuple[_Node, _Edge | None]]()
        walk.go(row)
        new = False
        while not new and (count := walk.count):
            node.seat = walk.decider
            node.visits += 1
            keys: list[Key] = [(k,) for k in range(count)] if self._plain else self._keys(walk.codes)
            if node.seat == CHANCE:
                k = self._draws.weighted(self._draws.next(), walk.weights())
                path.append((node, None))
            else:
                k = self._chosen(node, walk, keys)
                edge = node.edges[keys[k]]
                edge.visits += 1
                path.append((node, edge))
            walk.take(k)
            key = keys[k] if self._plain else self._shown.seen(keys[k])
            new = key not in node.below and count > 1
            node = node.below.setdefault(key, _Node())
        return path

    def _chosen(self, node: _Node, walk: Walk, keys: list[Key]) -> int:
        """The number of the option to try."""
        if any(key not in node.edges for key in keys):
            self._add(node, walk, keys)
        edges = [node.edges[key] for key in keys]
        for edge in edges:
            edge.legal += 1
        numbers: Sequence[int] = range(len(edges))
        most = max(2, int(_WIDTH * sqrt(node.visits)))
        if len(edges) > most:
            order = sorted(numbers, key=lambda k: (not edges[k].visits, -(edges[k].prior or 0.0)))
            numbers = order[: max(most, sum(edge.visits > 0 for edge in edges))]
        new = [k for k in numbers if not edges[k].visits and edges[k].prior is None]
        if new:
            return self._draws.one_of(new)
        return max(numbers, key=lambda k: _bound(edges[k], node.seat))

    def _add(self, node: _Node, walk: Walk, keys: list[Key]) -> None:
        """Adds options to a node; where there is a value, with what the position after each is worth."""
        priors: list[float | None] = [None] * len(keys)
        if self.search.value is not None and len(keys) > _WIDTH:
            after = self.search.expand(walk.row[None]).rows
            priors = self.search.playouts(after, 0, cap=0).payoffs[:, node.seat].tolist()
        for key, prior in zip(keys, priors, strict=True):
            node.edges.setdefault(key, _Edge(prior))


def _bound(edge: _Edge, seat: int) -> float:
    """The upper bound of what an option may be worth to a seat; its prior counts as one visit."""
    if edge.proven is not None:
        return 2.0 if edge.proven[seat] == 1 else edge.proven[seat]
    visits, won = edge.visits, edge.won
    if edge.prior is not None:
        visits, won = visits + 1, won + edge.prior
    return won / visits + _CURIOSITY * sqrt(log(edge.legal + 1) / visits)


def _prove(path: list[tuple[_Node, _Edge | None]], shares: list[float]) -> None:
    """Notes what is certain by the end of a game: for its last option, and for those before as long as it is."""
    proven: list[float] | None = shares
    for node, edge in reversed(path):
        if edge is None or proven is None:
            return
        edge.proven = proven
        proven = node.proven


class Shown:
    """The visible part of options, for a seat that searches: nodes of the tree are what it sees.

    Args:
        search: searches positions.
        seat: the number of the seat.

    Attributes:
        secretive: whether there are options of which not everything is visible.
    """

    def __init__(self, search: Search, seat: int) -> None:
        self._seat = seat
        p = search.program
        options = [(p.decisions[d], p.decisions[d].choices[k]) for d, k in search.coder.options]
        self._hides = [self._hidden(decision, choice) for decision, choice in options]
        self.secretive = any(self._hides)

    def _hidden(self, decision: ir.Decision, choice: ir.Choice) -> frozenset[int]:
        """The columns of a code that others than the actor do not see."""
        if decision.held:
            return frozenset(range(2 + len(choice.params))) - {1}
        return frozenset(at for at, param in enumerate(choice.params, 2) if param.private)

    def seen(self, code: Key) -> Key:
        """A code without what the seat does not see of it."""
        hidden = self._hides[code[0]]
        if not hidden or code[1] == self._seat:
            return code
        return tuple([-1 if at in hidden else value for at, value in enumerate(code)])
