"""Games of a plan, played by bots."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from warnings import warn

from rulespec.engine.bots.bot import Bot
from rulespec.engine.bots.bot_seats import BotSeats, Silence
from rulespec.engine.bots.named import open_bot
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend, Machines, machine
from rulespec.engine.game.option import Option
from rulespec.engine.program.draws import Draws
from rulespec.engine.search.measuring import RowMeasures, with_measures
from rulespec.engine.search.open_search import open_search
from rulespec.engine.simulate.checked_playouts import Playout, choose, takes_any
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.leading import Standings, standings
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.typed import nodes as typed

_PLAYOUTS, _SLACK = 64, 20
"""The number of random games that estimate the lead if there is no value and no scoring, and the percentage that is not
yet a lead: three times the standard error of a share of one half.
"""


class BotGames:
    """The games of a plan, played by bots that rotate over the seats and never act out of turn.

    Args:
        plan: the plan.
        ruleset: the plan's ruleset.
        warned: a function called with a warning if the bots cannot compare positions; see `Silence`.

    Attributes:
        plan: the plan.

    Raises:
        BotNameError: if there is no such bot.
    """

    def __init__(self, plan: GamePlan, ruleset: typed.Ruleset, warned: Callable[[str], None] = warn) -> None:
        self.plan = plan
        self._silence = Silence(warned)
        self._ruleset = ruleset
        self._bots: list[Bot] = [open_bot(name) for name in plan.bots]
        self._tables: dict[int, BotTable] = {}

    @property
    def backend(self) -> Backend:
        """The machine for the games: the plan's or, if that is wasm and wasm cannot run the rules, Python."""
        return "python" if self.plan.backend == "wasm" and self._table(0).machine is None else self.plan.backend

    def set_up(self) -> None:
        """Makes the machine for the first game."""
        self._table(0)

    def play(self, number: int) -> Playout:
        """Plays one game; the same number gives the same game."""
        table = self._table(number)
        return self.plan.play(self._ruleset, number, self._decide(number, table), table.machine)

    def outcome(self, number: int) -> Outcome:
        """The outcome of one game."""
        table = self._table(number)
        decide = self._decide(number, table)
        return self.plan.outcome(self._ruleset, number, decide, table.machine, table.measuring, table.leading)

    def _table(self, number: int) -> BotTable:
        seats = self.plan.seats(number)
        if len(seats) not in self._tables:
            self._tables[len(seats)] = BotTable(self.plan, self._ruleset, seats)
        return self._tables[len(seats)]

    def _decide(self, number: int, table: BotTable) -> Callable[[Game, Draws], Option | None]:
        seats, further = self.plan.seats(number), number if self.plan.rotated else 0
        bots = {seat: self._bots[(at - further) % len(self._bots)] for at, seat in enumerate(seats)}
        known: list[BotSeats] = []

        def decide(game: Game, draws: Draws) -> Option | None:
            decision = game.decision
            if decision is None or decision.by is None or takes_any(game):
                return choose(game, draws, interrupt_rate=0)
            if not known:
                known.append(BotSeats(game, bots, draws.key, table.search))
            option, pick = known[0].choose(game)
            self._silence.note(pick, known[0].search)
            return option

        return decide


class BotTable:
    """A machine, a search and a measurement for games with a given number of seats.

    Args:
        plan: the plan of the games.
        ruleset: its ruleset.
        seats: the seats.

    Attributes:
        machine: the machine for the games; None means the plan's.
        search: a search over the positions of the games.
        measuring: the measurement of positions; None if nothing is measured, or the game measures itself.
    """

    def __init__(self, plan: GamePlan, ruleset: typed.Ruleset, seats: Sequence[str]) -> None:
        measured = plan.details and bool(ruleset.declarations.measures)
        self.machine: Machines | None = None
        self.measuring: RowMeasures | None = None
        if plan.backend == "wasm":
            with suppress(NoWasmtimeError, NoWasmError):
                rules = with_measures(ruleset) if measured else ruleset
                wasm = machine(rules, len(seats), plan.settings, "wasm")
                self.machine = lambda *_: wasm
        if self.machine is None:
            self.search = open_search(Game(ruleset, seats, plan.settings, plan.backend))
            return
        self.search = open_search(Game(rules, seats, plan.settings, self.machine))
        if measured:
            self.measuring = RowMeasures(self.search)

    def leading(self, game: Game) -> Standings | None:
        """The standings of a game. If no value or scoring is declared, they are estimated from playouts; None if all
        seats win together.
        """
        own, search = standings(game), self.search
        if own is not None or search.payoffs.single or search.seats < 2:
            return own

        def of(game: Game) -> list[int]:
            ends = search.playouts(search.rows([game]), game.ply, times=_PLAYOUTS)
            shares: list[float] = ends.payoffs.mean(axis=0).tolist()
            return [round(100 * share) for share in shares]

        return Standings("playouts", _SLACK, of)


_LAST = 8
_last: list[BotGames] = []
"""Players of the latest plans in this process, latest first."""


def bot_outcome(plan: GamePlan, ruleset: typed.Ruleset, number: int) -> Outcome:
    """The outcome of one game, played in a worker process."""
    games = next((games for games in _last if games.plan == plan), None)
    if games is not None:
        _last.remove(games)
    _last.insert(0, games or BotGames(plan, ruleset))
    del _last[_LAST:]
    return _last[0].outcome(number)
