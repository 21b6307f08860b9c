"""The fixed functions of every module: journal, numbers, sets, orders, random numbers, playouts, perft.

They are written in a small part of Python (`small_python`); names in capitals are addresses and numbers of `layout`.
"""

from rulespec.engine.wasm.runtime_alike import ALIKE
from rulespec.engine.wasm.runtime_games import GAMES, HASH
from rulespec.engine.wasm.runtime_random import RANDOM
from rulespec.engine.wasm.runtime_replay import OF_REPLAY, REPLAY
from rulespec.engine.wasm.runtime_search import OF_SEARCH, SEARCH
from rulespec.engine.wasm.runtime_sets import ROWS, SETS
from rulespec.engine.wasm.runtime_steps import OF_STEPS, STEPS
from rulespec.engine.wasm.runtime_wide import WIDE

NUMBERS = """
def put(at, value):
    old = load(at)
    if old != value:
        top = load(JOURNAL)
        if top >= JOURNAL_END:
            trap()
        store(top, at)
        store(top + 8, old)
        store(top + 16, value)
        store(JOURNAL, top + 24)
        store(at, value)

def undo(mark):
    top = load(JOURNAL)
    while top > mark:
        top = top - 24
        store(load(top), load(top + 8))
    store(JOURNAL, mark)
    store(IDLE_SIZE, 0)

def fit(a) -> int:
    if a > MOST or a < -MOST:
        trap()
    return a

def product(a, b) -> int:
    about = float(a) * float(b)
    if about > 2000000000000000.0 or 0.0 - about > 2000000000000000.0:
        trap()
    return fit(a * b)

def added(a, b) -> int:
    c = a + b
    if ((a ^ c) & (b ^ c)) < 0:
        trap()
    return c

def flip(a) -> int:
    if a > MOST or a < -MOST:
        return -a
    return a

def floor_divided(a, b) -> int:
    if b == 0:
        trap()
    q = divided(a, b)
    if q * b != a and (a ^ b) < 0:
        q = q - 1
    return q

def remainder(a, b) -> int:
    return a - floor_divided(a, b) * b

def find(table, count, width, keys) -> int:
    low = 0
    high = count
    while low < high:
        middle = (low + high) >> 1
        row = table + 8 * (width + 1) * middle
        k = 0
        while k < width and load(row + 8 * k) == load(keys + 8 * k):
            k = k + 1
        if k == width:
            return load(row + 8 * width)
        if load(row + 8 * k) < load(keys + 8 * k):
            low = middle + 1
        else:
            high = middle
    trap()

def values(low, high) -> int:
    if high - low >= MAX_VALUES:
        trap()
    return 0 if high < low else high - low + 1

def charge(steps):
    left = load(LEFT) - steps
    if left < 0:
        trap()
    store(LEFT, left)

def transfer(source, target, amount, unlimited):
    there = load(source)
    if amount < 0:
        trap()
    if amount > (MOST if unlimited else there):
        trap()
    if amount != 0:
        put(source, there - amount)
        more = load(target) + amount
        put(target, more)
        if more > MOST or load(source) < -MOST:
            trap()

def occupied(list, before, after):
    if (before > 0) != (after > 0):
        left = load(list)
        while left > 0:
            at = load(list + 8)
            put(at, load(at) ^ load(list + 16))
            list = list + 16
            left = left - 1

def transfer_counted(source, target, amount, unlimited, places):
    one = load(source)
    other = load(target)
    transfer(source, target, amount, unlimited)
    if source != target and amount != 0:
        list = load(places + source - STATE)
        if list != 0:
            occupied(list, one, load(source))
        list = load(places + target - STATE)
        if list != 0:
            occupied(list, other, load(target))

def house(at, value, houses):
    before = load(at)
    if before != value:
        list = load(houses + at - STATE)
        put(at, value)
        left = load(list)
        while left > 0:
            first = load(list + 8)
            bit = load(list + 16)
            array = load(list + 24)
            stride = load(list + 32)
            set = first + stride * load(array + 8 * before)
            put(set, load(set) ^ bit)
            set = first + stride * load(array + 8 * value)
            put(set, load(set) ^ bit)
            list = list + 32
            left = left - 1
"""

SOURCES = (NUMBERS, SETS, ROWS, WIDE, ALIKE, RANDOM, GAMES, HASH, SEARCH, STEPS, REPLAY)
EXPORTS = frozenset(
    {
        *("reset", "run", "own", "others", "take", "undo", "put", "broken"),
        *("seed", "word", "drawn", "choose", "play", "games", "whole_hash", "grown", "perft", "descend"),
        *OF_SEARCH,
        *OF_STEPS,
        *OF_REPLAY,
    }
)
