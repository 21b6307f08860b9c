"""Comparison of options by sequential halving: after each option, random games are played, in Python or in one call of
the module.

Sums are integers in units of 1/`payoffs.ONE`, so that Python and wasm prefer the same option; see
`wasm.runtime.halving`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program.draws import word
from rulespec.engine.search.payoffs import ONE
from rulespec.engine.search.recorded_rows import Codes
from rulespec.engine.search.walk import Positions


class SearchQuestion(NamedTuple):
    """A search question: which of a seat's options is best.

    Attributes:
        seat: the number of the seat.
        rows: the positions that the seat considers possible; the games use them in turn.
        options: the number of options.
        codes: the options, as codes; None means all legal ones, in a single position.
        playouts: the total number of games; a comparison plays at least one per remaining option and round.
        cap: the number of decisions before a game is cut off.
        key: the key of the random numbers.
        rounds: the number of rounds of a comparison; after each round, the worse half of the options is dropped.
    """

    seat: int
    rows: NDArray[np.int64]
    options: int
    codes: Codes | None
    playouts: int
    cap: int
    key: int
    rounds: int = 1


class Compared(NamedTuple):
    """The results of a comparison; the first index is the option.

    Attributes:
        left: whether each option was never in the worse half.
        aims: the sum of the seat's aims (see `Payoffs.aims`), in units of 1/`ONE`.
        shares: the sum of the seat's shares of the win, in units of 1/`ONE`.
        played: the number of games.
        silent: the number of games without information; see `Ends.signal`.
    """

    left: NDArray[np.bool_]
    aims: NDArray[np.int64]
    shares: NDArray[np.int64]
    played: NDArray[np.int64]
    silent: int


def followed(search: Positions, rows: NDArray[np.int64], codes: Codes) -> NDArray[np.int64]:
    """The positions after every option; the first index is the option, the second the previous position."""
    listed, parents = search.legal(rows)
    at = {(parent, *code): k for parent, k, code in _numbered(parents, listed)}
    wanted = [(parent, *code) for code in codes.tolist() for parent in range(len(rows))]
    after = search.apply(rows[np.tile(np.arange(len(rows)), len(codes))], [at[each] for each in wanted])
    return after.reshape(len(codes), len(rows), -1)


def _numbered(parents: NDArray[np.int64], codes: Codes) -> list[tuple[int, int, list[int]]]:
    """For each code, the index of its position, the index of its option there, and the code."""
    firsts = np.searchsorted(parents, parents)
    numbers = np.arange(len(parents)) - firsts
    return list(zip(parents.tolist(), numbers.tolist(), codes.tolist(), strict=True))


def compare(search: Positions, question: SearchQuestion) -> Compared:
    """Compares options, with all games of a round played in one call of the search.

    In a round, the games after all options share their random numbers (common random numbers), which reduces the noise.
    """
    codes = search.legal(question.rows)[0] if question.codes is None else question.codes
    after = followed(search, question.rows, codes)
    count, particles, _ = after.shape
    sums, played = np.zeros((2, count), np.int64), np.zeros(count, np.int64)
    left: NDArray[np.int64] = np.arange(count)
    silent = 0
    for number in range(question.rounds):
        each = max(1, question.playouts // (question.rounds * len(left)))
        taken = (played[left, None] + np.arange(each if particles > 1 else 1)) % particles
        rows = after[left[:, None], taken].reshape(taken.size, -1)
        seed, times = word(question.key, number), len(left) * each // len(rows)
        ends = search.playouts(rows, seed, times=times, cap=question.cap, period=each)
        worth = np.stack([search.payoffs.aims(ends)[:, question.seat], ends.payoffs[:, question.seat]])
        sums[:, left] += np.rint(worth * ONE).astype(np.int64).reshape(2, len(left), each).sum(axis=2)
        played[left] += each
        silent += int((~ends.signal).sum())
        order = np.argsort(-sums[0, left], kind="stable")
        left = np.sort(left[order[: -(-len(left) // 2)]])
    flags = np.zeros(count, np.bool_)
    flags[left] = True
    return Compared(flags, sums[0], sums[1], played, silent)
