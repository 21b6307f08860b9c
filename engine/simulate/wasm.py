"""Random games in wasm, played in threads of one process with the same outcomes as in Python."""

from __future__ import annotations

import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain, islice
from typing import TypeVar

from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.measured import result_of
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.cells import State
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.long_values import handed_back
from rulespec.engine.simulate.checked_playouts import INTERRUPT_RATE, choose
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.engine.wasm.playouts import TRAPPED, Played, WasmGames
from rulespec.typed import nodes as typed
from rulespec.typed.seat_kinds import teams

ROUND = 64
"""The number of games in a thread's first round."""
_DECISIONS = 100_000
"""The target number of decisions in a round of counted games; the previous round determines the number of games."""
_MOST = 8_192
"""The maximum number of games in such a round."""
_KNOWN = 4_096
"""The maximum number of cached results."""
_WHOLE = ("over", "capped")
"""The ways a game can finish without a mistake."""
_AHEAD = 3
"""Rounds in progress or waiting to be read, per thread."""


class WasmOutcomes:
    """A player of a plan's games, for one thread at a time.

    Args:
        plan: the plan.
        ruleset: its ruleset.

    Attributes:
        plan: the plan.
        games: number of seats → the player in wasm.

    Raises:
        NoWasmtimeError, NoWasmError: if wasm cannot run its programs.
    """

    def __init__(self, plan: GamePlan, ruleset: typed.Ruleset) -> None:
        self.plan = plan
        self._ruleset = ruleset
        self._results: dict[tuple[object, ...], tuple[str, tuple[str, ...], dict[str, int]]] = {}
        self._names = {seats: seat_names(seats, plan.called) for seats in plan.players}
        self._teams = teams(ruleset.declarations)
        self.games: dict[int, WasmGames] = {}
        for seats in dict.fromkeys(plan.players):
            wasm = wasm_program(ruleset, seats, plan.settings)
            # No reference to this object, so that its memories are freed with it.
            self.games[seats] = WasmGames(wasm, INTERRUPT_RATE, decide=partial(_decided, plan, ruleset, seats))

    def of(self, numbers: range) -> list[Outcome]:
        """The outcomes of consecutive games, in order."""
        results: dict[int, Outcome] = {}
        for mine, seats, rows in self._played(numbers):
            results.update(zip(mine, map(partial(self._outcome, seats), mine, rows), strict=True))
        return [results[number] for number in numbers]

    def tallied(self, numbers: range) -> list[tuple[Outcome, int]]:
        """The distinct outcomes of some games, each with the number of games that had it; `Outcome.game` is the first
        of these games.

        Each outcome with a mistake is listed separately.
        """
        results: list[tuple[Outcome, int]] = []
        for mine, seats, played in self._played(numbers):
            rows, games = list(played), self.games[seats]
            firsts = dict(zip(reversed(rows), reversed(mine), strict=True))
            alone = {row for row in firsts if row is None or games.read(row).how not in _WHOLE}
            for row, count in Counter(rows).items():
                if row not in alone:
                    results.append((self._outcome(seats, firsts[row], row), count))
            if alone:
                each = zip(mine, rows, strict=True)
                results += [(self._outcome(seats, number, row), 1) for number, row in each if row in alone]
        return sorted(results, key=lambda result: result[0].game)

    def _played(self, numbers: range) -> Iterator[tuple[range, int, Iterator[bytes | None]]]:
        """Plays games; yields for each number of seats the games' numbers, the number of seats, and the results."""
        plan, turns = self.plan, len(self.plan.players)
        for number in numbers[:turns]:
            mine, seats = range(number, numbers.stop, turns), plan.players[number % turns]
            yield mine, seats, self.games[seats].rows(plan.seed, mine, plan.cap)

    def _outcome(self, seats: int, number: int, row: bytes | None) -> Outcome:
        played = TRAPPED if row is None else self.games[seats].read(row)
        if played.how not in _WHOLE:  # a game that reveals a mistake is reported with its decisions
            with _python_playing:
                outcome = Outcome.of(self.plan.play(self._ruleset, number))
                if outcome.failure is None:
                    handed_back("python", outcome.decisions)
                return outcome
        if not played.ending:
            return Outcome(number, seats, played.decisions, None, (), {}, None)
        ending, winners, scores = self._result(seats, played)
        return Outcome(number, seats, played.decisions, ending, winners, dict(scores), None)

    def _result(self, seats: int, played: Played) -> tuple[str, tuple[str, ...], dict[str, int]]:
        """The ending, the winners and the points of a game."""
        key = seats, played.ending, played.won, tuple(played.ranks)
        if (known := self._results.get(key)) is None:
            names, of_seats = self._names[seats], self._teams[:seats]
            result = result_of(self.games[seats].program, played.ending, played.won, played.ranks, names, of_seats)
            if len(self._results) == _KNOWN:
                self._results.clear()
            known = self._results[key] = result.ending, tuple(result.winners), result.scores
        return known


_T = TypeVar("_T")
_python_playing = threading.Lock()
"""The lock under which a single thread plays a game in Python: machines of one program share their memos."""


def _decided(
    plan: GamePlan, ruleset: typed.Ruleset, seats: int, state: State, draws: Draws, at: int
) -> Sequence[int] | None:
    """The cells after a random decision in Python; None if it shows a mistake of the rules."""
    with _python_playing:
        game = game_at(Game(ruleset, seat_names(seats, plan.called), plan.settings), state)
        try:
            option = choose(game, draws, at)
            if option is None:
                return None
            game.apply(option)
            if game.omniscient.broken_invariants():
                return None
            handed_back("python")
            return game.omniscient.numbers.cells
        except RulesetFaultError:
            return None


def play_in_wasm(plan: GamePlan, ruleset: typed.Ruleset, numbers: range, jobs: int = 1) -> Generator[Outcome]:
    """Plays games in this process.

    Args:
        plan: the plan.
        ruleset: its ruleset.
        numbers: the numbers of the games.
        jobs: the maximum number of threads; -1 means one per core. There are never more threads than cores or rounds of
            games.

    Yields:
        The outcomes, in the order of `numbers`.

    Raises:
        NoWasmtimeError, NoWasmError: if wasm cannot run its programs.
    """
    return _each(plan, ruleset, _rounds(numbers), jobs, WasmOutcomes.of)


def tallied_in_wasm(
    plan: GamePlan, ruleset: typed.Ruleset, numbers: range, jobs: int = 1
) -> Generator[tuple[Outcome, int]]:
    """Plays games in this process and counts equal outcomes; see `play_in_wasm`.

    Yields:
        The distinct outcomes, each with the number of games that had it; `Outcome.game` is the first of these games.
    """
    rounds = _Rounds(numbers)
    for outcome, times in _each(plan, ruleset, rounds, jobs, WasmOutcomes.tallied):
        rounds.note(outcome, times)
        yield outcome, times


def _rounds(numbers: range) -> Iterator[range]:
    for at in range(0, len(numbers), ROUND):
        yield numbers[at : at + ROUND]


class _Rounds:
    """Rounds of games, longer if games are short.

    Args:
        numbers: the numbers of the games.
    """

    def __init__(self, numbers: range) -> None:
        self._left = numbers
        self._games = self._decisions = 0

    def note(self, outcome: Outcome, times: int) -> None:
        """Records the lengths of games."""
        self._games += times
        self._decisions += times * outcome.decisions

    def __iter__(self) -> Iterator[range]:
        while self._left:
            size = _DECISIONS * self._games // max(1, self._decisions) if self._games else ROUND
            size = min(max(ROUND, size - size % ROUND), _MOST)
            yield self._left[:size]
            self._left = self._left[size:]


def _each(
    plan: GamePlan,
    ruleset: typed.Ruleset,
    rounds: Iterable[range],
    jobs: int,
    play: Callable[[WasmOutcomes, range], list[_T]],
) -> Generator[_T]:
    """Plays rounds of games in threads; yields their results, in order."""
    cores = os.cpu_count() or 1
    jobs = min(jobs, cores) if jobs > 0 else cores
    remaining = iter(rounds)
    first = list(islice(remaining, jobs))
    remaining = chain(first, remaining)
    idle = deque(_players(plan, ruleset, min(jobs, len(first) or 1)))
    jobs = len(idle)
    if jobs == 1:
        for each in remaining:
            yield from play(idle[0], each)
        return

    def played(each: range) -> list[_T]:
        outcomes = idle.pop()
        try:
            return play(outcomes, each)
        finally:
            idle.append(outcomes)

    ahead: deque[Future[list[_T]]] = deque()
    with ThreadPoolExecutor(jobs) as threads:
        try:
            for each in remaining:
                ahead.append(threads.submit(played, each))
                if len(ahead) > _AHEAD * jobs:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)


def _players(plan: GamePlan, ruleset: typed.Ruleset, threads: int) -> list[WasmOutcomes]:
    """The players of the games, one per thread; fewer if memory is short."""
    results = [WasmOutcomes(plan, ruleset)]
    with suppress(NoWasmtimeError):
        for _ in range(threads - 1):
            results.append(WasmOutcomes(plan, ruleset))  # noqa: PERF401 - those before one that fails are kept
    return results


_last: list[WasmOutcomes] = []
"""The players of this process's last plan."""


def wasm_outcome(plan: GamePlan, ruleset: typed.Ruleset, number: int) -> Outcome:
    """The outcome of one game, played in a worker process."""
    if not _last or _last[0].plan != plan:
        _last[:] = [WasmOutcomes(plan, ruleset)]
    return _last[0].of(range(number, number + 1))[0]


def can_play(plan: GamePlan, ruleset: typed.Ruleset) -> bool:
    """Whether wasm can play the games of a plan here; the compiled programs are cached."""
    try:
        WasmOutcomes(plan, ruleset)
    except (NoWasmtimeError, NoWasmError):
        return False
    return True
