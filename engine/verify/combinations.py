"""The combinations of player counts and settings that validation tries, and the random games played with each."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest

from msgspec import Struct

from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import lowered
from rulespec.engine.simulate.checked_playouts import Playout, play_out
from rulespec.engine.simulate.game_plans import GamePlan
from rulespec.engine.simulate.wasm import ROUND, WasmOutcomes
from rulespec.engine.wasm.compiler import NoWasmError
from rulespec.engine.wasm.engine import NoWasmtimeError
from rulespec.engine.wasm.playouts import Played
from rulespec.typed import nodes as typed
from rulespec.typed.settings import values_to_try
from rulespec.types import RETURNED

SEED = 0
"""The seed of the games played by `validate`."""
CAP = 20_000
"""The number of decisions before a game is abandoned, which is higher than in `simulate` because abandoned games are
reported.
"""


class Combination(Struct, frozen=True):
    """A player count, and at most one setting whose value is not the default."""

    seats: int
    settings: dict[str, str]


class Ended(Struct, frozen=True):
    """The end of a game.

    Attributes:
        number: the index of the game.
        decisions: the number of its decisions.
        capped: whether it was abandoned after `CAP` decisions.
        returned: whether it ended because the start procedure returned.
        failed: the game, if it reveals a mistake in the rules; otherwise None.
    """

    number: int
    decisions: int
    capped: bool
    failed: Playout | None
    returned: bool = False


def combinations(ruleset: typed.Ruleset, numbers: Sequence[int] = ()) -> list[Combination]:
    """The combinations to try: each player count (those in `numbers`, if given) with the default settings, then each
    non-default value of every setting.

    Settings take turns: the first non-default value of every setting comes before the second value of any setting.
    Settings declared later come first, because overlays add settings at the end. Player counts alternate.
    """
    low, high = ruleset.players
    numbers = numbers or range(low, high + 1)
    settings = reversed(ruleset.settings.values())
    others = [[{s.name: value} for value in values_to_try(s) if value != s.default] for s in settings]
    values = [value for column in zip_longest(*others) for value in column if value is not None]
    results = [Combination(number, {}) for number in numbers]
    return results + [Combination(numbers[i % len(numbers)], value) for i, value in enumerate(values)]


class CombinationGames:
    """Random games with one combination of player count and settings, played in wasm if possible; the games are the
    same with and without wasm.

    Args:
        ruleset: the ruleset.
        combination: the combination.
        seed: the seed; `simulate` plays the same games with it.

    Attributes:
        settings: the values of all settings.
        blocks: the number of blocks of the program.

    Raises:
        DiagnosticsError: if a game cannot be set up.
    """

    def __init__(self, ruleset: typed.Ruleset, combination: Combination, seed: int = SEED) -> None:
        self._ruleset = ruleset
        seats, settings = combination.seats, combination.settings
        self._plan = plan = GamePlan.of(ruleset.ref, ruleset, [seats], seed, settings=settings)
        program = lowered(ruleset, seats, plan.settings)
        self.settings = plan.settings
        self.blocks, self._endings = len(program.blocks), program.endings
        self._wasm = None
        with suppress(NoWasmtimeError, NoWasmError):
            self._wasm = WasmOutcomes(plan, ruleset).games[seats]

    def play(self, numbers: range, most: int = sys.maxsize) -> Iterator[Ended]:
        """Plays the games with these numbers; stops before the first game that would exceed `most` decisions in
        total.
        """
        for at in range(0, len(numbers), ROUND):
            some = numbers[at : at + ROUND]
            cap = min(CAP, most)
            games = self._wasm.play(self._plan.seed, some, cap) if self._wasm is not None else None
            for number in some:
                ended = self._ended(number, next(games), most) if games is not None else self._in_python(number, most)
                if ended is None:
                    return
                most -= ended.decisions
                yield ended

    def again(self, number: int) -> Playout:
        """The game with this number, played again in Python to record its decisions."""
        return self._played(number, CAP)

    def cells(self, ply: int, number: int = 0) -> Sequence[int] | None:
        """The program's cells after `ply` decisions of a game; None if the game ends earlier."""
        if self._wasm is not None:
            (played,) = self._wasm.play(self._plan.seed, range(number, number + 1), ply)
            return self._wasm.state if played.how == "capped" else None
        game = self._played(number, ply).game
        return None if game.ply < ply or game.is_over else game.omniscient.numbers.cells

    def _ended(self, number: int, played: Played, most: int) -> Ended | None:
        """The end of a game played in wasm; None if it has more than `most` decisions."""
        if played.how not in ("over", "capped"):  # Python finds the mistake
            return self._in_python(number, most)
        if played.decisions > most or (played.how == "capped" and played.decisions < CAP):
            return None
        returned = bool(played.ending) and self._endings[played.ending - 1] == RETURNED
        return Ended(number, played.decisions, played.how == "capped", None, returned)

    def _in_python(self, number: int, most: int) -> Ended | None:
        playout = self._played(number, min(CAP, most))
        over = playout.failure is not None or playout.ending is not None
        if not over and playout.decisions < CAP:
            return None
        failed = playout if playout.failure is not None else None
        return Ended(number, playout.decisions, not over, failed, playout.ending == RETURNED)

    def _played(self, number: int, cap: int) -> Playout:
        plan, seats = self._plan, self._plan.seats(number)
        return play_out(Game(self._ruleset, seats, plan.settings), plan.seed, number, cap=cap)
