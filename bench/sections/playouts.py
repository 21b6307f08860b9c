"""Random playouts of each ruleset with two to six players, in generated Python and in the interpreter."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from statistics import mean

from bench.figures import Bench, Figure, Target
from bench.pairs import alternate, timed
from bench.play import move, playouts, positions
from bench.sections.loading import RULESETS
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import machine
from rulespec.engine.game.seating import seat_names
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import play_out
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

TARGETS = {"imperial": 1.5, "imperial_2030": 1.2, "imperial_asia": 1.2}
FASTER = 15
"""The target for the speed of generated Python relative to the interpreter."""
_POSITIONS = 12
_DECISIONS = 4
_SEED = 100


def run(bench: Bench) -> Iterator[Figure]:
    """Figures of playouts that list all options of the decider at each decision; the rows of `simulate` also test
    invariants.
    """
    for ref in RULESETS[:1] if bench.quick else RULESETS:
        ruleset = load_ruleset(ref)
        low, high = ruleset.players
        for players in [4] if bench.quick else range(low, high + 1):
            bound = TARGETS.get(ref) if players == 4 else None
            target = Target(bound, at_least=True) if bound else None
            lengths: list[int] = []
            work = playouts(ruleset, players, lengths)
            name, ours = f"{ref}, {players} players", timed(work, bench.seconds)
            figure = bench.beside_chess(name, ours, "decisions", target=target)
            figure.more["playouts/s"] = figure.value.median / mean(lengths)
            figure.more["decisions each"] = float(mean(lengths))
            yield figure
            if players == 4:
                yield _every(bench, f"{name}, those out of turn too", ruleset, players)
                yield _watched(bench, f"{name}, as `simulate` does", ruleset, players)
            yield _interpreter(bench, name, ruleset, players)


def _every(bench: Bench, name: str, ruleset: typed.Ruleset, players: int) -> Figure:
    """The figure of playouts that list all options, including those of others, and play one of the decider's."""
    starts = positions(ruleset, players, _POSITIONS)

    def work() -> int:
        rng = random.Random(_SEED)
        decisions = 0
        for start in starts:
            game = start.copy()
            for _ in range(30):
                if game.is_over:
                    break
                game.apply(rng.choice(list(game.legal_options)))
                decisions += 1
        return decisions

    return bench.beside_chess(name, timed(work, bench.seconds), "decisions")


def _watched(bench: Bench, name: str, ruleset: typed.Ruleset, players: int) -> Figure:
    numbers = iter(range(10**9))

    def work() -> int:
        return play_out(Game(ruleset, seat_names(players, ruleset.seats)), 1, next(numbers)).decisions

    return bench.beside_chess(name, timed(work, bench.seconds), "decisions")


def _interpreter(bench: Bench, name: str, ruleset: typed.Ruleset, players: int) -> Figure:
    """The figure of a few decisions from several positions, as a whole game takes the interpreter many seconds."""
    starts = positions(ruleset, players, _POSITIONS)
    slow = machine(ruleset, players, starts[0].settings, "interpreter")

    def work(interpreted: bool) -> Callable[[], int]:
        def play() -> int:
            draws = Draws(_SEED)
            decisions = 0
            for start in starts:
                game = start.copy()
                if interpreted:
                    game._position.machine = slow
                for _ in range(_DECISIONS):
                    if game.is_over:
                        break
                    move(game, draws)
                    decisions += 1
            return decisions

        return play

    runs = min(bench.runs, 3)
    slices = [timed(work(False), 2 * bench.seconds), timed(work(True), 2 * bench.seconds)]
    fast, slowly = alternate(slices, runs, warm=False)
    target = Target(FASTER, at_least=True)
    more = {"interpreter": f"{1 / slowly[0].each:,.0f} decisions/s"}
    name = f"{name}, same positions"
    return bench.figure(name, fast, slowly, unit="decisions", beside="interpreter", target=target, more=more)
