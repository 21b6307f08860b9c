"""A tree of options over positions indistinguishable to a seat: Monte Carlo tree search in Python.

All numbers are integers, with shares in units of 1/`payoffs.ONE`, so that `wasm.runtime.tree` grows the same tree in
one call.
"""

from __future__ import annotations

from functools import cached_property
from math import isqrt, log, sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program import ir
from rulespec.engine.program.columns import Columns
from rulespec.engine.program.draws import Stream, word
from rulespec.engine.search.comparing import SearchQuestion
from rulespec.engine.search.payoffs import ONE
from rulespec.engine.search.walk import CHANCE, NOBODY, Positions

_CURIOSITY = 0.7
"""The weight of exploration, relative to the share won by an option."""
_WIDTH = 4
"""The number of options tried at a node, per square root of its visits."""
DEEPEST = 2_000
"""The maximum length of a path down the tree, in decisions."""
Key = tuple[int, ...]


def curious(legal: int) -> int:
    """The exploration bonus of an option after one try, given the number of times it was legal; in units of 1/`ONE`."""
    return round(ONE * _CURIOSITY * sqrt(log(legal + 1)))


def rare(visits: int) -> int:
    """The fraction of the exploration bonus left after a number of visits; in units of 1/`ONE`."""
    return round(ONE / sqrt(max(1, visits)))


class Grown(NamedTuple):
    """The root of a tree; the first index is the option.

    Attributes:
        visits: the number of times the option was tried.
        won: the sum of the shares of its seat, in units of 1/`ONE`.
        proven: the proven payoff to its seat, in units of 1/`ONE`; -1 if none is proven.
        played: the number of games.
        silent: the number of games without information; see `Ends.signal`.
    """

    visits: NDArray[np.int64]
    won: NDArray[np.int64]
    proven: NDArray[np.int64]
    played: int
    silent: int


class _Edge:
    """An option of a node: times it was legal, visits, its seat's total share, and a prior estimate of its payoff.

    `proven` is its payoff to each seat, once certain.
    """

    __slots__ = ("legal", "prior", "proven", "visits", "won")

    def __init__(self, prior: int | None) -> None:
        self.legal = self.visits = self.won = 0
        self.prior = prior
        self.proven: list[int] | None = None

    @property
    def new(self) -> bool:
        """Whether nothing is known about the option."""
        return not self.visits and self.prior is None and self.proven is None

    def bound(self, seat: int) -> int:
        """The upper bound of the option's payoff to a seat; its prior counts as one visit."""
        if self.proven is not None:
            return 2 * ONE if self.proven[seat] == ONE else self.proven[seat]
        visits, won = self.visits, self.won
        if self.prior is not None:
            visits, won = visits + 1, won + self.prior
        return won // visits + (curious(self.legal) * rare(visits) >> 30)


class _Node:
    """A decision as known to the root's seat, with its options and their child nodes."""

    __slots__ = ("below", "edges", "seat", "visits")

    def __init__(self) -> None:
        self.seat, self.visits = CHANCE, 0
        self.edges: dict[Key, _Edge] = {}
        self.below: dict[Key, _Node] = {}

    @property
    def proven(self) -> list[int] | None:
        """The proven payoff to each seat; None unless one option certainly wins everything, or all options
        are proven.
        """
        results = [edge.proven for edge in self.edges.values()]
        certain = [shares for shares in results if shares is not None]
        best = max(certain, key=lambda shares: shares[self.seat], default=None)
        return best if best is not None and (best[self.seat] == ONE or len(certain) == len(results)) else None


Way = list[tuple[_Node, _Edge | None]]
"""The nodes on a path down the tree, each with the chosen option, or None at a chance node."""


class Tree:
    """The tree for one decision; each game descends it once and adds a node.

    Args:
        search: a search over positions.
        question: the seat's options and the number of games.
    """

    def __init__(self, search: Positions, question: SearchQuestion) -> None:
        self._search, self._question = search, question
        self._root = _Node()
        self._shown = VisibleOptions(search, question.seat)
        self._known = len(question.rows) == 1 and not self._shown.secretive
        self._walk = search.walk(question.rows[0])
        self._draws = Stream(question.key)

    def grown(self) -> Grown:
        """Plays the games, or fewer if the best option is proven; returns the root."""
        question = self._question
        seed, played, silent = word(question.key, 0), 0, 0
        while played < question.playouts and self._root.proven is None:
            way = self._descend(question.rows[played % len(question.rows)])
            over = self._known and self._walk.decider == NOBODY
            ends = self._search.playouts(self._walk.row[None], word(seed, played), cap=question.cap)
            shares = np.rint(ends.payoffs[0] * ONE).astype(np.int64).tolist()
            silent += not ends.signal[0]
            played += 1
            for node, edge in way:
                if edge is not None:
                    edge.won += shares[node.seat]
            if over:
                _prove(way, shares)
        codes = self._search.legal(question.rows)[0] if question.codes is None else question.codes
        edges = [self._root.edges.get(key) or _Edge(None) for key in map(tuple, codes.tolist())]
        proven = [-1 if edge.proven is None else edge.proven[question.seat] for edge in edges]
        numbers = [[edge.visits for edge in edges], [edge.won for edge in edges], proven]
        visits, won, certain = np.array(numbers, np.int64)
        return Grown(visits, won, certain, played, silent)

    def _descend(self, row: NDArray[np.int64]) -> Way:
        """The path down to a new node, or to the end of the game."""
        walk, node, way = self._walk, self._root, Way()
        walk.go(row)
        new = False
        while not new and len(way) < DEEPEST and (count := walk.count):
            node.seat = walk.decider
            node.visits += 1
            keys: list[Key] = list(map(tuple, walk.codes.tolist()))
            if node.seat == CHANCE:
                k = self._draws.weighted(self._draws.next(), walk.weights())
                way.append((node, None))
            else:
                if any(key not in node.edges for key in keys):
                    self._add(node, keys)
                k = self._chosen(node, [node.edges[key] for key in keys])
                way.append((node, node.edges[keys[k]]))
            walk.take(k)
            key = self._shown.seen(keys[k])
            new = key not in node.below and count > 1
            node = node.below.setdefault(key, _Node())
        return way

    def _chosen(self, node: _Node, edges: list[_Edge]) -> int:
        """The index of the option to try; counts the try."""
        for edge in edges:
            edge.legal += 1
        most = max(2, isqrt(_WIDTH**2 * node.visits))
        wide = len(edges) <= most or sum(edge.visits > 0 for edge in edges) < most
        new = [k for k, edge in enumerate(edges) if wide and edge.new]
        if new:
            chosen = self._draws.one_of(new)
        else:
            chosen, highest = 0, -1
            for k, edge in enumerate(edges):
                if (edge.visits or (wide and not edge.new)) and (bound := edge.bound(node.seat)) > highest:
                    chosen, highest = k, bound
        edges[chosen].visits += 1
        return chosen

    def _add(self, node: _Node, keys: list[Key]) -> None:
        """Adds options to a node; many options get the value of the next position as a prior."""
        priors: list[int | None] = [None] * len(keys)
        if self._search.value is not None and len(keys) > _WIDTH:
            after = self._search.expand(self._walk.row[None]).rows
            shares = self._search.playouts(after, 0, cap=0).payoffs[:, node.seat]
            priors = np.rint(shares * ONE).astype(np.int64).tolist()
        for key, prior in zip(keys, priors, strict=True):
            node.edges.setdefault(key, _Edge(prior))


def _prove(way: Way, shares: list[int]) -> None:
    """Records the payoffs proven by the end of a game: those of its last option, then backwards while proofs hold."""
    proven: list[int] | None = shares
    for node, edge in reversed(way):
        if edge is None or proven is None:
            return
        edge.proven = proven
        proven = node.proven


class VisibleOptions:
    """The parts of options that the searching seat can see; options that look the same to the seat share a node.

    Args:
        search: a search over positions.
        seat: the number of the seat.
    """

    def __init__(self, search: Positions, seat: int) -> None:
        self._seat = seat
        p = search.program
        options = [(p.decisions[d], p.decisions[d].choices[k]) for d, k in search.coder.options]
        columns = search.coder.columns
        self.hidden = [_hidden(*option, of) for option, of in zip(options, columns, strict=True)]
        """For each option, the columns of its code that only the actor sees."""

    @cached_property
    def secretive(self) -> bool:
        """Whether any option is partly hidden."""
        return any(self.hidden)

    def seen(self, code: Key) -> Key:
        """A code in which the columns hidden from the seat are -1."""
        hidden = self.hidden[code[0]]
        if not hidden or code[1] == self._seat:
            return code
        return tuple([-1 if at in hidden else value for at, value in enumerate(code)])


def _hidden(decision: ir.Decision, choice: ir.Choice, columns: Columns) -> frozenset[int]:
    """The columns of a code that only the actor sees."""
    if decision.held:
        return frozenset(range(columns.end)) - {1}
    places = zip(choice.params, columns.firsts, columns.widths, strict=True)
    return frozenset(first + k for param, first, width in places if param.private for k in range(width))
