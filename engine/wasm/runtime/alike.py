"""Classes of interchangeable tokens, and the first token of each class (`rulespec.engine.program.alike`).

`kind` is the address of the descriptor for a kind of token, which `rulespec.engine.wasm.alike` lays out. A descriptor
consists of the total number of tokens and the number per owner; the addresses of the first tokens, of a spare array, of
the individually named tokens and of an array for members; the lists of cells by block; the field width of an order; the
list of cells that name tokens; and the fields.
"""

from rulespec.engine.wasm.runtime.arithmetic import charge
from rulespec.engine.wasm.runtime.intrinsics import copy, fill, load, store
from rulespec.engine.wasm.runtime.program import DEPTHS, RETURNS, SAVED_CALLS, USUAL
from rulespec.engine.wasm.runtime.registers import REVEALED
from rulespec.engine.wasm.runtime.wide import wide_field, wide_in


def alike_begin(kind: int) -> None:
    """Initialises the classes: one class per owner."""
    size = load(kind)
    number = load(kind + 8)
    fill(load(kind + 32), 0, 8 * size)
    store(REVEALED, 0)
    token = 0
    while token < size:
        store(load(kind + 16) + 8 * token, token - token % number)
        token = token + 1


def alike_alone(kind: int, token: int) -> None:
    """Gives an individually named token a class of its own; -1 means no token."""
    if token >= 0:
        store(load(kind + 32) + 8 * token, token + 1)


def alike_unseen(kind: int, token: int) -> None:
    """Gives a token with a field hidden from some seat a class of its own; -1 means all tokens."""
    if token == -1:
        store(REVEALED, 1)
    alike_alone(kind, token)


def alike_named(kind: int, entry: int) -> None:
    """Moves the tokens that a list of cells refers to out of their classes; a cell holds a token, a set or an order."""
    store(REVEALED, load(REVEALED) | load(entry))
    left = load(entry + 8)
    while left > 0:
        form = load(entry + 16)
        at = load(entry + 24)
        if form == 0:
            alike_alone(kind, load(at))
        if form == 1 or form == 2:
            alike_in_set(kind, at, form == 2)
        if form == 3:
            alike_in_order(kind, load(at))
        if form == 4:
            alike_in_wide_order(kind, at)
        entry = entry + 16
        left = left - 1


def alike_in_set(kind: int, at: int, wide: int) -> None:
    """Splits each class into the members of a set and the other tokens."""
    members = load(kind + 40)
    token = 0
    while token < load(kind):
        store(members + 8 * token, wide_in(token, at) if wide else load(at) >> token & 1)
        token = token + 1
    alike_split(kind, members, 1)


def alike_in_order(kind: int, order: int) -> None:
    """Gives each member of an order a class of its own."""
    bits = load(kind + 56)
    while order != 0:
        alike_alone(kind, (order & ((1 << bits) - 1)) - 1)
        order = order >> bits


def alike_in_wide_order(kind: int, order: int) -> None:
    """Gives each member of a multi-word order a class of its own."""
    bits = load(kind + 56)
    at = 0
    one = wide_field(order, 0, bits)
    while one != 0:
        alike_alone(kind, one - 1)
        at = at + bits
        one = wide_field(order, at, bits)


def alike_differ(a: int, b: int, words: int) -> int:
    """Whether two values of `words` words differ."""
    while words > 0:
        if load(a) != load(b):
            return 1
        a = a + 8
        b = b + 8
        words = words - 1
    return 0


def alike_split(kind: int, values: int, words: int) -> None:
    """Splits each class by the values of its tokens."""
    firsts = load(kind + 16)
    spare = load(kind + 24)
    token = 0
    while token < load(kind):
        first = load(firsts + 8 * token)
        other = first
        own = values + 8 * words * token
        while other < token:
            if load(firsts + 8 * other) == first:
                if alike_differ(values + 8 * words * other, own, words) == 0:
                    break
            other = other + 1
        charge(other - first)
        store(spare + 8 * token, other)
        token = token + 1
    copy(firsts, spare, 8 * load(kind))


def alike_end(kind: int, block: int) -> None:
    """Splits the classes by all fields, and by all cells that may refer to tokens while a block and its callers are
    running.
    """
    alike_named(kind, load(kind + 64))
    deep = load(DEPTHS)
    while deep > 0:
        store(load(DEPTHS + 16 * deep - 8), load(load(DEPTHS + 16 * deep)))
        deep = deep - 1
    while block >= 0:
        entry = load(load(kind + 48) + 8 * block)
        back = load(RETURNS + 8 * block)
        record = load(SAVED_CALLS + 8 * block)
        if record != 0:
            number = load(load(record)) - 1
            store(load(record), number)
            back = load(record + 8) + 8 * number
            if entry != 0:
                entry = load(entry + 8 * number)
        if entry != 0:
            alike_named(kind, entry)
        if back == 0:
            break
        usual = load(USUAL + 8 * block)
        block = load(back)
        if block == 0:
            block = usual
    fields = load(kind + 72)
    left = load(fields)
    while left > 0:
        alike_split(kind, load(fields + 8), load(fields + 16))
        fields = fields + 16
        left = left - 1
    alike_split(kind, load(kind + 32), 1)
    token = 0
    while load(REVEALED) and token < load(kind):
        store(load(kind + 16) + 8 * token, token)
        token = token + 1
