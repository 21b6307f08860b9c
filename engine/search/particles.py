"""Particles of a seat: positions indistinguishable from its own, with the odds of the game.

They follow the game decision by decision, as the seat sees it: anything hidden from the seat is drawn, and a particle
that contradicts the seat's observations is dropped. Where all histories are equally likely, as when cards are dealt,
its history with two hidden tokens exchanged replaces it, played again from its start, if that fits the observations;
else a copy of a particle that does. Where the seat decides, all of them take Metropolis steps: exchanges of two hidden
tokens, accepted by the odds of the histories. So the odds approach those of the game: chance by its weights, hidden
choices of others evenly, and their open choices are no evidence.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game
from rulespec.engine.game.retrace import NotFoundError
from rulespec.engine.program.draws import word
from rulespec.engine.search.exchange import Exchange, RandomWords, exchanges, swaps
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.redraws import ParticleMark, ParticleMarks, Redraws
from rulespec.engine.search.repair import Repair
from rulespec.engine.search.seen_history import SeenHistory
from rulespec.engine.search.sight import Followed
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.wasm.runtime.program import OPEN

_TRIES = 8
"""Exchanges that are tried for a particle that looks different."""
_MOST_TRIES = 64
"""Exchanges that are tried while all particles look different."""
_REDRAWS = 24
"""Changes of draws that are tried while all particles look different."""
_ENOUGH = 1 / 8
"""The share of the particles that must look as seen, else draws of the others are changed."""
_LONG = 24
"""Decisions of a history in which no two alike pieces change places as a whole: hardly any exchange looks as seen."""
_ILLEGAL = 1 << 30
"""The difference of a particle in which the seen decision is not legal: more than that of any pieces."""
_EVEN = 1e-9
"""Logarithms of odds that differ by less are equal."""
_MOVES = 2
"""Steps of Metropolis where the seat decides, if particles have been out since it did last."""


class Particles:
    """The particles of a seat, carried from decision to decision.

    They depend on the seed and on the seat's observations alone: after decisions are taken back, and in a game that is
    continued from its log, they are the same.

    Args:
        search: searches positions of the table.
        seat: the number of the seat.
        number: the number of particles.
        seed: the seed of the draws.
    """

    def __init__(self, search: WasmSearch, seat: int, number: int, seed: int) -> None:
        self._search, self._seat, self._number, self._seed = search, seat, number, seed
        self._sight = search.sight(seat)
        self._seen = SeenHistory(search, seat)
        self._exchanges = exchanges(search.program, search.coder)
        names = search.coder.names
        self._redraws = [Redraws(search, each, names(each.kind)) for each in self._exchanges if each.alike]
        self._begin(0)

    def _begin(self, start: int) -> None:
        """Begins at a position that the seat knows fully."""
        self._start, self._stale = start, False
        self._looks = self._seen.looks[: max(start, 0)]
        self._rows = np.empty((0, self._search.columns), np.int64)
        self._codes: Codes = np.empty((self._number, 0, self._search.coder.width), np.int64)
        self._odds = np.zeros(self._number)
        """The logarithm of the odds of each history."""
        self._weights = np.zeros(self._number)
        """The logarithm of the weight of each particle."""
        self._marks = ParticleMarks()
        if 0 <= start < len(self._seen.looks):
            self._rows = self._first().rows

    def note(self, game: Game) -> int:
        """Records the seat's observations so far; returns a number derived from all of them."""
        self._seen.note(game)
        return word(self._seed, self._seen.keys[-1]) if self._seen.keys else word(self._seed, 0)

    def rows(self) -> NDArray[np.int64]:
        """The particles at the last recorded position, as rows; one, if the seat has seen all of it.

        Raises:
            NotFoundError: if none is left.
        """
        seen = self._seen
        known, done = seen.known, len(self._looks)
        if known == len(seen.looks):
            return seen.row(known)[None]
        if known != self._start or not len(self._rows) or not np.array_equal(seen.looks[:done], self._looks):
            self._begin(known)
        todo = range(len(self._looks), len(seen.looks))
        self._looks = seen.looks
        try:
            for ply in todo:
                self._go_on(ply)
        except NotFoundError:
            self._begin(-1)
            raise
        return self._rows[self._drawn()]

    @property
    def histories(self) -> Codes:
        """The decisions of each particle as codes, from the first one on that the seat has not seen all of."""
        if self._seen.known == len(self._seen.looks):
            return np.empty((1, 0, self._search.coder.width), np.int64)
        return self._codes[self._drawn()]

    def _drawn(self) -> NDArray[np.int64]:
        """The numbers of representative particles, drawn by weight."""
        return self._sample(word(self._key(len(self._seen.looks)), 0))

    def _key(self, ply: int) -> int:
        return word(self._seed, self._seen.keys[ply - 1]) & (1 << 63) - 1

    def _go_on(self, ply: int) -> None:
        """Takes a decision, with Metropolis steps if the seat decides next."""
        self._follow(ply)
        if self._stale and self._seen.deciders[ply + 1] == self._seat:
            self._metropolis(ply, RandomWords(word(self._key(ply + 1), 2)))
            self._stale = False

    def _follow(self, ply: int) -> None:
        look, before = self._seen.looks[ply], self._rows
        if self._redraws:
            self._marks.note(ParticleMark(ply - self._start, before, self._odds))
        codes = np.broadcast_to(look[:-1], (self._number, 1, len(look) - 1))
        key = self._key(ply + 1)
        result = self._sight.follow(before, codes, look[None], key)
        alive = result.reached == 1
        self._codes = np.concatenate([self._codes, result.codes], axis=1)
        self._rows = result.rows
        self._odds = self._odds + _odds(result.odds, look[None])
        if look[1] < 0:
            self._weights = self._weights + np.log(
                np.maximum(result.odds[:, 0, 1], 1) / np.maximum(result.odds[:, 0, 2], 1)
            )
        if alive.all():
            if _effective(self._weights) < self._number / 2:
                self._take(self._sample(word(key, 1)))
            return
        self._stale = True
        if self._redraws and alive.sum() < _ENOUGH * self._number:
            alive = self._redrawn(ply, alive, result.odds[:, -1, 0] == 0, word(key, 4))
        if not alive.any() or np.ptp(self._odds[alive]) < _EVEN:
            alive = self._repaired(ply, alive, before, word(key, 3))
        if not alive.any():
            raise NotFoundError(f"no position was found that looks as seen, after {ply + 1} decisions")
        self._weights[~alive] = -np.inf
        if not alive.all() or _effective(self._weights) < self._number / 2:
            self._take(self._sample(word(key, 1)))

    # --- what looks different -----------------------------------------------------------------

    def _repaired(self, ply: int, alive: NDArray[np.bool_], before: NDArray[np.int64], key: int) -> NDArray[np.bool_]:
        """Exchanges tokens in particles that contradict observations; returns those that then agree."""
        alive, before, words = alive.copy(), before.copy(), RandomWords(key)
        weight = self._weights[alive].mean() if alive.any() else 0.0
        look, seen, others = self._seen.looks[ply, :-1], self._seen.observation(ply + 1), before[alive]
        repairs = [Repair(self._search, each, look, self._free(each, ply), words) for each in self._exchanged(ply)]
        for number in range(_MOST_TRIES if repairs else 0):
            if number >= _TRIES and alive.any():
                break
            for repair in repairs:
                out = np.flatnonzero(~alive)
                if not len(out):
                    return alive
                pairs = repair.as_others(before[out], others)
                drawn = np.ones(len(out), np.bool_)
                if number % 3 == 0:
                    pairs, drawn = repair.mended(self._sight.observations(self._rows[out]), seen, pairs)
                elif number % 3 == 1 and number >= _TRIES:
                    pairs = repair.any(len(out))
                elif number % 3 == 2:
                    pairs = repair.cleared(before[out], pairs, at_once=number < _TRIES)
                history = self._replayed(repair.exchange, ply, out, pairs, redrawn=drawn, seed=word(key, number))
                alive[out] = self._replace(out, history, history.reached > ply - self._start)
                if number >= _TRIES:
                    blocked = (history.reached == ply - self._start) & (history.odds[:, -1, 0] == 0)
                    self._replace(out, history, blocked)
                    before[out[blocked]] = history.rows[blocked]
                self._weights[out] = weight
        return alive

    def _redrawn(self, ply: int, alive: NDArray[np.bool_], illegal: NDArray[np.bool_], key: int) -> NDArray[np.bool_]:
        """Changes draws of alike pieces in particles that contradict observations; returns those that then agree.

        A change stays unless it leaves more of a difference.

        Args:
            ply: the number of the decision.
            alive: the particles that look as seen.
            illegal: the particles in which the seen decision is not legal.
            key: the key of random words.
        """
        alive, words, seen = alive.copy(), RandomWords(key), self._seen.observation(ply + 1)
        weight = self._weights[alive].mean() if alive.any() else 0.0
        gaps, illegal = np.full(self._number, 2 * _ILLEGAL), illegal.copy()
        for number, each in product(range(_REDRAWS), self._redraws):
            out = np.flatnonzero(~alive)
            if alive.sum() >= _ENOUGH * self._number or (alive.any() and number >= _TRIES):
                break
            mark = self._marks.back(recent=number < _REDRAWS // 2) or self._first()
            looks = self._seen.looks[self._start + mark.step : ply + 1]
            by = each.difference(self._rows[out], self._sight.observations(self._rows[out]), seen)
            by.few[illegal[out]] = by.many[illegal[out]] = 0
            codes = each.proposed(self._codes[out, mark.step :], looks, by, words, number)
            history = self._sight.follow(mark.rows[out], codes, looks, word(key, number))
            as_seen, refused = history.reached == len(looks), history.odds[:, -1, 0] == 0
            after = each.difference(history.rows, self._sight.observations(history.rows), seen)
            gap = np.where(as_seen, 0, np.where(refused, _ILLEGAL, 1 + after.size))
            stays = (history.reached >= len(looks) - 1) & (gap <= gaps[out])
            at = out[stays]
            self._codes[at, mark.step :], self._rows[at] = history.codes[stays], history.rows[stays]
            self._odds[at] = mark.odds[at] + _odds(history.odds[stays], looks)
            gaps[at], illegal[at] = gap[stays], refused[stays]
            alive[out[stays & as_seen]], self._weights[at] = True, weight
        return alive

    def _first(self) -> ParticleMark:
        """The particles at a position that the seat knows fully."""
        return ParticleMark(0, self._seen.row(self._start)[None].repeat(self._number, axis=0), np.zeros(self._number))

    def _exchanged(self, ply: int) -> list[Exchange]:
        """The kinds whose tokens are exchanged; for alike pieces only in a short history."""
        return [each for each in self._exchanges if not each.alike or ply - self._start < _LONG]

    def _free(self, exchange: Exchange, ply: int) -> NDArray[np.bool_]:
        """The exchangeable tokens: unseen ones, or ones in unseen places."""
        looks = self._seen.looks[self._start : ply + 1, :-1]
        seen = looks[exchange.places(looks) & (looks >= 0)]
        unseen = exchange.tokens_in(self._codes[:, : ply + 1 - self._start], looks == OPEN)
        result = np.ones(exchange.size, np.bool_)
        result[seen] = False
        result[unseen[unseen >= 0]] = True
        return result

    def _replayed(
        self,
        exchange: Exchange,
        ply: int,
        numbers: NDArray[np.int64],
        pairs: NDArray[np.int64],
        *,
        redrawn: NDArray[np.bool_] | None = None,
        seed: int = 0,
    ) -> Followed:
        """Histories with exchanged tokens, played again.

        The draws of the last decision are repeated where `redrawn` is set.
        """
        looks = self._seen.looks[self._start : ply + 1]
        codes = exchange.swapped(self._codes[numbers], looks[:, :-1] == OPEN, pairs)
        if redrawn is not None:
            codes[redrawn, -1] = looks[-1, :-1]
        start = self._seen.row(self._start)[None].repeat(len(numbers), axis=0)
        return self._sight.follow(start, codes, looks, seed)

    def _replace(self, numbers: NDArray[np.int64], histories: Followed, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Replaces particles by accepted histories; returns which ones."""
        at, looks = numbers[taken], self._seen.looks[self._start :][: histories.codes.shape[1]]
        if len(at):
            self._marks = ParticleMarks()
        self._codes[at], self._rows[at] = histories.codes[taken], histories.rows[taken]
        self._odds[at] = _odds(histories.odds[taken], looks)
        return taken

    # --- odds -----------------------------------------------------------------------------------

    def _metropolis(self, ply: int, words: RandomWords) -> None:
        """Exchanges two tokens in each particle, if the odds are for it; some times.

        Two in one place are left there: their holder sees no difference.
        """
        every = np.arange(self._number)
        for exchange in self._exchanged(ply):
            free = np.broadcast_to(self._free(exchange, ply), (self._number, exchange.size))
            for _ in range(_MOVES if free[0].sum() > 1 else 0):
                ones, others = words.one_of(free), words.one_of(free)
                where = exchange.where(self._rows)
                numbers = every[(where[every, ones] != where[every, others]).any(axis=1)]
                pairs = swaps(exchange.size, ones[numbers], others[numbers])
                history = self._replayed(exchange, ply, numbers, pairs)
                odds = _odds(history.odds, self._seen.looks[self._start : ply + 1])
                chances = np.log(np.maximum(words.shares(self._number)[numbers], 1e-300))
                as_seen = history.reached > ply - self._start
                self._replace(numbers, history, as_seen & (chances < odds - self._odds[numbers]))

    def _sample(self, key: int) -> NDArray[np.int64]:
        """As many numbers of particles, by their weights: systematic resampling."""
        if np.ptp(self._weights) < _EVEN:
            return np.arange(self._number)
        shares = np.exp(self._weights - self._weights.max())
        steps = (np.arange(self._number) + RandomWords(key).shares(1)) / self._number
        result: NDArray[np.int64] = np.searchsorted(np.cumsum(shares) / shares.sum(), steps, side="right")
        return np.minimum(result, self._number - 1)

    def _take(self, numbers: NDArray[np.int64]) -> None:
        self._codes, self._rows, self._odds = self._codes[numbers], self._rows[numbers], self._odds[numbers]
        self._weights = np.zeros(self._number)
        self._marks.take(numbers)


def _effective(weights: NDArray[np.float64]) -> float:
    """The effective sample size."""
    shares = np.exp(weights - weights.max())
    return float(shares.sum() ** 2 / (shares**2).sum())


def _odds(odds: NDArray[np.int64], looks: NDArray[np.int64]) -> NDArray[np.float64]:
    """The log odds of histories: chance by weight, hidden choices uniform, visible ones no evidence."""
    by_chance = looks[:, 1] < 0
    unseen = ~by_chance & (looks[:, :-1] == OPEN).any(axis=1)
    chance, among = np.maximum(odds[:, by_chance], 1), np.maximum(odds[:, unseen, 1], 1)
    result: NDArray[np.float64] = np.log(chance[:, :, 0] / chance[:, :, 2]).sum(axis=1) - np.log(among).sum(axis=1)
    return result
