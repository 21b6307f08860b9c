"""The cost of a ruleset's random games in steps, which, unlike time, does not depend on the computer.

The interpreter counts the steps of a few decisions of the optimised program, spread over a game. The steps of whole
games are estimated from these, with the same result on any computer.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from rulespec.engine.game.game import Game, game_at
from rulespec.engine.game.machines import lowered
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.game.seating import check_settings, seat_names
from rulespec.engine.passes.pipeline import optimized
from rulespec.engine.program.draws import Draws
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.verify.combinations import SEED, Combination, CombinationGames
from rulespec.typed import nodes as typed

DECISION = 10_000
"""The steps charged per decision for work outside the rules, in addition to those of the rules."""
BLOCK = 60_000
"""The steps charged per block of a program, for compilation."""
_PLIES = (0, 8, 64, 512)
_PATIENCE = 2_000_000  # steps of the interpreter, about a second
_FAR = 20_000_000  # the step limit for reaching a decision to count
_INVARIANTS = 10  # the factor by which invariants cost less when only changed cells are tested


class Weights(Struct, frozen=True):
    """The step costs of games: the steps up to the first decision, and the steps per decision."""

    start: int
    decision: int

    def steps(self, decisions: int) -> int:
        """The steps for a game with `decisions` decisions."""
        return self.start + decisions * self.decision

    def decisions(self, steps: int) -> int:
        """The number of decisions that `steps` steps allow."""
        return max(0, steps - self.start) // self.decision


def weighed(ruleset: typed.Ruleset, seats: Sequence[int]) -> Weights:
    """The maximum costs over the given player counts, with default settings.

    Raises:
        DiagnosticsError: if a game cannot be set up.
    """
    results = [_weights(ruleset, number) for number in dict.fromkeys(seats)]
    return Weights(max(w.start for w in results), max(w.decision for w in results))


def _weights(ruleset: typed.Ruleset, seats: int) -> Weights:
    settings = check_settings(ruleset, {})
    interpreter = Interpreter(optimized(lowered(ruleset, seats, settings)), patience=_PATIENCE)
    game = Game(ruleset, seat_names(seats, ruleset.seats), settings, lambda *_: interpreter)
    games = CombinationGames(ruleset, Combination(seats, {}))
    draws, counts, start = Draws(SEED, 0), list[int](), 0
    try:
        game.omniscient.numbers.begin()
        start = interpreter.taken
        for ply in _PLIES:
            if counts and ply * _mean(counts) > _FAR:
                break
            cells = games.cells(ply)
            if cells is None:
                break
            before = interpreter.left
            counts.append(_taken(game_at(game, cells), interpreter, draws, ply) if before > 0 else MAX_STEPS)
    except RulesetFaultError:  # too many steps, or a mistake, which the games reveal
        counts += [MAX_STEPS] if interpreter.left <= 0 else []
    return Weights(start, DECISION + _mean(counts))


def _taken(game: Game, interpreter: Interpreter, draws: Draws, ply: int) -> int:
    """The steps of the next random decision, and of the checks after it."""
    before = interpreter.left
    option = choose(game, draws, ply)
    if option is not None:
        game.apply(option)
    after = interpreter.left
    game.omniscient.broken_invariants()
    return before - after + (after - interpreter.left) // _INVARIANTS


def _mean(numbers: Sequence[int]) -> int:
    return sum(numbers) // max(1, len(numbers))
