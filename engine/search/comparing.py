"""Options compared by random games after each: sequential halving, in Python or in one call of the module.

Sums are whole numbers of parts of `payoffs.ONE`, so that both take the same option. `wasm.runtime.halving` is the part
in the module.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rulespec.engine.program.draws import word
from rulespec.engine.search.payoffs import ONE, POWERS
from rulespec.engine.search.replays import Codes
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.playouts import BUDGET

if TYPE_CHECKING:
    from rulespec.engine.search.memory import SearchMemory
    from rulespec.engine.search.payoffs import Payoffs
    from rulespec.engine.search.search import Search

_MOST_OPTIONS = 2_000
"""Options that the module compares: it ranks them pair by pair."""
_MOST_ROUNDS = 16
"""Rounds that so many options have, and some more."""
MOST_SEATS = 62
"""Seats of which the module has sets."""
_OF_TEAM, _OF_OPTION = 6, 4
"""Numbers of a team, and of an option, in the memory."""


class Question(NamedTuple):
    """A comparison of the options of a seat.

    Attributes:
        seat: the number of the seat.
        rows: positions that may be the one it is in, among which the games take turns.
        codes: its options, as codes.
        playouts: the number of games in all; each option that is left has one in each round at least.
        rounds: the rounds among which they are split; after each the worse half of the options is left out.
        cap: decisions after which a game is cut off.
        key: the key of random numbers.
    """

    seat: int
    rows: NDArray[np.int64]
    codes: Codes
    playouts: int
    rounds: int
    cap: int
    key: int


class Compared(NamedTuple):
    """Compared options; the first index is that of the option.

    Attributes:
        left: whether an option has never been among the worse half.
        aims: the sum of what the seat plays for, in parts of `ONE`.
        shares: the sum of its shares of the win, in parts of `ONE`.
        played: the number of games.
        silent: the number of games that say nothing; see `Ends.signal`.
    """

    left: NDArray[np.bool_]
    aims: NDArray[np.int64]
    shares: NDArray[np.int64]
    played: NDArray[np.int64]
    silent: int


def followed(search: Search, rows: NDArray[np.int64], codes: Codes) -> NDArray[np.int64]:
    """The positions after every option: the first index is that of the option, the second of the position before."""
    listed, parents = search.legal(rows)
    at = {(parent, *code): k for parent, k, code in _numbered(parents, listed)}
    wanted = [(parent, *code) for code in codes.tolist() for parent in range(len(rows))]
    after = search.apply(rows[np.tile(np.arange(len(rows)), len(codes))], [at[each] for each in wanted])
    return after.reshape(len(codes), len(rows), -1)


def _numbered(parents: NDArray[np.int64], codes: Codes) -> list[tuple[int, int, list[int]]]:
    """The number of the position and the number of the option there of each code, with the code."""
    firsts = np.searchsorted(parents, parents)
    numbers = np.arange(len(parents)) - firsts
    return list(zip(parents.tolist(), numbers.tolist(), codes.tolist(), strict=True))


def compare(search: Search, question: Question) -> Compared:
    """Compares options by a search of many rows.

    The games of a round draw alike after all options (common random numbers), so that luck tells as little as it can.
    """
    after = followed(search, question.rows, question.codes)
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


class WasmComparing:
    """Comparisons in the memory of a module, each in one call.

    Args:
        memory: the memory.
        payoffs: what ends are worth.
        value: the number of the value of positions; below 0: points.
    """

    def __init__(self, memory: SearchMemory, payoffs: Payoffs, value: int) -> None:
        self._memory = memory
        self._team = payoffs.team
        of_teams = np.zeros((len(payoffs.sets), _OF_TEAM), np.int64)
        of_teams[:, 0], of_teams[:, 1] = payoffs.sets, payoffs.factors
        self._keys = memory.grow(8 * (_MOST_ROUNDS + of_teams.size + len(POWERS)))
        self._teams = self._keys + 8 * _MOST_ROUNDS
        end = self._teams + 8 * of_teams.size
        memory.write(self._teams, of_teams)
        memory.write(end, np.array(POWERS, np.int64))
        registers = {"KEYS": self._keys, "TEAMS": self._teams, "TEAMS_END": end, "POWERS": end, "JUDGED": value}
        registers |= {"FORM": payoffs.form, "UNIT": payoffs.unit, "SHIFT": payoffs.shift, "STAKE": payoffs.stake}
        for register, number in registers.items():
            memory.set(register, number)

    def decides(self, seat: int) -> None:
        """Says which seat decides."""
        self._memory.set("OWN_TEAM", self._teams + 8 * _OF_TEAM * self._team[seat])

    def compare(self, question: Question) -> Compared | None:
        """Compares options; None if only Python can: for want of room, or as the rules are at fault."""
        memory, rows, codes = self._memory, question.rows, question.codes
        count, particles = len(codes), len(rows)
        size = 8 * _OF_OPTION * count + memory.row * count * particles
        if max(count, codes.size // 50) > _MOST_OPTIONS or particles > memory.most or size > memory.room:
            return None
        memory.write(memory.rows, rows)
        memory.write(memory.options, codes)
        keys = [word(question.key, number) for number in range(question.rounds)]
        memory.write(self._keys, np.array(keys, np.uint64).view(np.int64))
        self.decides(question.seat)
        registers = {"NEXT": 0, "PAUSED": 0, "OUT": memory.out}
        for register, number in registers.items():
            memory.set(register, number)
        arguments = (count, particles, question.playouts, question.rounds, question.cap)
        try:
            memory.set("BUDGET", BUDGET)
            while memory.instance.call("halve", *arguments):
                memory.set("BUDGET", BUDGET)
        except TrapError:
            return None
        of_options = memory.read(memory.out, _OF_OPTION * count).reshape(count, _OF_OPTION)
        left, aims, shares, played = of_options.T
        return Compared(left > 0, aims, shares, played, memory.get("SILENT"))
