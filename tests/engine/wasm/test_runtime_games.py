"""Runtime modules: whole games, hashes, perft, steps and replays of a small game, compared with a reference."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from runtime_games import (
    ANSWERS,
    ANY,
    BASE,
    HEAPS,
    OF_BUDGET,
    RECORDED,
    RESULT,
    SEEDS,
    STATE,
    STRIDE,
    begun,
    listed,
    rows,
)
from runtime_twins import ROOM, Twins, signed
from small_heap import AMOUNT, CELLS, CONSTANTS, HEAP, MODULUS, SIGNED, WEIGHT_OF, Heap

from rulespec.engine.program.draws import STEPS, Draws, threshold


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


# --- games ---------------------------------------------------------------------------------


@ANY
@given(HEAPS, SEEDS, st.integers(10, 15), st.integers(-3, 3), st.integers(0, 30))
def test_games_are_those_of_the_reference(twins: Twins, heap: int, seed: int, first: int, each: int, cap: int) -> None:
    count, rate = 4, 0.3
    for checked in (0, 1):
        begun(twins, heap, SEED=seed, FIRST=first, EACH=each, RATE=threshold(rate), GAME=0, PAUSED=0)
        twins.call("games", count, cap, checked)
        assert twins.register("GAME") == count
        for number in range(count):
            game = Heap(heap)
            status, plies = game.play(Draws(seed, first + each * number), cap, rate, 9 if checked else None)
            over = int(game.decision < 0)
            row = twins.read(CONSTANTS["RESULTS"] + RESULT * number, 6)
            assert row[:4] == [status, plies, over, game.winners]
            assert row[4:] == ([game.amount, game.added] if over else row[4:])
        assert status == 3 or twins.read(STATE, CELLS) == game.cells()


@pytest.mark.proof  # 0.2 s
@settings(ANY, max_examples=10)
@given(SEEDS)
def test_games_are_interrupted_and_go_on(twins: Twins, seed: int) -> None:
    """One call per decision gives the same results as one call for all."""
    at = {"SEED": seed, "FIRST": 0, "EACH": 1, "RATE": STEPS // 2, "GAME": 0, "PAUSED": 0}
    begun(twins, 8, **at)
    twins.call("games", 3, 50, 0)
    expected = twins.read(CONSTANTS["RESULTS"], 18)
    begun(twins, 8, **at)
    calls = 0
    while twins.register("GAME") < 3:
        twins.registers(BUDGET=0)
        twins.call("games", 3, 50, 0)
        calls += 1
        assert twins.register("PAUSED") == (twins.register("GAME") < 3 and twins.register("BUDGET") < 0)
    assert twins.read(CONSTANTS["RESULTS"], 18) == expected
    assert calls > 3


def test_invariants_are_tested_where_they_may_be_broken(twins: Twins) -> None:
    begun(twins, 9)
    assert twins.call("broken", 1) == 1
    assert twins.call("broken", 0) == 0  # none of its cells is in the journal
    twins.call("put", STATE + 8 * 4, 10)
    assert twins.call("broken", 0) == 1
    twins.call("put", STATE + 8 * 4, 8)
    assert twins.call("broken", 0) == twins.call("broken", 1) == 0


def test_invariants_are_tested_if_a_linear_equation_fails(twins: Twins) -> None:
    """The equation is 3 * amount - heap; the other invariant is broken, but reads no cell that changes."""
    begun(twins, 9)
    change, lists = ROOM, ROOM + 8
    twins.write(lists, [0, 1, change, 3, 0, 1, change, -1])
    for cell, at in ((AMOUNT, lists), (HEAP, lists + 32)):
        twins.write(CONSTANTS["READERS"] + 8 * cell, [at])
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_BASE"])
    for amount, heap, broken in ((1, 12, 0), (2, 10, 1), (2, 15, 0)):
        twins.call("put", STATE + 8 * AMOUNT, amount)
        twins.call("put", STATE + 8 * HEAP, heap)
        assert twins.call("broken", 1) == 1
        assert (twins.call("broken", 0), twins.read(change, 1)) == (broken, [0])


def test_a_reset_forgets_the_game_before(twins: Twins) -> None:
    begun(twins, 5)
    twins.registers(PLY=3, DECIDING=1, IDLE_SIZE=8, JOURNAL=0, OPTIONS=0)
    twins.write(STATE, [9] * CELLS)
    twins.call("reset")
    assert [twins.register(name) for name in ("PLY", "DECIDING", "IDLE_SIZE")] == [0, 0, 0]
    assert (twins.register("JOURNAL"), twins.register("OPTIONS")) == (CONSTANTS["JOURNAL_BASE"], BASE)
    assert twins.read(STATE, CELLS) == [0, *Heap(5).cells()[1:]]


def test_without_an_option_nothing_is_chosen(twins: Twins) -> None:
    begun(twins, 5)
    twins.write(STATE + 8 * HEAP, [0])
    assert twins.call("choose") == BASE + twins.call("drawn", 1, 3) * STRIDE  # the list is that of the idle test
    twins.registers(IDLE_SIZE=0)
    assert twins.call("choose") == 0
    assert twins.call("play", 9, 0) == 2


def test_of_weights_that_are_all_zero_the_last_option_is_chosen(twins: Twins) -> None:
    begun(twins, 5)
    twins.write(STATE, [3])
    assert twins.call("choose") in range(BASE, BASE + 3 * STRIDE, STRIDE)
    twins.write(STATE + 8 * AMOUNT, [9])
    assert twins.call("choose") == BASE + 2 * STRIDE


def test_options_have_bounds(twins: Twins) -> None:
    begun(twins, 8)
    twins.registers(OPTIONS=CONSTANTS["OPTIONS_END"])
    assert twins.traps("own", 0)
    twins.registers(OPTIONS=CONSTANTS["OPTIONS_END"] - 2 * STRIDE)
    assert not twins.traps("own", 0)
    few = Twins({"MAX_OPTIONS": 2})
    begun(few, 2)
    few.registers(OPTIONS=BASE)
    assert not few.traps("own", 0)
    few.write(STATE + 8 * 4, [3])
    few.registers(OPTIONS=BASE)
    assert few.traps("own", 0)


def test_steps_are_taken_off_the_budget(twins: Twins) -> None:
    begun(twins, 4)
    twins.registers(BUDGET=100, OPTIONS=BASE)
    twins.call("own", 0)
    assert twins.register("BUDGET") == 100  # the small game does not count the steps of its lists
    twins.write(BASE, [0, -1, 1])
    twins.call("take", BASE)  # the one step of block 2
    assert twins.register("BUDGET") == 99
    assert twins.register("LEFT") == CONSTANTS["UNBOUNDED"]


# --- hashes --------------------------------------------------------------------------------

NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9)
RESIDUES = st.integers(0, MODULUS - 1) | st.sampled_from([0, 1, MODULUS - 1, 2**32])


@ANY
@given(RESIDUES, RESIDUES, NUMBERS)
def test_residues_are_those_of_python(twins: Twins, a: int, b: int, number: int) -> None:
    twins.clear()
    assert twins.call("plus", a, b) == signed((a + b) % MODULUS)
    assert twins.call("minus", a, b) == signed((a - b) % MODULUS)
    assert twins.call("times", a, b) == signed(a * b % MODULUS)
    assert twins.call("residue", number, 1) == signed(number % MODULUS)
    assert twins.call("residue", number, 0) == signed(number % 2**64 % MODULUS)


def hash_of(cells: Iterable[int]) -> int:
    values = [x if is_signed else x % 2**64 for x, is_signed in zip(cells, SIGNED, strict=True)]
    return signed(sum(value * weight for value, weight in zip(values, WEIGHT_OF, strict=True)) % MODULUS)


@ANY
@given(st.lists(NUMBERS, min_size=CELLS, max_size=CELLS), st.lists(st.tuples(st.integers(0, CELLS - 1), NUMBERS)))
def test_the_hash_grows_with_the_journal(twins: Twins, cells: list[int], writes: list[tuple[int, int]]) -> None:
    begun(twins, 3)
    twins.write(STATE, cells)
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_BASE"], TRAIL=ROOM, TRAIL_END=ROOM + 8)
    before = twins.call("whole_hash")
    assert before == hash_of(cells)
    for at, value in writes:
        twins.call("put", STATE + 8 * at, value)
        cells[at] = value
    grown = twins.call("grown", CONSTANTS["JOURNAL_BASE"])
    assert twins.call("plus", before, grown) == twins.call("whole_hash") == hash_of(cells)
    twins.registers(HASH=before)
    twins.call("trail")
    assert [twins.register("HASH"), *twins.read(ROOM)] == [hash_of(cells)] * 2
    assert (twins.register("TRAIL"), twins.register("BUDGET")) == (ROOM + 8, -1)


# --- perft ---------------------------------------------------------------------------------


@pytest.mark.parametrize("heap", [1, 4, 7])
@pytest.mark.parametrize("depth", [1, 3])
def test_perft_has_the_leaves_of_the_reference(twins: Twins, heap: int, depth: int) -> None:
    game = begun(twins, heap)
    expected = [signed(leaf) for leaf in game.leaves(depth)]
    start = {"LIMIT": 1000, "COMPLETE": 1, "LEAVES": ROOM, "LEAVES_END": ROOM + 8 * len(expected), "OPTIONS": BASE}
    twins.registers(**start, HASH=twins.call("whole_hash"))
    before = twins.read(STATE, CELLS)
    assert twins.call("perft", depth) == len(expected)
    assert twins.read(ROOM, len(expected)) == expected
    assert twins.read(STATE, CELLS) == before and twins.register("COMPLETE") == 1
    nodes = twins.register("NODES")
    twins.registers(**start | {"LIMIT": nodes - 1}, NODES=0)
    twins.call("perft", depth)
    assert (twins.register("NODES"), twins.register("COMPLETE")) == (nodes - 1, 0)
    twins.registers(**start | {"LEAVES_END": ROOM + 8 * len(expected) - 8}, NODES=0)
    assert twins.traps("perft", depth)
    begun(twins, heap, **start)
    twins.registers(BUDGET=0)
    assert twins.traps("perft", depth)


def test_perft_counts_games_that_end(twins: Twins) -> None:
    game = begun(twins, 2, LIMIT=1000, LEAVES=ROOM, LEAVES_END=ROOM + 0x1000)
    ends = sum(game.after(option).decision < 0 for option in [*game.own(), *game.others()])
    twins.call("perft", 2)
    assert twins.register("ENDED") == ends > 0


# --- steps ---------------------------------------------------------------------------------


@ANY
@given(HEAPS, st.randoms(use_true_random=False))
def test_steps_hand_over_changes_and_options(twins: Twins, heap: int, rng: random.Random) -> None:
    game = begun(twins, heap)
    cells = game.cells()
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_BASE"])
    while game.decision >= 0:
        options = [*game.own(), *game.others()]
        option = rng.choice(options)
        listing = rng.random() < 0.5
        twins.write(BASE, [99, *option[1:]])
        end = 8 * twins.call("stepped", option[0], listing)
        game.take(option)
        changes = [twins.read(at, 3) for at in range(CONSTANTS["CHANGED"], end, 24)]
        expected = [
            [at, before, after]
            for at, (before, after) in enumerate(zip(cells, game.cells(), strict=True))
            if before != after
        ]
        assert sorted(changes) == expected
        cells = game.cells()
        assert twins.read(STATE, CELLS) == cells
        if game.decision >= 0:
            assert twins.register("BY") == game.decider()
            if listing:
                assert listed(twins, twins.register("OPTIONS")) == game.own()
            assert listed(twins, twins.call("asks", game.decision)) == game.own()
            assert listed(twins, twins.call("asks_others", game.decision)) == game.others()


def test_a_step_runs_a_block(twins: Twins) -> None:
    begun(twins, 5)
    twins.call("reset")
    end = 8 * twins.call("stepped", -1 - CONSTANTS["MAIN"], 1)
    assert [twins.read(at, 3) for at in range(CONSTANTS["CHANGED"], end, 24)] == [[0, 0, 1]]
    assert listed(twins, twins.register("OPTIONS")) == Heap(5).own()


def test_nothing_stands_after_the_arguments_of_an_option(twins: Twins) -> None:
    begun(twins, 5)
    twins.write(BASE, [4] * 30)
    end = twins.call("asks_others", 0)
    assert listed(twins, end) == [(2, 1, 0)]


# --- replays -------------------------------------------------------------------------------


@ANY
@given(HEAPS, st.randoms(use_true_random=False), st.booleans(), st.booleans(), st.booleans())
def test_recorded_decisions_are_replayed(
    twins: Twins, heap: int, rng: random.Random, spoiled: bool, interrupted: bool, valued: bool
) -> None:
    """With or without the seat; up to an illegal decision in a damaged log; with hashes or values at its end."""
    game = Heap(heap)
    recorded: list[list[int]] = []
    hashes: list[int] = []
    while game.decision >= 0 and len(recorded) < 12:
        option = rng.choice([*game.own(), *game.others()])
        by = option[1] if option[1] >= 0 else game.decider()
        recorded.append([option[0], rng.choice([by, -1]), option[2]])
        game.take(option)
        hashes.append(game.heap * 3 if valued else signed(game.hash()))
    legal = len(recorded)
    if spoiled:
        legal = rng.randrange(len(recorded))
        number, _, n = recorded[legal]
        wrong = [[-1, -1, n], [number, 2, n], [0 if number == 3 else 3, -1, n]]
        recorded[legal] = rng.choice([*wrong, [number, -1, 7]] if number < 2 else wrong)
    rows(twins, [Heap(heap), Heap(2)])
    end = RECORDED + STRIDE * len(recorded)
    twins.write(RECORDED, [x for each in recorded for x in each])
    twins.write(ANSWERS, [RECORDED, end, end, end])
    while twins.register("GAME") < 2:
        twins.registers(BUDGET=0 if interrupted else OF_BUDGET)
        twins.call("replay", 2, 2 if valued else 1, 1)
    assert twins.read(ANSWERS, 4) == [RECORDED + STRIDE * legal, end, end, end]
    assert [twins.read(RECORDED + STRIDE * k + 8)[0] for k in range(legal)] == hashes[:legal]
    if not spoiled:
        assert twins.read(ROOM, 14) == [*game.row(), *Heap(2).row()]
