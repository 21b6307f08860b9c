"""Hidden choices of other seats, resampled to fit later disclosures.

Sealed bids become public all at once, and hardly any particle has guessed all of them. Therefore, for each hidden
choice in turn, all options are replayed up to the present; among those that differ least from the seat's observations,
one is drawn in proportion to the odds of its history. If a history already agrees with all observations, this is a step
of Gibbs sampling, which preserves the game's odds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.search.exchange import Exchange, RandomWords
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.search import Search
from rulespec.engine.search.sight import Followed, Sight
from rulespec.engine.wasm.runtime.program import OPEN

_SWEEPS = 4
"""The number of times that each hidden choice is resampled."""
_MOST_REPLAYS = 20_000
"""The maximum number of replays of one hidden choice; beyond it, only some of its options are tried."""
_EARLIER = 1 << 40
"""The difference counted for each missing decision but the last; it exceeds any difference of cells."""
_ILLEGAL = 1 << 30
"""The difference counted if the last decision is illegal."""


class Reconsidered(NamedTuple):
    """Histories with resampled hidden choices.

    Attributes:
        codes: their decisions.
        rows: their positions.
        odds: the weights for each decision, as in `Followed.odds`.
        gaps: how far each history differs from the observations; 0 means that they agree.
    """

    codes: Codes
    rows: NDArray[np.int64]
    odds: NDArray[np.int64]
    gaps: NDArray[np.int64]


def hidden_choices(looks: NDArray[np.int64], exchanges: list[Exchange]) -> NDArray[np.bool_]:
    """For each decision, whether it hides a choice from the seat. Choices of tokens with places are excluded, since
    exchanges cover them.

    Args:
        looks: the decisions as seen by the seat; see `SeenHistory`.
        exchanges: the exchanges of tokens.
    """
    codes = looks[:, :-1]
    unseen = codes == OPEN
    for each in exchanges:
        if each.columns.size:
            unseen &= ~each.places(codes)
    result: NDArray[np.bool_] = unseen.any(axis=1) & (codes[:, 1] >= 0)
    return result


def begins_run(looks: NDArray[np.int64], hidden: NDArray[np.bool_], ran: bool) -> bool:
    """Whether the last decision starts a run of hidden choices, in which seats make the same kind of choice in turn.

    Args:
        looks: the decisions as seen by the seat, from the start of the previous run.
        hidden: for each decision, whether it is a hidden choice.
        ran: whether there was a previous run.
    """
    if not hidden[-1] or not ran:
        return bool(hidden[-1])
    codes = looks[:, :-1]
    return len(set(codes[:, 1].tolist())) < len(codes) or len(set(codes[:, 0].tolist())) > 1


@dataclass(frozen=True, slots=True)
class DisclosedChoices:
    """The last decisions as a seat saw them, with its observation after the last one.

    Attributes:
        search: a search over positions of the table.
        sight: the seat's view of positions.
        looks: the decisions as the seat saw them.
        seen: the seat's observation after the last decision.
        hidden: for each decision, whether it is a hidden choice.
        words: random words.
    """

    search: Search
    sight: Sight
    looks: NDArray[np.int64]
    seen: NDArray[np.int64]
    hidden: NDArray[np.bool_]
    words: RandomWords

    def reconsidered(self, rows: NDArray[np.int64], codes: Codes, seed: int) -> Reconsidered:
        """Resamples each hidden choice a few times.

        Args:
            rows: the positions before the decisions.
            codes: the decisions of each history; hidden parts of the last one are drawn.
            seed: the seed of that draw.
        """
        codes = codes.copy()
        codes[:, -1] = self.looks[-1, :-1]
        _, starts = np.unique(rows, axis=0, return_inverse=True)
        result = self._judged(self.sight.follow(rows, codes, self.looks, seed))
        for sweep in range(_SWEEPS):
            for step in np.flatnonzero(self.hidden).tolist():
                result = self._drawn_again(result, rows, starts.reshape(-1), step)
            if sweep and not result.gaps.any():
                break
        return result

    def _drawn_again(
        self, last: Reconsidered, rows: NDArray[np.int64], starts: NDArray[np.int64], step: int
    ) -> Reconsidered:
        """Resamples one hidden choice; histories that are otherwise equal are replayed once."""
        others = last.codes.copy()
        others[:, step] = 0
        keys = np.column_stack([starts, others.reshape(len(others), -1)])
        _, firsts, kinds = np.unique(keys, axis=0, return_index=True, return_inverse=True)
        kinds = kinds.reshape(-1)
        options, parents = self._options(rows[firsts], last.codes[firsts], step)
        if not len(options):
            return last
        codes = last.codes[firsts[parents]]
        codes[:, step] = options
        tried = self._judged(self.sight.follow(rows[firsts[parents]], codes, self.looks, 0))
        best = np.full(len(firsts), np.iinfo(np.int64).max)
        np.minimum.at(best, parents, tried.gaps)
        logs = log_odds(tried.odds, self.looks)
        chosen = np.zeros(len(last.codes), np.int64)
        for number, kind in enumerate(kinds.tolist()):
            among = np.flatnonzero((parents == kind) & (tried.gaps == best[kind]))
            if not len(among):
                return last
            shares = np.cumsum(np.exp(logs[among] - logs[among].max()))
            at = int(np.searchsorted(shares, float(self.words.shares(1)[0]) * shares[-1], side="right"))
            chosen[number] = among[min(at, len(among) - 1)]
        return Reconsidered(*(each[chosen] for each in tried))

    def _options(self, rows: NDArray[np.int64], codes: Codes, step: int) -> tuple[Codes, NDArray[np.int64]]:
        """The options of a hidden choice that look as seen, each with the index of its history."""
        if step:
            rows = self.sight.follow(rows, codes[:, :step], self.looks[:step], 0).rows
        options, parents = self.search.legal(rows)
        look = self.looks[step, :-1]
        like = ((options == look) | (look == OPEN)).all(axis=1)
        options, parents = options[like], parents[like]
        if len(options) > _MOST_REPLAYS:
            some = self.words.shares(len(options)).argsort()[:_MOST_REPLAYS]
            some.sort()
            own, numbers = codes[:, step], np.arange(len(codes))
            options, parents = np.concatenate([options[some], own]), np.concatenate([parents[some], numbers])
        return options, parents

    def _judged(self, history: Followed) -> Reconsidered:
        """Histories with their differences from the observations."""
        steps = len(self.looks)
        missing = steps - history.reached
        seen = self.sight.observations(history.rows)
        unlike = 1 + ((seen != self.seen) & (seen != OPEN) & (self.seen != OPEN)).sum(axis=1)
        unlike = np.where(history.odds[:, -1, 0] == 0, _ILLEGAL, unlike)
        gaps = np.where(missing == 0, 0, np.where(missing == 1, unlike, missing * _EARLIER))
        return Reconsidered(history.codes, history.rows, history.odds, gaps)


def log_odds(odds: NDArray[np.int64], looks: NDArray[np.int64]) -> NDArray[np.float64]:
    """The log odds of histories: chance follows its weights, hidden choices are uniform, and visible choices are
    ignored.
    """
    by_chance = looks[:, 1] < 0
    unseen = ~by_chance & (looks[:, :-1] == OPEN).any(axis=1)
    chance, among = np.maximum(odds[:, by_chance], 1), np.maximum(odds[:, unseen, 1], 1)
    result: NDArray[np.float64] = np.log(chance[:, :, 0] / chance[:, :, 2]).sum(axis=1) - np.log(among).sum(axis=1)
    return result
