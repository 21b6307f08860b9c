"""Games of different plans side by side, with equal seeds and deals, recorded as they are played."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from functools import cached_property
from itertools import count
from pathlib import Path
from warnings import warn

from rulespec.engine.bots.bot_games import BotGames, bot_outcome
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.search.detailed import AHEAD, DetailedGames
from rulespec.engine.simulate.checked_playouts import Playout
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.game_sheet import GameSheet
from rulespec.engine.simulate.json_lines import JsonLinesResults
from rulespec.engine.simulate.workers import play_tasks
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.typed import nodes as typed


class PlanSide:
    """The games of one of the compared plans.

    Args:
        plan: the plan.
        ruleset: the plan's ruleset.
        path: the file for recording the games; None means that they are not recorded.
        warned: a function called with a warning if the bots cannot compare positions.
    """

    def __init__(
        self,
        plan: GamePlan,
        ruleset: typed.Ruleset,
        path: Path | None = None,
        warned: Callable[[str], None] = warn,
    ) -> None:
        self.plan = plan
        self.ruleset = ruleset
        self.path = path
        self._warned = warned
        self._games: BotGames | None = None
        self.known: dict[int, Outcome] = {}
        """The outcomes of games played in advance."""

    def set_up(self) -> None:
        """Sets up the bots and machines for the first game."""
        if self.plan.bots:
            self._bots().set_up()
        else:
            _ = self._at_random

    @property
    def at_once(self) -> int:
        """The number of games played at once."""
        return AHEAD if not self.plan.bots and self._at_random is not None else 1

    def outcome(self, number: int) -> Outcome:
        """The outcome of one game."""
        if number in self.known:
            return self.known[number]
        if self.plan.bots:
            return self._bots().outcome(number)
        return self.plan.outcome(self.ruleset, number) if self._at_random is None else self._at_random.outcome(number)

    @cached_property
    def _at_random(self) -> DetailedGames | None:
        """The player of random games with details; None if the plan plays them."""
        plan = self.plan
        if plan.details and plan.backend == "python" and plan.repeated == len(plan.players) == 1:
            with suppress(NoWasmtimeError, NoWasmError):
                return DetailedGames(plan, self.ruleset)
        return None

    def playout(self, number: int) -> Playout:
        """One game, with all its decisions."""
        return self._bots().play(number) if self.plan.bots else self.plan.play(self.ruleset, number)

    def _bots(self) -> BotGames:
        self._games = self._games or BotGames(self.plan, self.ruleset, self._warned)
        return self._games


def play_sides(
    sides: Sequence[PlanSide], pairs: int | None = None, jobs: int = 1, cluster: str = ""
) -> Generator[tuple[Outcome, ...]]:
    """Plays the same games on all sides, continuing after the recorded games.

    Args:
        sides: the sides.
        pairs: the number of games per side; None means to play until the generator is closed.
        jobs: the number of processes.
        cluster: `dask:ADDRESS` or `ray:ADDRESS`, to play on all workers of this cluster instead.

    Yields:
        The outcomes of each game, in the order of the sides.

    Raises:
        SaveError, DiagnosticsError: if recorded games belong to another plan, are damaged, or cannot be written.
        ClusterError: if workers cannot be started or reached, or end too early.
    """
    with ExitStack() as stack:
        for side in sides:
            if side.path is not None:
                side.path.parent.mkdir(parents=True, exist_ok=True)
        files = [
            None if s.path is None else stack.enter_context(JsonLinesResults(s.path, GameSheet(s.plan))) for s in sides
        ]
        recorded = [[] if file is None else list(file.recorded()) for file in files]
        for side, rows in zip(sides, recorded, strict=True):
            if rows and side.outcome(rows[-1].game) != rows[-1]:
                why = "it was written by another version of the program, or changed since: name another folder"
                raise SaveError(
                    f"game {rows[-1].game:,} in {side.path} does not end as recorded when it is played again: {why}"
                )
        numbers = range(pairs) if pairs is not None else count()
        missing = (
            (at, number)
            for number in numbers
            for at, side in enumerate(sides)
            if number >= len(recorded[at]) and number not in side.known
        )
        played = stack.enter_context(closing(_played(sides, missing, jobs, cluster)))
        for number in range(pairs) if pairs is not None else count():
            results = []
            for at, file in enumerate(files):
                if number < len(recorded[at]):
                    results.append(recorded[at][number])
                    continue
                outcome = sides[at].known.get(number) or next(played)
                if file is not None:
                    file.add(outcome)
                results.append(outcome)
            yield tuple(results)


def _played(sides: Sequence[PlanSide], games: Iterator[tuple[int, int]], jobs: int, cluster: str) -> Generator[Outcome]:
    if jobs == 1 and not cluster:
        return (sides[at].outcome(number) for at, number in games)
    tasks = ((sides[at].plan, number) for at, number in games)
    return play_tasks(tasks, jobs, cluster, bot_outcome if sides[0].plan.bots else None)
