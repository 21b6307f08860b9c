"""The combinations that a ruleset is played with: numbers of players and settings, and random games of one of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from math import inf

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.simulate.plan import Plan
from rulespec.engine.simulate.playouts import Playout, play_out
from rulespec.engine.simulate.wasm import ROUND, WasmOutcomes
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try

SEED = 0
"""The seed of the games that `validate` plays."""
CAP = 20_000
"""Decisions after which a game is abandoned: more than `simulate` waits for, as this is held against the rules."""
GRACE = 1.0
"""CPU seconds for playing again in Python what has been played in wasm."""


class Combination(Struct, frozen=True):
    """A number of players, and the setting that is not at its default; at most one."""

    seats: int
    settings: dict[str, str]


class Ended(Struct, frozen=True):
    """The end of a game.

    Attributes:
        number: the number of the game, from 0.
        decisions: the number of its decisions.
        capped: whether it was abandoned after `CAP` decisions.
        failed: the game, if it shows a mistake of the rules.
    """

    number: int
    decisions: int
    capped: bool
    failed: Playout | None


def combinations(ruleset: typed.Ruleset, numbers: Sequence[int] = ()) -> list[Combination]:
    """Every number of players (or only these) with the default settings, then each other value of each setting.

    The first other value of every setting comes before the second of any, and what is declared last comes first: that
    is what an overlay adds. They take turns with the numbers of players.
    """
    low, high = ruleset.players
    numbers = numbers or range(low, high + 1)
    settings = reversed(ruleset.settings.values())
    others = [[{s.name: value} for value in values_to_try(s) if value != s.default] for s in settings]
    values = [value for column in zip_longest(*others) for value in column if value is not None]
    results = [Combination(number, {}) for number in numbers]
    return results + [Combination(numbers[i % len(numbers)], value) for i, value in enumerate(values)]


class Games:
    """Random games of a combination, in wasm where that is possible: the same games with wasm and without.

    Args:
        ruleset: the ruleset.
        combination: the combination.
        until: the CPU time of this process, in seconds, at which games are abandoned.
        seed: `simulate` plays the same games with it.

    Raises:
        DiagnosticsError: if a game cannot be set up.
    """

    def __init__(self, ruleset: typed.Ruleset, combination: Combination, until: float = inf, seed: int = SEED) -> None:
        self._ruleset = ruleset
        self._until = until
        seats, settings = combination.seats, combination.settings
        self._plan = plan = Plan.of(ruleset.ref, ruleset, [seats], seed, settings=settings)
        self._wasm = None
        with suppress(NoWasmtimeError, NoWasmError):
            self._wasm = WasmOutcomes(plan, ruleset).games[seats]

    def play(self, numbers: range) -> Iterator[Ended]:
        """The games of these numbers, up to the first that is abandoned because time is up."""
        if self._wasm is None:
            for number in numbers:
                if (ended := self._in_python(number, self._until)) is None:
                    return
                yield ended
            return
        games = self._wasm.play(self._plan.seed, numbers, CAP, _after(self._until))
        for number, played in zip(numbers, games, strict=False):
            if played.how in ("over", "capped"):
                yield Ended(number, played.decisions, played.how == "capped", None)
            elif (ended := self._in_python(number, self._until + GRACE)) is not None:  # Python knows what is wrong
                yield ended
            else:
                return

    def again(self, number: int) -> Playout:
        """A game with its decisions, replayed until the time is up."""
        return self._played(number, time.process_time() + GRACE)

    def _in_python(self, number: int, until: float) -> Ended | None:
        playout = self._played(number, until)
        over = playout.failure is not None or playout.ending is not None
        if not over and playout.decisions < CAP:
            return None
        return Ended(number, playout.decisions, not over, playout if playout.failure is not None else None)

    def _played(self, number: int, until: float) -> Playout:
        plan, seats = self._plan, self._plan.seats(number)
        return play_out(Game(self._ruleset, seats, plan.settings), plan.seed, number, cap=CAP, stop=_after(until))

    @property
    def at_once(self) -> int:
        """The number of games to play before it is worth looking at the time."""
        return 1 if self._wasm is None else ROUND


def _after(until: float) -> Callable[[], bool]:
    """Whether this process has used so much CPU time."""
    return lambda: time.process_time() > until
