"""The gain of each pass and each feature of generated Python: random games with all of them, and with all but one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from msgspec.structs import replace

from bench.figures import Bench, Figure
from bench.pairs import alternate, timed
from bench.play import played
from rulespec.engine.game.machines import Machines
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.pipeline import PASSES, Pass
from rulespec.engine.program.machine import Machine
from rulespec.engine.python.backend import PythonBackend
from rulespec.engine.python.features import ALL_FEATURES, NO_FEATURES, Features
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

GAMES = 3


def run(bench: Bench) -> Iterator[Figure]:
    """Figures whose ratio shows how much slower a decision is without the pass or feature."""
    ruleset = load_ruleset("imperial")
    whole = timed(_same_games(ruleset, machines(PASSES, ALL_FEATURES)), bench.seconds)
    without = [*islice(_without(), 2 if bench.quick else None), ("any", (), NO_FEATURES)]
    for left_out, passes, features in without:
        name = f"without {left_out}"
        less = timed(_same_games(ruleset, machines(passes, features)), bench.seconds)
        samples, all_on = alternate([less, whole], bench.runs, turns=bench.turns)
        more = {"all on": f"{1e6 * sorted(s.each for s in all_on)[len(all_on) // 2]:.1f} µs"}
        yield bench.figure(name, samples, all_on, unit="µs", beside="all of them", more=more)


def _same_games(ruleset: typed.Ruleset, backend: Machines) -> Callable[[], int]:
    return lambda: sum(played(ruleset, 4, seed, backend=backend).ply for seed in range(GAMES))


def _without() -> Iterator[tuple[str, tuple[Pass, ...], Features]]:
    """Name of a pass or feature → the passes and features that remain without it."""
    for at, each in enumerate(PASSES):
        runs = PASSES[: at + 1].count(each)
        name = each.__name__ if runs == 1 else f"{each.__name__} ({runs})"
        yield name, (*PASSES[:at], *PASSES[at + 1 :]), ALL_FEATURES
    for name in Features.__struct_fields__:
        yield name, PASSES, replace(ALL_FEATURES, **{name: False})


def machines(passes: Sequence[Pass], features: Features) -> Machines:
    """A factory of machines with some passes and features, one machine per program."""

    @cache
    def made(sources_hash: str, seats: int, settings: tuple[tuple[str, str], ...]) -> Machine:
        assert known is not None
        return PythonBackend(lower(known, seats, dict(settings)), passes, features)

    known: typed.Ruleset | None = None

    def make(ruleset: typed.Ruleset, seats: int, settings: Mapping[str, str]) -> Machine:
        nonlocal known
        known = ruleset
        return made(ruleset.sources_hash, seats, tuple(sorted(settings.items())))

    return make
