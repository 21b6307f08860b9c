"""The complete tree of a small game as arrays, and CFR+.

Example::

    solved = cfr_plus(tree(Game(load_ruleset("kuhn_poker"), ["A", "B"])), rounds=500)
    print(solved.value())
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.engine.game.game import Game
from rulespec.engine.game.position_check import no_option
from rulespec.guests.action_game import CHANCE, NOBODY, Returns, chances
from rulespec.guests.arguments import whole, wrong_type
from rulespec.records import Brief

MOST_NODES = 500_000
"""The default maximum number of nodes in a tree."""
MOST_LEVELS = 200
"""The maximum number of decisions on any path."""
Numbers = NDArray[np.int64]
Floats = NDArray[np.float64]
Strategy = Mapping[str, Mapping[str, float]]
"""A map from a seat's memory at one of its decisions to the probability of each option."""


class InformationState(Struct, frozen=True):
    """A set of decisions that a seat cannot tell apart.

    Attributes:
        seat: the number of the seat.
        memory: its observations so far, as in `View.memory`.
        options: the legal options, as texts.
    """

    seat: int
    memory: str
    options: tuple[str, ...]


class GameTree(Brief, Struct, frozen=True):
    """A game tree. Node 0 is the root; nodes are ordered by level, and siblings are adjacent.

    Attributes:
        seats: the names of the seats.
        parents: the parent of each node; -1 for the root.
        deciders: the deciding seat at each node, `CHANCE`, or `NOBODY` at an end.
        levels: the first node of each level, and the number of nodes.
        chances: the probability of the edge to the node after a chance node; 1 after a seat's decision.
        edges: the number of the option that leads to the node, among all options of all information states; -1 after
            chance and for the root.
        states: the number of each node's information state; -1 if no seat decides there.
        information: the information states.
        returns: the returns by seat at each end, as in `Returns`; 0 at other nodes.
    """

    seats: tuple[str, ...]
    parents: Numbers
    deciders: Numbers
    levels: Numbers
    chances: Floats
    edges: Numbers
    states: Numbers
    information: tuple[InformationState, ...]
    returns: Floats

    @property
    def starts(self) -> Numbers:
        """The index of the first option of each information state, followed by the total number of options."""
        return np.cumsum([0, *(len(state.options) for state in self.information)])


class _Growing:
    """A tree under construction."""

    def __init__(self, game: Game, most: int) -> None:
        self.game, self.most = game.copy(), most
        self.returns_of = Returns(game)
        self.information: list[InformationState] = []
        self.numbers: dict[tuple[int, str], int] = {}
        self.first_edges: list[int] = []
        self.edge_count = 0
        self.columns: tuple[list[int], ...] = ([], [], [], [], [])  # parent, decider, level, edge, state
        self.chances: list[float] = []
        self.returns: dict[int, list[float]] = {}

    def visit(self, parent: int, level: int, edge: int, chance: float) -> None:
        """Adds the node of the current position, and its descendants."""
        node = len(self.chances)
        if node >= self.most or level > MOST_LEVELS:
            bound = f"{self.most:,} nodes" if node >= self.most else f"{MOST_LEVELS} decisions in a game"
            raise failure("RS741", f"the tree has more than {bound}", None, "use `Batch` to play many games at once")
        numbers = self.game.omniscient.numbers
        decider = NOBODY if self.game.is_over else numbers.decider()
        for column, value in zip(self.columns, (parent, decider, level, edge, -1), strict=True):
            column.append(value)
        self.chances.append(chance)
        if decider == NOBODY:
            self.returns[node] = self.returns_of.of(self.game)
            return
        options = list(self.game.legal_options)
        if not options:
            raise DiagnosticsError((no_option(self.game),))
        first, odds = -1, [1.0] * len(options)
        if decider == CHANCE:
            odds = chances([numbers.weight(option.kind.choice, option.args) for option in options])
        else:
            state = self._state(decider, tuple(map(str, options)))
            self.columns[4][node], first = state, self.first_edges[state]
        for number, option in enumerate(options):
            if odds[number]:
                self.game.apply(option)
                self.visit(node, level + 1, first + number if first >= 0 else -1, odds[number])
                self.game.undo()

    def _state(self, seat: int, options: tuple[str, ...]) -> int:
        """The index of a seat's information state at the current position."""
        memory = self.game.view(self.game.seats[seat], self.game.ply).memory
        number = self.numbers.setdefault((seat, memory), len(self.information))
        if number == len(self.information):
            self.information.append(InformationState(seat, memory, options))
            self.first_edges.append(self.edge_count)
            self.edge_count += len(options)
        return number

    def tree(self) -> GameTree:
        """The finished tree, with nodes in level order."""
        parents, deciders, level, edges, states = (np.array(column, np.int64) for column in self.columns)
        order = np.argsort(level, kind="stable")  # depth-first order visits a node's children in order
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        returns = np.zeros((len(order), len(self.game.seats)))
        for node, worth in self.returns.items():
            returns[place[node]] = worth
        return GameTree(
            self.game.seats,
            np.where(parents < 0, -1, place[parents])[order],
            deciders[order],
            np.searchsorted(level[order], np.arange(level.max() + 2)),
            np.array(self.chances)[order],
            edges[order],
            states[order],
            tuple(self.information),
            returns,
        )


def tree(game: Game, most: int = MOST_NODES) -> GameTree:
    """The game tree below the current position, without options out of turn.

    Args:
        game: a game played from its usual start, so that each seat's observations are known.
        most: the maximum number of nodes.

    Raises:
        DiagnosticsError: RS741 if there are more nodes.
        RulesetFaultError: if the rules fault.
        TypeError, ValueError: if an argument has the wrong type, or `most` is below 1.
    """
    if not isinstance(game, Game):
        raise wrong_type("game", "a game, such as Game(load_ruleset('nim'), ['A', 'B'])", game)
    growing = _Growing(game, whole("most", most, 1))
    growing.visit(-1, 0, -1, 1.0)
    return growing.tree()


class CfrPlus:
    """Strategies for all seats, improved by CFR+.

    Regrets never become negative, the seats learn in turn, and the average weights round t by t (Tammelin: "Solving
    Large Imperfect Information Games Using CFR+", 2014). In two-seat zero-sum games, the average approaches an
    equilibrium.

    Args:
        tree: the tree.

    Attributes:
        tree: the tree.
        rounds: the number of rounds so far.
    """

    def __init__(self, tree: GameTree) -> None:
        self.tree, self.rounds = tree, 0
        starts = tree.starts
        self._sizes = np.diff(starts)
        self._state_of = np.repeat(np.arange(len(self._sizes)), self._sizes)
        self._seat_of = np.array([state.seat for state in tree.information], np.int64)
        self._regrets, self._sums = np.zeros((2, starts[-1]))
        self._decided = tree.deciders[np.maximum(tree.parents, 0)]
        """The seat that decided at each node's parent; undefined for the root."""
        self._after = [
            (slice(first, last), tree.parents[first:last], tree.edges[first:last], self._decided[first:last])
            for first, last in zip(tree.levels[1:-1].tolist(), tree.levels[2:].tolist(), strict=True)
        ]
        """For each level but the first: its nodes, their parents, the edges to them, and the seats that chose these."""
        self._of_seats = np.flatnonzero(tree.edges >= 0)

    def improve(self, rounds: int) -> None:
        """Runs rounds in which the seats update one after another."""
        for _ in range(whole("rounds", rounds, 0)):
            self.rounds += 1
            for seat in range(len(self.tree.seats)):
                self._learn(seat)

    def _learn(self, seat: int) -> None:
        tree = self.tree
        strategy = self._normal(self._regrets)
        own, others = self._reach(strategy, seat)
        values = self._values(strategy, seat)
        nodes = self._of_seats[self._decided[self._of_seats] == seat]
        edges, before = tree.edges[nodes], tree.parents[nodes]
        gain = np.bincount(edges, others[before] * (values[nodes] - values[before]), len(self._regrets))
        self._regrets = np.maximum(self._regrets + gain, 0)
        reached = np.zeros(len(self._sizes))
        reached[tree.states[before]] = own[before]  # equal at all nodes of an information state, given perfect recall
        of_state = reached[self._state_of]
        mine = self._seat_of[self._state_of] == seat
        self._sums += np.where(mine, self.rounds * of_state * strategy, 0)

    def _normal(self, weights: Floats) -> Floats:
        """Normalises weights to probabilities in each information state; uniform if all are 0."""
        whole = np.bincount(self._state_of, weights, len(self._sizes))[self._state_of]
        return np.where(whole > 0, weights / np.where(whole > 0, whole, 1), 1 / self._sizes[self._state_of])

    def _odds(self, strategy: Floats) -> Floats:
        """The probability of the edge to each node."""
        odds = self.tree.chances.copy()
        odds[self._of_seats] = strategy[self.tree.edges[self._of_seats]]
        return odds

    def _reach(self, strategy: Floats, seat: int) -> tuple[Floats, Floats]:
        """The reach probabilities of each node: of a seat, and of all others with chance."""
        odds = self._odds(strategy)
        own, others = np.ones((2, len(odds)))
        for at, before, _, decided in self._after:
            mine = decided == seat
            own[at] = own[before] * np.where(mine, odds[at], 1)
            others[at] = others[before] * np.where(mine, 1, odds[at])
        return own, others

    def _values(self, strategy: Floats, seat: int) -> Floats:
        """The expected return of a seat at each node under a strategy profile."""
        odds, values = self._odds(strategy), self.tree.returns[:, seat].copy()
        for at, before, _, _ in reversed(self._after):
            values += np.bincount(before, odds[at] * values[at], len(values))
        return values

    @property
    def average(self) -> Floats:
        """The average strategy as a single row: the probability of each option in each information state."""
        return self._normal(self._sums)

    def value(self) -> Floats:
        """The value of the game for each seat under the average strategy."""
        average = self.average
        return np.array([self._values(average, seat)[0] for seat in range(len(self.tree.seats))])

    def exploitability(self) -> float:
        """The seats' average gain from playing a best response to the average strategy of the others."""
        average = self.average
        gains = self.best_answers(average) - self.value()
        return float(gains.mean())

    def best_answers(self, strategy: Floats) -> Floats:
        """For each seat, the value of the game if the seat plays a best response to the others."""
        return np.array([self._best(strategy, seat) for seat in range(len(self.tree.seats))])

    def _best(self, strategy: Floats, seat: int) -> float:
        tree = self.tree
        _, others = self._reach(strategy, seat)
        values = tree.returns[:, seat] * others  # weighted by the others' reach probability
        chosen = np.full(len(self._sizes), -1)
        for at, before, edges, decided in reversed(self._after):
            mine = (decided == seat) & (edges >= 0)
            worth = np.bincount(edges[mine], values[at][mine], len(self._regrets))
            for state in np.unique(tree.states[before[mine]]).tolist():
                first, last = tree.starts[state], tree.starts[state + 1]
                chosen[state] = first + worth[first:last].argmax()
            taken = ~mine
            taken[mine] = chosen[tree.states[before[mine]]] == edges[mine]
            values += np.bincount(before, np.where(taken, values[at], 0), len(values))
        return float(values[0])

    def strategy(self) -> Strategy:
        """The average strategy, by the memory of the deciding seat and the option."""
        average, starts = self.average, self.tree.starts.tolist()
        return {
            state.memory: dict(zip(state.options, average[first:last].tolist(), strict=True))
            for state, (first, last) in zip(self.tree.information, pairwise(starts), strict=True)
        }


def cfr_plus(tree: GameTree, rounds: int) -> CfrPlus:
    """The strategies after a given number of CFR+ rounds."""
    result = CfrPlus(tree)
    result.improve(rounds)
    return result
