"""An equilibrium of Leduc poker by CFR+, from rules implemented here, independently of the engine.

Tammelin, "Solving Large Imperfect Information Games Using CFR+" (2014): regrets stay nonnegative, and strategies are
averaged with growing weights. Private cards are vectorised, so a round visits each public position once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

CARDS = 6
RANKS = np.array([1, 1, 2, 2, 3, 3])
APART = 1.0 - np.eye(CARDS)
"""1 for two different cards, 0 for the same card twice."""
NO_BOARD = -1

Vector = NDArray[np.float64]
Key = tuple[int, str]
"""The public card, or `NO_BOARD`, and the bets: `c`, `r`, `f`, with `/` between rounds."""


class Public(NamedTuple):
    """A public position."""

    board: int = NO_BOARD
    bets: str = ""
    paid: tuple[int, int] = (1, 1)
    seat: int = 0

    @property
    def key(self) -> Key:
        return self.board, self.bets

    @property
    def raises(self) -> int:
        return self.bets.rpartition("/")[2].count("r")

    @property
    def options(self) -> str:
        return ("f" if self.paid[self.seat] < max(self.paid) else "") + "c" + ("r" if self.raises < 2 else "")

    def after(self, option: str) -> Public:
        """The position after an option other than a fold."""
        raised = (4 if self.board != NO_BOARD else 2) if option == "r" else 0
        paid = list(self.paid)
        paid[self.seat] = max(self.paid) + raised
        return Public(self.board, self.bets + option, (paid[0], paid[1]), 1 - self.seat)

    @property
    def complete(self) -> bool:
        """Whether the round is over."""
        last = self.bets.rpartition("/")[2]
        return last.endswith("c") and ("r" in last or last == "cc")


def decisions(public: Public | None = None) -> Iterator[Public]:
    """All positions with a deciding seat."""
    public = public or Public()
    if not public.complete:
        yield public
        for option in public.options.replace("f", ""):
            yield from decisions(public.after(option))
    elif public.board == NO_BOARD:
        for board in range(CARDS):
            yield from decisions(Public(board, public.bets + "/", public.paid))


class Equilibrium:
    """Strategies improved by rounds of CFR+.

    Attributes:
        average: the average strategies so far: for each public position, one row per card and one column per option.
    """

    def __init__(self) -> None:
        self._regrets: dict[Key, Vector] = {}
        self._sums: dict[Key, Vector] = {}
        self._round = 0
        self._best: int | None = None

    def improve(self, rounds: int) -> None:
        """Runs rounds in which the seats update one after another."""
        for _ in range(rounds):
            self._round += 1
            for learner in range(2):
                self._values(Public(), [np.ones(CARDS), np.ones(CARDS)], learner)

    def average(self, public: Public) -> Vector:
        """The probabilities of the options, by card."""
        sums = self._sums.get(public.key, np.ones((CARDS, len(public.options))))
        return _normal(sums)

    def worth(self, seat: int, best: bool = False) -> float:
        """The expected chips of a seat under the average strategies, or for its best response to the other's."""
        self._best = seat if best else None
        return float(self._values(Public(), [np.ones(CARDS), np.ones(CARDS)], seat, learns=False).sum() / 30)

    def answered(self, strategy: Mapping[Key, Vector]) -> float:
        """The expected chips of a strategy for both seats against the average strategies, averaged over the seats."""
        return (_Answered(self, strategy, 0).worth(0) + _Answered(self, strategy, 1).worth(1)) / 2

    def _values(self, public: Public, reach: list[Vector], seat: int, learns: bool = True) -> Vector:
        """For each card of a seat, its expected chips, weighted by the other's reach probability."""
        if public.complete:
            return self._dealt(public, reach, seat, learns) if public.board == NO_BOARD else _shown(public, reach, seat)
        options, decides = public.options, public.seat
        odds = self._current(public) if learns else self.average(public)
        worth = []
        for at, option in enumerate(options):
            if option == "f":
                chips = public.paid[decides] * (-1.0 if seat == decides else 1.0)
                onward = reach[1 - seat] * (odds[:, at] if seat != decides else 1.0)
                worth.append(chips * (APART @ onward))
                continue
            further = list(reach)
            further[decides] = reach[decides] * odds[:, at]
            worth.append(self._values(public.after(option), further, seat, learns))
        each: Vector = np.array(worth).T
        value: Vector = each.sum(axis=1) if seat != decides else (each * odds).sum(axis=1)
        if seat == decides and not learns and self._best == seat:
            value = each.max(axis=1)
        if seat != decides or not learns:
            return value
        self._regrets[public.key] = np.maximum(self._regrets[public.key] + each - value[:, None], 0)
        self._sums[public.key] = self._sums.get(public.key, 0) + self._round * reach[seat][:, None] * odds
        return value

    def _dealt(self, public: Public, reach: list[Vector], seat: int, learns: bool) -> Vector:
        results = np.zeros(CARDS)
        for board in range(CARDS):
            free = np.arange(CARDS) != board
            onward = Public(board, public.bets + "/", public.paid)
            results += free * self._values(onward, [each * free for each in reach], seat, learns) / (CARDS - 2)
        return results

    def _current(self, public: Public) -> Vector:
        regrets = self._regrets.setdefault(public.key, np.zeros((CARDS, len(public.options))))
        return _normal(regrets)


class _Answered(Equilibrium):
    """An equilibrium in which another strategy plays one seat."""

    def __init__(self, solved: Equilibrium, strategy: Mapping[Key, Vector], seat: int) -> None:
        super().__init__()
        self._solved, self._strategy, self._seat = solved, strategy, seat

    def average(self, public: Public) -> Vector:
        return self._strategy[public.key] if public.seat == self._seat else self._solved.average(public)


def _shown(public: Public, reach: list[Vector], seat: int) -> Vector:
    """The values of a showdown after equal bets."""
    strength = RANKS + 3 * (RANKS[public.board] == RANKS)
    won = np.sign(strength[:, None] - strength[None, :]) * public.paid[0]
    value: Vector = (won * APART) @ reach[1 - seat]
    return value


def _normal(weights: Vector) -> Vector:
    """Rows normalised to sum 1; uniform if all are 0."""
    sums = weights.sum(axis=1, keepdims=True)
    return np.where(sums > 0, weights / np.where(sums > 0, sums, 1), 1 / weights.shape[1])
