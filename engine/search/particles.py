"""Particles of a seat: positions that it cannot distinguish from the true one, distributed by the game's own odds.

They follow the game decision by decision from the seat's view: hidden choices are drawn, and contradicted particles are
dropped. Hidden choices of others are resampled to fit later disclosures (`hidden_choices`). If all histories are
equally likely, as with dealt cards, two hidden tokens are exchanged in the history of a dropped particle, and the
history is replayed from the start. If the result does not fit the observations, the particle is replaced by a copy of a
fitting one. At each decision of the seat, all particles take Metropolis steps: exchanges of two hidden tokens, accepted
according to the odds of the histories. The odds thus approach those of the game, in which chance follows its weights
and hidden choices of others are uniform; their visible choices are not treated as evidence.
"""

from __future__ import annotations

from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.program.draws import word
from rulespec.engine.search.exchange import Exchange, RandomWords, exchanges, swaps
from rulespec.engine.search.hidden_choices import DisclosedChoices, begins_run, hidden_choices, log_odds
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.redraws import ParticleMark, ParticleMarks, Redraws
from rulespec.engine.search.repair import Repair
from rulespec.engine.search.seen_history import SeenHistory
from rulespec.engine.search.sight import Followed
from rulespec.engine.search.wasm_search import WasmSearch
from rulespec.engine.wasm.runtime.program import OPEN

_TRIES = 8
"""Exchanges tried per particle that contradicts the observations."""
_MOST_TRIES = 64
"""Exchanges tried while all particles contradict the observations."""
_REDRAWS = 24
"""Changes of draws tried while all particles contradict the observations."""
_ENOUGH = 1 / 8
"""The minimum share of agreeing particles, below which draws of the others are changed."""
_LONG = 24
"""Decisions after which alike pieces are no longer exchanged throughout a history: hardly any exchange would agree."""
_ILLEGAL = 1 << 30
"""The difference counted if the observed decision is illegal; it exceeds any difference of pieces."""
_EVEN = 1e-9
"""The tolerance for equal log odds."""
_MOVES = 2
"""Metropolis steps at a decision of the seat, if particles were dropped since its previous one."""


class _Snapshot(NamedTuple):
    """A snapshot of all particles before a round of undisclosed choices.

    Attributes:
        ply: the number of decisions before the round.
        rows, codes, odds, weights: the arrays of the particles.
        stale: whether any were dropped since the seat last decided.
        marks, choices: earlier snapshots.
    """

    ply: int
    rows: NDArray[np.int64]
    codes: Codes
    odds: NDArray[np.float64]
    weights: NDArray[np.float64]
    stale: bool
    marks: ParticleMarks
    choices: ParticleMarks


class Particles:
    """The particles of a seat, carried from decision to decision.

    They depend only on the seed and the seat's observations, so they are the same after an undo, or in a game continued
    from its log.

    Args:
        search: a search over positions of the table.
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
        self._lost: tuple[int, NDArray[np.int64]] | None = None
        """The known decisions, and the observations up to the decision at which no particle was left."""
        self._begin(0)

    def _begin(self, start: int) -> None:
        """Restarts from a position that the seat knows fully."""
        self._start, self._stale = start, False
        self._looks = self._seen.looks[: max(start, 0)]
        self._rows = np.empty((0, self._search.columns), np.int64)
        self._codes: Codes = np.empty((self._number, 0, self._search.coder.width), np.int64)
        self._odds = np.zeros(self._number)
        """The logarithm of the odds of each history."""
        self._weights = np.zeros(self._number)
        """The logarithm of the weight of each particle."""
        self._marks = ParticleMarks()
        self._choices = ParticleMarks()
        """Snapshots of the particles at the start of each run of hidden choices."""
        self._round: _Snapshot | None = None
        if 0 <= start < len(self._seen.looks):
            self._rows = self._first().rows

    def note(self, game: Game) -> int:
        """Records the seat's observations so far; returns a key derived from them."""
        self._seen.note(game)
        return word(self._seed, self._seen.keys[-1]) if self._seen.keys else word(self._seed, 0)

    def rows(self) -> NDArray[np.int64]:
        """The particles at the last recorded position, as rows; a single row if the seat has seen everything.

        Raises:
            NotFoundError: if no particle is left.
        """
        seen = self._seen
        known = seen.known
        if known == len(seen.looks):
            return seen.row(known)[None]
        if self._is_lost(known):
            raise NotFoundError("found no position that matches the observations")
        if known != self._start or not len(self._rows):
            self._begin(known)
        elif not np.array_equal(seen.looks[: len(self._looks)], self._looks):
            self._take_up(known)
        ply, self._looks = len(self._looks), seen.looks
        try:
            while ply < len(seen.looks):
                ply = self._followed_as_one(ply)
                if ply < len(seen.looks):
                    self._go_on(ply)
                    ply += 1
        except NotFoundError:
            self._lost = known, seen.looks[: ply + 1].copy()
            self._begin(-1)
            raise
        return self._rows[self._drawn()]

    def _is_lost(self, known: int) -> bool:
        """Whether a walk over these observations would lose all particles again."""
        if self._lost is None or self._lost[0] != known:
            return False
        looks = self._lost[1]
        return np.array_equal(self._seen.looks[: len(looks)], looks)

    def _take_up(self, known: int) -> None:
        """Returns to the snapshot before a round that is now disclosed, or to the start if more has changed."""
        before, looks = self._round, self._seen.looks
        if before is None or not np.array_equal(looks[: before.ply], self._looks[: before.ply]):
            self._begin(known)
            return
        self._looks = looks[: before.ply]
        self._rows, self._codes, self._odds = before.rows, before.codes, before.odds
        self._weights, self._stale, self._round = before.weights.copy(), before.stale, None
        self._marks, self._choices = before.marks.copy(), before.choices.copy()

    @property
    def histories(self) -> Codes:
        """The decisions of each particle as codes, from the first partly hidden one."""
        if self._seen.known == len(self._seen.looks):
            return np.empty((1, 0, self._search.coder.width), np.int64)
        return self._codes[self._drawn()]

    def _drawn(self) -> NDArray[np.int64]:
        """The indices of representative particles, drawn by weight."""
        return self._sample(word(self._key(len(self._seen.looks)), 0))

    def _key(self, ply: int) -> int:
        return word(self._seed, self._seen.keys[ply - 1]) & (1 << 63) - 1

    def _go_on(self, ply: int) -> None:
        """Advances by a decision, with Metropolis steps if the seat decides next."""
        self._follow(ply)
        if self._stale and self._seen.deciders[ply + 1] == self._seat:
            self._metropolis(ply, RandomWords(word(self._key(ply + 1), 2)))
            self._stale = False

    def _followed_as_one(self, ply: int) -> int:
        """Advances by decisions without draws while all particles share one position, with a single row for all.

        Returns:
            The number of the first decision not taken.
        """
        looks = self._seen.looks[ply:]
        drawn = (looks == OPEN).any(axis=1)
        end = ply + (int(drawn.argmax()) if drawn.any() else len(drawn))
        if end == ply or self._redraws or self._stale or (self._rows != self._rows[0]).any():
            return ply
        looks = looks[: end - ply]
        result = self._sight.follow(self._rows[:1], looks[None, :, :-1], looks, 0)
        if result.reached[0] < len(looks):
            return ply
        self._rows = result.rows.repeat(self._number, axis=0)
        self._codes = np.concatenate([self._codes, result.codes.repeat(self._number, axis=0)], axis=1)
        for number in range(len(looks)):  # one by one, as a single sum would round differently
            self._odds = self._odds + log_odds(result.odds[:, number : number + 1], looks[number : number + 1])
        return end

    def _follow(self, ply: int) -> None:
        look, before = self._seen.looks[ply], self._rows
        self._note(ply)
        codes = np.broadcast_to(look[:-1], (self._number, 1, len(look) - 1))
        key = self._key(ply + 1)
        result = self._sight.follow(before, codes, look[None], key)
        alive = result.reached == 1
        self._codes = np.concatenate([self._codes, result.codes], axis=1)
        self._rows = result.rows
        self._odds = self._odds + log_odds(result.odds, look[None])
        if look[1] < 0:
            self._weights = self._weights + np.log(
                np.maximum(result.odds[:, 0, 1], 1) / np.maximum(result.odds[:, 0, 2], 1)
            )
        if alive.all():
            if _effective(self._weights) < self._number / 2:
                self._take(self._sample(word(key, 1)))
            return
        self._stale = bool(self._exchanges)
        if self._redraws and alive.sum() < _ENOUGH * self._number:
            alive = self._redrawn(ply, alive, result.odds[:, -1, 0] == 0, word(key, 4))
        if alive.sum() < _ENOUGH * self._number:
            alive = self._reconsidered(ply, alive, word(key, 5))
        if not alive.any() or np.ptp(self._odds[alive]) < _EVEN:
            alive = self._repaired(ply, alive, before, word(key, 3))
        if not alive.any():
            raise NotFoundError(f"found no position that matches the observations, after {ply + 1} decisions")
        self._weights[~alive] = -np.inf
        if not alive.all() or _effective(self._weights) < self._number / 2:
            self._take(self._sample(word(key, 1)))

    def _note(self, ply: int) -> None:
        """Takes the snapshots that later decisions may return to."""
        step, looks = ply - self._start, self._seen.looks
        mark = ParticleMark(step, self._rows, self._odds)
        if self._redraws:
            self._marks.note(mark)
        if looks[ply, 0] != OPEN:
            self._round = None
        elif self._round is None:
            self._round = _Snapshot(
                ply,
                self._rows,
                self._codes,
                self._odds,
                self._weights.copy(),
                self._stale,
                self._marks.copy(),
                self._choices.copy(),
            )
        last = next(iter(self._choices), None)
        first = ply if last is None else self._start + last.step
        hidden = hidden_choices(looks[first : ply + 1], self._exchanges)
        if begins_run(looks[first : ply + 1], hidden, last is not None):
            self._choices.keep(mark)

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

        A change stays unless it increases the difference.

        Args:
            ply: the number of the decision.
            alive: the particles that agree with the observations.
            illegal: the particles in which the observed decision is illegal.
            key: the key of the random words.
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
            self._odds[at] = mark.odds[at] + log_odds(history.odds[stays], looks)
            gaps[at], illegal[at] = gap[stays], refused[stays]
            alive[out[stays & as_seen]], self._weights[at] = True, weight
        return alive

    def _reconsidered(self, ply: int, alive: NDArray[np.bool_], key: int) -> NDArray[np.bool_]:
        """Resamples hidden choices in particles that contradict observations; returns those that then agree."""
        alive, words, seen = alive.copy(), RandomWords(key), self._seen.observation(ply + 1)
        weight = self._weights[alive].mean() if alive.any() else 0.0
        for number, mark in enumerate(self._choices):
            out, looks = np.flatnonzero(~alive), self._seen.looks[self._start + mark.step : ply + 1]
            if alive.sum() >= _ENOUGH * self._number or (number and len(looks) > _LONG):
                break
            hidden = hidden_choices(looks, self._exchanges)
            disclosure = DisclosedChoices(self._search, self._sight, looks, seen, hidden, words)
            history = disclosure.reconsidered(mark.rows[out], self._codes[out, mark.step :], word(key, number))
            stays = history.gaps == 0
            at = out[stays]
            self._codes[at, mark.step :], self._rows[at] = history.codes[stays], history.rows[stays]
            self._odds[at] = mark.odds[at] + log_odds(history.odds[stays], looks)
            alive[at], self._weights[at] = True, weight
        return alive

    def _first(self) -> ParticleMark:
        """The particles at a position that the seat knows fully."""
        return ParticleMark(0, self._seen.row(self._start)[None].repeat(self._number, axis=0), np.zeros(self._number))

    def _exchanged(self, ply: int) -> list[Exchange]:
        """The exchanges that apply: for alike pieces, only in a short history."""
        return [each for each in self._exchanges if not each.alike or ply - self._start < _LONG]

    def _free(self, exchange: Exchange, ply: int) -> NDArray[np.bool_]:
        """The exchangeable tokens: unseen tokens, and tokens at unseen places."""
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
        """Histories with exchanged tokens, replayed.

        The last decision is drawn again where `redrawn` is set.
        """
        looks = self._seen.looks[self._start : ply + 1]
        codes = exchange.swapped(self._codes[numbers], looks[:, :-1] == OPEN, pairs)
        if redrawn is not None:
            codes[redrawn, -1] = looks[-1, :-1]
        start = self._seen.row(self._start)[None].repeat(len(numbers), axis=0)
        return self._sight.follow(start, codes, looks, seed)

    def _replace(self, numbers: NDArray[np.int64], histories: Followed, taken: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Replaces particles with accepted histories; returns the replaced ones."""
        at, looks = numbers[taken], self._seen.looks[self._start :][: histories.codes.shape[1]]
        if len(at):
            self._marks, self._choices = ParticleMarks(), ParticleMarks()
        self._codes[at], self._rows[at] = histories.codes[taken], histories.rows[taken]
        self._odds[at] = log_odds(histories.odds[taken], looks)
        return taken

    # --- odds -----------------------------------------------------------------------------------

    def _metropolis(self, ply: int, words: RandomWords) -> None:
        """Takes Metropolis steps: exchanges of two tokens in each particle, accepted by the odds.

        Tokens in the same place are not exchanged: their holder sees no difference.
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
                odds = log_odds(history.odds, self._seen.looks[self._start : ply + 1])
                chances = np.log(np.maximum(words.shares(self._number)[numbers], 1e-300))
                as_seen = history.reached > ply - self._start
                self._replace(numbers, history, as_seen & (chances < odds - self._odds[numbers]))

    def _sample(self, key: int) -> NDArray[np.int64]:
        """A sample of particle indices by weight, with unchanged size: systematic resampling."""
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
        self._choices.take(numbers)


def _effective(weights: NDArray[np.float64]) -> float:
    """The effective sample size."""
    shares = np.exp(weights - weights.max())
    return float(shares.sum() ** 2 / (shares**2).sum())
