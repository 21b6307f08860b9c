"""A search of the game `small_heap` with the interface of `Search`, for tests of its Python side."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from numpy.typing import ArrayLike, NDArray
from small_heap import Heap, weight_of

from rulespec.engine.program.draws import Draws
from rulespec.engine.search.payoffs import Ends, Expanded, Payoffs

_DECISIONS = {1: 0, 3: 1, 5: 2, 7: -1}
"""Block → decision."""


def of_row(row: ArrayLike) -> Heap:
    """The position in a row."""
    block, _, winners, turn, heap, amount, added = np.asarray(row).tolist()
    return Heap(heap, _DECISIONS[block], turn, amount, added, winners)


class HeapSearch:
    """A search of heaps.

    Args:
        form: the stakes of the game, and the value difference that nearly decides it.
        rate: the probability of an option out of turn.
        secretive: whether the number of taken pieces is hidden from the other seat.
    """

    def __init__(self, form: tuple[int, int], rate: float, *, secretive: bool = False) -> None:
        stakes, decides = form
        self.payoffs = Payoffs(["A", "B"], stakes, decides)
        self.judged = 0 if decides else -1
        self.value = object() if decides else None
        self._rate = rate
        choice = SimpleNamespace(params=[SimpleNamespace(private=secretive)])
        plain = SimpleNamespace(params=[SimpleNamespace(private=False)])
        decisions = [SimpleNamespace(held=False, choices=[each]) for each in (choice, plain, plain, plain)]
        self.program = SimpleNamespace(decisions=decisions)
        columns = SimpleNamespace(firsts=[2], widths=(1,), end=3)
        self.coder = SimpleNamespace(options=[(0, 0), (1, 0), (2, 0), (3, 0)], columns=[columns] * 4)

    def legal(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The codes of the legal options, each with the index of its position."""
        results = [(each, n) for n, row in enumerate(rows) for each in _codes(of_row(row))]
        return np.array([code for code, _ in results]), np.array([n for _, n in results])

    def apply(self, rows: NDArray[np.int64], options: ArrayLike) -> NDArray[np.int64]:
        """The position after an option of each position."""
        heaps = map(of_row, rows)
        numbers = np.asarray(options).tolist()
        return np.array([heap.after(heap.own()[k]).row() for heap, k in zip(heaps, numbers, strict=True)])

    def expand(self, rows: NDArray[np.int64]) -> Expanded:
        """The positions after each option of a position."""
        after = [heap.after(option).row() for heap in map(of_row, rows) for option in heap.own()]
        return Expanded(np.array(after), np.zeros(len(after), np.int64), np.zeros(len(after), np.uint64))

    def playouts(self, rows: NDArray[np.int64], seed: int, *, times: int = 1, cap: int, period: int = 0) -> Ends:
        """Random games."""
        count = len(rows) * times
        played = [self._played(rows[n // times], Draws(seed, n % (period or count)), cap) for n in range(count)]
        ended, decisions = np.array([each.decision < 0 for each, _ in played]), np.array([n for _, n in played])
        scores = np.array([[each.amount, each.added] for each, _ in played])
        won = [[each.winners >> seat & 1 == 1 for seat in range(2)] for each, _ in played]
        leads = scores == scores.max(axis=1, keepdims=True)
        winners = np.where(ended[:, None], won, leads)
        values = np.array([[2 * each.heap, -2 * each.heap] for each, _ in played])
        values[ended] = 0
        shares, signal = self.payoffs.of(ended, winners, scores, values)
        return Ends(ended, decisions, winners, scores, values, shares, signal)

    def _played(self, row: ArrayLike, draws: Draws, cap: int) -> tuple[Heap, int]:
        heap = of_row(row)
        _, plies = heap.play(draws, cap, self._rate, weighing=True)
        return heap, plies

    def walk(self, row: ArrayLike) -> HeapWalk:
        """A walk from a position."""
        return HeapWalk(row)


class HeapWalk:
    """A walk between positions."""

    def __init__(self, row: ArrayLike) -> None:
        self.go(row)

    def go(self, row: ArrayLike) -> None:
        """Goes to a position."""
        self._heap = of_row(row)

    @property
    def count(self) -> int:
        """The number of legal options."""
        return len(self._heap.own())

    @property
    def decider(self) -> int:
        """The seat that decides; -1 for chance, -2 at the end."""
        return self._heap.decider()

    @property
    def row(self) -> NDArray[np.int64]:
        """The current position as a row."""
        return np.array(self._heap.row())

    @property
    def codes(self) -> NDArray[np.int64]:
        """The codes of the legal options."""
        return np.array(_codes(self._heap))

    def weights(self) -> list[int]:
        """The weights of the legal options."""
        return list(map(weight_of, self._heap.own()))

    def take(self, number: int) -> None:
        """Plays an option."""
        self._heap.take(self._heap.own()[number])


def _codes(heap: Heap) -> list[list[int]]:
    return [[number, heap.decider(), n if number < 2 else 0] for number, _, n in heap.own()]
