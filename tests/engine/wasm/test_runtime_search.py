"""Runtime modules: rows of the search, their values and playouts, and a seat's views, compared with a reference."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from runtime_games import (
    ANSWERS,
    ANY,
    HEAPS,
    OF_BUDGET,
    OUT,
    POSITIONS,
    RECORDED,
    RESULT,
    ROW,
    SEEDS,
    STATE,
    STRIDE,
    rows,
)
from runtime_twins import ROOM, Twins, signed
from small_heap import CELLS, CONSTANTS, HEAP, OF_SIGHTS, PLACE_WEIGHTS, SOME, TURN, Heap, weight_of

from rulespec.engine.program.draws import GAMMA, Draws, threshold, word


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


# --- search --------------------------------------------------------------------------------


@pytest.mark.proof  # 0.4 s
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
    assert twins.read(ANSWERS, len(options[0])) == list(map(weight_of, options[0]))


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


@pytest.mark.proof  # 0.3 s
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
@given(POSITIONS, SEEDS, st.integers(0, 9), st.booleans(), st.integers(1, 3), st.integers(-1, 1), st.integers(0, 9))
def test_playouts_are_games_from_rows_on(
    twins: Twins, positions: list[Heap], seed: int, cap: int, interrupted: bool, times: int, which: int, period: int
) -> None:
    at = {"SEED": seed, "FIRST": 5, "EACH": 2, "RATE": threshold(0.2), "PERIOD": period}
    rows(twins, positions, **at)
    skip = times - 1  # the first row has one game, the others have the requested number
    count = min(len(positions) * times - skip, 8)
    while twins.register("GAME") < count:
        twins.registers(BUDGET=0 if interrupted else OF_BUDGET)
        twins.call("judged", count, cap, which, times, skip)
    for number in range(count):
        played = positions[(skip + number) // times].copy()
        game = 5 + 2 * number
        status, plies = played.play(Draws(seed, game % period if period else game), cap, 0.2, weighing=True)
        expected = [status, plies, int(played.decision < 0), played.winners, played.amount, played.added]
        assert twins.read(CONSTANTS["RESULTS"] + RESULT * number, 6) == expected
        if status:
            worth = played.heap * (which + 2)
            assert twins.read(CONSTANTS["RESULTS"] + RESULT * number + 48, 2) == [worth, -worth]


@ANY
@given(POSITIONS, st.integers(-1, 1))
def test_rows_have_their_values(twins: Twins, positions: list[Heap], which: int) -> None:
    rows(twins, positions)
    twins.call("valued", len(positions), which, 2)
    assert twins.read(OUT, 2 * len(positions)) == [
        sign * game.heap * (which + 2) for game in positions for sign in (1, -1)
    ]


def test_a_value_moves_only_what_it_reads(twins: Twins) -> None:
    rows(twins, [Heap(3), Heap(4, turn=1)])
    for which, turn in ((0, 0), (-1, 1)):
        twins.registers(GAME=1)
        twins.call("valued", 2, which, 2)
        state = twins.read(STATE, CELLS)
        assert (state[HEAP], state[SOME], state[TURN]) == (4, 1, turn)


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
        _, plies = game.play(Draws(3, 0), ply, 0, weighing=True)
        if plies == ply:
            hashes.append(signed(game.hash()))
    assert twins.read(OUT, len(hashes)) == hashes
    assert twins.register("TRAIL") == OUT + 8 * len(hashes)


# --- what a seat sees ------------------------------------------------------------------------

OPEN = CONSTANTS["OPEN"]


def mixed(value: int) -> int:
    return word((value - GAMMA) % 2**64, 0)


def digest(game: Heap, seat: int) -> int:
    """A digest of a seat's view: heap and additions for the first seat, the turn, counts, and its options."""
    first, second, third = OF_SIGHTS
    total = (PLACE_WEIGHTS[game.heap] if seat else game.heap * first) + game.turn * second
    total += (OPEN if seat else game.added) * third
    for value in (game.added, (game.heap.bit_length() + 1) // 2):
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
    seen = [twins.read(OUT + 48 * n, 6) for n in range(len(positions))]
    hidden = [(OPEN, OPEN) if seat else (game.heap, game.added) for game in positions]
    expected = [[one, game.turn, two] for game, (one, two) in zip(positions, hidden, strict=True)]
    assert [each[:3] for each in seen] == expected


@ANY
@given(HEAPS, SEEDS, st.randoms(use_true_random=False), st.integers(0, 1), st.booleans())
def test_games_go_on_as_a_seat_has_seen_one(
    twins: Twins, heap: int, seed: int, rng: random.Random, seat: int, spoiled: bool
) -> None:
    """One argument is open, up to a decision that looks different, if any."""
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
    for _ in range(60):  # open arguments are drawn, and redrawn if the decision then looks different
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
