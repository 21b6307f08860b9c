"""Results of searches as arrays, and what the ends of playouts are worth to each seat."""

from __future__ import annotations

from collections.abc import Collection
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.game.game import Game, teams_of
from rulespec.engine.program import ir
from rulespec.engine.search.replays import Codes

NO_HASHES = np.empty(0, np.uint64)
_NO_CODES = np.empty((0, 0), np.int64)
_NEARLY = log(19)
"""The logarithm of the odds at which a game is nearly decided: 19 to 1."""
_PLACES = 0.2
"""The part of what bots play for that goes by places, where there are three teams or more."""


class Expanded(NamedTuple):
    """The positions after all legal options of some positions.

    Attributes:
        rows: the positions afterwards, in the order of the positions before, and of their options.
        parents: for each of them the number of the position before.
        hashes: their hashes.
        codes: the options that lead there, as `Search.codes` numbers them; empty if they have not been asked for.
    """

    rows: NDArray[np.int64]
    parents: NDArray[np.int64]
    hashes: NDArray[np.uint64]
    codes: Codes = _NO_CODES


class Ends(NamedTuple):
    """Results of playouts; the first index is that of the playout.

    Attributes:
        ended: whether the game has come to its end; else it has been cut off.
        decisions: the number of decisions.
        winners: for each seat whether it has won; of a playout that was cut off, whether it leads by points.
        scores: the points of each seat; 0 if the ruleset has no scoring.
        values: the value of the position to each seat where the playout was cut off; 0 where the game has ended.
        payoffs: for each seat its share of the win, from 0 to 1; of a playout that was cut off, the share that it may
            expect. In a game for points a number of them: 0 is the most that it can lose, 1 the most that it can win.
        signal: whether the payoffs say anything. They do not where a playout was cut off and nobody is ahead.
        hashes: the hash of the position after each decision, of the first playout, then of the next: so many as there
            are `decisions`. Empty if they have not been asked for.
    """

    ended: NDArray[np.bool_]
    decisions: NDArray[np.int64]
    winners: NDArray[np.bool_]
    scores: NDArray[np.int64]
    values: NDArray[np.int64]
    payoffs: NDArray[np.float64]
    signal: NDArray[np.bool_]
    hashes: NDArray[np.uint64] = NO_HASHES


class End(NamedTuple):
    """The result of one playout: `winners` are numbers of seats, the rest is as in `Ends`."""

    ended: bool
    decisions: int
    winners: tuple[int, ...]
    scores: tuple[int, ...]
    values: tuple[int, ...] = ()
    hashes: NDArray[np.uint64] = NO_HASHES


class Payoffs:
    """The payoff of each seat at the end of a playout.

    Of a game that has ended, the seats that win share 1; where nobody wins, all share it, unless all are one team,
    which has lost then. Where a playout was cut off, a seat has the share that its value promises: who is ahead of
    another by the difference that nearly decides wins 19 times in 20, so the shares are the softmax of the values.
    One team alone has the logistic function of its value. Without a declared value those who lead share 1.

    In a game for points a payoff is the points of a seat, or the mean of its team, against the average of all: from 0
    to 1, as they differ by the stakes at most. Where a playout was cut off, points are those that would count now.

    Args:
        game: a game of the table.
        value: the value of positions; None: there is none but the points.

    Attributes:
        single: whether all win together.
        stakes: the most points by which a seat ends above or below the average; 0: the game is played to win.
    """

    def __init__(self, game: Game, value: ir.PositionValue | None) -> None:
        self.stakes = game.omniscient.program.stakes
        of_seats = teams_of(game) or game.seats
        teams = list(dict.fromkeys(of_seats))
        self.single = len(teams) == 1
        self._value = value
        self._teams = np.array([[team == each for each in teams] for team in of_seats], np.float64)
        """For each seat and team whether the seat is in it."""

    def whole(self, winners: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The winners with those who win with them."""
        return winners @ self._teams @ self._teams.T > 0

    def with_teams(self, winners: Collection[int]) -> tuple[int, ...]:
        """The numbers of the seats that win, given those of some of them."""
        flags = np.array([[seat in winners for seat in range(len(self._teams))]])
        return tuple(np.flatnonzero(self.whole(flags)).tolist())

    def _mean(self, numbers: NDArray[np.int64]) -> NDArray[np.float64]:
        """The mean of each team's numbers, given those of each seat."""
        means: NDArray[np.float64] = numbers @ self._teams / self._teams.sum(axis=0)
        return means

    def of(
        self,
        ended: NDArray[np.bool_],
        winners: NDArray[np.bool_],
        scores: NDArray[np.int64],
        values: NDArray[np.int64],
    ) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Payoffs, and whether they say anything; the arguments are as in `Ends`."""
        teams = self._teams.shape[1]
        if self.stakes:
            means = self._mean(scores)
            shares = 0.5 + (means - means.mean(axis=1, keepdims=True)) / (2 * self.stakes)
            return np.clip(shares, 0, 1) @ self._teams.T, ended | (np.ptp(means, axis=1) > 0)
        won = winners @ self._teams > 0
        count = won.sum(axis=1, keepdims=True)
        shares = won / np.maximum(count, 1) + (0.0 if self.single else (count == 0) / teams)
        if self._value is None:
            signal = ended | ((count > 0) & (count < teams))[:, 0]
            if self.single:
                shares[~ended] = 0.5
        else:
            ahead, cut = self._mean(values) * (_NEARLY / self._value.decides), ~ended
            if self.single:
                signal = np.ones(len(ended), np.bool_)
                shares[cut] = 1 / (1 + np.exp(-np.clip(ahead[cut], -500, 500)))
            else:
                ahead -= ahead.max(axis=1, keepdims=True)
                signal = ended | (ahead.min(axis=1) < 0)
                odds = np.exp(ahead[cut])
                shares[cut] = odds / odds.sum(axis=1, keepdims=True)
        return shares @ self._teams.T, signal

    def aims(self, ends: Ends) -> NDArray[np.float64]:
        """For each seat its part of a purse of 1 that bots play for: a fifth goes by places, the rest by payoffs.

        So who cannot win any more plays for the next place, and does not keep a lost game alive. The place of a team is
        the part of its rivals that it is ahead of: as a winner, then by points; in a playout that was cut off, by the
        odds that the value gives. Of two teams, and in a game for points, payoffs say that already.
        """
        teams = self._teams.shape[1]
        if self.stakes or teams < 3:
            return ends.payoffs
        won, points = ends.winners @ self._teams > 0, self._mean(ends.scores)
        beaten = (np.sign(2 * _apart(won.astype(np.float64)) + np.sign(_apart(points))) + 1) / 2
        if self._value is not None:
            ahead = _apart(self._mean(ends.values[~ends.ended]) * (_NEARLY / self._value.decides))
            beaten[~ends.ended] = 1 / (1 + np.exp(-np.clip(ahead, -500, 500)))
        places = (beaten.sum(axis=2) - 0.5) / (teams * (teams - 1) / 2)
        aims: NDArray[np.float64] = ends.payoffs + _PLACES * (places @ self._teams.T - ends.payoffs)
        return aims


def _apart(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """By how much each column of a row is more than each other one."""
    return numbers[:, :, None] - numbers[:, None, :]
