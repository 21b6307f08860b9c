"""A bot that grows a tree of options, over positions that its seat cannot tell apart."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log, sqrt

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.bots.bot import Pick, Situation
from rulespec.engine.bots.flat import horizon
from rulespec.engine.program import ir
from rulespec.engine.program.draws import Stream, word
from rulespec.engine.search.replays import Codes
from rulespec.engine.search.search import CHANCE, Search

_PARTICLES = 64
"""The most positions that may be the one the seat is in, among which playouts take turns."""
_BATCH = 16
"""The most playouts at a time: while they are on their way, they count as lost."""
_CURIOSITY = 0.7
"""Weight of exploration beside the share that an option has won."""
_WIDTH = 4
"""Options that are tried of a position, times the square root of how often it has been visited."""
_NEW = inf
"""The bound of what has not been tried and has no prior."""
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
        rows, shown = situation.particles(min(self.playouts, _PARTICLES)), Shown(situation.search, situation.seat)
        tree = (_KnownTree if len(rows) == 1 and not shown.secretive else _Tree)(situation, rows, shown)
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

    def bound(self, seat: int) -> float:
        """The upper bound of what it may be worth to a seat; its prior counts as one visit."""
        if self.proven is not None:
            return 2.0 if self.proven[seat] == 1 else self.proven[seat]
        if self.prior is not None:
            visits = self.visits + 1
            return (self.won + self.prior) / visits + _CURIOSITY * sqrt(log(self.legal + 1) / visits)
        visits = self.visits
        return self.won / visits + _CURIOSITY * sqrt(log(self.legal + 1) / visits) if visits else _NEW


class _Node:
    """A decision as the seat of the bot knows it: options, and the nodes that follow.

    Where all is seen, `row` is its position once a random game has begun there, `keys` are its options, `listed` their
    edges, and `weights` their weights if chance decides.
    """

    __slots__ = ("below", "edges", "keys", "listed", "row", "seat", "visits", "weights")

    def __init__(self) -> None:
        self.seat, self.visits = CHANCE, 0
        self.edges: dict[Key, _Edge] = {}
        self.below: dict[Key, _Node] = {}
        self.row: NDArray[np.int64] | None = None
        self.keys: list[Key] = []
        self.listed: list[_Edge] = []
        self.weights: list[int] = []

    @property
    def proven(self) -> list[float] | None:
        """The worth of the position to each seat, if one option certainly wins all, or if all are certain."""
        results = [edge.proven for edge in self.edges.values()]
        certain = [shares for shares in results if shares is not None]
        best = max(certain, key=lambda shares: shares[self.seat], default=None)
        return best if best is not None and (best[self.seat] == 1 or len(certain) == len(results)) else None


Path = list[tuple[_Node, _Edge | None]]
"""The nodes of a way down a tree, with the options that were chosen, but for those of chance."""


class _Tree:
    """The tree of one decision, over positions that the seat cannot tell apart: a walk takes each game down."""

    def __init__(self, situation: Situation, rows: NDArray[np.int64], shown: Shown) -> None:
        self.search, self.root = situation.search, _Node()
        self.silent = self.played = 0
        self._rows, self._shown = rows, shown
        self._walk = self.search.walk(rows[0])
        self._draws = Stream(situation.draws.key)
        self._seed = word(situation.draws.key, 0)
        self._cap = horizon(self.search)
        self.options = self._keys(situation.codes)

    def _keys(self, codes: Codes) -> list[Key]:
        return list(map(tuple, codes.tolist()))

    @property
    def certain(self) -> bool:
        """Whether it is certain what is best."""
        return self.root.proven is not None

    def grow(self, numbers: range) -> None:
        """Plays some random games, each from a node that is new."""
        paths, rows, over = self._leaves(numbers)
        ends = self.search.playouts(rows, word(self._seed, numbers.start), cap=self._cap)
        self.silent += int((~ends.signal).sum())
        self.played += len(numbers)
        for path, shares, certain in zip(paths, ends.payoffs.tolist(), over, strict=True):
            for node, edge in path:
                if edge is not None:
                    edge.won += shares[node.seat]
            if certain:
                _prove(path, shares)

    def _leaves(self, numbers: range) -> tuple[list[Path], NDArray[np.int64], list[bool]]:
        """Ways down to new nodes, the positions there, and for each whether the game is over there for certain."""
        paths, rows = list[Path](), []
        for number in numbers:
            paths.append(self._descend(self._rows[number % len(self._rows)]))
            rows.append(self._walk.row)
        return paths, np.array(rows), [False] * len(rows)

    def _descend(self, row: NDArray[np.int64]) -> Path:
        """The way down to a new node."""
        walk, node, path = self._walk, self.root, Path()
        walk.go(row)
        new = False
        while not new and (count := walk.count):
            node.seat = walk.decider
            node.visits += 1
            keys = self._keys(walk.codes)
            if node.seat == CHANCE:
                k = self._draws.weighted(self._draws.next(), walk.weights())
                path.append((node, None))
            else:
                if any(key not in node.edges for key in keys):
                    self._add(node, walk.row, keys)
                k = self._chosen(node, [node.edges[key] for key in keys])
                path.append((node, node.edges[keys[k]]))
            walk.take(k)
            key = self._shown.seen(keys[k])
            new = key not in node.below and count > 1
            node = node.below.setdefault(key, _Node())
        return path

    def _chosen(self, node: _Node, edges: list[_Edge]) -> int:
        """The number of the option to try; it counts as tried."""
        for edge in edges:
            edge.legal += 1
        numbers: Sequence[int] = range(len(edges))
        most = max(2, int(_WIDTH * sqrt(node.visits)))
        if len(edges) > most:
            order = sorted(numbers, key=lambda k: (not edges[k].visits, -(edges[k].prior or 0.0)))
            numbers = order[: max(most, sum(edge.visits > 0 for edge in edges))]
        chosen, highest, new = numbers[0], -1.0, list[int]()
        for k in numbers:
            if (bound := edges[k].bound(node.seat)) > highest:
                chosen, highest = k, bound
            if bound == _NEW:
                new.append(k)
        k = self._draws.one_of(new) if new else chosen
        edges[k].visits += 1
        return k

    def _add(self, node: _Node, row: NDArray[np.int64], keys: list[Key]) -> None:
        """Adds options to a node; where there is a value, with what the position after each is worth."""
        priors: list[float | None] = [None] * len(keys)
        if self.search.value is not None and len(keys) > _WIDTH:
            after = self.search.expand(row[None]).rows
            priors = self.search.playouts(after, 0, cap=0).payoffs[:, node.seat].tolist()
        for key, prior in zip(keys, priors, strict=True):
            node.edges.setdefault(key, _Edge(prior))


class _KnownTree(_Tree):
    """The tree of one decision of which all is seen: each node has its position, so ways down are free of the rules.

    The positions of new nodes are worked out together, after all ways down have been chosen.
    """

    def _keys(self, codes: Codes) -> list[Key]:
        return [(k,) for k in range(len(codes))]

    def _leaves(self, numbers: range) -> tuple[list[Path], NDArray[np.int64], list[bool]]:
        if self.root.row is None:
            self._settle([self.root], self._rows)
        paths, leaves = list[Path](), list[_Node]()
        new: dict[_Node, tuple[NDArray[np.int64], int]] = {}
        for _ in numbers:
            path, node = Path(), self.root
            while node.keys:
                node.visits += 1
                if node.seat == CHANCE:
                    k = self._draws.weighted(self._draws.next(), node.weights)
                    path.append((node, None))
                else:
                    if not node.edges:
                        self._add(node, _row(node), node.keys)
                        node.listed = list(node.edges.values())
                    k = self._chosen(node, node.listed)
                    path.append((node, node.listed[k]))
                below = node.below.get(node.keys[k])
                if below is None:
                    below = node.below[node.keys[k]] = _Node()
                    new[below] = _row(node), k
                node = below
            paths.append(path)
            leaves.append(node)
        if new:
            rows, taken = zip(*new.values(), strict=True)
            self._settle(list(new), self.search.apply(np.array(rows, np.int64), taken))
        return paths, np.array([_row(node) for node in leaves], np.int64), [not node.keys for node in leaves]

    def _settle(self, nodes: list[_Node], rows: NDArray[np.int64]) -> None:
        """Notes the positions of nodes: those where there is a choice, after what is forced."""
        counts = self.search.counts(rows)
        for _ in range(self._cap):
            forced = np.flatnonzero(counts == 1)
            if not len(forced):
                break
            rows[forced] = self.search.apply(rows[forced], np.zeros(len(forced), np.int64))
            counts[forced] = self.search.counts(rows[forced])
        deciders = self.search.deciders(rows).tolist()
        small = np.int16 if len(rows) and np.abs(rows).max() < 1 << 15 else np.int64
        for node, row, count, seat in zip(nodes, rows.astype(small), counts.tolist(), deciders, strict=True):
            node.row, node.seat, node.keys = row, seat, [(k,) for k in range(count)]
            if seat == CHANCE:
                self._walk.go(row)
                node.weights = self._walk.weights()


def _row(node: _Node) -> NDArray[np.int64]:
    assert node.row is not None
    return node.row


def _prove(path: Path, shares: list[float]) -> None:
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
