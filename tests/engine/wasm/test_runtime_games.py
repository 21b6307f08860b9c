"""Runtime modules: whole games, hashes, perft, search, steps and replays of a small game, beside a reference."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from runtime_twins import ROOM, Twins, signed
from small_heap import AMOUNT, CELLS, CONSTANTS, HEAP, MODULUS, SIGNED, TURN, WEIGHT_OF, Heap, image

from rulespec.engine.program.draws import GAMMA, STEPS, Draws, threshold, word

STATE, BASE = CONSTANTS["STATE"], CONSTANTS["OPTIONS_BASE"]
ROW, RESULT, STRIDE = CONSTANTS["ROW"], CONSTANTS["RESULT"], CONSTANTS["STRIDE"]
ANSWERS, OUT, RECORDED = ROOM + 0x1000, ROOM + 0x2000, ROOM + 0x3000
OF_BUDGET = 1 << 40
ANY = settings(deadline=None, max_examples=40)
HEAPS = st.integers(1, 8)
SEEDS = st.integers(0, 2**64 - 1)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


def begun(twins: Twins, heap: int, **registers: int) -> Heap:
    """A game at its first decision, in both memories and as the reference."""
    twins.clear(image(heap))
    twins.registers(BUDGET=OF_BUDGET, **registers)
    twins.call("reset")
    twins.registers(LEFT=CONSTANTS["STEPS"])
    twins.call("run", CONSTANTS["MAIN"])
    return Heap(heap)


def rows(twins: Twins, positions: Sequence[Heap], **registers: int) -> None:
    """Positions as search hands them over."""
    begun(twins, 3, ROWS=ROOM, ANSWERS=ANSWERS, OUT=OUT, OUT_END=OUT + 0x1000)
    twins.write(ROOM, [x for each in positions for x in each.row()])
    twins.registers(GAME=0, NEXT=0, PAUSED=0, **registers)


def wandered(heap: int, seed: int, plies: int) -> list[Heap]:
    """The positions of a random game."""
    rng, results = random.Random(seed), [Heap(heap)]
    for _ in range(plies):
        if options := [*results[-1].own(), *results[-1].others()]:
            results.append(results[-1].after(rng.choice(options)))
    return results


def listed(twins: Twins, end: int) -> list[tuple[int, ...]]:
    return [tuple(twins.read(at, 3)) for at in range(BASE, end, STRIDE)]


POSITIONS = st.builds(wandered, HEAPS, st.integers(0, 99), st.integers(0, 5))

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


@settings(ANY, max_examples=10)
@given(SEEDS)
def test_games_are_interrupted_and_go_on(twins: Twins, seed: int) -> None:
    """One call for each decision gives the results of one call for all."""
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
    assert twins.call("broken", 0) == 0  # no cell of it is in the journal
    twins.call("put", STATE + 8 * 4, 10)
    assert twins.call("broken", 0) == 1
    twins.call("put", STATE + 8 * 4, 8)
    assert twins.call("broken", 0) == twins.call("broken", 1) == 0


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
    assert twins.call("choose") == BASE + twins.call("drawn", 1, 3) * STRIDE  # the list is that of the test for idling
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
    assert twins.register("BUDGET") == 100  # the small game counts no steps of its lists
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


# --- search --------------------------------------------------------------------------------


@ANY
@given(POSITIONS, st.booleans())
def test_search_looks_at_rows(twins: Twins, positions: list[Heap], out_of_turn: bool) -> None:
    options = [[*each.own(), *(each.others() if out_of_turn else [])] for each in positions]
    expected = [
        [len(each) for each in options],
        [each.decider() for each in positions],
        [signed(each.hash()) for each in positions],
    ]
    for what, answers in enumerate(expected):
        rows(twins, positions)
        twins.call("look", len(positions), what, out_of_turn)
        assert twins.read(ANSWERS, len(positions)) == answers
        assert twins.read(STATE, CELLS) == positions[-1].cells()
    twins.call("restored", ROOM)
    twins.call("weigh", out_of_turn)
    weights = [option[2] + 1 if option[0] == 1 else 1 for option in options[0]]
    assert twins.read(ANSWERS, len(weights)) == weights


def test_sets_follow_what_search_moves(twins: Twins) -> None:
    after = Heap(3, turn=1)
    rows(twins, [after])
    twins.write(CONSTANTS["HOUSES"] + 8 * TURN, [ANSWERS])
    twins.write(ANSWERS, [1, OUT, 4, RECORDED, 8])
    twins.write(RECORDED, [0, 1])
    twins.write(OUT, [4, 0])
    twins.call("moved", ROOM)
    assert twins.read(OUT, 2) == [0, 4]
    assert twins.read(STATE, CELLS) == after.cells()


@ANY
@given(POSITIONS, st.randoms(use_true_random=False))
def test_search_advances_rows(twins: Twins, positions: list[Heap], rng: random.Random) -> None:
    open_ones = [each for each in positions if each.decision >= 0]
    options = [[*each.own(), *each.others()] for each in open_ones]
    chosen = [rng.randrange(len(each)) for each in options]
    rows(twins, open_ones)
    twins.write(ANSWERS, chosen)
    twins.call("advance", len(open_ones), 1)
    after = [each.after(some[k]).row() for each, some, k in zip(open_ones, options, chosen, strict=True)]
    assert twins.read(ROOM, 7 * len(after)) == [x for row in after for x in row]
    for wrong in (-1, len(options[0])):
        rows(twins, open_ones)
        twins.write(ANSWERS, [wrong])
        assert twins.traps("advance", 1, 1)


@ANY
@given(POSITIONS, st.integers(1, 4))
def test_search_expands_rows_as_there_is_room(twins: Twins, positions: list[Heap], room: int) -> None:
    expected = []
    for number, each in enumerate(positions):
        for option in [*each.own(), *each.others()]:
            after = each.after(option)
            expected.append([*after.row(), number, signed(after.hash())])
    rows(twins, positions, OUT_END=OUT + (ROW + 16) * room)
    results: list[list[int]] = []
    while twins.register("GAME") < len(positions):
        twins.registers(OUT=OUT)
        twins.call("expand", len(positions), 1)
        results += [twins.read(at, 9) for at in range(OUT, twins.register("OUT"), ROW + 16)]
    assert results == expected


@ANY
@given(POSITIONS, SEEDS, st.integers(0, 9), st.booleans(), st.integers(1, 3), st.integers(-1, 1))
def test_playouts_are_games_from_rows_on(
    twins: Twins, positions: list[Heap], seed: int, cap: int, interrupted: bool, times: int, which: int
) -> None:
    at = {"SEED": seed, "FIRST": 5, "EACH": 2, "RATE": threshold(0.2)}
    rows(twins, positions, **at)
    skip = times - 1  # the first row has one game, the others have as many as they should
    count = min(len(positions) * times - skip, 8)
    while twins.register("GAME") < count:
        twins.registers(BUDGET=0 if interrupted else OF_BUDGET)
        twins.call("judged", count, cap, which, times, skip)
    for number in range(count):
        played = positions[(skip + number) // times].copy()
        status, plies = played.play(Draws(seed, 5 + 2 * number), cap, 0.2)
        expected = [status, plies, int(played.decision < 0), played.winners, played.amount, played.added]
        assert twins.read(CONSTANTS["RESULTS"] + RESULT * number, 6) == expected
        if status:
            worth = played.heap * (which + 2)
            assert twins.read(CONSTANTS["RESULTS"] + RESULT * number + 48, 2) == [worth, -worth]


@ANY
@given(POSITIONS, st.integers(-1, 1))
def test_rows_have_their_values(twins: Twins, positions: list[Heap], which: int) -> None:
    rows(twins, positions)
    twins.call("valued", len(positions), which)
    assert twins.read(OUT, 2 * len(positions)) == [
        sign * game.heap * (which + 2) for game in positions for sign in (1, -1)
    ]


@ANY
@given(POSITIONS, st.booleans(), st.integers(1, 9))
def test_options_are_coded_as_there_is_room(twins: Twins, positions: list[Heap], others: bool, room: int) -> None:
    rows(twins, positions)
    codes: list[list[int]] = []
    while twins.register("GAME") < len(positions):
        twins.registers(OUT=OUT, OUT_END=OUT + (STRIDE + 8) * room)
        twins.call("coded", len(positions), others)
        size = (twins.register("OUT") - OUT) // (STRIDE + 8)
        codes += [twins.read(OUT + (STRIDE + 8) * i, STRIDE // 8 + 1) for i in range(size)]
    expected = []
    for number, game in enumerate(positions):
        for option, by, argument in [*game.own(), *(game.others() if others else [])]:
            seat = by if by >= 0 else game.decider()
            expected.append([number, option, seat, argument])
    assert codes == expected


@ANY
@given(POSITIONS)
def test_playouts_leave_a_trail(twins: Twins, positions: list[Heap]) -> None:
    rows(twins, positions[:1], SEED=3, FIRST=0, EACH=1, TRAIL=OUT, TRAIL_END=OUT + 0x1000)
    twins.call("judged", 1, 4, -1, 1, 0)
    game, hashes = positions[0].copy(), []
    for ply in range(1, 5):
        game = positions[0].copy()
        _, plies = game.play(Draws(3, 0), ply, 0)
        if plies == ply:
            hashes.append(signed(game.hash()))
    assert twins.read(OUT, len(hashes)) == hashes
    assert twins.register("TRAIL") == OUT + 8 * len(hashes)


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
    """With or without the seat; up to one that is not legal, if it is spoiled; with hashes or values where it was."""
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


# --- what a seat sees ------------------------------------------------------------------------

OPEN = CONSTANTS["OPEN"]


def mixed(value: int) -> int:
    return word((value - GAMMA) % 2**64, 0)


def digest(game: Heap, seat: int) -> int:
    """A digest of what a seat sees: the heap, if it is the first; the turn; three counts; the question; its options."""
    cells = game.cells()
    order = (game.heap.bit_length() + 1) // 2
    counts = [cells[TURN : TURN + 3].count(2), game.added, order]
    total = 0
    for value in (OPEN if seat else game.heap, game.turn, *counts):
        total = mixed(total + value)
    if game.decision < 0:
        return mixed(total + 1)
    total = mixed(mixed(total + game.decision % 2) + game.decider())
    if game.decision == 0:
        own = game.own() if game.decider() == seat else []
        options = 0
        for number, _, n in [*own, *(each for each in game.others() if each[1] == seat)]:
            options = mixed(mixed(options + number) + n) if number != 2 else mixed(options + number)
        total = mixed(total + options)
    return total


@ANY
@given(st.lists(st.builds(Heap, HEAPS, turn=st.integers(0, 1)), min_size=1, max_size=4), st.integers(0, 1))
def test_what_a_seat_sees_has_a_digest(twins: Twins, positions: list[Heap], seat: int) -> None:
    rows(twins, positions)
    twins.call("sighted", len(positions), seat)
    assert [each % 2**64 for each in twins.read(ANSWERS, len(positions))] == [digest(each, seat) for each in positions]
    twins.registers(GAME=0)
    twins.call("observed", len(positions), seat)
    seen = [twins.read(OUT + 40 * n, 5) for n in range(len(positions))]
    assert [each[:2] for each in seen] == [[OPEN if seat else game.heap, game.turn] for game in positions]


@ANY
@given(HEAPS, SEEDS, st.randoms(use_true_random=False), st.integers(0, 1), st.booleans())
def test_games_go_on_as_a_seat_has_seen_one(
    twins: Twins, heap: int, seed: int, rng: random.Random, seat: int, spoiled: bool
) -> None:
    """One argument is open; up to a decision that looks different, if one does."""
    unseen = rng.randrange(6)
    game, looks, codes = Heap(heap), list[int](), list[int]()
    taken: list[tuple[int, int, int]] = []
    while game.decision >= 0 and len(taken) < 6:
        options = [*game.own(), *game.others()]
        number, by, n = rng.choice(options)
        taken.append((number, by if by >= 0 else game.decider(), n))
        alike = [each for each in options if each[0] == number]
        certain = len({digest(game.after(each), seat) for each in alike}) == len(alike)
        game.take((number, by, n))
        code = [number, taken[-1][1], OPEN if certain and number < 2 and len(taken) == unseen + 1 else n]
        looks += [*code, signed(digest(game, seat))]
        codes += [*code, 0, 0, 0]
    stop = rng.randrange(len(taken)) if spoiled else len(taken)
    if spoiled:
        looks[4 * stop + 3] += 1
    rows(twins, [Heap(heap)], SEED=seed, FIRST=0, EACH=1)
    twins.write(RECORDED, looks)
    first = RECORDED + 0x800
    twins.write(first, codes)
    end = first + 48 * len(taken)
    reached = first
    for _ in range(60):  # what is open is drawn, and may look different: then it is drawn again
        twins.write(first, codes)
        twins.write(ROOM, Heap(heap).row())
        twins.write(ANSWERS, [first, end, RECORDED])
        twins.registers(GAME=0, PAUSED=0, SEED=seed, BUDGET=OF_BUDGET)
        twins.call("follow", 1, seat)
        reached = max(reached, twins.read(ANSWERS)[0])
        seed = (seed + 1) % 2**63
        if reached == first + 48 * stop:
            break
    assert reached == first + 48 * stop
    if not spoiled:
        assert twins.read(ROOM, 7) == game.row()
        assert [tuple(twins.read(first + 48 * k, 3)) for k in range(stop)] == taken
