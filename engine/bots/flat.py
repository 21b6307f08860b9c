"""Bots that compare options by results: at random, by the next position, by playouts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.bots.bot import Pick, Situation
from rulespec.engine.search.comparing import Compared, SearchQuestion
from rulespec.engine.search.payoffs import ONE
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.checked_playouts import CAP

PARTICLES = 8
"""The number of possible positions of a seat, used in turn by playouts."""
CUT = 20
"""The number of decisions before a playout is cut off, if it is judged by points."""


def horizon(search: Search) -> int:
    """The number of decisions before a playout is cut off, from the value; unlimited if nothing shows a leader."""
    return (CUT if search.value is None else search.value.horizon) if search.judges else CAP


class RandomBot:
    """A bot that picks uniformly at random."""

    name = "random"

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
        return Pick(situation.draws.below(0, len(situation.codes)))


class GreedyBot:
    """A bot that picks an option with the most valuable next position, with random tie-breaks."""

    name = "greedy"

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
        rows = situation.particles(PARTICLES)
        result = _compared(situation, rows, situation.options * len(rows), 1, 0)
        shares = result.shares.tolist()
        highest = max(shares)
        best = [option for option, share in enumerate(shares) if share == highest]
        return _picked(best[situation.draws.below(0, len(best))], result)


class FlatBot:
    """A bot that plays random games after each option, and more after better ones.

    This is sequential halving: the playouts are split evenly over rounds, and after each round the worse half of the
    options is dropped (Karnin, Koren, Somekh: "Almost Optimal Exploration in Multi-Armed Bandits", 2013). A round plays
    each remaining option at least once, so wide decisions take more playouts than requested. In a round, games after
    different options share their random numbers (common random numbers), which reduces the noise.

    A playout is cut off after some decisions and judged by the value of the position, or by points. If there is
    neither, or all players win together without a value, it is played to its end.

    Args:
        playouts: the number of playouts per decision.
    """

    def __init__(self, playouts: int) -> None:
        self.playouts = playouts
        self.name = f"flat:{playouts}"

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
        rounds, cap = max(1, (situation.options - 1).bit_length()), horizon(situation.search)
        result = _compared(situation, situation.particles(PARTICLES), self.playouts, rounds, cap)
        return _picked(result.left.tolist().index(True), result)


def _compared(situation: Situation, rows: NDArray[np.int64], playouts: int, rounds: int, cap: int) -> Compared:
    """The comparison of a seat's options."""
    asked = situation.options, situation.named
    return situation.search.compared(
        SearchQuestion(situation.seat, rows, *asked, playouts, cap, situation.draws.key, rounds)
    )


def _picked(option: int, compared: Compared) -> Pick:
    """A pick, with the expected share of the win for each compared option."""
    shares, played = compared.shares.tolist(), compared.played.tolist()
    expected = {k: won / ONE / games for k, (won, games) in enumerate(zip(shares, played, strict=True))}
    return Pick(option, expected, compared.silent / sum(played))
