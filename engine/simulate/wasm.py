"""Random games played in wasm: the same outcomes as Python gives, in threads of one process."""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial

from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.machines import wasm_program
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.scoring import result_of
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.handed_back import handed_back
from rulespec.engine.program.journal import State
from rulespec.engine.simulate.plan import Outcome, Plan
from rulespec.engine.simulate.playouts import INTERRUPT_RATE, choose
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.engine.wasm.playouts import Played, WasmGames
from rulespec.typed import nodes as typed
from rulespec.typed.teams import teams

ROUND = 64
"""Games that a thread plays in one go."""
_AHEAD = 3
"""Rounds that are under way, or wait to be read, for each thread."""


class WasmOutcomes:
    """Plays games of a plan. One thread may use it at a time.

    Args:
        plan: the plan.
        ruleset: its ruleset.

    Attributes:
        plan: the plan.
        games: what plays them, by the number of seats.

    Raises:
        NoWasmtimeError, NoWasmError: if its programs cannot be carried out in wasm.
    """

    def __init__(self, plan: Plan, ruleset: typed.Ruleset) -> None:
        self.plan = plan
        self._ruleset = ruleset
        self.games: dict[int, WasmGames] = {}
        for seats in dict.fromkeys(plan.players):
            wasm = wasm_program(ruleset, seats, plan.settings)
            # Nothing of this object: its memories are freed as soon as nobody has it.
            self.games[seats] = WasmGames(wasm, INTERRUPT_RATE, decide=partial(_decided, plan, ruleset, seats))

    def of(self, numbers: range) -> list[Outcome]:
        """The outcomes of some games, in their order; `numbers` follow one another."""
        results: dict[int, Outcome] = {}
        plan, turns = self.plan, len(self.plan.players)
        for number in numbers[:turns]:
            mine, seats = range(number, numbers.stop, turns), plan.players[number % turns]
            games = self.games[seats]
            for each, played in zip(mine, games.play(plan.seed, mine, plan.cap), strict=True):
                results[each] = self._outcome(each, seats, games, played)
        return [results[number] for number in numbers]

    def _outcome(self, number: int, seats: int, games: WasmGames, played: Played) -> Outcome:
        if played.how not in ("over", "capped"):  # a game that shows a mistake is reported with its decisions
            with _python_playing:
                outcome = Outcome.of(self.plan.play(self._ruleset, number))
                if outcome.failure is None:
                    handed_back("python", outcome.decisions)
                return outcome
        if not played.ending:
            return Outcome(number, seats, played.decisions, None, (), {}, None)
        of_seats = teams(self._ruleset.declarations)[:seats]
        names = self.plan.seats(number)
        result = result_of(games.program, played.ending, played.won, played.ranks, names, of_seats)
        return Outcome(number, seats, played.decisions, result.ending, tuple(result.winners), result.scores, None)


_python_playing = threading.Lock()
"""Only one thread plays a game in Python: machines of one program share what they remember."""


def _decided(
    plan: Plan, ruleset: typed.Ruleset, seats: int, state: State, draws: Draws, at: int
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


def play_in_wasm(plan: Plan, ruleset: typed.Ruleset, numbers: range, jobs: int = 1) -> Generator[Outcome]:
    """Plays games in this process.

    Args:
        plan: the plan.
        ruleset: its ruleset.
        numbers: the numbers of the games.
        jobs: the most threads; -1: one for each core. There are never more than cores or rounds of games.

    Yields:
        The outcomes, in the order of `numbers`.

    Raises:
        NoWasmtimeError, NoWasmError: if its programs cannot be carried out in wasm.
    """
    cores = os.cpu_count() or 1
    jobs = min(jobs, cores) if jobs > 0 else cores
    rounds = [numbers[at : at + ROUND] for at in range(0, len(numbers), ROUND)]
    idle = deque(_players(plan, ruleset, min(jobs, len(rounds) or 1)))
    jobs = len(idle)
    if jobs == 1:
        for each in rounds:
            yield from idle[0].of(each)
        return

    def play(each: range) -> list[Outcome]:
        outcomes = idle.pop()
        try:
            return outcomes.of(each)
        finally:
            idle.append(outcomes)

    ahead: deque[Future[list[Outcome]]] = deque()
    with ThreadPoolExecutor(jobs) as threads:
        try:
            for each in rounds:
                ahead.append(threads.submit(play, each))
                if len(ahead) > _AHEAD * jobs:
                    yield from ahead.popleft().result()
            while ahead:
                yield from ahead.popleft().result()
        finally:
            threads.shutdown(cancel_futures=True)


def _players(plan: Plan, ruleset: typed.Ruleset, threads: int) -> list[WasmOutcomes]:
    """The players of the games, one for each thread; fewer if there is not enough memory for so many."""
    results = [WasmOutcomes(plan, ruleset)]
    with suppress(NoWasmtimeError):
        for _ in range(threads - 1):
            results.append(WasmOutcomes(plan, ruleset))  # noqa: PERF401 - those before one that fails are kept
    return results


_last: list[WasmOutcomes] = []
"""The players of this process's last plan."""


def wasm_outcome(plan: Plan, ruleset: typed.Ruleset, number: int) -> Outcome:
    """The outcome of one game, for a worker that is handed games one by one."""
    if not _last or _last[0].plan != plan:
        _last[:] = [WasmOutcomes(plan, ruleset)]
    return _last[0].of(range(number, number + 1))[0]


def can_play(plan: Plan, ruleset: typed.Ruleset) -> bool:
    """Whether the games of a plan can be played in wasm here; its programs are kept."""
    try:
        WasmOutcomes(plan, ruleset)
    except (NoWasmtimeError, NoWasmError):
        return False
    return True
