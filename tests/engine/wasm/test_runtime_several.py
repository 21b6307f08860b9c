"""The runtime module of sets and bags as parameters, beside the enumeration of Python."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proofs import examples

pytest.importorskip("wasmtime", reason="wasm needs wasmtime: pip install 'rulespec[wasm]'")

from runtime_twins import ROOM, Twins
from small_heap import CONSTANTS

from rulespec.engine.wasm.engine import TrapError
from rulespec.language import bags, several

ANY = settings(deadline=None, max_examples=examples(8, 200))
WORDS = 2
_WORD = (1 << 64) - 1


@pytest.fixture(scope="module")
def twins() -> Twins:
    return Twins()


def listed(twins: Twins, source: int, bits: int, least: int, most: int) -> list[int] | None:
    """The enumeration of the module; None if it traps."""
    twins.clear({ROOM + 40: [source >> 64 * word & _WORD for word in range(WORDS)]})
    twins.call("several_begin", ROOM, bits, WORDS, least, most)
    results = []
    try:
        while twins.call("several_next", ROOM, WORDS):
            words = twins.read(ROOM + 40, WORDS)
            results.append(sum((word & _WORD) << 64 * at for at, word in enumerate(words)))
    except TrapError:
        return None
    return results


def wanted(every: list[int]) -> list[int] | None:
    return every if len(every) <= CONSTANTS["MAX_SEVERAL"] else None


@pytest.mark.proof  # 0.2 s
@ANY
@given(
    members=st.sets(st.integers(0, 127), max_size=8) | st.just({0, 63, 64, 127}),
    least=st.integers(-2, 3),
    most=st.integers(-2, 5),
)
def test_sets_come_in_the_order_of_python(twins: Twins, members: set[int], least: int, most: int) -> None:
    source = sum(1 << member for member in members)
    assert listed(twins, source, 1, least, most) == wanted(list(several.subsets(source, least, most)))


@ANY
@given(
    rooms=st.lists(st.sampled_from([0, 0, 1, 2, 3, 255]), min_size=1, max_size=16),
    least=st.integers(-2, 3),
    most=st.integers(-2, 3),
)
def test_bags_come_in_the_order_of_python(twins: Twins, rooms: list[int], least: int, most: int) -> None:
    source = sum(room << bags.BITS * at for at, room in enumerate(rooms))
    assert listed(twins, source, 8, least, most) == wanted(list(several.bags(source, least, most)))


@ANY
@given(bag=st.integers(0, _WORD), number=st.integers(-9, 999), member=st.integers(0, 7))
def test_words_of_bags_are_those_of_python(twins: Twins, bag: int, number: int, member: int) -> None:
    twins.clear()
    assert twins.call("lots", bag) == bags.total(bag)
    assert twins.call("lot_entities", bag) == bags.entities(bag)
    assert twins.call("lot", number, member, 8) & _WORD == bags.lot(number, member, 8)
