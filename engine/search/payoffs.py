"""Search results as arrays; each seat's payoff is an integer, so that Python and wasm compute equal sums.

A share is an integer in units of 1/`ONE`. Divided by `ONE`, it is exact as a float, and so are sums of a few million
shares. `wasm.runtime.payoffs` does the same for one playout at a time.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import lcm, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.search.recorded_rows import Codes

ONE = 1 << 30
"""The unit of shares: the integer for a whole share."""
STEPS = 1 << 20
"""The number of steps per unit of a base-2 exponent."""
HALF_STEPS = 1 << 10
"""The number of entries in each of the two tables of powers."""
NEARLY = round(log2(19) * STEPS)
"""The exponent for odds of 19 to 1, at which a game is nearly decided."""
FAR = 8
"""The maximum difference that counts, in multiples of the nearly decisive one; beyond it, odds are below 1/`ONE`."""
POWERS = [round(ONE * 2 ** (-k / HALF_STEPS)) for k in range(HALF_STEPS)]
POWERS += [round(ONE * 2 ** (-k / STEPS)) for k in range(HALF_STEPS)]
"""Powers of 2 for exponents from 0 down to -1: a table for the upper half of the steps, then one for the lower half."""
BY_PLACES = 5
"""The reciprocal of the weight of ranks in a bot's aim, with three or more teams."""
_POWERS = np.array(POWERS, np.int64)
_UNIT_BITS, _STAKE_BITS = 36, 32
"""The maximum bits of the nearly decisive difference, and of twice the stakes; further low bits are ignored."""
Whole = NDArray[np.int64]


class Payoffs:
    """The payoff of each seat at the end of a playout.

    The winners of a finished game share 1. If nobody wins, everyone shares it, except that a single team has then lost.
    In a cut-off playout, a seat's share follows from its value: a lead by the nearly decisive difference wins 19 times
    in 20, so the shares are the softmax of the values. A single team gets the logistic function of its value. Without a
    declared value, the leaders share 1.

    In a game for points, a payoff is the points of a seat, or the mean of its team, relative to the overall mean, and
    scaled to 0 … 1 by the stakes. In a cut-off playout, the current points are used.

    Args:
        of_seats: the team of each seat.
        stakes: the maximum distance of a seat's points from the mean; 0 means a game played to win.
        decides: the nearly decisive difference of values; 0 if there is no value except points.

    Attributes:
        single: whether all seats win together.
        form: the way to judge playouts: 0 means by winners or leaders, 1 by a value if the playout is cut off, 2 by
            points.
        team: the number of the team of each seat.
        sets: the seats of each team, as bits.
        factors: for each team, the factor that converts sums to means in a common unit.
        unit: the nearly decisive difference, or twice the stakes in a game for points; in the common unit, without the
            ignored low bits.
        shift: the number of ignored low bits of a difference, so that all numbers fit into 64 bits.
        stake: the stakes in the common unit.
    """

    def __init__(self, of_seats: Sequence[str], stakes: int, decides: int) -> None:
        teams = list(dict.fromkeys(of_seats))
        self.single = len(teams) == 1
        self.form = 2 if stakes else 1 if decides else 0
        self.team = [teams.index(team) for team in of_seats]
        self.sets = [sum(1 << seat for seat, own in enumerate(of_seats) if own == team) for team in teams]
        sizes = [of_seats.count(team) for team in teams]
        common = lcm(*sizes)
        self.factors = [common // size for size in sizes]
        self.stake = stakes * common * len(teams)
        unit = 2 * self.stake if stakes else common * max(1, decides)
        self.shift = max(0, unit.bit_length() - (_STAKE_BITS if stakes else _UNIT_BITS))
        self.unit = unit >> self.shift
        self._teams = np.array([[team == each for each in teams] for team in of_seats], np.int64)
        """For each seat and team, whether the seat is in the team."""
        self._factors = np.array(self.factors, np.int64)

    def whole(self, winners: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The winners, together with the other members of their teams."""
        return winners @ self._teams @ self._teams.T > 0

    def with_teams(self, winners: Collection[int]) -> tuple[int, ...]:
        """The numbers of all winning seats, given some of the winners."""
        flags = np.array([[seat in winners for seat in range(len(self._teams))]])
        return tuple(np.flatnonzero(self.whole(flags)).tolist())

    def _mean(self, numbers: Whole) -> Whole:
        """The mean of each team's numbers in a common unit, computed from each seat's numbers."""
        means: Whole = numbers @ self._teams * self._factors
        return means

    def of(
        self, ended: NDArray[np.bool_], winners: NDArray[np.bool_], scores: Whole, values: Whole
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """The payoffs, and whether they are informative; the arguments are fields of `Ends`."""
        shares, signal = self._of_teams(ended, winners, scores, values)
        return shares @ self._teams.T / ONE, signal

    def _of_teams(
        self, ended: NDArray[np.bool_], winners: NDArray[np.bool_], scores: Whole, values: Whole
    ) -> tuple[Whole, NDArray[np.bool_]]:
        teams = self._teams.shape[1]
        if self.form == 2:
            means = self._mean(scores)
            away = np.clip(teams * means - means.sum(axis=1, keepdims=True), -self.stake, self.stake)
            return (away + self.stake >> self.shift) * ONE // self.unit, ended | (np.ptp(means, axis=1) > 0)
        won = winners @ self._teams > 0
        count = won.sum(axis=1, keepdims=True)
        shares: Whole = np.where(
            won, ONE // np.maximum(count, 1), 0 if self.single else np.where(count, 0, ONE // teams)
        )
        if self.form == 0:
            if self.single:
                shares[~ended] = ONE // 2
            return shares, ended | ((count > 0) & (count < teams))[:, 0]
        means, cut = self._mean(values), ~ended
        if self.single:
            shares[cut] = self._against(means[cut])
            return shares, np.ones(len(ended), np.bool_)
        best = means.max(axis=1, keepdims=True)
        odds = self._odds(best - means)[cut]
        shares[cut] = odds * ONE // odds.sum(axis=1, keepdims=True)
        return shares, ended | (means < best).any(axis=1)

    def _odds(self, behind: Whole) -> Whole:
        """The odds of a trailing seat against the leader, by the difference: `ONE` for none, a 19th at the unit."""
        exponent = np.minimum(behind >> self.shift, FAR * self.unit) * NEARLY // self.unit
        part = exponent % STEPS
        power = _POWERS[part // HALF_STEPS] * _POWERS[HALF_STEPS + part % HALF_STEPS] // ONE
        odds: Whole = power >> np.minimum(exponent // STEPS, 62)
        return odds

    def _against(self, ahead: Whole) -> Whole:
        """The share of a seat in a comparison with one other, which it leads by `ahead`, or trails if negative."""
        odds = self._odds(np.abs(ahead))
        share: Whole = np.where(ahead < 0, odds, ONE) * ONE // (ONE + odds)
        return share

    def aims(self, ends: Ends) -> NDArray[np.float64]:
        """The share of the win that a bot at each seat aims for: a fifth of it depends on the rank, the rest on the
        payoff.

        Thus a seat that can no longer win plays for the next place, and does not prolong a lost game. The rank of a
        team is the share of its rivals that it has beaten: compared first by winning, then by points or, in a cut-off
        playout, by the odds that follow from the value. With two teams, and in a game for points, payoffs already cover
        this.
        """
        teams = self._teams.shape[1]
        if self.form == 2 or teams < 3:
            return ends.payoffs
        won, points = ends.winners @ self._teams > 0, self._mean(ends.scores)
        beaten = (np.sign(2 * _apart(won.astype(np.int64)) + np.sign(_apart(points))) + 1) * (ONE // 2)
        if self.form == 1:
            beaten[~ends.ended] = self._against(_apart(self._mean(ends.values[~ends.ended])))
        places = 2 * (beaten.sum(axis=2) - ONE // 2) // (teams * (teams - 1))
        shares = np.rint(ends.payoffs * ONE).astype(np.int64)
        aims: NDArray[np.float64] = ((BY_PLACES - 1) * shares + places @ self._teams.T) // BY_PLACES / ONE
        return aims


def _apart(numbers: Whole) -> Whole:
    """The lead of each column of a row over every other column."""
    return numbers[:, :, None] - numbers[:, None, :]


NO_HASHES = np.empty(0, np.uint64)
_NO_CODES = np.empty((0, 0), np.int64)


class Expanded(NamedTuple):
    """The positions after all legal options of some positions.

    Attributes:
        rows: the resulting positions, ordered by previous position, then by option.
        parents: for each of them, the index of the previous position.
        hashes: their hashes.
        codes: the options that lead there, as in `Search.codes`; empty unless requested.
    """

    rows: NDArray[np.int64]
    parents: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    codes: Codes = _NO_CODES


class Ends(NamedTuple):
    """Results of playouts; the first index is the playout.

    Attributes:
        ended: whether the game ended, rather than being cut off.
        decisions: the number of decisions.
        winners: for each seat, whether it won or, in a cut-off playout, whether it leads by points.
        scores: the points of each seat; 0 if the ruleset has no scoring.
        values: for a cut-off playout, the value of the position to each seat; 0 for a finished game.
        payoffs: for each seat, its share of the win, from 0 to 1; in a cut-off playout, the expected share. In a game
            for points, 0 is the maximum loss, 1 the maximum gain. They are multiples of 1/`payoffs.ONE`, so sums are
            exact.
        signal: whether the payoffs are informative: false if a playout was cut off with nobody ahead.
        hashes: the hash of the position after each decision, playout by playout (`decisions` gives the number for each
            playout); empty unless requested.
    """

    ended: NDArray[np.bool_]
    decisions: NDArray[np.int64]
    winners: NDArray[np.bool_]
    scores: NDArray[np.int64]
    values: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    signal: NDArray[np.bool_]
    hashes: NDArray[np.uint64] = NO_HASHES


class PlayoutEnd(NamedTuple):
    """The result of one playout; `winners` are seat numbers, and the other fields are those of `Ends`."""

    ended: bool
    decisions: int
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    values: tuple[int, ...] = ()
    hashes: NDArray[np.uint64] = NO_HASHES
