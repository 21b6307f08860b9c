"""What each pass of the generated Python brings: random games with all, and with all but one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache

from bench.figures import Bench, Figure
from bench.pairs import alternate, timed
from bench.play import played
from rulespec.engine.game.machines import Machines
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.interpreter import Interpreter
from rulespec.engine.python.backend import ALL_PASSES, PythonBackend
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

GAMES = 3


def run(bench: Bench) -> Iterator[Figure]:
    """The ratio says how many times as long a decision takes without the pass."""
    ruleset = load_ruleset("imperial")
    chosen = ALL_PASSES[:2] if bench.quick else ALL_PASSES
    whole = timed(_same_games(ruleset, without("")), bench.seconds)
    for name, left_out in [*((f"without {p}", p) for p in chosen), ("without any", "*")]:
        less = timed(_same_games(ruleset, without(left_out)), bench.seconds)
        samples, all_on = alternate([less, whole], bench.runs, turns=bench.turns)
        more = {"all on": f"{1e6 * sorted(s.each for s in all_on)[len(all_on) // 2]:.1f} µs"}
        yield bench.figure(name, samples, all_on, unit="µs", beside="all passes", more=more)


def _same_games(ruleset: typed.Ruleset, backend: Machines) -> Callable[[], int]:
    return lambda: sum(played(ruleset, 4, seed, backend=backend).ply for seed in range(GAMES))


def without(left_out: str) -> Machines:
    """What makes machines without a pass; `*`: without any, "": with all."""
    passes = () if left_out == "*" else tuple(p for p in ALL_PASSES if p != left_out)

    @cache
    def made(ruleset_hash: str, seats: int, options: tuple[tuple[str, str], ...]) -> Interpreter:
        assert known is not None
        return PythonBackend(lower(known, seats, dict(options)), passes)

    known: typed.Ruleset | None = None

    def machines(ruleset: typed.Ruleset, seats: int, options: Mapping[str, str]) -> Interpreter:
        nonlocal known
        known = ruleset
        return made(ruleset.hash, seats, tuple(sorted(options.items())))

    return machines
