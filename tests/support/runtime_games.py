"""Games in both runtimes: their start, random walks, transfer as rows; and addresses used by tests."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import settings
from hypothesis import strategies as st
from proofs import examples
from runtime_twins import ROOM, Twins
from small_heap import CONSTANTS, Heap, image

STATE, BASE = CONSTANTS["STATE"], CONSTANTS["OPTIONS_BASE"]
ROW, RESULT, STRIDE = CONSTANTS["ROW"], CONSTANTS["RESULT"], CONSTANTS["STRIDE"]
ANSWERS, OUT, RECORDED = ROOM + 0x1000, ROOM + 0x2000, ROOM + 0x3000
OF_BUDGET = 1 << 40
ANY = settings(deadline=None, max_examples=examples(10, 40))
HEAPS = st.integers(1, 8)
SEEDS = st.integers(0, 2**64 - 1)


def begun(twins: Twins, heap: int, **registers: int) -> Heap:
    """A game at its first decision, in both memories, with its reference."""
    twins.clear(image(heap))
    twins.registers(BUDGET=OF_BUDGET, **registers)
    twins.call("reset")
    twins.registers(LEFT=CONSTANTS["STEPS"])
    twins.call("run", CONSTANTS["MAIN"])
    return Heap(heap)


def rows(twins: Twins, positions: Sequence[Heap], **registers: int) -> None:
    """Writes positions in the form used by the search."""
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
