"""Random numbers in a module: those of Python, word for word, bound for bound and game for game."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from folders import GAMES
from wasm_machine import wasm_machine

from rulespec.engine.lower.lowering import lower
from rulespec.engine.program.draws import Draws, word
from rulespec.engine.simulate.game_plans import GamePlan, Outcome
from rulespec.engine.simulate.wasm import WasmOutcomes
from rulespec.engine.wasm.backend import WasmBackend
from rulespec.engine.wasm.program import WasmProgram
from rulespec.load import load_ruleset

SEEDS = [(0, 0), (-7, 123456), (2**63, 1), (2**64 - 1, 2**40), (1234567, 10**7)]


def as_signed(value: int) -> int:
    """64 bits as a module takes and gives them."""
    return (value + 2**63) % 2**64 - 2**63


@pytest.fixture(scope="module")
def machine() -> WasmBackend:
    ruleset = load_ruleset(str(GAMES / "gallery/nim"))
    return wasm_machine(WasmProgram(lower(ruleset, 2, {key: o.default for key, o in ruleset.settings.items()})))


@pytest.mark.parametrize("key", [0, 1234567, 2**64 - 1, 2**63])
def test_words_are_those_of_python(machine: WasmBackend, key: int) -> None:
    results = [machine.instance.call("word", as_signed(key), at) % 2**64 for at in range(100)]
    assert results == [word(key, at) for at in range(100)]


@pytest.mark.parametrize("seed, game", SEEDS)
def test_numbers_below_bounds_are_those_of_python(machine: WasmBackend, seed: int, game: int) -> None:
    rng, draws = random.Random(game), Draws(seed, game)
    bounds = [rng.randrange(1, 2 ** rng.randint(1, 63)) for _ in range(500)] + [0, 1, 2**62 + 1, 2**63 - 1]
    machine.instance.call("seed", as_signed(seed), game)
    results = [machine.instance.call("drawn", at, bound) for at, bound in enumerate(bounds)]
    assert results == [draws.below(at, bound) for at, bound in enumerate(bounds)]


@pytest.mark.parametrize("players", [[2], [2, 3], [3, 2, 3], [4, 4], [2, 3, 4, 2, 4]])
@pytest.mark.parametrize("seed", [-3, 2**63 + 5])
def test_a_batch_counts_its_games_itself(players: Sequence[int], seed: int) -> None:
    """Whatever numbers of players take turns, from whatever number on."""
    ruleset = load_ruleset(str(GAMES / "gallery/liars_dice"))
    low, high = ruleset.players
    counts = [min(max(number, low), high) for number in players]
    plan = GamePlan.of(ruleset.ref, ruleset, counts, seed)
    in_wasm = WasmOutcomes(plan, ruleset)
    for numbers in (range(7), range(3, 4), range(5, 75)):
        expected = [Outcome.of(plan.play(ruleset, number)) for number in numbers[-7:]]
        assert in_wasm.of(numbers)[-7:] == expected
