"""Runtime modules for sets, orders and rows of one word or several, compared with Python's sets and lists."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from runtime_twins import ROOM, Twins, signed
from small_heap import CONSTANTS

from rulespec.engine.wasm.engine import TrapError

ANY = settings(deadline=None, max_examples=examples(8, 60))
MEMBERS = st.integers(0, 63)
SETS = st.sets(MEMBERS)
A, B, C, TO = (ROOM + 0x100 * k for k in range(4))


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


@pytest.fixture(scope="module", params=[1, 2, 5])
def wide(request: pytest.FixtureRequest) -> tuple[Twins, int]:
    return Twins({"WORDS": request.param}), request.param


def result(twins: Twins, name: str, *args: int) -> int | None:
    """The result of a function; None if it traps."""
    try:
        return twins.call(name, *args)
    except TrapError:
        return None


def bits(members: Collection[int]) -> int:
    return sum(1 << member for member in members)


def packed(order: Sequence[int], width: int) -> int:
    return sum(member + 1 << width * at for at, member in enumerate(order))


def words(value: int, count: int) -> list[int]:
    """A number split into words."""
    assert value >> 64 * count == 0
    return [value >> 64 * k & 2**64 - 1 for k in range(count)]


def picked(members: Collection[int], start: int) -> int:
    return min([m for m in members if m >= start] or members, default=-1)


def up_to(members: set[int], stops: set[int], rising: bool) -> set[int]:
    """The members up to the first stop."""
    met = members & stops
    if not met:
        return members
    return {m for m in members if (m <= min(met) if rising else m >= max(met))}


# --- one word ------------------------------------------------------------------------------


@pytest.mark.proof  # 0.3 s
@ANY
@given(SETS, SETS, MEMBERS, st.booleans())
def test_sets_of_one_word(twins: Twins, members: set[int], stops: set[int], start: int, rising: bool) -> None:
    twins.clear()
    mask = bits(members)
    assert twins.call("pick", mask, start) == picked(members, start)
    assert result(twins, "only", mask) == (min(members) if len(members) == 1 else None)
    assert twins.call("until", mask, bits(stops), rising) == signed(bits(up_to(members, stops, rising)))


ORDERS = st.integers(2, 6).flatmap(
    lambda width: st.tuples(
        st.just(width),
        st.lists(st.integers(0, 2**width - 2), unique=True, max_size=64 // width),
        st.integers(0, 2**width - 2),
    )
)


@ANY
@given(ORDERS)
def test_orders_of_one_word(twins: Twins, drawn: tuple[int, list[int], int]) -> None:
    width, order, member = drawn
    twins.clear()
    value = packed(order, width)
    rest = [m for m in order if m != member]
    fits = len(rest) < 64 // width
    assert twins.call("order_members", value, width) == signed(bits(order))
    assert twins.call("order_without", value, member, width) == signed(packed(rest, width))
    assert twins.call("order_place", value, member, width) == (order.index(member) if member in order else -1)
    appended = signed(packed([*rest, member], width)) if fits else None
    assert result(twins, "order_append", value, member, width) == appended


@ANY
@given(st.integers(1, 3), st.data())
def test_rows_are_sorted_as_they_come(twins: Twins, width: int, data: st.DataObject) -> None:
    """Rows with equal keys keep their order."""
    rows = data.draw(st.lists(st.tuples(*[st.integers(-2, 2)] * width), max_size=8))
    twins.clear()
    for number, row in enumerate(rows):
        at = ROOM + 8 * width * number
        twins.write(at, row)
        twins.call("sort_in", ROOM, at, width)
    expected = sorted(rows, key=lambda row: row[:-1])
    assert twins.read(ROOM, width * len(rows)) == [x for row in expected for x in row]
    members = [row[-1] % 6 for row in rows]
    twins.write(ROOM, [x for row, member in zip(rows, members, strict=True) for x in (*row[:-1], member)])
    assert twins.call("packed", ROOM, len(rows), width, 3) == packed(members, 3)


@ANY
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 9))))
def test_the_cheapest_member_comes_first(twins: Twins, ways: list[tuple[int, int]]) -> None:
    twins.clear({ROOM: [7] * 12})
    twins.call("closed", ROOM, 5)
    costs: dict[int, int] = {}
    for member, cost in ways:
        twins.call("come_to", ROOM, member, cost)
        costs[member] = min(cost, costs.get(member, cost))
    for member in sorted(costs, key=lambda m: (costs[m], m)):
        assert twins.call("settled", ROOM, 5) == member
        assert twins.read(ROOM + 16 * member, 2) == [costs[member], 2]
    assert twins.call("settled", ROOM, 5) == -1


# --- several words on the stack ------------------------------------------------------------


@pytest.mark.sampled(2)
@pytest.mark.parametrize("count", [1, 2, 5, 16])
@ANY
@given(data=st.data())
def test_sets_of_several_words_on_the_stack(twins: Twins, count: int, data: st.DataObject) -> None:
    members = data.draw(st.sets(st.integers(0, 64 * count - 1), max_size=3))
    start = data.draw(st.integers(0, 64 * count - 1))
    twins.clear()
    several = words(bits(members), count)
    assert twins.call(f"lowest{count}", *several) == min(members, default=-1)
    assert twins.call(f"pick{count}", *several, start) == picked(members, start)
    assert result(twins, f"only{count}", *several) == (min(members) if len(members) == 1 else None)


@ANY
@given(st.integers(0, 300), st.integers(0, 4))
def test_the_bits_from_a_member_on(twins: Twins, start: int, word: int) -> None:
    twins.clear()
    expected = bits([k for k in range(64) if 64 * word + k >= start])
    assert twins.call("from_start", start, 64 * word) == signed(expected)


# --- several words in memory ---------------------------------------------------------------


@pytest.mark.proof  # 0.3 s
@ANY
@given(st.data())
def test_wide_sets(wide: tuple[Twins, int], data: st.DataObject) -> None:
    twins, count = wide
    members = st.integers(0, 64 * count - 1)
    few = st.sets(members, max_size=4)
    a, b = data.draw(few), data.draw(few)
    start = data.draw(st.integers(0, 64 * count + 70))
    twins.clear({A: words(bits(a), count), B: words(bits(b), count)})
    results = {"wide_or": a | b, "wide_and": a & b, "wide_diff": a - b}
    for name, expected in results.items():
        twins.call(name, TO, A, B)
        assert twins.read(TO, count) == [*map(signed, words(bits(expected), count))]
    assert twins.call("wide_count", A) == len(a)
    assert twins.call("wide_any", A) == bool(a)
    assert twins.call("wide_equal", A, B) == (a == b)
    assert twins.call("wide_equal", A, A) == 1
    assert twins.call("wide_next", A, start) == min([m for m in a if m >= start], default=-1)
    assert twins.call("wide_pick", A, start) == picked(a, start)
    assert result(twins, "wide_only", A) == (min(a) if len(a) == 1 else None)
    assert result(twins, "wide_low", A) == (signed(bits(a)) if max(a, default=0) < 64 else None)
    for rising in (False, True):
        twins.call("wide_until", TO, A, B, rising)
        assert twins.read(TO, count) == [*map(signed, words(bits(up_to(a, b, rising)), count))]
    fitting = data.draw(st.integers(0, count))
    assert twins.traps("row_fits", A, fitting) == (max(a, default=0) >= 64 * fitting and bool(a))


@pytest.mark.sampled(1)
@ANY
@given(st.data())
def test_members_of_wide_sets(wide: tuple[Twins, int], data: st.DataObject) -> None:
    twins, count = wide
    member = data.draw(st.integers(-1, 64 * count))
    a = data.draw(st.sets(st.integers(0, 64 * count - 1), max_size=4))
    within = 0 <= member < 64 * count
    twins.clear({A: words(bits(a), count), TO: [5] * count})
    assert twins.call("wide_in", member, A) == (member in a)
    assert twins.traps("wide_bit", TO, member) != within
    single = words(1 << member, count) if within else [0] * count
    assert twins.read(TO, count) == ([*map(signed, single)] if within else [5] * count)
    assert twins.traps("wide_one", TO, member) == (member == 64 * count)
    if member < 64 * count:
        assert twins.read(TO, count) == [*map(signed, single)]
    twins.call("wide_copy", B, A)
    assert twins.call("wide_equal", A, B)
    twins.call("wide_from", B, -3)
    assert twins.read(B, count) == [-3, *[0] * (count - 1)]
    cells = CONSTANTS["STATE"]
    twins.registers(JOURNAL=CONSTANTS["JOURNAL_BASE"])
    twins.call("wide_put", cells, A)
    assert twins.read(cells, count) == twins.read(A, count)
    twins.call("undo", CONSTANTS["JOURNAL_BASE"])
    assert not any(twins.read(cells, count))


@ANY
@given(st.integers(2, 9), st.data())
@pytest.mark.sampled(1)
def test_wide_orders(wide: tuple[Twins, int], width: int, data: st.DataObject) -> None:
    twins, count = wide
    most = 64 * count // width
    members = st.integers(0, min(2**width - 1, 64 * count) - 2)
    order = data.draw(st.lists(members, unique=True, max_size=most))
    member = data.draw(members)
    rest = [m for m in order if m != member]
    twins.clear({A: words(packed(order, width), count), TO: [9] * count})

    def row(order: Sequence[int]) -> list[int]:
        return [*map(signed, words(packed(order, width), count))]

    for at in range(len(order) + 1):
        field = order[at] + 1 if at < len(order) else 0
        assert twins.call("wide_field", A, width * at, width) == field
    assert twins.call("wide_place", A, member, width) == (order.index(member) if member in order else -1)
    twins.call("wide_members", TO, A, width)
    assert twins.read(TO, count) == [*map(signed, words(bits(order), count))]
    assert twins.call("wide_without", TO, A, member, width) == width * len(rest)
    assert twins.read(TO, count) == row(rest)
    twins.call("wide_behind", TO, A, width)
    assert twins.read(TO, count) == row(order[1:])
    assert twins.traps("wide_append", TO, A, member, width) == (len(rest) >= most)
    if len(rest) < most:
        assert twins.read(TO, count) == row([*rest, member])
    twins.write(ROOM + 0x1000, [x for m in order for x in (7, m)])
    twins.call("wide_packed", TO, ROOM + 0x1000, len(order), 2, width)
    assert twins.read(TO, count) == row(order)


# --- tokens that are alike -----------------------------------------------------------------

SIZE, EACH = 6, 3
"""The number of tokens, and of each owner's tokens."""
KIND, FIRSTS, SPARE, ALONE, MEMBER, LIVE = (ROOM + 0x1000 + 0x100 * k for k in range(6))
LISTS, VALUES, FIELDS = ROOM + 0x2000, ROOM + 0x3000, ROOM + 0x4000
FORMS = st.tuples(st.integers(0, 4), st.sets(st.integers(0, SIZE - 1)))
"""Types of cells: one token or none, a set, a wide set, an order, a wide order."""
NAMED = st.tuples(st.booleans(), st.lists(FORMS, max_size=2))


@ANY
@given(st.lists(NAMED, min_size=4, max_size=4), st.lists(st.integers(0, 1), min_size=12, max_size=12), st.data())
def test_tokens_that_are_alike(
    twins: Twins, named: list[tuple[bool, list[tuple[int, set[int]]]]], values: list[int], data: st.DataObject
) -> None:
    """Each token is represented by the first in the same sets, with the same values, and not named alone."""
    back, block = data.draw(st.sampled_from([0, 2])), data.draw(st.sampled_from([-1, 1]))
    unseen = data.draw(st.sampled_from([-2, -2, -1, 0, 4]))
    twins.clear()
    live = [0] * 8
    for number, (revealed, cells) in enumerate(named):
        at = LISTS + 0x100 * number
        if number:
            live[number] = at
        twins.write(
            at,
            [
                revealed,
                len(cells),
                *(x for k, (form, _) in enumerate(cells) for x in (form, VALUES + 0x100 * number + 0x40 * k)),
            ],
        )
        for k, (form, tokens) in enumerate(cells):
            order = sorted(tokens, reverse=True)
            value = [min(tokens, default=-1), bits(tokens), bits(tokens), packed(order, 3), packed(order, 3)][form]
            twins.write(VALUES + 0x100 * number + 0x40 * k, [value, 0])
    twins.write(KIND, [SIZE, EACH, FIRSTS, SPARE, ALONE, MEMBER, LIVE, 3, LISTS, FIELDS])
    twins.write(LIVE, live)
    twins.write(FIELDS, [2, FIELDS + 0x100, 1, FIELDS + 0x200, 2])
    one, two = values[:SIZE], [x for value in values[SIZE:] for x in (5, value)]
    twins.write(FIELDS + 0x100, one)
    twins.write(FIELDS + 0x200, two)
    twins.write(CONSTANTS["RETURNS"] + 8, [ROOM])
    twins.write(CONSTANTS["USUAL"] + 8, [3])
    twins.write(ROOM, [back])
    twins.registers(LEFT=10_000)
    twins.call("alike_begin", KIND)
    assert twins.read(FIRSTS, SIZE) == [token - token % EACH for token in range(SIZE)]
    if unseen >= -1:
        twins.call("alike_unseen", KIND, unseen)
    twins.call("alike_end", KIND, block)
    open_blocks = [] if block < 0 else [1, back or 3]
    asked = [named[0], *(named[number] for number in open_blocks)]
    alone = {unseen}
    kinds: list[set[int]] = []
    for _, cells in asked:
        for form, tokens in cells:
            if form in (1, 2):
                kinds.append(tokens)
            else:
                alone |= {min(tokens, default=-1)} if form == 0 else tokens

    def known(token: int) -> tuple[object, ...]:
        mark = token if token in alone else None
        return (token // EACH, mark, [token in tokens for tokens in kinds], one[token], two[2 * token + 1])

    everything = unseen == -1 or any(revealed for revealed, _ in asked)
    firsts = [token if everything else min(t for t in range(SIZE) if known(t) == known(token)) for token in range(SIZE)]
    assert twins.read(FIRSTS, SIZE) == firsts
