"""The built-in bots, by name: they pick at random, by the next position's value, by playouts, or by tree search."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

import numpy as np
from numpy.typing import NDArray

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.engine.bots.bot import Bot, Pick, Situation
from rulespec.engine.search.comparing import Compared, SearchQuestion
from rulespec.engine.search.payoffs import ONE
from rulespec.engine.search.search import Search
from rulespec.engine.simulate.checked_playouts import CAP
from rulespec.errors import RulespecError

PARTICLES = 8
"""The number of possible positions of a seat, used in turn by playouts."""
CUT = 20
"""The number of decisions before a playout is cut off, if points judge it."""


def horizon(search: Search) -> int:
    """The number of decisions before a playout is cut off: the value's horizon, or `CUT`; `CAP` if positions cannot be
    judged.
    """
    return (CUT if search.value is None else search.value.horizon) if search.judges else CAP


class RandomBot:
    """A bot that picks uniformly at random."""

    name = "random"

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
        return Pick(situation.draws.below(0, len(situation.codes)))


class GreedyBot:
    """A bot that picks the option with the most valuable next position, breaking ties at random."""

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
    """A bot that plays random games after each option, with more games after better options.

    This is sequential halving: the playouts are split evenly over rounds, and after each round the worse half of the
    options is dropped (Karnin, Koren, Somekh: "Almost Optimal Exploration in Multi-Armed Bandits", 2013). A round plays
    each remaining option at least once, so decisions with many options take more playouts than requested. In a round,
    games after different options share their random numbers (common random numbers), which reduces the noise.

    A playout is cut off after some decisions and judged by the value of the position, or by points. If there is
    neither, or if there is no value and all players win together, the playout runs to the end of the game.

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


_TREE_PARTICLES = 64
"""The maximum number of possible positions of a seat, used in turn by playouts."""


class MctsBot:
    """A Monte Carlo tree search bot; it grows one tree over all positions that are possible from its seat's view.

    Each game takes one of these positions and descends the tree. At each node, the decider takes the legal option with
    the best upper confidence bound for its seat, computed from the number of times that the option was legal (Cowling,
    Powley, Whitehouse: "Information Set Monte Carlo Tree Search", 2012). Chance options are drawn by weight. All
    choices hidden from the seat lead to the same node, as do the choices of an incomplete round. If there are many
    options, more of them are tried as the number of visits grows, starting with those that lead to the most valuable
    positions. The random game from the first new node is cut off as in `FlatBot`. If nothing is hidden, proven results
    are propagated back from the ends of games.

    Args:
        playouts: the number of playouts per decision.
    """

    def __init__(self, playouts: int) -> None:
        self.playouts = playouts
        self.name = f"mcts:{playouts}"

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
        rows = situation.particles(min(self.playouts, _TREE_PARTICLES))
        search, asked = situation.search, (situation.options, situation.named)
        grown = search.grown(
            SearchQuestion(situation.seat, rows, *asked, self.playouts, horizon(search), situation.draws.key)
        )
        visits, won, proven = grown.visits.tolist(), grown.won.tolist(), grown.proven.tolist()
        tried = [option for option, times in enumerate(visits) if times]
        shares = {k: (won[k] / visits[k] if proven[k] < 0 else proven[k]) / ONE for k in tried}
        open_ = [k for k in tried if proven[k] < 0]
        best = [k for k in tried if proven[k] >= 0]
        best += [max(open_, key=lambda k: (visits[k], won[k], -k))] if open_ else []
        option = max(best, key=lambda k: (shares[k], visits[k], -k))
        return Pick(option, shares, grown.silent / grown.played)


GROUP = "rulespec.bots"
"""The entry point group for bots of other packages: functions that take the text after the colon and return a bot."""
MOST = 1_000_000
"""The maximum number of playouts per decision."""

_SEARCHING: dict[str, tuple[Callable[[int], Bot], int]] = {"flat": (FlatBot, 64), "mcts": (MctsBot, 200)}
"""Bots with a number of playouts, each with its default number."""


class BotNameError(RulespecError):
    """Raised for an unknown bot; the message lists the known ones."""


def open_bot(text: str) -> Bot:
    """The bot with the given name, such as `random`, `greedy` or `flat:64`; other packages may provide bots.

    Raises:
        BotNameError: if no bot has this name.
    """
    name, colon, number = text.partition(":")
    counted = not colon or (number.isascii() and number.isdecimal() and 0 < int(number[:8]) <= MOST)
    if name in _SEARCHING and counted:
        bot, usual = _SEARCHING[name]
        return bot(int(number or usual))
    for simple in (RandomBot, GreedyBot):
        if text == simple.name:
            return simple()
    if name not in ("random", "greedy", *_SEARCHING):
        for point in entry_points(group=GROUP, name=name):  # nothing of it is imported unless it is named
            other: Bot = point.load()(number)
            return other
    listed = "random, greedy, flat:N and mcts:N (N playouts a decision)"
    hint = did_you_mean(name, ("random", "greedy", *_SEARCHING))
    raise BotNameError(f"there is no bot `{text[:80]}`; the bots are {listed}" + (f"; {hint}" if hint else ""))
