"""Repairs of particles that contradict observations: exchanges of hidden tokens that may restore agreement.

A proposal gives for each particle the replacement of each token in its history. A replay of the history shows whether
it then agrees with the observations.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.search.exchange import Exchange, RandomWords, swaps
from rulespec.engine.search.search import Search
from rulespec.engine.wasm.runtime.program import OPEN

Pairs = NDArray[np.int64]
"""For each particle, the replacement of each token."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Proposals for particles that differ from the observations after a decision.

    Attributes:
        search: a search over positions of the table.
        exchange: the exchanges for the kind of token.
        look: the decision as seen by the seat.
        free: the tokens that may be exchanged.
        words: random words.
    """

    search: Search
    exchange: Exchange
    look: NDArray[np.int64]
    free: NDArray[np.bool_]
    words: RandomWords

    def any(self, count: int) -> Pairs:
        """Exchanges of any two tokens for `count` particles."""
        free = np.broadcast_to(self.free, (count, self.exchange.size))
        return swaps(self.exchange.size, self.words.one_of(free), self.words.one_of(free))

    def as_others(self, before: NDArray[np.int64], others: NDArray[np.int64]) -> Pairs:
        """Exchanges that give a token seen in the decision the place that it has in agreeing particles.

        Args:
            before: the positions before the decision.
            others: the positions of the agreeing particles.
        """
        count, exchange, words, tokens = len(before), self.exchange, self.words, self._tokens
        if not len(tokens):
            return self.any(count)
        free = np.broadcast_to(self.free, (count, exchange.size))
        ones = tokens[(words.shares(count) * len(tokens)).astype(np.int64)]
        twos = words.one_of(free)
        if len(others):
            models = exchange.where(others[(words.shares(count) * len(others)).astype(np.int64)])
            there = (exchange.where(before) == models[np.arange(count), ones][:, None]).all(axis=2)
            better = words.one_of(there & free)
            twos = np.where(better >= 0, better, twos)
        return swaps(exchange.size, ones, np.where(twos < 0, ones, twos))

    def mended(self, own: NDArray[np.int64], seen: NDArray[np.int64], pairs: Pairs) -> tuple[Pairs, NDArray[np.bool_]]:
        """Exchanges of tokens whose visible place is wrong.

        Args:
            own: the seat's view of each particle.
            seen: the seat's observations.
            pairs: the proposals for particles without such tokens.

        Returns:
            The exchanges, and the particles whose exchange is from `pairs`.
        """
        columns = self.search.shown
        own, seen = own[:, : len(columns)], seen[: len(columns)]
        cells = np.zeros((2, len(own), self.search.columns), np.bool_)
        cells[0][:, columns] = (own != seen) & (seen != OPEN)
        cells[1][:, columns] = (own != seen) & (own != OPEN) & (seen == OPEN)
        wanted, extra = self.exchange.tokens_at(cells[0]), self.exchange.tokens_at(cells[1])
        count = np.minimum(wanted.sum(axis=1), extra.sum(axis=1))
        pairs = np.where(count[:, None] > 0, np.arange(self.exchange.size), pairs)
        for _ in range(int(count.max())):
            self._exchange(pairs, wanted, extra, self.words.one_of(wanted), self.words.one_of(extra))
        return pairs, count == 0

    def cleared(self, before: NDArray[np.int64], pairs: Pairs, *, at_once: bool) -> Pairs:
        """Exchanges of obstructing tokens: tokens of the legal options, in particles where the observed decision is
        illegal.

        For example, a hand that did not follow suit loses all cards of that suit.

        Args:
            before: the positions before the decision.
            pairs: proposals for particles without obstructing tokens.
            at_once: whether to exchange all of them rather than one.
        """
        exchange, look, words = self.exchange, self.look, self.words
        codes, parents = self.search.legal(before)
        numbers, columns = np.nonzero(exchange.places(codes) & (codes >= 0))
        way = np.zeros((len(before), exchange.size), np.bool_)
        way[parents[numbers], codes[numbers, columns]] = True
        way[parents[((codes == look) | (look == OPEN)).all(axis=1)]] = False
        way[:, ~self.free] = False
        where, blocked = exchange.where(before), np.asarray(way.any(axis=1))[:, None]
        there = where[np.arange(len(before)), way.argmax(axis=1)]
        others = self.free & (where != there[:, None]).any(axis=2) & blocked
        pairs = np.where(blocked, np.arange(exchange.size), pairs)
        for token in self._tokens.tolist():
            elsewhere = np.where(others[:, token], token, -1)
            self._exchange(pairs, way, others, words.one_of(way), elsewhere)
            others[:, token] = False
        for _ in range(int(way.sum(axis=1).max()) if at_once else 1):
            self._exchange(pairs, way, others, words.one_of(way), words.one_of(others))
        return pairs

    @property
    def _tokens(self) -> NDArray[np.int64]:
        """The tokens visible in the decision."""
        return self.look[self.exchange.places(self.look) & (self.look >= 0)]

    def _exchange(
        self,
        pairs: Pairs,
        some: NDArray[np.bool_],
        others: NDArray[np.bool_],
        ones: NDArray[np.int64],
        twos: NDArray[np.int64],
    ) -> None:
        """Exchanges two tokens in each particle where neither is -1, and removes them from both sets."""
        at = np.flatnonzero((ones >= 0) & (twos >= 0))
        one, two = ones[at], twos[at]
        pairs[at, one], pairs[at, two] = two, one
        some[at, one] = others[at, two] = False
