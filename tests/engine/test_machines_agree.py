"""All machines agree: random programs, every ruleset with each overlay, machines without a part, and games by seed.

`make proof` sets RULESPEC_EXAMPLES, the number of random programs; RULESPEC_AGREE, of long games of each ruleset and
overlay; RULESPEC_SEEDS, of whole games by seed, of all rulesets together.
"""

from __future__ import annotations

import os
import random
from functools import lru_cache
from itertools import compress
from pathlib import Path

import pytest
from agreement import EVERY, EXAMPLES
from folders import GAMES
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from machines_alike import (
    MACHINES,
    Length,
    Parts,
    Table,
    beside_the_interpreter,
    long_games,
    needs_wasm,
    some_settings,
)
from msgspec.structs import replace
from programs import programs, with_rules
from programs_seats import SETTINGS
from programs_wide import SIZES, towns_of
from proofs import proofs_but
from shipped import NAMES, OFFERED, loaded

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.passes.pipeline import PASSES, Pass
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.python.features import ALL_FEATURES, Features
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import play_in_wasm

LONG = int(os.environ.get("RULESPEC_AGREE", "0"))
SEEDS = int(os.environ.get("RULESPEC_SEEDS", "0"))
SHARE = {"python": 50, "on_demand": 50, "wasm": 10, "batch": 1}
"""One of so many long games: the interpreter plays some hundred decisions a second, Python some thousand."""
PLIES = 5_000
AT_A_TABLE = 10
"""Games for which a machine is made once."""

OWN = [str(folder) for folder in EVERY if GAMES not in folder.parents]
"""The tests' own rulesets."""
ANY = settings(deadline=None, suppress_health_check=list(HealthCheck), print_blob=True)
all_machines = pytest.mark.parametrize("machine", MACHINES)
rules_of = lru_cache(maxsize=64)(with_rules)
"""Rules of a text: where examples are the same in each run, the next machine has the same ones."""

some_steps = st.sampled_from([MAX_STEPS]) | st.integers(10, 4_000)
"""The bound on steps: mostly the real one, or one that random programs come to."""
some_passes = st.tuples(*(st.booleans() for _ in PASSES)).map(lambda on: tuple(compress(PASSES, on)))
some_features = st.builds(Features, **{name: st.booleans() for name in Features.__struct_fields__})


@all_machines
@settings(ANY, max_examples=max(1, EXAMPLES // 4))
@given(
    text=programs(),
    seed=st.integers(0, 999),
    seats=st.integers(2, 3),
    chosen=SETTINGS | st.just({}),
    steps=some_steps,
)
def test_random_programs_mean_the_same(
    machine: str, text: str, seed: int, seats: int, chosen: dict[str, str | int], steps: int
) -> None:
    table = Table(rules_of(text), seats, chosen)
    beside_the_interpreter(machine, table, Length(12), random.Random(seed), Parts(steps=steps))


@all_machines
@settings(ANY, max_examples=max(1, EXAMPLES // 5))
@given(text=programs(), seed=st.integers(0, 999), passes=some_passes, features=some_features, steps=some_steps)
def test_random_programs_mean_the_same_without_parts(
    machine: str, text: str, seed: int, passes: tuple[Pass, ...], features: Features, steps: int
) -> None:
    parts = Parts(passes, features, steps)
    beside_the_interpreter(machine, Table(rules_of(text), 2), Length(12), random.Random(seed), parts)


@pytest.mark.sampled(1)
@all_machines
@settings(ANY, max_examples=max(1, EXAMPLES // 8))
@given(
    text=programs(),
    seed=st.integers(0, 999),
    size=st.sampled_from(SIZES) | st.integers(64, 200),
    first=st.sampled_from([0, 1, 2]),
)
def test_sets_of_any_size_mean_the_same(machine: str, text: str, seed: int, size: int, first: int) -> None:
    """Of the further towns none, half, or all stand before those that rules name."""
    towns = towns_of(size)
    try:
        ruleset = rules_of(text, towns, towns * first // 2)
    except DiagnosticsError:  # over so many towns it takes too many steps
        assume(False)
    beside_the_interpreter(machine, Table(ruleset, 2), Length(8), random.Random(seed))


REFS = [*NAMES, *OFFERED, *OWN]
SMALL = [ref for ref in REFS if not any(large in ref for large in ("imperial", "emperor", "rails"))]
"""Rulesets whose modules take less than a second to make."""


@pytest.mark.parametrize("players", [0, 1], ids=["fewest", "most"])
@pytest.mark.parametrize("ref", proofs_but(REFS, *SMALL), ids=lambda ref: ref.rpartition("rulesets")[2])
@all_machines
@pytest.mark.sampled(3)
def test_rulesets_mean_the_same(machine: str, ref: str, players: int) -> None:
    ruleset, rng = loaded(ref)[0], random.Random(f"{ref} {machine} {players}")
    table, sound = Table(ruleset, ruleset.players[players]), Path(ref).name != "errors"
    beside_the_interpreter(machine, table, Length(40, 4), rng, sound=sound)


@pytest.mark.skipif(not LONG, reason="long: set RULESPEC_AGREE to a number of games")
@pytest.mark.parametrize("ref", [*NAMES, *OFFERED])
@all_machines
def test_long_games_are_the_same(machine: str, ref: str) -> None:
    """Of several tables the first has the usual settings, others have some."""
    ruleset, rng = loaded(ref)[0], random.Random(f"{ref} {machine}")
    games, seats = -(-LONG // SHARE[machine]), range(ruleset.players[0], ruleset.players[1] + 1)
    turn = rng.randrange(len(seats))
    for first in range(0, games, AT_A_TABLE):
        chosen = some_settings(ruleset, rng) if first or games <= AT_A_TABLE else {}
        table = Table(ruleset, seats[turn - first // AT_A_TABLE % len(seats)], chosen)
        long_games(machine, table, min(AT_A_TABLE, games - first), PLIES, rng)


LEFT_OUT = {
    **{f"{one.__name__}-{at}": Parts((*PASSES[:at], *PASSES[at + 1 :])) for at, one in enumerate(PASSES)},
    **{name: Parts(features=replace(ALL_FEATURES, **{name: False})) for name in Features.__struct_fields__},
}


@pytest.mark.proof  # 0.7 s
@pytest.mark.parametrize("part", LEFT_OUT)
@pytest.mark.sampled(1)
def test_a_game_is_the_same_without_a_part(part: str) -> None:
    table = Table(loaded("tutorial")[0], 3)
    beside_the_interpreter("python", table, Length(100, 10), random.Random(part), LEFT_OUT[part], sound=True)


@needs_wasm
@pytest.mark.parametrize("ref", [*NAMES, *OWN], ids=lambda ref: ref.rpartition("rulesets")[2])
@pytest.mark.sampled(1)
def test_the_same_seed_gives_the_same_games(ref: str) -> None:
    ruleset = loaded(ref)[0]
    low, high = ruleset.players
    games = 6 if ref in SMALL else 2
    plan = GamePlan.of(ruleset.ref, ruleset, sorted({low, high}), 3)
    if SEEDS and ref in NAMES:
        games = -(-SEEDS // len(NAMES))
        plan = GamePlan.of(ruleset.ref, ruleset, list(range(low, high + 1)), SEEDS)
    for number, outcome in enumerate(play_in_wasm(plan, ruleset, range(games))):
        assert outcome == Outcome.of(plan.play(ruleset, number)), f"game {number} of {ref}"
