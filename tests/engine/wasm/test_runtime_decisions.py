"""Runtime modules: values of playout ends, compared options, and trees, compared with Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from heap_search import HeapSearch
from runtime_games import ANY, OF_BUDGET, OUT, POSITIONS, SEEDS, rows
from runtime_twins import ROOM, Twins
from small_heap import Heap

from rulespec.engine.program.draws import threshold, word
from rulespec.engine.search.comparing import SearchQuestion, compare
from rulespec.engine.search.option_tree import Tree, curious, rare
from rulespec.engine.search.payoffs import ONE, POWERS, Ends, Payoffs

TEAMS, KEYS, HIDES, BOUNDS, WAY, TREE, CODED = (0xB000, 0xB400, 0xB500, 0xB600, 0xBA00, 0xC000, 0xBF00)
PAGES = 2
LARGE = st.integers(-(10**15), 10**15)
RATE = 0.2


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins(pages=PAGES)


def judged_by(twins: Twins, payoffs: Payoffs, value: int) -> None:
    """Writes the values of ends to memory."""
    teams = [x for each in zip(payoffs.sets, payoffs.factors, strict=True) for x in (*each, 0, 0, 0, 0)]
    twins.write(TEAMS, teams)
    twins.write(1 << 16, POWERS)
    twins.registers(TEAMS=TEAMS, TEAMS_END=TEAMS + 8 * len(teams), POWERS=1 << 16, JUDGED=value)
    twins.registers(FORM=payoffs.form, UNIT=payoffs.unit, SHIFT=payoffs.shift, STAKE=payoffs.stake)


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[str], int, int]:
    """The teams of seats, the stakes, and the deciding difference."""
    of_seats = draw(st.lists(st.sampled_from("ABCD"), min_size=1, max_size=6))
    stakes = draw(st.sampled_from([0, 0, 1, 13, 10**9, 10**14]))
    return of_seats, stakes, draw(st.sampled_from([0, 1, 7, 500, 10**6, 10**12]))


@pytest.mark.proof  # 0.4 s
@ANY
@given(tables(), st.booleans(), st.data())
def test_shares_are_those_of_python(
    twins: Twins, table: tuple[list[str], int, int], ended: bool, data: st.DataObject
) -> None:
    of_seats, _, decides = table
    payoffs, seats = Payoffs(*table), len(of_seats)
    near = st.integers(-3 * max(1, decides), 3 * max(1, decides))
    scores = data.draw(st.lists(st.integers(-50, 50) | LARGE, min_size=seats, max_size=seats))
    values = data.draw(st.lists(near | LARGE, min_size=seats, max_size=seats))
    won = data.draw(st.sets(st.sampled_from(range(seats))))
    winners = np.zeros((1, seats), np.bool_)
    winners[0, list(won)] = True
    flags, numbers = np.array([ended]), (np.array([scores]), np.array([values]))
    shares, signal = payoffs.of(flags, payoffs.whole(winners), *numbers)
    ends = Ends(flags, np.zeros(1, np.int64), payoffs.whole(winners), *numbers, shares, signal)
    aims = payoffs.aims(ends)
    twins.clear()
    judged_by(twins, payoffs, 0)
    twins.write(ROOM, [*scores, *values])
    for number, own in enumerate(payoffs.sets):
        team = TEAMS + 48 * number
        means = [twins.call("mean", ROOM + 8 * seats * k, 8, team) for k in range(2)]
        twins.write(team + 16, [*means, int(any(own >> seat & 1 for seat in won))])
    for seat, number in enumerate(payoffs.team):
        team = TEAMS + 48 * number
        assert twins.call("team_of", seat) == team
        share = twins.call("payoff", team, ended)
        assert share == shares[0, seat] * ONE
        assert twins.call("aim", team, ended, share) == aims[0, seat] * ONE
    assert twins.call("says", ended) == signal[0]


SEATS, RANK = 5, 6
RANKS = st.tuples(st.integers(-1, 1), st.lists(st.integers(-2, 2), max_size=3), st.integers(0, 1))


@pytest.fixture(scope="module")
def with_ranks() -> Twins:
    """The runtime with ranks of the form of `RANKS`: a number, a list of up to three numbers, and a number."""
    return Twins({"SEATS": SEATS, "RANK": RANK, "RANK_PARTS": TREE, "RESULT": 400, "RESULTS": ROOM + 0x800})


@ANY
@given(st.lists(RANKS, min_size=SEATS, max_size=SEATS))
def test_leaders_are_those_of_the_highest_ranks(with_ranks: Twins, of_seats: list[tuple[int, list[int], int]]) -> None:
    with_ranks.clear({TREE: [2, 3, 0]})
    row = [x for one, some, last in of_seats for x in (one, len(some), *some, *[7] * (3 - len(some)), last)]
    with_ranks.write(ROOM, row)
    ranks = [(one, *some, last) for one, some, last in of_seats]
    leaders = sum(1 << seat for seat, rank in enumerate(ranks) if rank == max(ranks))
    assert with_ranks.call("leaders", ROOM) == leaders


# --- decisions -------------------------------------------------------------------------------

FORMS = st.sampled_from([(0, 0), (0, 3), (5, 0)])
"""Stakes, and the deciding difference."""


def open_ones(positions: list[Heap]) -> list[Heap]:
    """Positions in which the first seat decides, without hidden information."""
    return [each for each in positions if each.decision == 0 and each.heap > 1]


@pytest.mark.proof  # 0.3 s
@ANY
@given(POSITIONS, SEEDS, st.integers(1, 24), st.integers(0, 9), FORMS, st.booleans(), st.booleans())
def test_options_are_compared_as_in_python(
    twins: Twins,
    positions: list[Heap],
    key: int,
    playouts: int,
    cap: int,
    form: tuple[int, int],
    interrupted: bool,
    one: bool,
) -> None:
    particles = open_ones(positions)[:1] * (1 if one else 3)
    if not particles:
        return
    particles[-1] = Heap(particles[0].heap, turn=particles[0].turn, added=2 * len(particles) % 3)
    search = HeapSearch(form, RATE)
    seat = particles[0].turn
    codes = np.array([[0, seat, n] for _, _, n in particles[0].own()])
    rounds = max(1, (len(codes) - 1).bit_length())
    rows_, named = np.array([each.row() for each in particles]), None if one else codes
    question = SearchQuestion(seat, rows_, len(codes), named, playouts, cap, key, rounds)
    expected = compare(search, question)  # type: ignore[arg-type]
    rows(twins, particles, RATE=threshold(RATE), KEYS=KEYS)
    judged_by(twins, search.payoffs, search.judged)
    twins.write(CODED, codes.reshape(-1).tolist())
    twins.registers(CODES=0 if one else CODED)
    twins.write(KEYS, [word(key, number) for number in range(rounds)])
    twins.registers(OWN_TEAM=TEAMS + 48 * seat)
    for _ in range(10_000):
        twins.registers(BUDGET=0 if interrupted else OF_BUDGET)
        if not twins.call("halve", len(codes), len(particles), playouts, rounds, cap):
            break
    of_options = np.array(twins.read(OUT, 4 * len(codes))).reshape(-1, 4)
    assert of_options.T.tolist() == [
        expected.left.astype(int).tolist(),
        *(numbers.tolist() for numbers in (expected.aims, expected.shares, expected.played)),
    ]
    assert twins.register("SILENT") == expected.silent
    assert expected.left.sum() == 1


@pytest.mark.proof  # 0.4 s
@ANY
@given(POSITIONS, SEEDS, st.integers(1, 24), st.integers(0, 9), FORMS, st.booleans(), st.integers(0, 3))
def test_trees_grow_as_in_python(
    twins: Twins,
    positions: list[Heap],
    key: int,
    playouts: int,
    cap: int,
    form: tuple[int, int],
    interrupted: bool,
    known: int,
) -> None:
    one, secretive = bool(known & 1), bool(known & 2)
    particles = open_ones(positions)[:1] * (1 if one else 3)
    if not particles:
        return
    particles[-1] = Heap(particles[0].heap, turn=particles[0].turn, added=2 * len(particles) % 3)
    search = HeapSearch(form, RATE, secretive=secretive)
    seat = particles[0].turn
    codes = np.array([[0, seat, n] for _, _, n in particles[0].own()])
    rows_, named = np.array([each.row() for each in particles]), None if one else codes
    growth = SearchQuestion(seat, rows_, len(codes), named, playouts, cap, key)
    expected = Tree(search, growth).grown()  # type: ignore[arg-type]
    rows(twins, particles, RATE=threshold(RATE), DRAWN=-1, OWN_SEAT=seat, KNOWN=len(particles) == 1 and not secretive)
    judged_by(twins, search.payoffs, search.judged)
    twins.write(HIDES, [4 if secretive else 0, 0, 0, 0])
    twins.write(BOUNDS, [curious(n) for n in range(30)])
    twins.write(BOUNDS + 0x200, [rare(n) for n in range(30)])
    twins.registers(HIDES=HIDES, CURIOUS=BOUNDS, RARE=BOUNDS + 0x200, TREE_KEY=key)
    twins.registers(WAY=WAY, WAY_END=WAY + 16 * 64, TREE=TREE, TREE_END=TREE + 0x3000)
    for _ in range(10_000):
        twins.registers(BUDGET=0 if interrupted else OF_BUDGET)
        if not twins.call("grow", playouts, len(particles), cap):
            break
    assert twins.register("NEXT") == expected.played and twins.register("SILENT") == expected.silent
    twins.write(CODED, codes.reshape(-1).tolist())
    twins.registers(CODES=0 if one else CODED)
    twins.call("of_root", len(codes))
    results = np.array(twins.read(OUT, 3 * len(codes))).reshape(-1, 3)
    assert results.T.tolist() == [expected.visits.tolist(), expected.won.tolist(), expected.proven.tolist()]


def test_a_tree_without_room_and_an_option_that_is_not_legal_trap(twins: Twins) -> None:
    rows(twins, [Heap(7)])
    judged_by(twins, HeapSearch((0, 0), 0).payoffs, -1)
    twins.registers(TREE=TREE, TREE_END=TREE + 40, DRAWN=-1, HIDES=HIDES, WAY=WAY, WAY_END=WAY + 64)
    assert twins.traps("grow", 3, 1, 4)
    rows(twins, [Heap(2)])
    twins.write(CODED, [0, 0, 3])
    for codes in (CODED, 0):  # there is no third piece, nor a third option
        twins.registers(NEXT=0, CODES=codes)
        assert twins.traps("halve", 3, 1, 4, 1, 3)
