"""Runtime modules: journal, arithmetic, lookups, transfers and random numbers, beside obvious Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from runtime_twins import ROOM, Twins, signed
from small_heap import CONSTANTS

from rulespec.engine.program.draws import Draws, word
from rulespec.engine.program.limits import MAX_NUMBER, MAX_VALUES
from rulespec.engine.wasm.engine import TrapError
from rulespec.engine.wasm.runtime.intrinsics import Int64

ANY = settings(deadline=None)
EDGES = [0, 1, -1, 2**63 - 1, -(2**63), MAX_NUMBER, -MAX_NUMBER, MAX_NUMBER + 1, -MAX_NUMBER - 1, 2**32, 10**9]
NUMBERS = st.integers(-(2**63), 2**63 - 1) | st.sampled_from(EDGES) | st.integers(-20, 20)
SMALL = st.integers(-20, 20)
CELLS = range(CONSTANTS["STATE"], CONSTANTS["STATE_END"], 8)


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


def result(twins: Twins, name: str, *args: int) -> int | None:
    """The result of a function; None if it traps."""
    try:
        return twins.call(name, *args)
    except TrapError:
        return None


def started(twins: Twins) -> None:
    twins.clear()
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_BASE"])


@ANY
@given(st.lists(st.tuples(st.sampled_from(CELLS), NUMBERS), max_size=30), st.integers(0, 30))
def test_what_is_put_is_there_and_undone(twins: Twins, writes: list[tuple[int, int]], at_most: int) -> None:
    started(twins)
    cells = dict.fromkeys(CELLS, 0)
    mark, at_mark = CONSTANTS["JOURNAL_BASE"], dict(cells)
    for number, (at, value) in enumerate(writes):
        before = twins.register("JOURNAL")
        twins.call("put", at, value)
        assert twins.register("JOURNAL") - before == (24 if cells[at] != value else 0)
        cells[at] = value
        if number == at_most:
            mark, at_mark = twins.register("JOURNAL"), dict(cells)
    assert twins.read(CELLS.start, len(CELLS)) == list(cells.values())
    twins.registers(IDLE_SIZE=5)
    twins.call("undo", mark)
    assert twins.read(CELLS.start, len(CELLS)) == list(at_mark.values())
    assert (twins.register("JOURNAL"), twins.register("IDLE_SIZE")) == (mark, 0)


def test_a_full_journal_traps(twins: Twins) -> None:
    started(twins)
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_END"])
    assert not twins.traps("put", CELLS.start, 0)
    assert twins.traps("put", CELLS.start, 1)
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_END"] - 24)
    assert not twins.traps("put", CELLS.start, 1)


@ANY
@given(NUMBERS, NUMBERS)
def test_arithmetic_is_that_of_python(twins: Twins, a: int, b: int) -> None:
    twins.clear()
    fits = abs(a) <= MAX_NUMBER
    assert result(twins, "fit", a) == (a if fits else None)
    assert result(twins, "flip", a) == (a if fits else signed(-a))
    assert result(twins, "product", a, b) == (a * b if abs(a * b) <= MAX_NUMBER else None)
    assert result(twins, "added", a, b) == (a + b if signed(a + b) == a + b else None)


@ANY
@given(NUMBERS, NUMBERS)
def test_quotients_are_those_of_python(twins: Twins, a: int, b: int) -> None:
    twins.clear()
    divides = b != 0 and (a, b) != (-(2**63), -1)
    assert result(twins, "floor_divided", a, b) == (a // b if divides else None)
    assert result(twins, "remainder", a, b) == (a % b if divides else None)


@ANY
@given(SMALL | NUMBERS, st.integers(-5, MAX_VALUES + 5))
def test_ranges_are_counted(twins: Twins, low: int, size: int) -> None:
    twins.clear()
    if signed(low + size) == low + size:
        expected = None if size >= MAX_VALUES else max(0, size + 1)
        assert result(twins, "values", low, low + size) == expected


@ANY
@given(st.integers(0, 100), st.integers(0, 100))
def test_steps_are_counted(twins: Twins, left: int, steps: int) -> None:
    twins.clear()
    twins.registers(LEFT=left)
    assert result(twins, "charge", steps) == (0 if steps <= left else None)
    assert twins.register("LEFT") == (left - steps if steps <= left else left)


@ANY
@given(st.integers(1, 3), st.data())
def test_a_table_is_searched(twins: Twins, width: int, data: st.DataObject) -> None:
    keys = st.tuples(*[SMALL | NUMBERS] * width)
    table = data.draw(st.dictionaries(keys, NUMBERS, max_size=20))
    key = data.draw(st.sampled_from([*table]) | keys if table else keys)
    twins.clear({ROOM: [x for row in sorted(table) for x in (*row, table[row])], ROOM + 0x1000: key})
    assert result(twins, "find", ROOM, len(table), width, ROOM + 0x1000) == table.get(key)


AMOUNTS = st.integers(-5, 30) | st.sampled_from([MAX_NUMBER, MAX_NUMBER - 3, -MAX_NUMBER])


@ANY
@given(st.integers(0, 3), st.integers(0, 3), AMOUNTS, st.booleans(), st.lists(AMOUNTS, min_size=4, max_size=4))
def test_transfers_move_amounts_and_keep_sets(
    twins: Twins, one: int, other: int, amount: int, unlimited: bool, cells: list[int]
) -> None:
    """The bits of three sets follow whether cells are positive, of the last cell those of two."""
    followed = [(4, 1), (4, 2), (5, 8), (6, 1)]
    sets = [0] * 3
    for (at, bit), value in zip(followed, cells, strict=True):
        sets[at - 4] |= bit if value > 0 else 0
    sets[2] |= 4 if cells[3] > 0 else 0
    lists = [ROOM + 0x100 + 0x40 * cell for cell in range(4)]
    started(twins)
    for cell, (at, bit) in enumerate(followed):
        further = [CELLS[6], 4] if cell == 3 else []
        twins.write(lists[cell], [1 + (cell == 3), CELLS[at], bit, *further])
    twins.write(CELLS.start, [*cells, *sets])
    twins.write(ROOM, lists)
    fails = amount < 0 or amount > (MAX_NUMBER if unlimited else cells[one])
    after = list(cells)
    after[one] -= amount
    after[other] += amount
    fails |= amount != 0 and (after[other] > MAX_NUMBER or after[one] < -MAX_NUMBER)
    assert twins.traps("transfer_counted", CELLS[one], CELLS[other], amount, unlimited, ROOM) == fails
    if not fails:
        wanted = [0] * 3
        for (at, bit), value in zip(followed, after, strict=True):
            wanted[at - 4] |= bit if value > 0 else 0
        wanted[2] |= 4 if after[3] > 0 else 0
        assert twins.read(CELLS.start, 7) == [*after, *wanted]


@ANY
@given(st.integers(-1, 2), st.integers(-1, 2))
def test_houses_follow_places(twins: Twins, before: int, after: int) -> None:
    """Sets of those at a place: of two kinds, of which one has two places in one set."""
    started(twins)
    arrays = {ROOM + 0x108: [3, 0, 1, 2], ROOM + 0x208: [1, 0, 1, 1]}
    for array, numbers in arrays.items():
        twins.write(array - 8, numbers)
    entry = [2, CELLS[1], 4, ROOM + 0x108, 8, CELLS[5], 2, ROOM + 0x208, 16]
    twins.write(ROOM, [ROOM + 0x300])
    twins.write(ROOM + 0x300, entry)

    def cells(place: int) -> list[int]:
        result = [place, 0, 0, 0, 0, 0, 0, 0]
        result[1 + arrays[ROOM + 0x108][place + 1]] ^= 4
        result[5 + 2 * arrays[ROOM + 0x208][place + 1]] ^= 2
        return result

    twins.write(CELLS.start, cells(before))
    twins.call("house", CELLS.start, after, ROOM)
    assert twins.read(CELLS.start, 8) == cells(after)
    twins.call("undo", CONSTANTS["JOURNAL_BASE"])
    assert twins.read(CELLS.start, 8) == cells(before)


WORDS = st.integers(0, 2**64 - 1)


@ANY
@given(WORDS, st.integers(0, 2**63 - 1), st.integers(0, 1000), st.integers(-1, 2**63 - 1) | st.integers(-1, 10))
def test_random_numbers_are_those_of_python(twins: Twins, seed: int, game: int, at: int, bound: int) -> None:
    twins.clear()
    assert twins.call("word", seed, at) == signed(word(seed, at))
    twins.call("seed", seed, game)
    assert twins.register("KEY") == signed(Draws(seed, game).key)
    assert twins.call("drawn", at, bound) == Draws(seed, game).below(at, bound)


@ANY
@given(WORDS, WORDS)
def test_upper_halves_of_products(twins: Twins, a: int, b: int) -> None:
    twins.clear()
    assert twins.call("high", a, b) == signed(a * b >> 64)


@ANY
@given(NUMBERS, NUMBERS)
def test_numbers_of_64_bits_wrap_around_also_after_literals(a: int, b: int) -> None:
    """A reflected operation has the result of the plain one."""
    one, other = Int64(a), Int64(b)
    assert one + other == a + other == signed(a + b)
    assert one - other == a - other == signed(a - b)
    assert one * other == a * other == signed(a * b)
    assert one << other == a << other == signed(a << b % 64)
    assert one >> other == a >> other == signed(a % 2**64 >> b % 64)
    assert one & other == a & other == a & b and one | other == a | other == a | b
    assert one ^ other == a ^ other == a ^ b and ~one == ~a and -one == signed(-a)
    if b:
        assert one // other == a // other == signed(a % 2**64 // (b % 2**64))
        assert one % other == a % other == signed(a % 2**64 % (b % 2**64))
    else:
        for divide in (Int64.__floordiv__, Int64.__mod__, Int64.__rfloordiv__, Int64.__rmod__):
            with pytest.raises(TrapError):
                divide(Int64(0), 0)


def test_what_lies_outside_the_memory_traps(twins: Twins) -> None:
    twins.clear()
    assert twins.traps("come_to", 1 << 20, 0, 5)
    assert twins.traps("come_to", -8, 0, 5)
    assert twins.traps("closed", ROOM, 1 << 12)
    assert not twins.traps("come_to", (1 << 32) + ROOM, 0, 5)  # an address has 32 bits
    assert twins.read(ROOM, 2) == [5, 1]
