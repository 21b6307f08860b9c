"""Perft: the leaves of the option tree, counted and hashed."""

from rulespec.engine.wasm.runtime.games import decision, others, own_again, take
from rulespec.engine.wasm.runtime.hashes import grown, plus
from rulespec.engine.wasm.runtime.intrinsics import exported, load, store, trap
from rulespec.engine.wasm.runtime.journal import undo
from rulespec.engine.wasm.runtime.program import STRIDE
from rulespec.engine.wasm.runtime.registers import (
    BUDGET,
    COMPLETE,
    ENDED,
    HASH,
    JOURNAL,
    LEAVES,
    LEAVES_END,
    LIMIT,
    NODES,
    OPTIONS,
)


@exported
def descend(one: int, depth: int) -> int:
    """The number of leaves after an option."""
    mark = load(JOURNAL)
    before = load(HASH)
    leaves = 1
    store(NODES, load(NODES) + 1)
    take(one)
    if load(BUDGET) < 0:
        trap()
    reached = plus(before, grown(mark))
    if depth == 1:
        leaf(reached)
    else:
        store(HASH, reached)
        leaves = perft(depth - 1)
        store(HASH, before)
    undo(mark)
    return leaves


def leaf(total: int) -> None:
    """Writes the hash of a leaf."""
    top = load(LEAVES)
    if top >= load(LEAVES_END):
        trap()
    store(top, total)
    store(LEAVES, top + 8)


@exported
def perft(depth: int) -> int:
    """The number of leaves below the position, within the node limit."""
    number = decision()
    if number < 0:
        store(ENDED, load(ENDED) + 1)
        return 0
    first = load(OPTIONS)
    own_again(number)
    others(number)
    last = load(OPTIONS)
    leaves = 0
    one = first
    while one < last:
        if load(NODES) >= load(LIMIT):
            store(COMPLETE, 0)
            break
        leaves = leaves + descend(one, depth)
        one = one + STRIDE
    store(OPTIONS, first)
    return leaves
