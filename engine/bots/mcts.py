"""A bot that grows a tree of options over positions indistinguishable to its seat."""

from __future__ import annotations

from rulespec.engine.bots.bot import Pick, Situation
from rulespec.engine.bots.flat import horizon
from rulespec.engine.search.comparing import SearchQuestion
from rulespec.engine.search.payoffs import ONE

_PARTICLES = 64
"""The maximum number of possible positions of a seat, used in turn by playouts."""


class MctsBot:
    """A bot that grows one tree over all possible positions of its seat, by random games (Monte Carlo tree search).

    Each game takes one of these positions and descends the tree. The decider takes the best option so far for its seat
    among the legal ones: the bound of an option counts the times it was legal (Cowling, Powley, Whitehouse:
    "Information Set Monte Carlo Tree Search", 2012). Chance draws by its weights. Choices hidden from the seat all lead
    to one node, as do choices of an incomplete round. If there are many options, more of them are tried as visits grow,
    those with the most valuable next positions first. The random game from the first new node is cut off as in `flat`.
    If nothing is hidden, ends of games are proven backwards.

    Args:
        playouts: the number of playouts per decision.
    """

    def __init__(self, playouts: int) -> None:
        self.playouts = playouts
        self.name = f"mcts:{playouts}"

    def pick(self, situation: Situation) -> Pick:
        """Chooses an option."""
        rows = situation.particles(min(self.playouts, _PARTICLES))
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
