"""Bots that compare options by what comes of them: by chance, by one look, by playouts."""

from __future__ import annotations

from math import ceil, log2

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.bots.bot import Pick, Situation
from rulespec.engine.program.draws import word
from rulespec.engine.search.ends import Ends
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.playouts import CAP

PARTICLES = 8
"""Positions that may be the one a seat is in, among which playouts take turns."""
CUT = 20
"""Decisions after which a playout is cut off that is judged by points."""


def horizon(search: Search) -> int:
    """Decisions after which a playout is cut off: that of the value; to the end where nothing says who is ahead."""
    return (CUT if search.value is None else search.value.horizon) if search.judges else CAP


class RandomBot:
    """Takes any option, all of them equally likely."""

    name = "random"

    def pick(self, situation: Situation) -> Pick:
        """Chooses one of several options."""
        return Pick(situation.draws.below(0, len(situation.codes)))


class GreedyBot:
    """Takes the option after which the position is worth most; of equal ones any."""

    name = "greedy"

    def pick(self, situation: Situation) -> Pick:
        """Chooses one of several options."""
        after = situation.after(PARTICLES)
        options, particles, columns = after.shape
        ends = situation.search.playouts(after.reshape(-1, columns), 0, cap=0)
        shares = ends.payoffs[:, situation.seat].reshape(options, particles).mean(axis=1)
        best = np.flatnonzero(shares == shares.max()).tolist()
        option = best[situation.draws.below(0, len(best))]
        return Pick(option, dict(enumerate(shares.tolist())), 1 - float(ends.signal.mean()))


class FlatBot:
    """Plays random games after each option, and more of them after the better ones.

    It is sequential halving: the playouts are split evenly over rounds, and after each the worse half of the options
    is left out (Karnin, Koren, Somekh: "Almost Optimal Exploration in Multi-Armed Bandits", 2013). A round plays each
    option that is left at least once, so wide decisions take more playouts than are asked for. The games of a round
    draw alike after all options (common random numbers), so that luck tells as little as it can.

    A playout is cut off after some decisions and judged by the value of the position, or else by points. Where there is
    neither, or all win together and there is no value, it is played to its end.

    Args:
        playouts: the number of playouts for a decision.
    """

    def __init__(self, playouts: int) -> None:
        self.playouts = playouts
        self.name = f"flat:{playouts}"

    def pick(self, situation: Situation) -> Pick:
        """Chooses one of several options."""
        search, after = situation.search, situation.after(PARTICLES)
        count, particles, _ = after.shape
        cap = horizon(search)
        sums, played = np.zeros((2, count)), np.zeros(count, np.int64)
        left: NDArray[np.int64] = np.arange(count)
        silent = 0
        rounds = max(1, ceil(log2(count)))
        for number in range(rounds):
            each = max(1, self.playouts // (rounds * len(left)))
            taken = (played[left, None] + np.arange(each if particles > 1 else 1)) % particles
            rows = after[left[:, None], taken].reshape(taken.size, -1)
            seed, times = word(situation.draws.key, number), len(left) * each // len(rows)
            ends = search.playouts(rows, seed, times=times, cap=cap, period=each)
            sums[:, left] += _worth(situation, ends).reshape(2, len(left), each).sum(axis=2)
            played[left] += each
            silent += int((~ends.signal).sum())
            order = np.argsort(-sums[0, left] / played[left], kind="stable")
            left = np.sort(left[order[: ceil(len(left) / 2)]])
        shares = (sums[1] / played).tolist()
        return Pick(int(left[0]), dict(enumerate(shares)), silent / int(played.sum()))


def _worth(situation: Situation, ends: Ends) -> NDArray[np.float64]:
    """The worth of each playout to the seat: what it plays for, then the share of the win."""
    aims = situation.search.payoffs.aims(ends)
    return np.stack([aims[:, situation.seat], ends.payoffs[:, situation.seat]])
